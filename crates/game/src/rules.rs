//! The rules of a game: board, start, tail rule, number of foods.

use crate::{Board, Cell, Direction};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The rules of a game. They are valid by construction: a start that does not fit is rejected.
///
/// ```
/// use hognose_game::{Board, Rules, Start};
///
/// let rules = Rules::new(Board::new(8, 8)?)
///     .with_foods(3)?
///     .with_start(Start::Random {
///         length: 3,
///         margin: 1,
///     })?;
/// assert_eq!(
///     rules.to_string(),
///     "8x8, start random length 3 margin 1, 3 foods"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "RulesText")]
pub struct Rules {
    board: Board,
    start: Start,
    tail_entry: bool,
    foods: u16,
}

/// Where and how a snake starts; its body trails straight behind the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, untagged)]
pub enum Start {
    /// A given cell and heading.
    Fixed {
        /// The head's column.
        column: u8,
        /// The head's row.
        row: u8,
        /// The heading.
        heading: Direction,
        /// The length, at least 1.
        length: u8,
    },
    /// Uniform over all (cell, heading) pairs that fit.
    Random {
        /// The length, at least 1.
        length: u8,
        /// The minimum distance of the head from every border.
        #[serde(default)]
        margin: u8,
    },
}

/// Why rules can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// The start does not fit on the board.
    #[error("the start does not fit on {board}: {start}")]
    Start {
        /// The board.
        board: Board,
        /// The start, as text.
        start: String,
    },
    /// The number of foods is out of range.
    #[error(
        "the number of foods on {board} must be 1..={max}, got {foods}",
        max = board.area() - 1
    )]
    Foods {
        /// The board.
        board: Board,
        /// The number asked for.
        foods: u16,
    },
}

/// The columns and rows in which a snake with this heading may start.
struct Fits {
    heading: Direction,
    columns: Range<usize>,
    rows: Range<usize>,
}

impl Fits {
    fn count(&self) -> usize {
        self.columns.len() * self.rows.len()
    }
}

impl Rules {
    /// Creates the default rules on a board: a random start of length 1 with margin 0, tail entry,
    /// one food.
    pub fn new(board: Board) -> Rules {
        Rules {
            board,
            start: default_start(),
            tail_entry: true,
            foods: 1,
        }
    }

    /// Returns these rules with another start.
    ///
    /// # Errors
    /// Fails if the start does not fit on the board.
    pub fn with_start(self, start: Start) -> Result<Rules, RulesError> {
        let rules = Rules { start, ..self };
        if rules.start_count() == 0 {
            return Err(RulesError::Start {
                board: self.board,
                start: start.to_string(),
            });
        }
        Ok(rules)
    }

    /// Returns these rules with or without tail entry: whether the head may enter the cell that the
    /// tail leaves.
    pub fn with_tail_entry(self, tail_entry: bool) -> Rules {
        Rules { tail_entry, ..self }
    }

    /// Returns these rules with another number of foods on the board at a time.
    ///
    /// # Errors
    /// Fails if the number is 0, or not less than the board's area.
    pub fn with_foods(self, foods: u16) -> Result<Rules, RulesError> {
        if foods == 0 || usize::from(foods) >= self.board.area() {
            return Err(RulesError::Foods {
                board: self.board,
                foods,
            });
        }
        Ok(Rules { foods, ..self })
    }

    /// Returns these rules on another board.
    ///
    /// # Errors
    /// Fails if the start or the foods don't fit on it.
    pub fn on(self, board: Board) -> Result<Rules, RulesError> {
        Rules { board, ..self }
            .with_foods(self.foods)?
            .with_start(self.start)
    }

    /// Returns the board.
    #[inline]
    pub fn board(self) -> Board {
        self.board
    }

    /// Returns the start.
    pub fn start(self) -> Start {
        self.start
    }

    /// Returns whether the head may enter the cell that the tail leaves in the same step.
    #[inline]
    pub fn tail_entry(self) -> bool {
        self.tail_entry
    }

