//! What plays: policies for one game at a time, and for many.

use crate::{Allowed, Cell, Direction, MakeFilter, Position, Unsupported};
use std::sync::Arc;

/// Plays one game, from the position that it was made for to the end. [`MakePolicy`] makes one for
/// each game.
pub trait Policy: Send {
    /// Answers with the next move. It is called once for every position of the game, in order.
    fn act(&mut self, position: &Position) -> Direction;

    /// As [`act`](Self::act), for policies that may fail, such as programs that others have
    /// written. Who plays games calls this one; a policy that never fails need not know of it.
    ///
    /// # Errors
    /// When the policy gives the game up. It must not be asked again.
    fn try_act(&mut self, position: &Position) -> Result<Direction, Forfeit> {
        Ok(self.act(position))
    }

    /// What a viewer can show of what the policy has in mind for the position after its last move.
    fn overlay(&self) -> Overlay {
        Overlay::default()
    }
}

/// Why a policy gives a game up, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Forfeit(pub String);

/// Makes the policies of games. It holds what games share: settings, and tables that take long to
/// compute.
///
/// Functions of a position and a seed are such makers, too:
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
    /// Makes the policy of a game that begins at this position. Its random choices follow from
    /// `seed`.
    ///
    /// # Errors
    /// When no policy of this kind can play this board or this start.
    fn make(&self, position: &Position, seed: u64) -> Result<Box<dyn Policy>, Unsupported>;

    /// Whether moves depend on how long they take, so that another machine may play other games.
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

/// What a policy has in mind, for a viewer to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlay {
    /// The cells of the cycle that it follows, in order; empty if it follows none.
    pub cycle: Vec<Cell>,
    /// The moves that it plans from here on; empty if it has no plan.
    pub plan: Vec<Direction>,
}

/// Anything that plays many games at once, as a network does in one forward pass.
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
    /// Whether this policy can play this position.
    ///
    /// # Errors
    /// When the policy can't play this board or this start.
    fn check(&self, position: &Position) -> Result<(), Unsupported>;

    /// Writes the next move of every position, one of its `allowed` moves if there are any; all
    /// slices have the same length.
    fn act_all(&self, positions: &[&Position], allowed: &[Allowed], choices: &mut [Choice]);

    /// Tells which of the games of the last [`act_all`](Self::act_all) go on. The next positions
    /// are theirs, in the same order, and then those of new games. Only a policy that remembers
    /// what it saw of a game needs it.
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
    /// What makes a policy for each game. Players of several threads may share it.
    Single(Arc<dyn MakePolicy>),
    /// One instance for many games, and what makes the filter of the moves of each game.
    Batch(Box<dyn BatchPolicy>, MakeFilter),
}
