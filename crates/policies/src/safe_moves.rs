//! Safe moves, for environments and agents.

use hognose_game::MakeFilter;
use hognose_solvers::SafeMoves;

/// Returns a maker of filters that allow only safe moves, after which a win is still certain.
pub fn safe_moves() -> MakeFilter {
    SafeMoves::maker()
}
