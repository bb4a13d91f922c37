//! A range of boards.

use crate::{Board, BoardError};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// All boards between a smallest and a largest one, in width and in height; written `4x4..12x12`,
/// or as a single board.
///
/// ```
/// use hognose_game::BoardRange;
///
/// let range: BoardRange = "4x4..5x6".parse()?;
/// let boards: Vec<String> = range.boards().map(|board| board.to_string()).collect();
/// assert_eq!(boards, ["4x4", "5x4", "4x5", "5x5", "4x6", "5x6"]);
/// assert!(range.contains("4x6".parse()?) && !range.contains("6x4".parse()?));
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct BoardRange {
    least: Board,
    most: Board,
}

impl BoardRange {
    /// Returns the smallest square range that contains these boards in both orientations; `None` if
    /// there are no boards. Either all boards must be tori or none.
    pub fn around(boards: impl IntoIterator<Item = Board>) -> Option<BoardRange> {
        let boards: Vec<Board> = boards.into_iter().collect();
        let &first = boards.first()?;
        let sides = || boards.iter().flat_map(|board| [board.width, board.height]);
        let square = |side| Board {
            width: side,
            height: side,
            ..first
        };
        Some(BoardRange {
            least: square(sides().min()?),
            most: square(sides().max()?),
        })
    }

    /// Returns the smallest board.
    pub fn least(self) -> Board {
        self.least
    }

    /// Returns the largest board.
    pub fn most(self) -> Board {
        self.most
    }

    /// Returns whether a board is in the range.
    pub fn contains(self, board: Board) -> bool {
        (self.least.width..=self.most.width).contains(&board.width)
            && (self.least.height..=self.most.height).contains(&board.height)
            && self.least.torus == board.torus
    }

    /// Returns all boards in order of height, then width.
    pub fn boards(self) -> impl Iterator<Item = Board> {
        (self.least.height..=self.most.height).flat_map(move |height| {
            (self.least.width..=self.most.width).map(move |width| Board {
                width,
                height,
                ..self.least
            })
        })
    }
}

impl From<Board> for BoardRange {
    fn from(board: Board) -> BoardRange {
        BoardRange {
            least: board,
            most: board,
        }
    }
}

impl fmt::Display for BoardRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.least == self.most {
            write!(f, "{}", self.least)
        } else {
            write!(f, "{}..{}", self.least, self.most)
        }
    }
}

impl fmt::Debug for BoardRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for BoardRange {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<BoardRange, BoardError> {
        let Some((least, most)) = text.split_once("..") else {
            return Ok(text.parse::<Board>()?.into());
        };
        if least.is_empty() || most.is_empty() {
            return Err(BoardError::Range(text.to_owned()));
        }
        let (least, most): (Board, Board) = (least.parse()?, most.parse()?);
        let ordered = least.width <= most.width && least.height <= most.height;
        if !ordered || least.torus != most.torus {
            return Err(BoardError::Range(text.to_owned()));
        }
        Ok(BoardRange { least, most })
    }
}

impl From<BoardRange> for String {
    fn from(range: BoardRange) -> String {
        range.to_string()
    }
}

impl TryFrom<String> for BoardRange {
    type Error = BoardError;

    fn try_from(text: String) -> Result<BoardRange, BoardError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_they_are_written() {
        for text in ["4x4..12x12", "6x8", "3x5..3x9", "4x4-torus..5x5-torus"] {
            let range: BoardRange = text.parse().unwrap();
            assert_eq!(range.to_string(), text);
            assert!(range.boards().all(|board| range.contains(board)));
        }
        for wrong in [
            "",
            "4x4..",
            "..4x4",
            "5x4..4x5",
            "4x4..5x5-torus",
            "4..12",
            "1x4..4x4",
        ] {
            assert!(wrong.parse::<BoardRange>().is_err(), "{wrong}");
        }
        for wrong in ["5x4..4x9", "4x4.."] {
            let error = wrong.parse::<BoardRange>().unwrap_err().to_string();
            let expected =
                "expected a smaller and a larger board, both tori or neither, such as 4x4..12x12";
            assert_eq!(error, format!("{expected}, got {wrong:?}"));
        }
        let boards = ["4x9", "6x6"].map(|text| text.parse().unwrap());
        assert_eq!(BoardRange::around(boards).unwrap().to_string(), "4x4..9x9");
    }
}
