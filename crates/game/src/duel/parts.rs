//! The parts of a duel position.

use crate::Cell;
use crate::duel::{MIN_LENGTH, Outcome, Seat};
use serde::{Deserialize, Serialize};

/// The maximum pending growth of a snake, in steps; growth beyond it is lost.
pub const MOST_GROWTH: u16 = 10_000;

/// A food: its cell and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Food {
    /// The cell.
    pub cell: Cell,
    /// The number of cells by which a snake that eats it grows, one per step.
    pub value: u8,
}

/// A snake's body, from which a position is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DuelBody {
    /// The body from head to tail. The heading leads from its second cell to the first.
    pub cells: Vec<Cell>,
    /// The pending growth: the number of steps in which it still grows without eating.
    #[serde(default)]
    pub growth: u16,
}

/// Why something is not a valid duel position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DuelPositionError {
    /// A body is too short.
    #[error("the {seat} snake must have at least {MIN_LENGTH} cells, got {length}")]
    Length {
        /// The snake's seat.
        seat: Seat,
        /// The number of its cells.
        length: usize,
    },
    /// A cell lies outside the board.
    #[error("cell {0} is not on the board")]
    OffBoard(u16),
    /// Two consecutive body cells are not neighbors.
    #[error("body cells {0} and {1} are not neighbors")]
    Gap(u16, u16),
    /// Two things occupy one cell.
    #[error("cell {0} is occupied twice")]
    Overlap(u16),
    /// There are more foods than the rules allow.
    #[error("expected at most {expected} foods, got {got}")]
    Foods {
        /// The number that the rules allow.
        expected: usize,
        /// The number given.
        got: usize,
    },
    /// The rules don't allow this food value.
    #[error("a food must be worth {lowest}..={highest}, got {got}")]
    Value {
        /// The lowest value allowed.
        lowest: u8,
        /// The highest value allowed.
        highest: u8,
        /// The value of the food.
        got: u8,
    },
    /// The pending growth exceeds [`MOST_GROWTH`].
    #[error("pending growth must be at most {MOST_GROWTH} steps, got {0}")]
    Growth(u16),
    /// A counter is so high that the game would be over, or food would have been redrawn.
    #[error("{what} must be less than {limit}, got {got}")]
    Counter {
        /// The counter.
        what: &'static str,
        /// The limit under the rules.
        limit: u32,
        /// Its value.
        got: u32,
    },
    /// The game can't have ended like this.
    #[error("no step from this position ends the game with this outcome: {0}")]
    Outcome(Outcome),
}
