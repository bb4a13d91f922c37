//! Policies, for one game at a time or for many.

use crate::{Allowed, Cell, Direction, MakeFilter, Position, Unsupported};
use std::sync::Arc;

/// Plays one game, from the position that it was made for to the end. [`MakePolicy`] makes one for
/// each game.
pub trait Policy: Send {
    /// Returns the next move. Called once for each position of the game, in order.
    fn act(&mut self, position: &Position) -> Direction;

    /// Like [`act`](Self::act), for policies that may fail, such as external programs. Runners of
    /// games call this method; a policy that never fails need not implement it.
    ///
    /// # Errors
    /// Fails if the policy forfeits the game. It must not be called again.
    fn try_act(&mut self, position: &Position) -> Result<Direction, Forfeit> {
        Ok(self.act(position))
    }

    /// Returns what a viewer can show of the policy's intentions, for the position after its last
    /// move.
    fn overlay(&self) -> Overlay {
        Overlay::default()
    }
}

/// Why a policy forfeits a game, as a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Forfeit(pub String);

/// Makes the policies of games. It holds what they share: settings, and tables that take long to
/// compute.
///
/// Functions of a position and a seed implement it, too:
///
/// ```
/// use hognose_game::{Board, Direction, Game, MakePolicy, Policy, Position, Rules, Status};
///
/// /// Goes straight on.
/// struct Straight;
///
/// impl Policy for Straight {
///     fn act(&mut self, position: &Position) -> Direction {
///         position.heading()
///     }
/// }
///
/// let straight = |_: &Position, _seed: u64| Ok(Box::new(Straight) as Box<dyn Policy>);
/// let mut game = Game::new(Rules::new(Board::new(4, 4)?), 7);
/// let mut policy = straight.make(game.position(), 0)?;
/// while game.position().status() == Status::Ongoing {
///     let direction = policy.act(game.position());
///     game.step(direction);
/// }
/// assert!(matches!(game.position().status(), Status::Lost(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait MakePolicy: Send + Sync {
    /// Makes the policy for a game that begins at this position. `seed` decides its random choices.
    ///
    /// # Errors
    /// Fails if this kind of policy can't play this board or start.
    fn make(&self, position: &Position, seed: u64) -> Result<Box<dyn Policy>, Unsupported>;

    /// Returns whether moves depend on how long they take, so that games may differ between
    /// machines.
    fn depends_on_clock(&self) -> bool {
        false
    }
}

impl<F> MakePolicy for F
where
    F: Fn(&Position, u64) -> Result<Box<dyn Policy>, Unsupported> + Send + Sync,
{
    fn make(&self, position: &Position, seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        self(position, seed)
    }
}

/// A policy's intentions, for a viewer to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlay {
    /// The cells of the cycle that it follows, in order; empty if there is none.
    pub cycle: Vec<Cell>,
    /// The moves planned from here on; empty if there is no plan.
    pub plan: Vec<Direction>,
}

/// Plays many games at once, as a network does in one forward pass.
///
/// ```
/// use hognose_game::{
///     Allowed, BatchPolicy, Choice, Direction, LegalMoves, Player, Position, Unsupported,
/// };
///
/// /// Plays the first allowed move of every game.
/// struct First;
///
/// impl BatchPolicy for First {
///     fn check(&self, _: &Position) -> Result<(), Unsupported> {
///         Ok(())
///     }
///
///     fn act_all(&self, _: &[&Position], allowed: &[Allowed], choices: &mut [Choice]) {
///         for (allowed, choice) in allowed.iter().zip(choices) {
///             let direction = allowed.moves.iter().next().unwrap_or(Direction::Up);
///             *choice = Choice {
///                 direction,
///                 forbidden: false,
///             };
///         }
///     }
/// }
///
/// let player = Player::Batch(Box::new(First), LegalMoves::maker());
/// ```
pub trait BatchPolicy: Send {
    /// Checks whether this policy can play a position.
    ///
    /// # Errors
    /// Fails if the policy can't play this board or start.
    fn check(&self, position: &Position) -> Result<(), Unsupported>;

    /// Writes the next move for every position: one of its `allowed` moves, if there are any. All
    /// slices have the same length.
    fn act_all(&self, positions: &[&Position], allowed: &[Allowed], choices: &mut [Choice]);

    /// Receives which games of the last [`act_all`](Self::act_all) go on. The next positions are
    /// theirs, in the same order, followed by those of new games. Only policies with memory of
    /// their games need it.
    fn keep(&self, _going_on: &[bool]) {}
}

/// A batch policy's choice under a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move.
    pub direction: Direction,
    /// Whether the filter forbade the legal move that the policy prefers.
    pub forbidden: bool,
}

/// Plays one game at a time or many at once.
pub enum Player {
    /// Makes a policy for each game. Players of several threads may share it.
    Single(Arc<dyn MakePolicy>),
    /// One instance for many games, and the maker of each game's move filter.
    Batch(Box<dyn BatchPolicy>, MakeFilter),
}
