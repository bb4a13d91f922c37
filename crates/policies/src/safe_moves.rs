//! Safe moves, for environments and agents.

use hognose_game::MakeFilter;
use hognose_solvers::SafeMoves;

/// What makes filters of safe moves: those after which winning is still certain.
pub fn safe_moves() -> MakeFilter {
    SafeMoves::maker()
}
