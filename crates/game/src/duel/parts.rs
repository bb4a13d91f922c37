//! What a position of a duel is made of.

use crate::Cell;
use crate::duel::{MIN_LENGTH, Outcome, Seat};
use serde::{Deserialize, Serialize};

/// The most steps of growth that a snake keeps; what it eats beyond that is lost.
pub const MOST_GROWTH: u16 = 10_000;

/// A food: where it lies, and by how many cells it lets a snake grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Food {
    /// The cell.
    pub cell: Cell,
    /// The cells by which a snake that eats it grows, one in each step.
    pub value: u8,
}

/// The body of a snake from which a position is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DuelBody {
    /// The body from head to tail. The heading leads from its second cell to the first.
    pub cells: Vec<Cell>,
    /// The steps in which the snake still grows, whatever it eats.
    #[serde(default)]
    pub growth: u16,
}

/// Why something is not a position of a duel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DuelPositionError {
    /// A body is too short.
    #[error("the {seat} snake must have at least {MIN_LENGTH} cells, got {length}")]
    Length {
        /// Whose body it is.
        seat: Seat,
        /// The number of its cells.
        length: usize,
    },
    /// A cell lies outside the board.
    #[error("cell {0} is not on the board")]
    OffBoard(u16),
    /// Two cells that follow each other in a body are not neighbours.
    #[error("body cells {0} and {1} are not neighbours")]
    Gap(u16, u16),
    /// Two things lie on one cell.
    #[error("cell {0} is taken twice")]
    Overlap(u16),
    /// There are more foods than the rules allow.
    #[error("expected at most {expected} foods, got {got}")]
    Foods {
        /// How many the rules allow.
        expected: usize,
        /// How many there are.
        got: usize,
    },
    /// A food has a value that the rules do not know.
    #[error("a food must be worth {lowest}..={highest}, got {got}")]
    Value {
        /// The lowest value of the rules.
        lowest: u8,
        /// The highest.
        highest: u8,
        /// The value of the food.
        got: u8,
    },
    /// More growth is pending than a snake keeps.
    #[error("at most {MOST_GROWTH} steps of growth may be pending, got {0}")]
    Growth(u16),
    /// A counter says that the game is over, or that food should have been drawn again.
    #[error("{what} must be less than {limit}, got {got}")]
    Counter {
        /// Which counter.
        what: &'static str,
        /// What the rules allow.
        limit: u32,
        /// What it says.
        got: u32,
    },
    /// The game can't have ended so.
    #[error("no step from here ends the game so: {0}")]
    Outcome(Outcome),
}
