//! Leaderboards as Markdown.

use crate::format;
use crate::version::VERSION;
use hognose_eval::{EndedBy, Leaderboard, Overall, Standing, Standings};
use std::fmt;
use std::time::Duration;
use time::OffsetDateTime;

/// A leaderboard as Markdown, including the origin of its numbers.
pub(super) struct Document<'a> {
    pub(super) leaderboard: &'a Leaderboard,
    /// The requested number of games.
    pub(super) games: Option<usize>,
    /// The time limit for all games.
    pub(super) time: Duration,
}

impl fmt::Display for Document<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Leaderboard { seed, .. } = self.leaderboard;
        let today = OffsetDateTime::now_utc().date();
        let reference = self.leaderboard.reference().unwrap_or_default();
        writeln!(f, "# Leaderboard\n")?;
        writeln!(
            f,
            "Written by `hognose leaderboard` of hognose {VERSION} on {today}."
        )?;
        writeln!(
            f,
            "On each board all policies play the same games, those of seed {seed}, with default \
             rules."
        )?;
        writeln!(f, "A game is cut off after 4 x area steps without food.\n")?;
        writeln!(
            f,
            "Cells show the mean steps of the games won, ± half a 95 % interval (Student's t),"
        )?;
        writeln!(
            f,
            "preceded by the share of games won if that is not 100 %."
        )?;
        writeln!(
            f,
            "The fewest steps among policies that won every game are bold."
        )?;
        writeln!(f, "A cell is empty if the policy refuses the board.\n")?;
        writeln!(
            f,
            "Policies are ordered by the mean share of games won on the boards that \
             they play."
        )?;
        writeln!(
            f,
            "Among equal ones, those that need fewer steps come first."
        )?;
        writeln!(
            f,
            "The column \"steps\" compares their steps with those of `{}`:",
            code(reference)
        )?;
        writeln!(
            f,
            "it is the geometric mean of the ratios on these boards.\n"
        )?;
        writeln!(f, "{}\n", self.policies())?;
        if self
            .leaderboard
            .policies
            .iter()
            .any(|row| self.depends_on_clock(&row.policy))
        {
            writeln!(
                f,
                "*: depends on the clock, so games may differ on another machine.\n"
            )?;
        }
        if self
            .leaderboard
            .policies
            .iter()
            .any(|row| self.is_over_fewer_games(row))
        {
            writeln!(
                f,
                "†: the policy or `{}` does not win every game, and its steps are those of the \
                 games",
                code(reference)
            )?;
            writeln!(
                f,
                "that it wins. A policy that loses the hard games can look faster than it is.\n"
            )?;
        }
        for (
            board,
            Standing {
                policy,
                forfeits,
                forfeit,
                ..
            },
        ) in self.standings()
        {
            if let Some(reason) = forfeit {
                let policy = code(policy);
                let reason = code(reason);
                let board = board.rules.board();
                writeln!(
                    f,
                    "`{policy}` forfeited {forfeits} games on {board}; the first: {reason}\n"
                )?;
            }
        }
        writeln!(f, "## Games\n")?;
        match self.games {
            Some(games) => writeln!(
                f,
                "Each policy played {} games on each board, as requested.",
                grouped(games)
            )?,
            None => {
                writeln!(
                    f,
                    "Each board starts with {} games per policy and doubles them",
                    Leaderboard::FIRST_ROUND
                )?;
                let percent = 100.0 * Leaderboard::PRECISION;
                writeln!(
                    f,
                    "until ± is less than {percent} % of the mean for every policy that wins at \
                     least half,"
                )?;
                writeln!(
                    f,
                    "or until {} minutes have passed for all boards together.",
                    self.time.as_secs_f64() / 60.0
                )?;
                writeln!(f, "The widest ± is over these policies.")?;
            }
        }
        writeln!(f, "\n{}", self.boards())
    }
}

