//! Why duels are not solved, or a bot can't be exploited exactly.

use hognose_game::Unsupported;
use hognose_game::duel::DuelPosition;

/// Why duels are not solved, or a bot can't be exploited exactly.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ExactError {
    /// The board has too many positions.
    #[error("expected a board of at most {most} cells, got {got}")]
    Board {
        /// The most cells.
        most: usize,
        /// How many it has.
        got: usize,
    },
    /// There are several foods.
    #[error("expected one food on the board at a time, got {0}")]
    Foods(usize),
    /// A food may be worth several cells.
    #[error("expected foods that are worth 1 cell, got {}..={}", .0.start(), .0.end())]
    Values(std::ops::RangeInclusive<u8>),
    /// The positions take too much memory.
    #[error("expected at most {most} GiB of memory, but {states} states need {gib:.4} GiB")]
    Memory {
        /// How much may be used, in GiB.
        most: f64,
        /// The positions, each with all numbers of hungry steps.
        states: u64,
        /// How much is needed, in GiB.
        gib: f64,
    },
    /// The bot plays by other things than the position.
    #[error(
        "expected a bot whose moves follow from the position alone, but what it plays may depend \
         on what it has seen before, or on how much time it has"
    )]
    Remembers,
    /// The bot does not play by these rules.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The position is none of those that were enumerated.
    #[error("expected a position by the rules that were solved, got {0:?}")]
    Position(Box<DuelPosition>),
}
