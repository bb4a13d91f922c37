//! Start positions in files.

use hognose_game::{Board, Cell, Direction, Position, PositionError, Rules, RulesError};
use serde::{Deserialize, Serialize};

/// A position at which episodes begin. Places are (column, row), from (0, 0) at the top left.
///
/// ```
/// use hognose_env::StartPosition;
/// use hognose_game::{Board, Rules};
///
/// let start = StartPosition {
///     board: None,
///     body: vec![[2, 2], [1, 2]],
///     heading: None,
///     food: Some([4, 4]),
/// };
/// let position = start.position(Rules::new(Board::new(5, 5)?))?;
/// assert_eq!(
///     (position.len(), position.heading().to_string()),
///     (2, "right".to_owned())
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartPosition {
    /// Its board; by default the board of the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<Board>,
    /// The body, from head to tail.
    pub body: Vec<[usize; 2]>,
    /// The direction of the last move. Required only for a body of one cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<Direction>,
    /// The food. By default it appears as in the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub food: Option<[usize; 2]>,
}

/// Why an episode can't begin at a position.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StartError {
    /// The rules don't fit on its board.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// No episode uses its board.
    #[error("no episode is played on its board {0}")]
    Board(Board),
    /// A place lies outside the board.
    #[error("({}, {}) is not on the board {board}", .place[0], .place[1])]
    OffBoard {
        /// The column and the row.
        place: [usize; 2],
        /// The board.
        board: Board,
    },
    /// Two consecutive body cells are not neighbors.
    #[error("body cells ({}, {}) and ({}, {}) are not neighbors", .0[0], .0[1], .1[0], .1[1])]
    Gap([usize; 2], [usize; 2]),
    /// A body of one cell has no heading.
    #[error("a body of one cell needs a heading: up, right, down or left")]
    NoHeading,
    /// Two things occupy one place.
    #[error("({}, {}) is occupied twice", .0[0], .0[1])]
    Overlap([usize; 2]),
    /// The parts don't form a valid position.
    #[error(transparent)]
    Position(#[from] PositionError),
}

impl StartPosition {
    /// Returns the position under these rules, on its own board if it has one.
    ///
    /// # Errors
    /// Fails if the parts don't form a valid position.
    pub fn position(&self, rules: Rules) -> Result<Position, StartError> {
        let rules = self.board.map_or(Ok(rules), |board| rules.on(board))?;
        let board = rules.board();
        let cell = |&place: &[usize; 2]| -> Result<Cell, StartError> {
            let [column, row] = place;
            let inside = column < board.width() && row < board.height();
            if inside {
                Ok(board.cell(column, row))
            } else {
                Err(StartError::OffBoard { place, board })
            }
        };
        let body = self.body.iter().map(cell).collect::<Result<Vec<_>, _>>()?;
        let heading = match (self.heading, &body[..]) {
            (Some(heading), _) => heading,
            (None, &[head, second, ..]) => board
                .direction(second, head)
                .ok_or(StartError::Gap(self.body[0], self.body[1]))?,
            (None, &[_]) => return Err(StartError::NoHeading),
            (None, &[]) => return Err(PositionError::EmptyBody.into()),
        };
        let food = self.food.as_ref().map(cell).transpose()?;
        let place = |cell: u16| [board.column(Cell(cell)), board.row(Cell(cell))];
        Position::new(rules, heading, body, food).map_err(|error| match error {
            PositionError::Overlap(cell) => StartError::Overlap(place(cell)),
            PositionError::Gap(one, other) => StartError::Gap(place(one), place(other)),
            error => error.into(),
        })
    }
}
