//! Options that several commands share, and commands as text.

use crate::embedded;
use crate::error::{Error, Result};
use hognose_eval::Limits;
use hognose_game::{Board, BoardRange, Direction, Rules, Start};
use hognose_policies::{Catalog, DEFAULT_MOVE_LIMIT, MOVE_LIMITS, NamedPolicy};
use itertools::Itertools;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Options that change the default rules: random cell and heading, length 1, tail entry, one food.
#[derive(clap::Args)]
#[command(next_help_heading = "Rules")]
pub(crate) struct RulesArguments {
    /// Board as WxH or WxH-torus [default: 10x10, or as the agent or the duel rules require]
    #[arg(long)]
    board: Option<Board>,
    /// Initial length of the snake
    #[arg(long, value_name = "CELLS", default_value_t = 1)]
    start_length: u8,
    /// Minimum initial distance of the head from the border
    #[arg(
        long,
        value_name = "CELLS",
        default_value_t = 0,
        conflicts_with = "start_at"
    )]
    start_margin: u8,
    /// Initial column, row (from 0 at the top left) and heading of the head
    #[arg(long, value_name = "COLUMN,ROW,HEADING")]
    start_at: Option<StartAt>,
    /// Number of foods on the board [default: 1; in duels, as in the rules]
    #[arg(long)]
    foods: Option<u16>,
    /// Lose when entering the cell that the tail is leaving
    #[arg(long)]
    no_tail_entry: bool,
}

/// A fixed start: the position and heading of the head.
#[derive(Clone, Copy, Debug)]
struct StartAt {
    column: u8,
    row: u8,
    heading: Direction,
}

impl FromStr for StartAt {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<StartAt, String> {
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let parse = || {
            let [column, row, heading] = parts[..] else {
                return None;
            };
            Some(StartAt {
                column: column.parse().ok()?,
                row: row.parse().ok()?,
                heading: heading.parse().ok()?,
            })
        };
        parse()
            .ok_or_else(|| format!("expected COLUMN,ROW,HEADING such as 0,5,right, got {text:?}"))
    }
}

impl RulesArguments {
    /// Returns the rules of a game for these policies. Without --board, the board is 10x10 or, if
    /// the first agent among them does not play that, the largest board that it plays.
    pub(crate) fn rules(&self, policies: &[NamedPolicy]) -> Result<Rules> {
        let usual = Board::new(10, 10)?;
        let others = policies
            .iter()
            .find_map(NamedPolicy::boards)
            .filter(|boards| !boards.contains(usual));
        let board = self.board.unwrap_or(others.map_or(usual, BoardRange::most));
        let length = self.start_length;
        let start = match self.start_at {
            Some(StartAt {
                column,
                row,
                heading,
            }) => Start::Fixed {
                column,
                row,
                heading,
                length,
            },
            None => Start::Random {
                length,
                margin: self.start_margin,
            },
        };
        let rules = Rules::new(board)
            .with_tail_entry(!self.no_tail_entry)
            .with_foods(self.foods.unwrap_or(1))?;
        rules.with_start(start).map_err(Error::from)
    }
}

impl RulesArguments {
    /// Returns the board and the number of foods, if given; duels use them, too.
    pub(crate) fn board_and_foods(&self) -> (Option<Board>, Option<u16>) {
        (self.board, self.foods)
    }
}

/// Parses an entry of a list, which may have spaces around it.
pub(crate) fn trimmed<T: FromStr>(text: &str) -> std::result::Result<T, T::Err> {
    text.trim().parse()
}

/// Returns the boards of some ranges, without duplicates.
pub(crate) fn boards_of(ranges: &[BoardRange]) -> Vec<Board> {
    ranges
        .iter()
        .flat_map(|range| range.boards())
        .unique()
        .collect()
}

