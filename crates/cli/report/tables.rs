//! Tables of reports for the terminal.

use super::Report;
use crate::format::{self, mean_or_dash, number_or_dash, percent, thousands, with_interval};
use crate::output::say;
use hognose_eval::{Paired, Summary};
use hognose_game::{Board, Start};

/// A column of a table: its heading, and the text for a policy.
type Column<'a> = (&'a str, fn(&Summary) -> String);

/// The columns of results.
const PLAY: &[Column<'_>] = &[
    ("policy", name),
    ("wins", |summary| {
        percent(summary.win_rate, summary.win_rate_interval)
    }),
    ("mean length", |summary| {
        with_interval(summary.mean_length, summary.mean_length_interval, 2)
    }),
    ("covered", |summary| {
        format!("{:.1} %", 100.0 * summary.coverage)
    }),
    ("steps when won", |summary| {
        mean_or_dash(summary.mean_steps_won, summary.mean_steps_won_interval, 1)
    }),
    ("sd", |summary| number_or_dash(summary.sd_steps_won, 1)),
    ("steps/food", |summary| {
        number_or_dash(summary.steps_per_food, 2)
    }),
];

/// The columns of how games end, and of the differences from the first policy.
const ENDS: &[Column<'_>] = &[
    ("policy", name),
    ("won", |summary| summary.ends.won.to_string()),
    ("wall", |summary| summary.ends.wall.to_string()),
    ("body", |summary| summary.ends.body.to_string()),
    ("limit", |summary| summary.ends.limit.to_string()),
    ("length - REFERENCE's", |summary| {
        summary.paired.as_ref().map_or("-".to_owned(), |paired| {
            with_interval(paired.length, paired.length_interval, 2)
        })
    }),
    ("steps - REFERENCE's, both won", |summary| {
        let difference =
            |paired: &Paired| mean_or_dash(paired.steps_won, paired.steps_won_interval, 1);
        summary.paired.as_ref().map_or("-".to_owned(), difference)
    }),
    ("decisions/s", |summary| {
        thousands(summary.decisions_per_second)
    }),
];

/// Returns the name, with a star if the moves depend on the clock.
fn name(summary: &Summary) -> String {
    format!(
        "{}{}",
        summary.name,
        if summary.depends_on_clock { " *" } else { "" }
    )
}

impl Report {
    /// Prints two tables: results, and how games end.
    pub(crate) fn print(&self) {
        let Report {
            rules,
            seed,
            games,
            policies,
            ..
        } = self;
        if self.is_empty() {
            return;
        }
        say!(
            "{rules}, {games} games of seed {seed} each; {}",
            self.limits()
        );
        say!(
            "[95 % intervals: of shares by Wilson, of means by Student's t; differences are \
             paired, not corrected"
        );
        say!("for the number of policies]\n");
        say!("{}\n", self.table(PLAY));
        say!("{}", self.table(ENDS));
        if policies.iter().any(|summary| summary.depends_on_clock) {
            say!("*: depends on the clock, so games may differ on another machine");
        }
        for note in policies
            .iter()
            .filter_map(|summary| format::forfeits(&summary.name, summary))
        {
            say!("{note}");
        }
        for Summary {
            name,
            refused,
            refusal,
            ..
        } in policies
        {
            if let Some(reason) = refusal {
                say!(
                    "{name}: refused {refused} of {games} games, which no column above counts; the \
                     first: {reason}"
                );
            }
        }
        if policies.iter().any(|summary| summary.refused > 0) {
            say!(
                "differences are over the games that both policies played{}",
                self.advice()
            );
        }
        for summary in policies.iter().filter(|summary| summary.forbidden > 0.0) {
            say!(
                "{}: {:.2} % of its choices were forbidden",
                summary.name,
                100.0 * summary.forbidden
            );
        }
        for (name, seconds) in self
            .names()
            .zip(&self.setup_seconds)
            .filter(|(_, seconds)| **seconds >= 0.1)
        {
            say!("{name}: setting up its games took another {seconds:.1} s, summed over threads");
        }
        if !self.missing.is_empty() {
            say!("not played: {}", self.missing.join(", "));
        }
    }

    /// Suggests starts that a policy does not refuse because the body lies across the border of a
    /// torus.
    fn advice(&self) -> String {
        let Start::Random { length, margin } = self.rules.start() else {
            return String::new();
        };
        let away = Start::Random {
            length,
            margin: length - 1,
        };
        let helps = self.rules.board().is_torus()
            && margin < length - 1
            && self.rules.with_start(away).is_ok();
        let option = format!(
            "; with `--start-margin {}` no body lies across the border",
            length - 1
        );
        if helps { option } else { String::new() }
    }