    /// Returns the number of foods on the board at a time, if there is room.
    #[inline]
    pub fn foods(self) -> usize {
        self.foods.into()
    }

    /// Returns the length at the start.
    pub fn start_length(self) -> usize {
        match self.start {
            Start::Fixed { length, .. } | Start::Random { length, .. } => length.into(),
        }
    }

    /// Returns the number of (cell, heading) pairs that the start allows; all are equally likely.
    pub fn start_count(self) -> usize {
        self.fits().iter().map(Fits::count).sum()
    }

    /// Returns the `index`-th (cell, heading) pair that the start allows; `index` must be less than
    /// [`start_count`](Self::start_count).
    pub fn start_at(self, mut index: usize) -> (Cell, Direction) {
        for fits in self.fits() {
            if index < fits.count() {
                let column = fits.columns.start + index % fits.columns.len();
                let row = fits.rows.start + index / fits.columns.len();
                return (self.board.cell(column, row), fits.heading);
            }
            index -= fits.count();
        }
        unreachable!("start index out of range")
    }

    fn fits(self) -> [Fits; 4] {
        let length = self.start_length();
        let width = self.board.width();
        let height = self.board.height();
        Direction::ALL.map(|heading| {
            let (mut columns, mut rows) = match self.start {
                Start::Random { margin, .. } => {
                    let inside = |side: usize| margin.into()..side.saturating_sub(margin.into());
                    (inside(width), inside(height))
                }
                Start::Fixed {
                    column,
                    row,
                    heading: fixed,
                    ..
                } if fixed == heading => {
                    let only = |i: u8, side: usize| i.into()..side.min(usize::from(i) + 1);
                    (only(column, width), only(row, height))
                }
                Start::Fixed { .. } => (0..0, 0..0),
            };
            let side = match heading {
                Direction::Up | Direction::Down => height,
                Direction::Left | Direction::Right => width,
            };
            if length == 0 || length > side || length >= self.board.area() {
                columns = 0..0;
            } else if !self.board.is_torus() {
                // The tail lies length - 1 cells behind the head.
                let behind = length - 1;
                match heading {
                    Direction::Up => rows.end = rows.end.min(height - behind),
                    Direction::Down => rows.start = rows.start.max(behind),
                    Direction::Left => columns.end = columns.end.min(width - behind),
                    Direction::Right => columns.start = columns.start.max(behind),
                }
            }
            Fits {
                heading,
                columns,
                rows,
            }
        })
    }
}

impl std::fmt::Display for Start {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Start::Random { length, margin } => write!(f, "random length {length} margin {margin}"),
            Start::Fixed {
                column,
                row,
                heading,
                length,
            } => {
                write!(
                    f,
                    "column {column} row {row} heading {heading} length {length}"
                )
            }
        }
    }
}

/// Formats the board, and the differences from the default rules.
impl std::fmt::Display for Rules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let default = Rules::new(self.board);
        write!(f, "{}", self.board)?;
        if self.start != default.start {
            write!(f, ", start {}", self.start)?;
        }
        if self.foods != default.foods {
            write!(f, ", {} foods", self.foods)?;
        }
        if !self.tail_entry {
            write!(f, ", no tail entry")?;
        }
        Ok(())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesText {
    board: Board,
    #[serde(default = "default_start")]
    start: Start,
    #[serde(default = "default_tail_entry")]
    tail_entry: bool,
    #[serde(default = "default_foods")]
    foods: u16,
}

fn default_start() -> Start {
    Start::Random {
        length: 1,
        margin: 0,
    }
}

fn default_tail_entry() -> bool {
    true
}

fn default_foods() -> u16 {
    1
}

impl TryFrom<RulesText> for Rules {
    type Error = RulesError;

    fn try_from(text: RulesText) -> Result<Rules, RulesError> {
        Rules::new(text.board)
            .with_tail_entry(text.tail_entry)
            .with_foods(text.foods)?
            .with_start(text.start)
    }
}