/// Parses an amount of memory.
pub(crate) fn gib(text: &str) -> std::result::Result<f64, String> {
    let gib = text
        .parse()
        .ok()
        .filter(|gib: &f64| gib.is_finite() && *gib > 0.0);
    gib.ok_or_else(|| "expected a number of GiB above 0".to_owned())
}

/// The limits of games.
#[derive(clap::Args)]
pub(crate) struct LimitArguments {
    /// Cut off a game after this many steps without food, or `none` [default: 4 x area]
    #[arg(long, value_name = "STEPS")]
    starvation: Option<Starvation>,
    /// Cut off a game after this many steps without food per cell of the snake, if less [default:
    /// none]
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(1..))]
    starvation_per_cell: Option<u32>,
    /// Cut off a game after this many steps [default: none]
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(1..))]
    time_limit: Option<u32>,
}

/// The starvation limit.
#[derive(Clone, Copy, Debug)]
enum Starvation {
    /// After this many steps without food.
    After(u32),
    Never,
}

impl FromStr for Starvation {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Starvation, String> {
        match (text, text.parse()) {
            ("none", _) => Ok(Starvation::Never),
            (_, Ok(steps @ 1..)) => Ok(Starvation::After(steps)),
            _ => Err(format!(
                "expected a number of steps from 1 up, or none, got {text:?}"
            )),
        }
    }
}

impl LimitArguments {
    /// Returns the limits of games with these rules.
    pub(crate) fn limits(&self, rules: Rules) -> Limits {
        let starvation = match self.starvation {
            Some(Starvation::After(steps)) => Some(steps),
            Some(Starvation::Never) => None,
            None => Limits::new(rules).starvation,
        };
        Limits {
            starvation,
            starvation_per_cell: self.starvation_per_cell,
            time_limit: self.time_limit,
        }
    }
}

/// The policies that play.
#[derive(clap::Args)]
pub(crate) struct PolicyArguments {
    /// Comma-separated policies; see `hognose policies`
    #[arg(long, value_delimiter = ',', value_parser = trimmed::<String>)]
    policies: Vec<String>,
    /// Additional policy, whose name may contain commas; repeatable
    ///
    /// For example, --policy "exec:python3 player.py a,b".
    #[arg(long)]
    policy: Vec<String>,
    #[command(flatten)]
    programs: ProgramArguments,
}

impl PolicyArguments {
    /// Returns the names given.
    pub(crate) fn names(&self) -> Vec<String> {
        self.policies.iter().chain(&self.policy).cloned().collect()
    }

    /// Returns the catalog of [`ProgramArguments::catalog`].
    pub(crate) fn catalog(&self) -> Catalog {
        self.programs.catalog()
    }
}

/// Options for external programs.
#[derive(clap::Args)]
pub(crate) struct ProgramArguments {
    /// Time limit per move for programs (exec:COMMAND) [default: 1]
    ///
    /// A program that takes longer forfeits the game. For its first move it has at least 10
    /// seconds.
    #[arg(long, value_name = "SECONDS", value_parser = move_limit)]
    move_limit: Option<Duration>,
    /// Append the lines to and from programs, and their standard error, to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

fn move_limit(text: &str) -> std::result::Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if MOVE_LIMITS.contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err(format!(
            "expected {} to {} seconds",
            MOVE_LIMITS.start(),
            MOVE_LIMITS.end()
        )),
    }
}

impl ProgramArguments {
    /// Returns the catalog for policies and bots named on the command line: those of
    /// [`embedded::catalog`], and programs. Don't use it for names from files.
    pub(crate) fn catalog(&self) -> Catalog {
        embedded::catalog()
            .with_programs(self.move_limit.unwrap_or(DEFAULT_MOVE_LIMIT))
            .with_log(self.log.clone())
    }

