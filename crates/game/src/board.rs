//! Boards and cells.

use crate::Direction;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The shortest side a board may have.
pub const MIN_SIDE: u8 = 2;
/// The longest side a board may have.
pub const MAX_SIDE: u8 = u8::MAX;

/// A cell by its number; cells are numbered row by row from the top left.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Default,
)]
#[serde(transparent)]
pub struct Cell(pub u16);

impl Cell {
    /// Returns the cell's number as an index.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A rectangle of cells, optionally a torus; written `WxH` or `WxH-torus`.
///
/// ```
/// use hognose_game::{Board, Direction};
///
/// let board = Board::new(4, 3)?;
/// assert_eq!(board.to_string(), "4x3");
/// let corner = board.cell(0, 0);
/// assert_eq!(board.neighbor(corner, Direction::Up), None);
/// assert_eq!(board.torus().neighbor(corner, Direction::Up), Some(board.cell(0, 2)));
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Board {
    pub(crate) width: u8,
    pub(crate) height: u8,
    pub(crate) torus: bool,
}

/// Why a board can't be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// A side is out of range.
    #[error("board sides must be {MIN_SIDE}..={MAX_SIDE}, got {width}x{height}")]
    Side {
        /// The width asked for.
        width: u64,
        /// The height asked for.
        height: u64,
    },
    /// The text is not a board.
    #[error("expected a board as WxH or WxH-torus, such as 10x10, got {0:?}")]
    Text(String),
    /// The text is not a range of boards.
    #[error(
        "expected a smaller and a larger board, both tori or neither, such as 4x4..12x12, got {0:?}"
    )]
    Range(String),
}

impl Board {
    /// Creates a board of `width` columns and `height` rows with walls around it.
    ///
    /// # Errors
    /// Fails if a side is not in 2..=255.
    pub fn new(width: u8, height: u8) -> Result<Board, BoardError> {
        if width < MIN_SIDE || height < MIN_SIDE {
            return Err(BoardError::Side {
                width: width.into(),
                height: height.into(),
            });
        }
        Ok(Board {
            width,
            height,
            torus: false,
        })
    }

    /// Returns this board with borders that wrap around.
    pub fn torus(self) -> Board {
        Board {
            torus: true,
            ..self
        }
    }

    /// Returns whether the borders wrap around.
    pub fn is_torus(self) -> bool {
        self.torus
    }

    /// Returns the number of columns.
    #[inline]
    pub fn width(self) -> usize {
        self.width.into()
    }

    /// Returns the number of rows.
    #[inline]
    pub fn height(self) -> usize {
        self.height.into()
    }

    /// Returns the longer side.
    #[inline]
    pub fn longer_side(self) -> usize {
        self.width().max(self.height())
    }

    /// Returns the number of cells.
    #[inline]
    pub fn area(self) -> usize {
        self.width() * self.height()
    }

    /// Returns all cells, row by row.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        (0..self.area()).map(|index| Cell(index as u16))
    }

    /// Returns the cell in a column and a row.
    #[inline]
    pub fn cell(self, column: usize, row: usize) -> Cell {
        debug_assert!(column < self.width() && row < self.height());
        Cell((row * self.width() + column) as u16)
    }

    /// Returns the column of a cell.
    #[inline]
    pub fn column(self, cell: Cell) -> usize {
        (cell.0 % u16::from(self.width)).into()
    }

    /// Returns the row of a cell.
    #[inline]
    pub fn row(self, cell: Cell) -> usize {
        (cell.0 / u16::from(self.width)).into()
    }

    /// Returns the next cell in a direction; `None` outside the board.
    #[inline]
    pub fn neighbor(self, cell: Cell, direction: Direction) -> Option<Cell> {
        let width = u16::from(self.width);
        let area = self.area() as u16;
        let number = cell.0;
        let (at_border, inside, wrapped) = match direction {
            Direction::Up => (
                number < width,
                number.wrapping_sub(width),
                number.wrapping_add(area - width),
            ),
            Direction::Down => (
                number >= area - width,
                number.wrapping_add(width),
                number.wrapping_sub(area - width),
            ),
            Direction::Left => (
                number.is_multiple_of(width),
                number.wrapping_sub(1),
                number.wrapping_add(width - 1),
            ),
            Direction::Right => (
                number % width == width - 1,
                number + 1,
                number.wrapping_sub(width - 1),
            ),
        };
        match (at_border, self.torus) {
            (false, _) => Some(Cell(inside)),
            (true, true) => Some(Cell(wrapped)),
            (true, false) => None,
        }
    }

    /// Returns the neighbors of a cell with the directions that lead there.
    #[inline]
    pub fn neighbors(self, cell: Cell) -> impl Iterator<Item = (Direction, Cell)> {
        Direction::ALL
            .into_iter()
            .filter_map(move |direction| Some((direction, self.neighbor(cell, direction)?)))
    }

    /// Returns a direction that leads from one cell to the other in one step; `None` if the cells
    /// are not neighbors.
    pub fn direction(self, from: Cell, to: Cell) -> Option<Direction> {
        self.neighbors(from)
            .find(|&(_, cell)| cell == to)
            .map(|(direction, _)| direction)
    }

    /// Returns the fewest steps between two cells on an empty board.
    pub fn distance(self, a: Cell, b: Cell) -> usize {
        let (columns, rows) = self.offset(a, b);
        (columns.abs() + rows.abs()) as usize
    }

    /// Returns the signed difference in columns and rows from one cell to another. On a torus this
    /// is the shorter way around; ties go right and down.
    pub fn offset(self, from: Cell, to: Cell) -> (i32, i32) {
        let along = |from: usize, to: usize, side: usize| {
            let straight = to as i32 - from as i32;
            let side = side as i32;
            if !self.torus {
                return straight;
            }
            // Without branches, which would be mispredicted often.
            let around = i32::from(2 * straight > side) - i32::from(2 * straight <= -side);
            straight - side * around
        };
        (
            along(self.column(from), self.column(to), self.width()),
            along(self.row(from), self.row(to), self.height()),
        )
    }

    /// Returns this board with width and height exchanged.
    pub fn turned(self) -> Board {
        Board {
            width: self.height,
            height: self.width,
            ..self
        }
    }

    /// Returns the image of a cell when the board is mirrored left to right.
    pub fn mirrored(self, cell: Cell) -> Cell {
        self.cell(self.width() - 1 - self.column(cell), self.row(cell))
    }

    /// Returns whether a Hamiltonian cycle exists: a side is even, or the board is a torus.
    pub fn has_hamiltonian_cycle(self) -> bool {
        self.torus || self.area().is_multiple_of(2)
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}x{}{}",
            self.width,
            self.height,
            if self.torus { "-torus" } else { "" }
        )
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Board {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Board, BoardError> {
        let (sides, torus) = match text.strip_suffix("-torus") {
            Some(sides) => (sides, true),
            None => (text, false),
        };
        let parse = |side: &str| {
            let digits = !side.is_empty() && side.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| side.parse().unwrap_or(u64::MAX))
        };
        let Some((width, height)) = sides
            .split_once('x')
            .and_then(|(w, h)| Some((parse(w)?, parse(h)?)))
        else {
            return Err(BoardError::Text(text.to_owned()));
        };
        match (u8::try_from(width), u8::try_from(height)) {
            (Ok(w), Ok(h)) => Board::new(w, h).map(|board| Board { torus, ..board }),
            _ => Err(BoardError::Side { width, height }),
        }
    }
}

