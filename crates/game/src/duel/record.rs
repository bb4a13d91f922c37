//! A whole duel as text: rules, seed, moves.

use crate::duel::{Duel, DuelCause, DuelRules, DuelRulesError, DuelStart, HeadOn, Outcome, Seat};
use crate::record::{self, LineError, Lines, parse_moves};
use crate::{Direction, Seed, Start, rng};
use std::{fmt, str::FromStr};

/// A duel that replays bit-exactly: rules, seed, whether the foods are rotated, both players'
/// moves, and the end as a check. The text format has a version; versions 1 and 2 can be read. In
/// version 1, foods are never rotated.
///
/// ```
/// use hognose_game::Direction;
/// use hognose_game::duel::{Duel, DuelRecord, DuelRules};
///
/// let duel = Duel::new(DuelRules::ai_snakes_2021(), 3);
/// let record = DuelRecord::new(duel, vec![[Direction::Up, Direction::Down]; 2])?;
/// let read: DuelRecord = record.to_string().parse()?;
/// assert_eq!(read.replay()?.position().steps(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuelRecord {
    rules: DuelRules,
    seed: Seed,
    turned_foods: bool,
    moves: Vec<[Direction; 2]>,
    end: End,
}

/// The expected end of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct End {
    outcome: Option<Outcome>,
    lengths: [usize; 2],
    /// FNV-1a over the cells of the heads and foods after every step.
    check: u64,
}

/// Why a text is not a valid duel record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DuelRecordError {
    /// The format version is unknown.
    #[error("expected a duel record of version 1 or {VERSION}, got version {0}")]
    Version(u32),
    /// The text ends too early, or a line is not as expected.
    #[error(transparent)]
    Line(#[from] LineError),
    /// The rules are not valid.
    #[error(transparent)]
    Rules(#[from] DuelRulesError),
    /// The two snakes have different numbers of moves.
    #[error("expected {first} moves of the second snake, as many as of the first, got {second}")]
    Moves {
        /// The number of moves of the first snake.
        first: usize,
        /// The number of moves of the second snake.
        second: usize,
    },
    /// The replay ended differently than recorded.
    #[error("the duel does not replay: expected the end {expected}, got {got}")]
    Mismatch {
        /// The recorded end.
        expected: String,
        /// The end of the replay.
        got: String,
    },
    /// There are moves after the end of the duel.
    #[error("the duel ended after {ended} steps, but the record has {moves}")]
    MovesAfterEnd {
        /// The number of steps until the duel ended.
        ended: usize,
        /// The number of steps in the record.
        moves: usize,
    },
}

/// The first line of a record, before the format version.
const MAGIC: &str = "hognose-duel-record ";
const VERSION: u32 = 2;

impl DuelRecord {
    /// Returns whether a text begins like a duel record.
    pub fn is_record(text: &str) -> bool {
        text.starts_with(MAGIC)
    }

    /// Creates the record of these moves, played from the start of a duel.
    ///
    /// # Errors
    /// Fails if there are moves after the end of the duel.
    pub fn new(start: Duel, moves: Vec<[Direction; 2]>) -> Result<DuelRecord, DuelRecordError> {
        let mut record = DuelRecord {
            rules: *start.position().rules(),
            seed: start.seed(),
            turned_foods: start.has_turned_foods(),
            moves,
            end: End {
                outcome: None,
                lengths: [0; 2],
                check: 0,
            },
        };
        record.end = record.play()?.1;
        Ok(record)
    }

    /// Returns the joint moves, seats in order.
    pub fn moves(&self) -> &[[Direction; 2]] {
        &self.moves
    }

    /// Returns the duel before the first step.
    pub fn start(&self) -> Duel {
        let new = if self.turned_foods {
            Duel::with_turned_foods
        } else {
            Duel::new
        };
        new(self.rules, self.seed)
    }

    /// Plays the moves and returns the duel after the last step.
    ///
    /// # Errors
    /// Fails if the duel does not end as recorded.
    pub fn replay(&self) -> Result<Duel, DuelRecordError> {
        let (duel, got) = self.play()?;
        if got != self.end {
            return Err(DuelRecordError::Mismatch {
                expected: self.end.to_string(),
                got: got.to_string(),
            });
        }
        Ok(duel)
    }

    fn play(&self) -> Result<(Duel, End), DuelRecordError> {
        let mut duel = self.start();
        let mut check = rng::FNV_START;
        for (played, &moves) in self.moves.iter().enumerate() {
            if duel.position().outcome().is_some() {
                return Err(DuelRecordError::MovesAfterEnd {
                    ended: played,
                    moves: self.moves.len(),
                });
            }
            duel.step(moves);
            let position = duel.position();
            let heads = Seat::BOTH
                .into_iter()
                .map(|seat| position.snake(seat).head());
            for cell in heads.chain(position.foods().iter().map(|food| food.cell)) {
                check = rng::fnv1a(check, &cell.0.to_le_bytes());
            }
        }
        let end = End {
            outcome: duel.position().outcome(),
            lengths: Seat::BOTH.map(|seat| duel.position().length(seat)),
            check,
        };
        Ok((duel, end))
    }
}

const CAUSES: [(Option<DuelCause>, &str); 6] = [
    (None, "alive"),
    (Some(DuelCause::Wall), "wall"),
    (Some(DuelCause::OwnBody), "own-body"),
    (Some(DuelCause::OtherBody), "other-body"),
    (Some(DuelCause::HeadOn), "head-on"),
    (Some(DuelCause::StepLimit), "step-limit"),
];

impl End {
    fn parse(text: &str) -> Option<End> {
        let words: Vec<&str> = text.split(' ').collect();
        let [
            outcome,
            "causes",
            first,
            second,
            "lengths",
            a,
            b,
            "check",
            check,
        ] = words[..]
        else {
            return None;
        };
        let cause = |word: &str| {
            CAUSES
                .into_iter()
                .find(|known| known.1 == word)
                .map(|known| known.0)
        };
        let causes = [cause(first)?, cause(second)?];
        let winner = match outcome {
            "ongoing" | "draw" => None,
            "first" => Some(Seat::First),
            "second" => Some(Seat::Second),
            _ => return None,
        };
        Some(End {
            outcome: (outcome != "ongoing").then_some(Outcome { winner, causes }),
            lengths: [a.parse().ok()?, b.parse().ok()?],
            check: u64::from_str_radix(check, 16).ok()?,
        })
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.outcome.map(|outcome| outcome.winner) {
            None => write!(f, "ongoing")?,
            Some(None) => write!(f, "draw")?,
            Some(Some(winner)) => write!(f, "{winner}")?,
        }
        let causes = self.outcome.map_or([None; 2], |outcome| outcome.causes);
        let [first, second] = causes.map(|cause| {
            CAUSES
                .into_iter()
                .find(|known| known.0 == cause)
                .expect("every cause has a word")
                .1
        });
        let [a, b] = self.lengths;
        write!(
            f,
            " causes {first} {second} lengths {a} {b} check {:016x}",
            self.check
        )
    }
}

impl fmt::Display for DuelRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = self.rules;
        writeln!(f, "{MAGIC}{VERSION}\nboard {}", rules.board())?;
        for seat in Seat::BOTH {
            writeln!(f, "{seat} {}", rules.start(seat))?;
        }
        writeln!(
            f,
            "head_on {}",
            if rules.head_on() == HeadOn::Draw {
                "draw"
            } else {
                "longer-wins"
            }
        )?;
        match rules.redraw_after() {
            None => writeln!(f, "redraw_after never")?,
            Some(steps) => writeln!(f, "redraw_after {steps}")?,
        }
        let (lowest, highest) = rules.values().into_inner();
        writeln!(
            f,
            "step_limit {}\nfoods {}\nvalues {lowest} {highest}",
            rules.step_limit(),
            rules.foods()
        )?;
        writeln!(f, "seed {}\nturned_foods {}", self.seed, self.turned_foods)?;
        for seat in Seat::BOTH {
            let moves = self.moves.iter().map(|moves| moves[seat.index()].letter());
            let moves: String = moves.collect();
            writeln!(f, "{seat}_moves {moves}")?;
        }
        writeln!(f, "end {}", self.end)
    }
}

