//! A game that a policy plays move by move, and its record.

use crate::{Evaluation, LimitedGame};
use hognose_game::{
    Direction, Forfeit, MakePolicy, Origin, Overlay, Policy, Position, Record, Unsupported,
};
use std::convert::Infallible;

/// A game of an evaluation that a policy plays move by move, to be shown and recorded.
///
/// ```
/// use hognose_eval::{Evaluation, PolicyGame};
/// use hognose_game::Rules;
/// use hognose_solvers::Hamiltonian;
///
/// let games = Evaluation::new(Rules::new("4x4".parse()?), 0, 10);
/// let mut game = PolicyGame::new(&Hamiltonian::default(), &games, 3)?;
/// while !game.is_over() {
///     game.step();
/// }
/// assert_eq!(game.record().replay()?.position(), game.position());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PolicyGame {
    /// `None` while the policy is thinking, and forever if its answer was abandoned.
    policy: Option<Box<dyn Policy>>,
    origin: Origin,
    game: LimitedGame,
    moves: Vec<Direction>,
    forfeit: Option<Forfeit>,
}

/// A policy that was asked for a move, and its answer.
pub struct Asked {
    policy: Box<dyn Policy>,
    answer: Result<Direction, Forfeit>,
}

impl PolicyGame {
    /// Creates the game with this index before its first move.
    ///
    /// # Errors
    /// Fails if the policy refuses the game.
    pub fn new(
        maker: &dyn MakePolicy,
        games: &Evaluation,
        index: usize,
    ) -> Result<PolicyGame, Unsupported> {
        let game = LimitedGame::new(games.game(index), games.limits);
        let policy = maker.make(game.position(), Evaluation::policy_seed(game.seed()))?;
        Ok(PolicyGame {
            policy: Some(policy),
            origin: games.origin(index),
            game,
            moves: Vec::new(),
            forfeit: None,
        })
    }

    /// Returns the current position.
    pub fn position(&self) -> &Position {
        self.game.position()
    }

    /// Returns the number of moves made.
    pub fn steps(&self) -> usize {
        self.moves.len()
    }

    /// Returns the policy's current overlay, such as its plan.
    pub fn overlay(&self) -> Overlay {
        self.policy
            .as_ref()
            .map_or_else(Overlay::default, |policy| policy.overlay())
    }

    /// Returns why the policy forfeited the game, if it did.
    pub fn forfeit(&self) -> Option<&Forfeit> {
        self.forfeit.as_ref()
    }

    /// Returns whether the game is won, lost, cut off or forfeited.
    pub fn is_over(&self) -> bool {
        self.game.end().is_some()
    }

    /// Makes the policy's next move, unless it forfeits the game.
    pub fn step(&mut self) {
        let Ok(_) = self.step_with(|ask| Ok::<_, Infallible>(Some(ask())));
    }

    /// Makes the policy's next move, and returns whether there was one. `wait` runs the given
    /// function, which asks the policy, on any thread. If it abandons the answer, no more moves
    /// follow.
    ///
    /// # Errors
    /// Fails if `wait` fails.
    pub fn step_with<E>(
        &mut self,
        wait: impl FnOnce(Box<dyn FnOnce() -> Asked + Send>) -> Result<Option<Asked>, E>,
    ) -> Result<bool, E> {
        let Some(mut policy) = self.policy.take() else {
            return Ok(false);
        };
        let position = self.position().clone();
        let Some(Asked { policy, answer }) = wait(Box::new(move || {
            let answer = policy.try_act(&position);
            Asked { policy, answer }
        }))?
        else {
            return Ok(false);
        };
        self.policy = Some(policy);
        match answer {
            Ok(direction) => {
                self.game.step(direction);
                self.moves.push(direction);
                Ok(true)
            }
            Err(forfeit) => {
                self.game.forfeit();
                self.forfeit = Some(forfeit);
                Ok(false)
            }
        }
    }

    /// Returns the moves so far as a record.
    pub fn record(&self) -> Record {
        let record = Record::new(self.origin.clone(), self.game.seed(), self.moves.clone());
        record.expect("the moves were made in the game")
    }
}
