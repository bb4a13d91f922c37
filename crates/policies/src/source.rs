//! The sources of named policies.

use hognose_game::{BoardRange, Player, Position};

/// The source of a policy's players.
pub(crate) trait Source: Send {
    /// Returns whether the policy claims to win every game that it does not refuse.
    fn claims_to_win(&self) -> bool;

    fn player(&self) -> Player;

    /// Returns the boards that the policy was trained on, or `None` if it was not trained.
    fn boards(&self) -> Option<BoardRange> {
        None
    }

    /// Same as [`NamedPolicy::q_values`](crate::NamedPolicy::q_values).
    fn q_values(&self, _position: &Position) -> Option<[Option<f64>; 4]> {
        None
    }

    /// Same as [`NamedPolicy::plan_costs`](crate::NamedPolicy::plan_costs).
    fn plan_costs(&self, _position: &Position) -> Option<[Option<f64>; 4]> {
        None
    }
}

/// The moves that an agent's name allows it.
#[derive(Clone, Copy)]
pub(crate) enum Play {
    /// The moves of the mask that it was trained under.
    AsTrained,
    /// Only moves after which a win is still certain.
    Safe,
    /// Only moves that do not circle.
    Fresh,
}
