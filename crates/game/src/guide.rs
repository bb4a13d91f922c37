//! Guides for players: filters of the moves they may choose, and sources of plans.

use crate::{Cell, Direction, Directions, Position};
use std::sync::Arc;

/// Why a policy, or a player with a guide, can't play a position, as a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unsupported(pub String);

/// Limits the moves that a player may choose. There is one instance per running game; environments
/// reuse it for thousands of games. All instances of one maker must accept the same starts,
/// regardless of foods, and restore each other's states: an environment asks one instance whether
/// an episode may begin.
/// ```
/// use hognose_game::{
///     Allowed, Direction, MakeFilter, MoveFilter, Position, Unsupported, expect_stateless,
/// };
/// use std::sync::Arc;
///
/// /// Forbids one direction if another move is legal.
/// struct Never(Direction);
///
/// impl MoveFilter for Never {
///     fn reset(&mut self, _: &Position) -> Result<(), Unsupported> {
///         Ok(())
///     }
///
///     fn allowed(&mut self, position: &Position) -> Allowed {
///         let legal = position.legal_moves();
///         let others = legal.without([self.0].into_iter().collect());
///         others.or(legal).into()
///     }
///
///     fn commit(&mut self, _: Direction) {}
///
///     fn state(&self) -> Vec<u16> {
///         Vec::new()
///     }
///
///     fn restore(&mut self, _: &Position, state: &[u16]) -> Result<(), Unsupported> {
///         expect_stateless(state)
///     }
/// }
///
/// let never_up: MakeFilter = Arc::new(|| Box::new(Never(Direction::Up)));
/// ```
pub trait MoveFilter: Send {
    /// Begins a game at this position.
    ///
    /// # Errors
    /// Fails if the filter can't keep its promise from there; it then allows all legal moves.
    fn reset(&mut self, position: &Position) -> Result<(), Unsupported>;

    /// Returns the moves allowed in a position.
    fn allowed(&mut self, position: &Position) -> Allowed;

    /// Receives the move played in the position last passed to [`allowed`](Self::allowed).
    fn commit(&mut self, direction: Direction);

    /// Returns the state as numbers, for [`restore`](Self::restore).
    fn state(&self) -> Vec<u16>;

    /// Continues at a position with the [`state`](Self::state) that a filter of the same kind had
    /// there.
    ///
    /// # Errors
    /// Fails if the state is invalid; the filter is then unchanged.
    fn restore(&mut self, position: &Position, state: &[u16]) -> Result<(), Unsupported>;
}

/// A filter's answer for a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    /// The allowed moves, a subset of the legal ones; empty if no move is legal.
    pub moves: Directions,
    /// For each direction, the way to the next food that starts with it and keeps the filter's
    /// promise, if the filter knows one.
    pub ways: [Option<Way>; 4],
}

/// A way to the next food.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// The number of steps, including the one that eats.
    pub steps: u16,
    /// The future cost of the body after eating, in thousandths of a step; see [`Plan::outlook`].
    pub outlook: u32,
}

impl From<Directions> for Allowed {
    fn from(moves: Directions) -> Allowed {
        Allowed {
            moves,
            ways: [None; 4],
        }
    }
}

/// Makes a filter for a game; it captures the filter's settings.
pub type MakeFilter = Arc<dyn Fn() -> Box<dyn MoveFilter> + Send + Sync>;

/// Restores a filter without a state: checks that the state is empty. Also used when there is no
/// filter.
///
/// # Errors
/// Fails if the state is not empty, so that it belongs to another filter.
pub fn expect_stateless(state: &[u16]) -> Result<(), Unsupported> {
    if state.is_empty() {
        return Ok(());
    }
    Err(Unsupported(format!(
        "expected an empty filter state, got {} numbers",
        state.len()
    )))
}

/// Allows every legal move.
#[derive(Clone, Copy, Debug, Default)]
pub struct LegalMoves;

impl LegalMoves {
    /// Returns a maker of these filters.
    pub fn maker() -> MakeFilter {
        Arc::new(|| Box::new(LegalMoves))
    }
}

impl MoveFilter for LegalMoves {
    fn reset(&mut self, _position: &Position) -> Result<(), Unsupported> {
        Ok(())
    }

    fn allowed(&mut self, position: &Position) -> Allowed {
        position.legal_moves().into()
    }

    fn commit(&mut self, _direction: Direction) {}

    fn state(&self) -> Vec<u16> {
        Vec::new()
    }

    fn restore(&mut self, _position: &Position, state: &[u16]) -> Result<(), Unsupported> {
        expect_stateless(state)
    }
}

/// A way to the food that keeps a certificate of winning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The moves; the last one eats.
    pub moves: Vec<Direction>,
    /// The certificate after eating: a Hamiltonian cycle on which the body lies in order, from tail
    /// to head. On a board with an odd number of cells it omits one. Empty if the body fills the
    /// board.
    pub cycle: Vec<Cell>,
    /// The source's estimate of the future cost of the body after eating, in thousandths of a step,
    /// compared with bodies of the same length; 0 if it fills the board.
    pub outlook: u32,
}

/// Proposes plans: one decision per food, since nothing random happens before it is eaten. There is
/// one instance per game.
pub trait PlanSource: Send {
    /// Begins a game at this position; `seed` decides random choices.
    ///
    /// # Errors
    /// Fails if no certain win is known from there. No other method may be called until a `reset`
    /// succeeds.
    fn reset(&mut self, position: &Position, seed: u64) -> Result<(), Unsupported>;

    /// Writes plans for a position with food, the source's favorite first: at least one, and no two
    /// with the same moves. The position is the last `reset`'s, or follows the plan last committed.
    fn plans(&mut self, position: &Position, plans: &mut Vec<Plan>);

    /// Receives the index of the plan that will be followed to its end, among those last written.
    fn commit(&mut self, plan: usize);

    /// Returns the state between two foods as numbers, for [`restore`](Self::restore).
    fn state(&self) -> Vec<u16>;

    /// Continues at a position with the [`state`](Self::state) that a source of the same kind had
    /// there.
    ///
    /// # Errors
    /// Fails if the state is invalid; the source is then unchanged.
    fn restore(&mut self, position: &Position, state: &[u16]) -> Result<(), Unsupported>;
}
