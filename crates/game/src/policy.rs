//! What plays: policies for one game at a time, and for many.

use crate::{Allowed, Cell, Direction, MakeFilter, Position, Unsupported};

/// Anything that plays one game at a time.
pub trait Policy: Send {
    /// Begins a game at this position; random choices follow from `policy_seed`.
    ///
    /// # Errors
    /// When the policy can't play this board or this start.
    fn reset(&mut self, position: &Position, policy_seed: u64) -> Result<(), Unsupported>;

    /// The next move; called once for every position of the game, in order.
    fn act(&mut self, position: &Position) -> Direction;

    /// What a viewer can show of what the policy has in mind for the position after its last move.
    fn overlay(&self) -> Overlay {
        Overlay::default()
    }
}

/// What a policy has in mind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlay {
    /// The cells of the cycle that it follows, in order; empty if it follows none.
    pub cycle: Vec<Cell>,
    /// The moves that it plans from here on; empty if it has no plan.
    pub plan: Vec<Direction>,
}

/// Anything that plays many games at once, as a network does in one forward pass.
pub trait BatchPolicy: Send {
    /// Whether this policy can play this position.
    ///
    /// # Errors
    /// When the policy can't play this board or this start.
    fn check(&self, position: &Position) -> Result<(), Unsupported>;

    /// Writes the next move of every position, one of its `allowed` moves if there are any; all slices have the same length.
    fn act_all(&self, positions: &[&Position], allowed: &[Allowed], choices: &mut [Choice]);

    /// Tells which of the games of the last [`act_all`](Self::act_all) go on. The next positions are theirs, in the same order,
    /// and then those of new games. Only a policy that remembers what it saw of a game needs it.
    fn keep(&self, _going_on: &[bool]) {}
}

/// What a policy plays where a filter says what it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move.
    pub direction: Direction,
    /// Whether the filter forbade the legal move that the policy would have played.
    pub forbidden: bool,
}

/// Plays one game at a time or many at once.
pub enum Player {
    /// One instance a game.
    Single(Box<dyn Policy>),
    /// One instance for many games, and what makes the filter of the moves of each game.
    Batch(Box<dyn BatchPolicy>, MakeFilter),
}