impl TryFrom<String> for Board {
    type Error = BoardError;

    fn try_from(text: String) -> Result<Board, BoardError> {
        text.parse()
    }
}

impl From<Board> for String {
    fn from(board: Board) -> String {
        board.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips_and_names_what_is_wrong() {
        for text in ["2x2", "10x7", "255x255", "3x5-torus"] {
            assert_eq!(text.parse::<Board>().unwrap().to_string(), text);
        }
        for text in ["1x5", "256x3", "0x0", "99999999999999999999999x3"] {
            assert!(
                matches!(text.parse::<Board>(), Err(BoardError::Side { .. })),
                "{text}"
            );
        }
        for text in ["", "10", "10x", "ax3", "-3x4", "10x10x10", "+3x4"] {
            assert!(
                matches!(text.parse::<Board>(), Err(BoardError::Text(_))),
                "{text}"
            );
        }
    }

    #[test]
    fn neighbors_agree_with_columns_and_rows() {
        for board in [Board::new(2, 2), Board::new(255, 255), Board::new(5, 3)].map(Result::unwrap)
        {
            for board in [board, board.torus()] {
                for cell in board.cells() {
                    let column = board.column(cell) as i32;
                    let row = board.row(cell) as i32;
                    for (direction, (dx, dy)) in
                        Direction::ALL
                            .into_iter()
                            .zip([(0, -1), (1, 0), (0, 1), (-1, 0)])
                    {
                        let mut x = column + dx;
                        let mut y = row + dy;
                        if board.is_torus() {
                            x = x.rem_euclid(board.width() as i32);
                            y = y.rem_euclid(board.height() as i32);
                        }
                        let inside = (0..board.width() as i32).contains(&x)
                            && (0..board.height() as i32).contains(&y);
                        let expected = inside.then(|| board.cell(x as usize, y as usize));
                        assert_eq!(board.neighbor(cell, direction), expected);
                    }
                }
            }
        }
    }

    #[test]
    fn offsets_lead_the_shortest_way() {
        for board in ["4x3", "4x3-torus", "5x2-torus", "2x2-torus"] {
            let board: Board = board.parse().unwrap();
            for (from, to) in board
                .cells()
                .flat_map(|from| board.cells().map(move |to| (from, to)))
            {
                let (columns, rows) = board.offset(from, to);
                let along = |from: usize, offset: i32, side: usize| {
                    let to = from as i32 + offset;
                    let shortest = if board.is_torus() {
                        2 * offset <= side as i32 && 2 * offset > -(side as i32)
                    } else {
                        (0..side as i32).contains(&to)
                    };
                    assert!(shortest, "{board} {from} {offset}");
                    to.rem_euclid(side as i32) as usize
                };
                let column = along(board.column(from), columns, board.width());
                let row = along(board.row(from), rows, board.height());
                assert_eq!(board.cell(column, row), to);
                let steps = (columns.abs() + rows.abs()) as usize;
                assert_eq!(board.distance(from, to), steps);
            }
        }
    }
}
