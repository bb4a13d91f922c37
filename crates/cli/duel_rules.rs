//! The rules of duels, as given by options.

use crate::error::{Error, Result};
use crate::files;
use hognose_game::duel::{DuelRules, DuelStart, HeadOn, Seat};
use hognose_game::{Board, Direction};
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;

/// The rules of duels. Commands that already have options for the board and the number of foods
/// take only [`DuelTerms`].
#[derive(clap::Args)]
#[command(next_help_heading = "Rules")]
pub(crate) struct DuelRulesArguments {
    #[command(flatten)]
    terms: DuelTerms,
    /// Board as WxH or WxH-torus; if its size differs from the rules', the snakes start on opposite
    /// sides
    #[arg(long)]
    board: Option<Board>,
    /// Number of foods on the board
    #[arg(long)]
    foods: Option<u16>,
}

impl DuelRulesArguments {
    /// Returns the rules given by the options.
    pub(crate) fn rules(&self) -> Result<DuelRules> {
        self.terms.rules(self.board, self.foods)
    }

    /// Returns whether any of these options is given.
    pub(crate) fn are_given(&self) -> bool {
        self.board.is_some() || self.foods.is_some() || self.terms.are_given()
    }
}

/// The options for duels only: named rules, and changes to them.
#[derive(clap::Args)]
#[command(next_help_heading = "Rules of duels")]
pub(crate) struct DuelTerms {
    /// Rules: ai-snakes-2020, ai-snakes-2021, or a TOML file [default: ai-snakes-2021]
    ///
    /// Other options change these rules.
    #[arg(long, value_name = "NAME|FILE")]
    rules: Option<String>,
    /// Initial column, row (from 0 at the top left), heading and length of the first snake
    ///
    /// The default length is 3.
    #[arg(long, value_name = "COLUMN,ROW,HEADING[,LENGTH]")]
    first_start: Option<StartAt>,
    /// Initial column, row, heading and length of the second snake
    #[arg(long, value_name = "COLUMN,ROW,HEADING[,LENGTH]")]
    second_start: Option<StartAt>,
    /// Result of a head-on collision: longer-wins or draw
    #[arg(long, value_name = "OUTCOME", value_parser = head_on)]
    head_on: Option<HeadOn>,
    /// Redraw the food after this many steps in which nobody ate, or never
    #[arg(long, value_name = "STEPS|never")]
    redraw_after: Option<Redraw>,
    /// Steps after which the longer snake wins
    #[arg(long, value_name = "STEPS")]
    step_limit: Option<u32>,
    /// Value of each food in cells: a number, or a range such as 1-3 to draw it from
    #[arg(long, value_name = "CELLS")]
    values: Option<Values>,
}

impl DuelTerms {
    fn are_given(&self) -> bool {
        let DuelTerms {
            rules,
            first_start,
            second_start,
            head_on,
            redraw_after,
            step_limit,
            values,
        } = self;
        rules.is_some()
            || first_start.is_some()
            || second_start.is_some()
            || head_on.is_some()
            || redraw_after.is_some()
            || step_limit.is_some()
            || values.is_some()
    }

    /// Returns the rules given by the options, on this board and with this number of foods, if
    /// given.
    pub(crate) fn rules(&self, board: Option<Board>, foods: Option<u16>) -> Result<DuelRules> {
        let named = self
            .rules
            .as_deref()
            .map_or_else(|| Ok(DuelRules::ai_snakes_2021()), named_or_read)?;
        let foods = foods.unwrap_or(named.foods() as u16);
        // The number of foods is checked against the requested board.
        let named = named.with_foods(1)?;
        let board = board.unwrap_or(named.board());
        let mut rules = match [self.first_start, self.second_start] {
            [Some(StartAt(first)), Some(StartAt(second))] => {
                named.with_board(board, [first, second])?
            }
            given => {
                let rules = named.on(board)?;
                rules.with_board(
                    board,
                    Seat::BOTH.map(|seat| {
                        given[seat.index()].map_or(rules.start(seat), |StartAt(start)| start)
                    }),
                )?
            }
        };
        if let Some(head_on) = self.head_on {
            rules = rules.with_head_on(head_on);
        }
        if let Some(Redraw(steps)) = self.redraw_after {
            rules = rules.with_redraw_after(steps)?;
        }
        if let Some(steps) = self.step_limit {
            rules = rules.with_step_limit(steps)?;
        }
        rules = rules.with_foods(foods)?;
        if let Some(Values(values)) = &self.values {
            rules = rules.with_values(values.clone())?;
        }
        Ok(rules)
    }
}

/// Parses the seat of a player.
pub(crate) fn seat(text: &str) -> std::result::Result<Seat, String> {
    let seat = Seat::BOTH.into_iter().find(|seat| seat.to_string() == text);
    seat.ok_or_else(|| format!("expected first or second, got {text:?}"))
}

/// Returns the rules in a file or, if there is no file at this path, the rules with this name.
fn named_or_read(name_or_path: &str) -> Result<DuelRules> {
    let path = Path::new(name_or_path);
    if path.exists() && !path.is_dir() {
        let read = toml::from_str(&files::read(path)?);
        return read.map_err(|error| {
            let what = error.message().lines().next().unwrap_or_default();
            Error::new(format!("{name_or_path} contains no rules of duels: {what}"))
        });
    }
    DuelRules::named(name_or_path).map_err(|_| {
        Error::new(format!(
            "expected a file or one of {}, got {name_or_path:?}",
            DuelRules::NAMES.join(", ")
        ))
    })
}

/// The start of a snake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StartAt(DuelStart);

