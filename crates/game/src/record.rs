//! A whole game as text: rules, seed, moves.

use crate::rng;
use crate::{
    Cause, Cell, Direction, Game, Position, PositionError, Rules, RulesError, Seed, Start, Status,
};
use std::{fmt, str::FromStr};

/// A game that replays bit-exactly: rules, origin, seed, moves, and the end as a check. The text
/// format has a version; reading rejects other versions.
///
/// ```
/// use hognose_game::{Board, Direction, Origin, Record, Rules};
///
/// let rules = Rules::new(Board::new(5, 5)?);
/// let record = Record::new(Origin::Seed(rules), 3, vec![Direction::Up])?;
/// let read: Record = record.to_string().parse()?;
/// assert_eq!(read.replay()?.position().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    origin: Origin,
    seed: Seed,
    moves: Vec<Direction>,
    end: End,
}

/// The expected end of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct End {
    status: Status,
    length: usize,
    /// FNV-1a over the cells of the head and foods after every move.
    check: u64,
}

/// Where a recorded game began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// At the start that the seed draws.
    Seed(Rules),
    /// At a given position.
    Position(Box<Position>),
}

/// Why a text is not a valid record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The format version is unknown.
    #[error("expected a record of version {VERSION}, got version {0}")]
    Version(u32),
    /// The text ends too early, or a line is not as expected.
    #[error(transparent)]
    Line(#[from] LineError),
    /// The rules are not valid.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// The position is not valid.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// The replay ended differently than recorded.
    #[error("the game does not replay: expected the end {expected}, got {got}")]
    Mismatch {
        /// The recorded end.
        expected: String,
        /// The end of the replay.
        got: String,
    },
    /// There are moves after the end of the game.
    #[error("the game ended after {ended} moves, but the record has {moves}")]
    MovesAfterEnd {
        /// The number of moves until the game ended.
        ended: usize,
        /// The number of moves in the record.
        moves: usize,
    },
}

/// A line of a record is not as expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected {expected}, got {got}")]
pub struct LineError {
    /// The line number, from 1.
    pub line: usize,
    /// The expected line.
    pub expected: &'static str,
    /// The line found.
    pub got: String,
}

/// The first line of a record, before the format version.
const MAGIC: &str = "hognose-record ";
const VERSION: u32 = 1;

impl Record {
    /// Creates the record of a game with these moves.
    ///
    /// # Errors
    /// Fails if there are moves after the end of the game.
    pub fn new(origin: Origin, seed: Seed, moves: Vec<Direction>) -> Result<Record, RecordError> {
        let mut record = Record {
            origin,
            seed,
            moves,
            end: End {
                status: Status::Ongoing,
                length: 0,
                check: 0,
            },
        };
        record.end = record.play()?.1;
        Ok(record)
    }

    /// Returns where the game began.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the moves.
    pub fn moves(&self) -> &[Direction] {
        &self.moves
    }

    /// Returns the game before the first move.
    pub fn start(&self) -> Game {
        match &self.origin {
            Origin::Seed(rules) => Game::new(*rules, self.seed),
            Origin::Position(position) => Game::from_position((**position).clone(), self.seed),
        }
    }

    /// Plays the moves and returns the game after the last one.
    ///
    /// # Errors
    /// Fails if the game does not end as recorded.
    pub fn replay(&self) -> Result<Game, RecordError> {
        let (game, got) = self.play()?;
        if got != self.end {
            return Err(RecordError::Mismatch {
                expected: self.end.to_string(),
                got: got.to_string(),
            });
        }
        Ok(game)
    }

    fn play(&self) -> Result<(Game, End), RecordError> {
        let mut game = self.start();
        let mut check = rng::FNV_START;
        for (played, &direction) in self.moves.iter().enumerate() {
            if game.position().status() != Status::Ongoing {
                return Err(RecordError::MovesAfterEnd {
                    ended: played,
                    moves: self.moves.len(),
                });
            }
            game.step(direction);
            for cell in std::iter::once(game.position().head())
                .chain(game.position().foods().iter().copied())
            {
                check = rng::fnv1a(check, &cell.0.to_le_bytes());
            }
        }
        let end = End {
            status: game.position().status(),
            length: game.position().len(),
            check,
        };
        Ok((game, end))
    }
}

impl End {
    fn parse(text: &str) -> Option<End> {
        let words: Vec<&str> = text.split(' ').collect();
        let [status, "length", length, "check", check] = words[..] else {
            return None;
        };
        let statuses = [
            Status::Ongoing,
            Status::Won,
            Status::Lost(Cause::Wall),
            Status::Lost(Cause::Body),
        ];
        let status = statuses
            .into_iter()
            .find(|&known| status_word(known) == status)?;
        Some(End {
            status,
            length: length.parse().ok()?,
            check: u64::from_str_radix(check, 16).ok()?,
        })
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} length {} check {:016x}",
            status_word(self.status),
            self.length,
            self.check
        )
    }
}