    /// Describes when games are cut off.
    fn limits(&self) -> String {
        let hunger = match (self.starvation_per_cell, self.starvation) {
            (Some(per_cell), Some(most)) => Some(format!(
                "after {per_cell} steps without food per cell of the snake, at most {most}"
            )),
            (Some(per_cell), None) => Some(format!(
                "after {per_cell} steps without food per cell of the snake"
            )),
            (None, hunger) => hunger.map(|hunger| format!("after {hunger} steps without food")),
        };
        let time = self
            .time_limit
            .map(|steps| format!("after {steps} steps in total"));
        let limits: Vec<String> = hunger.into_iter().chain(time).collect();
        if limits.is_empty() {
            "none is cut off".to_owned()
        } else {
            format!("cut off {}", limits.join(", or "))
        }
    }

    /// Returns a table with a row for each policy.
    fn table(&self, columns: &[Column<'_>]) -> comfy_table::Table {
        let reference = self.names().next().unwrap_or_default();
        let heads: Vec<String> = columns
            .iter()
            .map(|(head, _)| head.replace("REFERENCE", reference))
            .collect();
        let mut table = format::table(&heads);
        for summary in &self.policies {
            table.add_row(columns.iter().map(|(_, text)| text(summary)));
        }
        table
    }

    /// Prints what the policies lose, in total and by thirds of the game.
    pub(crate) fn print_regrets(&self) {
        if self.regrets.is_empty() {
            return;
        }
        let mut table = format::table(&[
            "policy",
            "best moves",
            "sure wins lost",
            "steps lost per game",
            "per move",
            "short",
            "middle",
            "long",
            "values",
        ]);
        for (name, regret) in self.names().zip(&self.regrets) {
            let third = self.board.area().div_ceil(3);
            let mut parts = regret
                .steps_by_length
                .chunks(third)
                .map(|lengths| format!("{:.2}", lengths.iter().sum::<f64>()));
            let mut part = || parts.next().unwrap_or_default();
            table.add_row([
                name.to_owned(),
                match regret.optimal_moves_interval {
                    Some(interval) => percent(regret.optimal_moves, interval),
                    None => format!("{:.1} %", 100.0 * regret.optimal_moves),
                },
                format!("{} in {} games", regret.given_away, regret.games),
                with_interval(regret.steps_per_game, regret.steps_per_game_interval, 2),
                format!("{:.4}", regret.steps_per_move),
                part(),
                part(),
                part(),
                number_or_dash(regret.value_correlation, 3),
            ]);
        }
        say!("\n{table}");
        say!(
            "compared with exact play, in positions with a sure win; by thirds of the board that \
             the snake covers;"
        );
        say!(
            "95 % intervals: of best moves by bootstrap over games, of steps by Student's t \
             over games;"
        );
        say!(
            "values: Spearman's rank correlation of the policy's own values with exact ones at \
             equal lengths"
        );
        let missing: Vec<&str> = self.names().skip(self.regrets.len()).collect();
        if !missing.is_empty() {
            say!("not asked: {}", missing.join(", "));
        }
    }
}

/// The columns of results on several boards.
const ON_BOARDS: [Column<'_>; 6] = [
    PLAY[0],
    PLAY[1],
    PLAY[4],
    PLAY[3],
    ("cut off", |summary| summary.ends.limit.to_string()),
    ("died", |summary| {
        (summary.ends.wall + summary.ends.body).to_string()
    }),
];

/// Prints the results of policies on several boards: a row per policy and board, and the means.
pub(crate) fn print_boards(reports: &[Report]) {
    let Some(first) = reports.first() else {
        return;
    };
    let heads: Vec<&str> = ON_BOARDS.iter().map(|(head, _)| *head).collect();
    let mut table = format::table(&[&["board"], &heads[..]].concat());
    for report in reports {
        for summary in &report.policies {
            let columns = ON_BOARDS.iter().map(|(_, text)| text(summary));
            table.add_row([report.board.to_string()].into_iter().chain(columns));
        }
    }
    let same = reports
        .iter()
        .all(|report| report.limits() == first.limits());
    let limits = match reports.last() {
        Some(last) if !same => format!(
            "on {} {}, on {} {}",
            first.board,
            first.limits(),
            last.board,
            last.limits()
        ),
        _ => first.limits(),
    };
    say!(
        "{} games of seed {} on each board; {limits}",
        first.games,
        first.seed
    );
    say!("[95 % intervals: of shares by Wilson, of means by Student's t]\n");
    say!("{table}");
    for report in reports {
        for summary in &report.policies {
            let of = format!("{} on {}", summary.name, report.board);
            if let Some(note) = format::forfeits(of, summary) {
                say!("{note}");
            }
        }
    }
    for name in first.names() {
        let mut rates: Vec<(Board, f64)> = reports
            .iter()
            .filter_map(|report| Some((report.board, report.of(name)?.win_rate)))
            .collect();
        rates.sort_by(|(_, a), (_, b)| a.total_cmp(b));
        let mean = rates.iter().map(|(_, rate)| rate).sum::<f64>() / rates.len() as f64;
        let (worst, least) = rates[0];
        say!(
            "{name}: wins {:.1} % on average over {} boards, least on {worst}: {:.1} %",
            100.0 * mean,
            rates.len(),
            100.0 * least
        );
    }
}
