//! Errors of exact solutions.

use hognose_game::Unsupported;
use hognose_game::duel::DuelPosition;

/// An error of solving duels, or of exploiting a bot, exactly.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ExactError {
    /// The board has too many positions.
    #[error("expected a board of at most {most} cells, got {got}")]
    Board {
        /// The maximum number of cells.
        most: usize,
        /// The board's number of cells.
        got: usize,
    },
    /// There are several foods.
    #[error("expected one food on the board at a time, got {0}")]
    Foods(usize),
    /// A food may be worth several cells.
    #[error("expected foods that are worth 1 cell, got {}..={}", .0.start(), .0.end())]
    Values(std::ops::RangeInclusive<u8>),
    /// The positions need too much memory.
    #[error("expected at most {most} GiB of memory, but {states} states need {gib:.4} GiB")]
    Memory {
        /// The limit in GiB.
        most: f64,
        /// The number of states: positions, each with every count of steps without food.
        states: u64,
        /// The required memory in GiB.
        gib: f64,
    },
    /// The bot's moves depend on more than the position.
    #[error(
        "expected a bot whose moves depend on the position alone, but they may depend on earlier \
         positions or on a clock"
    )]
    Remembers,
    /// The bot does not support these rules.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The position is not one of the enumerated positions.
    #[error("expected a position of the rules that were solved, got {0:?}")]
    Position(Box<DuelPosition>),
}
