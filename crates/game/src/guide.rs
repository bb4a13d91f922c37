//! What guides a player: filters of the moves that it may choose from, and sources of plans.

use crate::{Cell, Direction, Directions, Position};
use std::sync::Arc;

/// Why a position is not played, by a policy or under a guide, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unsupported(pub String);

/// Which moves a player may choose from. There is one instance for each game at a time;
/// environments reuse it for thousands of games. All instances of one maker must accept the same
/// starts, whatever the foods, and take up each other's states: one of them is asked whether an
/// episode may begin.
///
/// ```
/// use hognose_game::{
///     Allowed, Direction, MakeFilter, MoveFilter, Position, Unsupported, expect_stateless,
/// };
/// use std::sync::Arc;
///
/// /// Forbids one direction, where another move is legal.
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
///         if others.is_empty() {
///             legal.into()
///         } else {
///             others.into()
///         }
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
    /// When what the filter promises can't be kept from there; it allows all legal moves then.
    fn reset(&mut self, position: &Position) -> Result<(), Unsupported>;

    /// What is allowed at a position.
    fn allowed(&mut self, position: &Position) -> Allowed;

    /// Tells which move was played from the position last asked about.
    fn commit(&mut self, direction: Direction);

    /// The state as numbers, which [`restore`](Self::restore) takes up again.
    fn state(&self) -> Vec<u16>;

    /// Goes on at a position with the [`state`](Self::state) that a filter of the same kind had
    /// there.
    ///
    /// # Errors
    /// When it is no such state; the filter is then as it was.
    fn restore(&mut self, position: &Position, state: &[u16]) -> Result<(), Unsupported>;
}

/// What a filter says of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    /// The allowed moves: legal ones, or fewer; empty where no move is legal.
    pub moves: Directions,
    /// For each direction the way to the next food, that move first, on which the filter's promise
    /// is kept, if it knows one.
    pub ways: [Option<Way>; 4],
}

/// A way to the next food.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// The steps of the way, the one that eats included.
    pub steps: u16,
    /// What the body after eating will cost later, in thousandths of a step, as in
    /// [`Plan::outlook`].
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

/// Makes a filter for a game; what it captures are the filter's settings.
pub type MakeFilter = Arc<dyn Fn() -> Box<dyn MoveFilter> + Send + Sync>;

/// Accepts what a filter without a state answers, and what stands where there is no filter.
///
/// # Errors
/// When the state is not empty: it is of another filter.
pub fn expect_stateless(state: &[u16]) -> Result<(), Unsupported> {
    if state.is_empty() {
        return Ok(());
    }
    Err(Unsupported(format!(
        "expected no state of a move filter, got one of {} numbers",
        state.len()
    )))
}

/// Allows every legal move.
#[derive(Clone, Copy, Debug, Default)]
pub struct LegalMoves;

impl LegalMoves {
    /// What makes these filters.
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

/// A way to the food after which winning is still certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The moves, the last of which eats.
    pub moves: Vec<Direction>,
    /// A cycle of the board on which the body after eating lies in order, from tail to head; on a
    /// board with an odd number of cells it misses one. Empty if that body fills the board.
    pub cycle: Vec<Cell>,
    /// What the body after eating will cost later by the source's reckoning, in thousandths of a
    /// step, next to others of the same length; 0 if it fills the board.
    pub outlook: u32,
}

/// What proposes plans: one decision a food, since nothing random happens before it is eaten. One
/// instance for each game.
pub trait PlanSource: Send {
    /// Begins a game at this position; random choices follow from `seed`.
    ///
    /// # Errors
    /// When no win is known to be certain from there. Nothing may be asked then until a `reset`
    /// succeeds.
    fn reset(&mut self, position: &Position, seed: u64) -> Result<(), Unsupported>;

    /// Writes plans for a position in which food lies, the one that the source thinks best first:
    /// at least one, no two with the same moves. The position is that of the last `reset`, or the
    /// one after the plan last committed to.
    fn plans(&mut self, position: &Position, plans: &mut Vec<Plan>);

    /// Tells which of the plans last written is followed to its end.
    fn commit(&mut self, plan: usize);

    /// The state between two foods as numbers, which [`restore`](Self::restore) takes up again.
    fn state(&self) -> Vec<u16>;

    /// Goes on at a position with the [`state`](Self::state) that a source of the same kind had
    /// there.
    ///
    /// # Errors
    /// When it is no such state; the source is then as it was.
    fn restore(&mut self, position: &Position, state: &[u16]) -> Result<(), Unsupported>;
}
