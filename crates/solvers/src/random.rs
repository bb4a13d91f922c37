//! Plays legal moves at random.

use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Direction, MakePolicy, Policy, Position, Unsupported};

const RANDOM: Purpose = Purpose::new("random policy");

/// Plays a uniformly random legal move; straight where none is legal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl MakePolicy for Random {
    fn make(&self, _position: &Position, seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        Ok(Box::new(RandomPolicy { draws: rng::keyed(seed, RANDOM, 0) }))
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
