//! A game that a policy plays move by move, and its record.

use crate::{Evaluation, LimitedGame};
use hognose_game::{Direction, Forfeit, MakePolicy, Origin, Overlay, Policy, Position, Record, Unsupported};

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
    policy: Box<dyn Policy>,
    origin: Origin,
    game: LimitedGame,
    moves: Vec<Direction>,
    forfeit: Option<Forfeit>,
}

impl PolicyGame {
    /// A game before its first move, by its index.
    ///
    /// # Errors
    /// When the policy refuses the game.
    pub fn new(maker: &dyn MakePolicy, games: &Evaluation, index: usize) -> Result<PolicyGame, Unsupported> {
        let game = LimitedGame::new(games.game(index), games.limits);
        let policy = maker.make(game.position(), Evaluation::policy_seed(game.seed()))?;
        Ok(PolicyGame { policy, origin: games.origin(index), game, moves: Vec::new(), forfeit: None })
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
        self.policy.overlay()
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
        match self.game.play(&mut *self.policy) {
            Ok(direction) => self.moves.push(direction),
            Err(forfeit) => self.forfeit = Some(forfeit),
        }
    }

    /// The moves so far as a record.
    pub fn record(&self) -> Record {
        let record = Record::new(self.origin.clone(), self.game.seed(), self.moves.clone());
        record.expect("the moves were made in the game")
    }
}