    /// Returns the options that were given, as words of a command.
    pub(crate) fn words(&self) -> Vec<String> {
        let limit = self.move_limit.map(|limit| limit.as_secs_f64().to_string());
        let log = self.log.as_ref().map(|log| log.display().to_string());
        [("--move-limit", limit), ("--log", log)]
            .into_iter()
            .filter_map(|(option, value)| Some([option.to_owned(), value?]))
            .flatten()
            .collect()
    }
}

/// The number of threads.
#[derive(clap::Args)]
pub(crate) struct ThreadArguments {
    /// Number of threads; results do not depend on it [default: all cores]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: Option<u16>,
}

impl ThreadArguments {
    /// Returns the number of threads, by default the number of cores.
    pub(crate) fn count(&self) -> usize {
        self.threads.map_or_else(all_cores, usize::from)
    }
}

/// Returns the number of threads that can run at once.
pub(crate) fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Returns a command quoted for a shell.
pub(crate) fn shell<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<String> {
    Ok(shlex::try_join(words)?)
}

/// Returns the options for these rules, omitting defaults.
pub(crate) fn rules_words(rules: Rules) -> Vec<String> {
    let mut words = vec!["--board".to_owned(), rules.board().to_string()];
    let mut add = |name: &str, value: String| words.extend([name.to_owned(), value]);
    match rules.start() {
        Start::Random { margin, .. } if margin > 0 => add("--start-margin", margin.to_string()),
        Start::Random { .. } => {}
        Start::Fixed {
            column,
            row,
            heading,
            ..
        } => add("--start-at", format!("{column},{row},{heading}")),
    }
    if rules.start_length() > 1 {
        add("--start-length", rules.start_length().to_string());
    }
    if rules.foods() > 1 {
        add("--foods", rules.foods().to_string());
    }
    if !rules.tail_entry() {
        words.push("--no-tail-entry".to_owned());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        rules: RulesArguments,
        #[command(flatten)]
        limits: LimitArguments,
    }

    #[test]
    fn starvation_is_a_number_of_steps_or_none() {
        let limits = |options: &[&str]| {
            let words = [&["command", "--board", "6x6"], options].concat();
            let command = Command::try_parse_from(words).map_err(|error| error.to_string())?;
            Ok::<Limits, String>(command.limits.limits(command.rules.rules(&[]).unwrap()))
        };
        assert_eq!(
            limits(&[]),
            Ok(Limits {
                starvation: Some(144),
                ..Limits::NONE
            })
        );
        let five = Limits {
            starvation: Some(5),
            starvation_per_cell: Some(2),
            time_limit: Some(9),
        };
        assert_eq!(
            limits(&[
                "--starvation",
                "5",
                "--starvation-per-cell",
                "2",
                "--time-limit",
                "9"
            ]),
            Ok(five)
        );
        assert_eq!(limits(&["--starvation", "none"]), Ok(Limits::NONE));
        for wrong in ["0", "-1", "never", "4294967296"] {
            let error = limits(&[&format!("--starvation={wrong}")]).unwrap_err();
            assert!(
                error.contains("expected a number of steps from 1 up, or none, got"),
                "{error}"
            );
        }
    }

    #[test]
    fn rules_words_stand_for_the_rules() {
        let on = |text: &str| Rules::new(text.parse().unwrap());
        let fixed = Start::Fixed {
            column: 3,
            row: 0,
            heading: Direction::Left,
            length: 2,
        };
        let some = [
            on("6x6"),
            on("5x7-torus").with_foods(3).unwrap(),
            on("8x8").with_tail_entry(false).with_start(fixed).unwrap(),
            on("16x16")
                .with_start(Start::Random {
                    length: 3,
                    margin: 4,
                })
                .unwrap(),
        ];
        for rules in some {
            let words = [vec!["command".to_owned()], rules_words(rules)].concat();
            assert_eq!(
                Command::parse_from(&words).rules.rules(&[]).unwrap(),
                rules,
                "{words:?}"
            );
        }
        assert_eq!(rules_words(on("6x6")), ["--board", "6x6"]);
    }
}