impl Document<'_> {
    /// Returns the boards on which at least one round was finished.
    fn played(&self) -> impl Iterator<Item = &Standings> {
        self.leaderboard
            .boards
            .iter()
            .filter(|board| board.games > 0)
    }

    /// Returns each policy on each board.
    fn standings(&self) -> impl Iterator<Item = (&Standings, &Standing)> {
        self.played()
            .flat_map(|board| board.rows.iter().map(move |row| (board, row)))
    }

    /// Returns whether a policy's moves depend on the clock.
    fn depends_on_clock(&self, policy: &str) -> bool {
        self.played()
            .filter_map(|board| board.of(policy))
            .any(|row| row.depends_on_clock)
    }

    /// Returns whether the steps of a policy are compared with the reference although one of them
    /// does not win every game.
    fn is_over_fewer_games(&self, row: &Overall) -> bool {
        row.relative_steps.is_some()
            && [
                row.policy.as_str(),
                self.leaderboard.reference().unwrap_or_default(),
            ]
            .into_iter()
            .any(|policy| {
                self.standings()
                    .any(|(board, row)| row.policy == policy && row.wins < board.games)
            })
    }

    /// Returns a table with a row for each policy and a column for each board.
    fn policies(&self) -> comfy_table::Table {
        let boards = self.played().map(|board| board.rules.board().to_string());
        let heads: Vec<String> = ["policy".to_owned(), "steps".to_owned()]
            .into_iter()
            .chain(boards)
            .collect();
        let mut table = format::table(&heads);
        for row in &self.leaderboard.policies {
            let Overall {
                policy,
                relative_steps,
                ..
            } = row;
            let mark = if self.is_over_fewer_games(row) {
                " †"
            } else {
                ""
            };
            let steps = format::number_or_dash(*relative_steps, 3) + mark;
            let name = format!(
                "`{}`{}",
                code(policy),
                if self.depends_on_clock(policy) {
                    " *"
                } else {
                    ""
                }
            );
            let cells = self.played().map(|board| {
                board
                    .of(policy)
                    .map(|row| cell(row, board))
                    .unwrap_or_default()
            });
            table.add_row([name, steps].into_iter().chain(cells));
        }
        table
    }

    /// Returns a table with a row for each board: its games, and why there are no more.
    fn boards(&self) -> comfy_table::Table {
        let mut table = format::table(&["board", "games per policy", "widest ±", "ended by"]);
        for board in &self.leaderboard.boards {
            let widest = board
                .widest
                .map_or("-".to_owned(), |widest| format!("{:.2} %", 100.0 * widest));
            let ended_by = match board.ended_by {
                Some(EndedBy::Precision) => "precision",
                Some(EndedBy::Games) => "requested number",
                Some(EndedBy::Time) => "time",
                Some(EndedBy::Interruption) | None => "interruption",
            };
            table.add_row([
                board.rules.to_string(),
                grouped(board.games),
                widest,
                ended_by.to_owned(),
            ]);
        }
        table
    }
}

/// Formats a policy's results on a board: its win rate, if not 100 %, and its steps to win.
fn cell(row: &Standing, board: &Standings) -> String {
    let won_all = row.wins == board.games;
    let steps = row.mean_steps_won.map(|mean| {
        let digits = if mean < 1000.0 { 1 } else { 0 };
        let half = row
            .mean_steps_won_interval
            .map(|interval| (interval.high - interval.low) / 2.0);
        let steps = match half.filter(|half| *half > 0.0) {
            Some(half) => format!("{mean:.digits$} ± {half:.digits$}"),
            None => format!("{mean:.digits$}"),
        };
        if won_all && row.place == 1 {
            format!("**{steps}**")
        } else {
            steps
        }
    });
    let share = (!won_all).then(|| share(row.wins, board.games));
    share
        .into_iter()
        .chain(steps)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Formats a share in percent, rounded to 0 or 100 only if exact.
fn share(wins: usize, games: usize) -> String {
    match (1000.0 * wins as f64 / games as f64).round() as usize {
        0 if wins > 0 => "< 0.1 %".to_owned(),
        1000 if wins < games => "> 99.9 %".to_owned(),
        thousandths => format!("{}.{} %", thousandths / 10, thousandths % 10),
    }
}

/// Formats a number with commas between thousands.
fn grouped(number: usize) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", grouped(number / 1000), number % 1000),
    }
}

/// Escapes a name for code in a table.
fn code(name: &str) -> String {
    name.replace('|', "\\|")
        .replace('`', "'")
        .replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        let numbers: Vec<String> = [0, 999, 1000, 12_034, 1_200_345]
            .into_iter()
            .map(grouped)
            .collect();
        assert_eq!(numbers, ["0", "999", "1,000", "12,034", "1,200,345"]);
        let shares: Vec<String> = [0, 1, 100, 1249, 9999, 10_000]
            .into_iter()
            .map(|wins| share(wins, 10_000))
            .collect();
        assert_eq!(
            shares,
            ["0.0 %", "< 0.1 %", "1.0 %", "12.5 %", "> 99.9 %", "100.0 %"]
        );
        assert_eq!(code("exec:a | b"), "exec:a \\| b");
    }
}
