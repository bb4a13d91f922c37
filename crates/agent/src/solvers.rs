//! The parts of the solvers that training needs.

use crate::config::PlanSearch;
use hognose_game::{MakeFilter, PlanSource};
use std::sync::Arc;

/// Creates a source of plans for a game.
pub type MakePlans = Arc<dyn Fn(PlanSearch) -> Box<dyn PlanSource> + Send + Sync>;

/// The parts of the solvers that training needs: none if all legal moves are allowed and actions
/// are moves.
///
/// ```
/// use hognose_agent::Solvers;
/// use hognose_solvers::{CertifiedPlans, SafeMoves};
/// use std::sync::Arc;
///
/// let solvers = Solvers {
///     safe_moves: Some(SafeMoves::maker()),
///     plans: Some(Arc::new(|search| Box::new(CertifiedPlans::new(search.effort)))),
/// };
/// ```
#[derive(Clone, Default)]
pub struct Solvers {
    /// Creates the filters of [`Mask::Safe`](crate::Mask::Safe).
    pub safe_moves: Option<MakeFilter>,
    /// Creates the sources of [`Actions::Plans`](crate::Actions::Plans).
    pub plans: Option<MakePlans>,
}
