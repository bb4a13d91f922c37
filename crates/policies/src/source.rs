//! What a policy with a name is made of.

use hognose_game::{BoardRange, Player, Position};

/// Where the players of a policy come from.
pub(crate) trait Source: Send {
    /// Whether the policy claims to win every game that it does not refuse.
    fn claims_to_win(&self) -> bool;

    /// A player.
    fn player(&self) -> Player;

    /// The boards that the policy was trained to play; `None` for policies that were not trained.
    fn boards(&self) -> Option<BoardRange> {
        None
    }

    /// As [`NamedPolicy::q_values`](crate::NamedPolicy::q_values).
    fn q_values(&self, _position: &Position) -> Option<[Option<f64>; 4]> {
        None
    }

    /// As [`NamedPolicy::plan_costs`](crate::NamedPolicy::plan_costs).
    fn plan_costs(&self, _position: &Position) -> Option<[Option<f64>; 4]> {
        None
    }
}

/// How an agent's name says that it plays.
#[derive(Clone, Copy)]
pub(crate) enum Play {
    /// Under the mask that it was trained under.
    AsTrained,
    /// Only moves after which winning is still certain.
    Safe,
    /// Only moves that go in no circles.
    Fresh,
}