fn parse_start(text: &str) -> Option<DuelStart> {
    match record::parse_start(text)? {
        Start::Random { .. } => None,
        Start::Fixed {
            column,
            row,
            heading,
            length,
        } => Some(DuelStart {
            column,
            row,
            heading,
            length,
        }),
    }
}

fn parse_values(text: &str) -> Option<(u8, u8)> {
    let (lowest, highest) = text.split_once(' ')?;
    Some((lowest.parse().ok()?, highest.parse().ok()?))
}

impl FromStr for DuelRecord {
    type Err = DuelRecordError;

    fn from_str(text: &str) -> Result<DuelRecord, DuelRecordError> {
        let mut lines = Lines::new(text);
        let version = lines.value(MAGIC, "\"hognose-duel-record 2\"")?;
        if !(1..=VERSION).contains(&version) {
            return Err(DuelRecordError::Version(version));
        }
        let board = lines.value("board ", "\"board WxH\"")?;
        let first = lines.field("first ", "\"first\" and a start", parse_start)?;
        let second = lines.field("second ", "\"second\" and a start", parse_start)?;
        let head_on = lines.field(
            "head_on ",
            "\"head_on longer-wins\" or \"head_on draw\"",
            |rest| match rest {
                "longer-wins" => Some(HeadOn::LongerWins),
                "draw" => Some(HeadOn::Draw),
                _ => None,
            },
        )?;
        let redraw_after = lines.field(
            "redraw_after ",
            "\"redraw_after N\" or \"redraw_after never\"",
            |rest| {
                if rest == "never" {
                    Some(None)
                } else {
                    rest.parse().ok().map(Some)
                }
            },
        )?;
        let step_limit = lines.value("step_limit ", "\"step_limit N\"")?;
        let foods = lines.value("foods ", "\"foods N\"")?;
        let (lowest, highest) = lines.field("values ", "\"values N N\"", parse_values)?;
        let rules = DuelRules::ai_snakes_2020()
            .with_board(board, [first, second])?
            .with_head_on(head_on)
            .with_redraw_after(redraw_after)?
            .with_step_limit(step_limit)?
            .with_foods(foods)?
            .with_values(lowest..=highest)?;
        let seed = lines.value("seed ", "\"seed N\"")?;
        let turned_foods = match version {
            1 => false,
            _ => lines.value(
                "turned_foods ",
                "\"turned_foods true\" or \"turned_foods false\"",
            )?,
        };
        let first = lines.field(
            "first_moves",
            "\"first_moves\" and the letters u, r, d, l",
            parse_moves,
        )?;
        let second = lines.field(
            "second_moves",
            "\"second_moves\" and the letters u, r, d, l",
            parse_moves,
        )?;
        if first.len() != second.len() {
            return Err(DuelRecordError::Moves {
                first: first.len(),
                second: second.len(),
            });
        }
        let moves = first
            .into_iter()
            .zip(second)
            .map(|(first, second)| [first, second])
            .collect();
        let end = lines.field(
            "end ",
            "\"end OUTCOME causes C C lengths N N check HEX\"",
            End::parse,
        )?;
        lines.finish()?;
        Ok(DuelRecord {
            rules,
            seed,
            turned_foods,
            moves,
            end,
        })
    }
}
