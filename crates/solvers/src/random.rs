//! The random policy.

use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Direction, MakePolicy, Policy, Position, Unsupported};

const RANDOM: Purpose = Purpose::new("random policy");

/// A policy that plays a uniformly random legal move. Without a legal move it goes straight on, and
/// loses.
///
/// ```
/// use hognose_game::{Board, Game, MakePolicy, Rules};
/// use hognose_solvers::Random;
///
/// let game = Game::new(Rules::new(Board::new(8, 8)?), 7);
/// let mut policy = Random.make(game.position(), 0)?;
/// assert!(game.position().legal_moves().contains(policy.act(game.position())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl MakePolicy for Random {
    fn make(&self, _position: &Position, seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        Ok(Box::new(RandomPolicy {
            draws: rng::keyed(seed, RANDOM, 0),
        }))
    }
}

struct RandomPolicy {
    draws: Generator,
}

impl Policy for RandomPolicy {
    fn act(&mut self, position: &Position) -> Direction {
        let legal = position.legal_moves();
        if legal.is_empty() {
            return position.heading();
        }
        let nth = rng::below(&mut self.draws, legal.len() as u64) as usize;
        legal.iter().nth(nth).expect("nth < len")
    }
}