impl FromStr for StartAt {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<StartAt, String> {
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let parse = || {
            let (place, length) = match parts[..] {
                [column, row, heading] => ([column, row, heading], "3"),
                [column, row, heading, length] => ([column, row, heading], length),
                _ => return None,
            };
            let [column, row, heading] = place;
            let heading: Direction = heading.parse().ok()?;
            let column = column.parse().ok()?;
            let row = row.parse().ok()?;
            let length = length.parse().ok()?;
            Some(StartAt(DuelStart {
                column,
                row,
                heading,
                length,
            }))
        };
        parse().ok_or_else(|| {
            format!(
                "expected COLUMN,ROW,HEADING such as 2,6,up, or with a length 2,6,up,4, got \
                     {text:?}"
            )
        })
    }
}

fn head_on(text: &str) -> std::result::Result<HeadOn, String> {
    match text {
        "longer-wins" => Ok(HeadOn::LongerWins),
        "draw" => Ok(HeadOn::Draw),
        _ => Err(format!("expected longer-wins or draw, got {text:?}")),
    }
}

/// The steps after which the food is redrawn; `None` for never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Redraw(Option<u16>);

impl FromStr for Redraw {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Redraw, String> {
        match (text, text.parse()) {
            ("never", _) => Ok(Redraw(None)),
            (_, Ok(steps @ 1..)) => Ok(Redraw(Some(steps))),
            _ => Err(format!(
                "expected a number of steps from 1 to 65535, or never, got {text:?}"
            )),
        }
    }
}

/// The values that foods may have.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Values(RangeInclusive<u8>);

impl FromStr for Values {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Values, String> {
        let (lowest, highest) = text.split_once('-').unwrap_or((text, text));
        match (lowest.parse(), highest.parse()) {
            (Ok(lowest), Ok(highest)) => Ok(Values(lowest..=highest)),
            _ => Err(format!(
                "expected a number of cells such as 2, or a range such as 1-3, got {text:?}"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        rules: DuelRulesArguments,
    }

    fn rules(options: &str) -> std::result::Result<DuelRules, String> {
        let words = ["command"].into_iter().chain(options.split_whitespace());
        let command = Command::try_parse_from(words).map_err(|error| error.to_string())?;
        command.rules.rules().map_err(|error| error.to_string())
    }

    #[test]
    fn options_change_the_named_rules() {
        assert_eq!(rules(""), Ok(DuelRules::ai_snakes_2021()));
        assert_eq!(
            rules("--rules ai-snakes-2020"),
            Ok(DuelRules::ai_snakes_2020())
        );
        let text = |options: &str| rules(options).unwrap().to_string();
        assert_eq!(
            text("--foods 3 --head-on draw --redraw-after 5 --step-limit 100 --values 1-3"),
            "ai-snakes-2021, head-on draws, food drawn again after 5 steps, 100 steps, 3 foods, \
             values 1..=3"
        );
        assert_eq!(
            text("--redraw-after never --first-start 2,6,up,4 --second-start 11,7,down,4"),
            "ai-snakes-2020, first column 2 row 6 heading up length 4, second column 11 row 7 \
             heading down length 4"
        );
    }

    /// A torus with the same sides keeps the starts; other sides have their own starts, except
    /// those that are given.
    #[test]
    fn boards_have_starts_on_them() {
        let start = |options: &str| rules(options).unwrap().start(Seat::First);
        assert_eq!(
            start("--rules ai-snakes-2020 --board 14x14-torus"),
            DuelRules::ai_snakes_2020().start(Seat::First)
        );
        assert_eq!(
            (start("--board 8x8").column, start("--board 8x8").row),
            (2, 5)
        );
        assert_eq!(start("--board 8x8 --first-start 4,4,left").column, 4);
        assert!(
            rules("--board 4x3 --first-start 2,0,right --second-start 1,2,left --step-limit 9")
                .is_ok()
        );
        assert!(rules("--board 20x11-torus --foods 5").is_ok());
    }

    #[test]
    fn files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rules.toml");
        let expected = DuelRules::ai_snakes_2020().with_foods(2).unwrap();
        std::fs::write(&path, toml::to_string(&expected).unwrap()).unwrap();
        assert_eq!(rules(&format!("--rules {}", path.display())), Ok(expected));
        std::fs::write(&path, "board = \"14x14\"").unwrap();
        let error = rules(&format!("--rules {}", path.display())).unwrap_err();
        assert!(
            error.ends_with("rules.toml contains no rules of duels: missing field `first`"),
            "{error}"
        );
    }

    #[test]
    fn what_makes_no_rules_is_refused() {
        let error = |options: &str| rules(options).unwrap_err();
        assert_eq!(
            error("--rules x"),
            "expected a file or one of ai-snakes-2020, ai-snakes-2021, got \"x\""
        );
        assert!(
            error("--first-start 14,6,up")
                .starts_with("the start of the first snake does not fit on 14x14")
        );
        assert!(
            error("--first-start 11,2,up")
                .starts_with("both snakes start on the cell in column 11 and row 2")
        );
        assert!(error("--first-start 2,6,up,2").contains("at least 3, got 2"));
        assert!(error("--first-start 2,6").contains("expected COLUMN,ROW,HEADING such as 2,6,up"));
        assert!(error("--board 2x2").contains("does not fit on 2x2"));
        assert!(error("--foods 0").contains("the number of foods must be 1..=190, got 0"));
        assert!(error("--step-limit 0").contains("the step limit must be at least 1"));
        assert!(error("--redraw-after 0").contains("or never, got \"0\""));
        assert!(
            error("--values 0").contains("within 1..=255, got 0..=0")
                && error("--values 3-1").contains("3..=1")
        );
        assert!(error("--values x").contains("such as 1-3, got \"x\""));
        assert!(error("--head-on lose").contains("expected longer-wins or draw, got \"lose\""));
    }
}