fn status_word(status: Status) -> &'static str {
    match status {
        Status::Ongoing => "ongoing",
        Status::Won => "won",
        Status::Lost(Cause::Wall) => "wall",
        Status::Lost(Cause::Body) => "body",
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = match &self.origin {
            Origin::Seed(rules) => *rules,
            Origin::Position(position) => position.rules(),
        };
        writeln!(
            f,
            "{MAGIC}{VERSION}\nboard {}\ntail_entry {}\nfoods {}",
            rules.board(),
            rules.tail_entry(),
            rules.foods()
        )?;
        writeln!(f, "start {}", rules.start())?;
        if let Origin::Position(position) = &self.origin {
            let cells = |cells: &mut dyn Iterator<Item = Cell>| {
                cells.map(|cell| format!(" {}", cell.0)).collect::<String>()
            };
            writeln!(f, "heading {}", position.heading())?;
            writeln!(f, "body{}", cells(&mut position.body()))?;
            writeln!(
                f,
                "foods_at{}",
                cells(&mut position.foods().iter().copied())
            )?;
        }
        writeln!(f, "seed {}", self.seed)?;
        write!(f, "moves ")?;
        self.moves
            .iter()
            .try_for_each(|direction| write!(f, "{}", direction.letter()))?;
        writeln!(f, "\nend {}", self.end)
    }
}

/// Reads the lines of a record in order.
pub(crate) struct Lines<'a> {
    lines: std::iter::Peekable<std::iter::Enumerate<std::str::Lines<'a>>>,
    read: usize,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Lines<'a> {
        Lines {
            lines: text.lines().enumerate().peekable(),
            read: 0,
        }
    }

    /// Returns whether the next line begins with `key`.
    fn is_next(&mut self, key: &str) -> bool {
        self.lines
            .peek()
            .is_some_and(|(_, line)| line.starts_with(key))
    }

    /// Parses the rest of the next line after `key` as a value.
    pub(crate) fn value<T: FromStr>(
        &mut self,
        key: &str,
        expected: &'static str,
    ) -> Result<T, LineError> {
        self.field(key, expected, |rest| rest.parse().ok())
    }

    /// Parses the rest of the next line after `key`.
    pub(crate) fn field<T>(
        &mut self,
        key: &str,
        expected: &'static str,
        parse: impl Fn(&'a str) -> Option<T>,
    ) -> Result<T, LineError> {
        let (index, text) = self.lines.next().unwrap_or((self.read, ""));
        self.read = index + 1;
        let rest = text.strip_prefix(key).and_then(|rest| parse(rest.trim()));
        rest.ok_or_else(|| LineError {
            line: index + 1,
            expected,
            got: match text {
                "" => "nothing".into(),
                _ => format!("{:?}", text.chars().take(40).collect::<String>()),
            },
        })
    }

    /// Rejects remaining lines that are not empty.
    pub(crate) fn finish(&mut self) -> Result<(), LineError> {
        match self.lines.find(|(_, line)| !line.is_empty()) {
            None => Ok(()),
            Some((index, line)) => Err(LineError {
                line: index + 1,
                expected: "the end of the record",
                got: format!("{line:?}"),
            }),
        }
    }
}

pub(crate) fn parse_start(text: &str) -> Option<Start> {
    let words: Vec<&str> = text.split(' ').collect();
    match words[..] {
        ["random", "length", length, "margin", margin] => Some(Start::Random {
            length: length.parse().ok()?,
            margin: margin.parse().ok()?,
        }),
        [
            "column",
            column,
            "row",
            row,
            "heading",
            heading,
            "length",
            length,
        ] => Some(Start::Fixed {
            column: column.parse().ok()?,
            row: row.parse().ok()?,
            heading: heading.parse().ok()?,
            length: length.parse().ok()?,
        }),
        _ => None,
    }
}

fn parse_cells(text: &str) -> Option<Vec<Cell>> {
    text.split_whitespace()
        .map(|number| number.parse().ok().map(Cell))
        .collect()
}

pub(crate) fn parse_moves(text: &str) -> Option<Vec<Direction>> {
    text.chars().map(Direction::from_letter).collect()
}

impl FromStr for Record {
    type Err = RecordError;

    fn from_str(text: &str) -> Result<Record, RecordError> {
        let mut lines = Lines::new(text);
        let version = lines.value(MAGIC, "\"hognose-record 1\"")?;
        if version != VERSION {
            return Err(RecordError::Version(version));
        }
        let board = lines.value("board ", "\"board WxH\"")?;
        let tail_entry =
            lines.value("tail_entry ", "\"tail_entry true\" or \"tail_entry false\"")?;
        let foods = lines.value("foods ", "\"foods N\"")?;
        let start = lines.field(
            "start ",
            "\"start random length N margin M\" or a fixed start",
            parse_start,
        )?;
        let rules = Rules::new(board)
            .with_tail_entry(tail_entry)
            .with_foods(foods)?
            .with_start(start)?;
        let origin = if lines.is_next("heading ") {
            let heading = lines.value("heading ", "\"heading DIRECTION\"")?;
            let body = lines.field("body ", "\"body CELL ...\"", parse_cells)?;
            let foods_at = lines.field("foods_at", "\"foods_at CELL ...\"", parse_cells)?;
            Origin::Position(Box::new(Position::new(rules, heading, body, foods_at)?))
        } else {
            Origin::Seed(rules)
        };
        let seed = lines.value("seed ", "\"seed N\"")?;
        let moves = lines.field("moves", "\"moves\" and the letters u, r, d, l", parse_moves)?;
        let end = lines.field("end ", "\"end STATUS length N check HEX\"", End::parse)?;
        lines.finish()?;
        Ok(Record {
            origin,
            seed,
            moves,
            end,
        })
    }
}
