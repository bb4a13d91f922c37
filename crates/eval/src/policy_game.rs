//! A game that a policy plays move by move, and its record.

use crate::{Evaluation, LimitedGame};
use hognose_game::{
    Direction, Forfeit, MakePolicy, Origin, Overlay, Policy, Position, Record, Unsupported,
};
use std::convert::Infallible;

/// A game of an evaluation that a policy plays move by move, so that it can be shown and recorded.
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
    /// `None` while it is asked, and for ever if nobody waited for its answer.
    policy: Option<Box<dyn Policy>>,
    origin: Origin,
    game: LimitedGame,
    moves: Vec<Direction>,
    forfeit: Option<Forfeit>,
}

/// A policy that was asked, and its answer.
pub struct Asked {
    policy: Box<dyn Policy>,
    answer: Result<Direction, Forfeit>,
}

impl PolicyGame {
    /// A game before its first move, by its index.
    ///
    /// # Errors
    /// When the policy refuses the game.
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

    /// What the policy sees.
    pub fn position(&self) -> &Position {
        self.game.position()
    }

    /// How many moves were made.
    pub fn steps(&self) -> usize {
        self.moves.len()
    }

    /// What the policy has in mind.
    pub fn overlay(&self) -> Overlay {
        self.policy
            .as_ref()
            .map_or_else(Overlay::default, |policy| policy.overlay())
    }

    /// Why the policy gave the game up, if it did.
    pub fn forfeit(&self) -> Option<&Forfeit> {
        self.forfeit.as_ref()
    }

    /// Whether the game is won, lost, cut off or forfeited.
    pub fn is_over(&self) -> bool {
        self.game.end().is_some()
    }

    /// Makes the policy's next move, if it does not give the game up.
    pub fn step(&mut self) {
        let Ok(_) = self.step_with(|ask| Ok::<_, Infallible>(Some(ask())));
    }

    /// Makes the policy's next move, and returns whether there was one. `wait` lets the policy be
    /// asked, on whatever thread. If it does not wait for the answer, there is no move any more.
    ///
    /// # Errors
    /// When `wait` fails.
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

    /// The moves so far as a record.
    pub fn record(&self) -> Record {
        let record = Record::new(self.origin.clone(), self.game.seed(), self.moves.clone());
        record.expect("the moves were made in the game")
    }
}
