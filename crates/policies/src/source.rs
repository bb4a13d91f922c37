//! What a policy with a name is made of.

use hognose_game::{Board, Player, Position};

/// Where the players of a policy come from.
pub(crate) trait Source: Send {
    /// Whether the policy claims to win every game that it does not refuse.
    fn claims_to_win(&self) -> bool;

    /// A player.
    fn player(&self) -> Player;

    /// The only board that the policy plays; `None` for policies that play others too.
    fn board(&self) -> Option<Board> {
        None
    }

    /// What the policy thinks a position is worth; `None` for policies without values.
    fn value(&self, _position: &Position) -> Option<f64> {
        None
    }
}
