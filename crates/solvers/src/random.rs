//! Plays legal moves at random.

use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Direction, Policy, Position, Unsupported};

const RANDOM: Purpose = Purpose::new("random policy");

/// Plays a uniformly random legal move; straight where none is legal.
#[derive(Clone, Debug)]
pub struct Random {
    draws: Generator,
}

impl Default for Random {
    fn default() -> Random {
        Random { draws: rng::keyed(0, RANDOM, 0) }
    }
}

impl Policy for Random {
    fn reset(&mut self, _position: &Position, policy_seed: u64) -> Result<(), Unsupported> {
        self.draws = rng::keyed(policy_seed, RANDOM, 0);
        Ok(())
    }

    fn act(&mut self, position: &Position) -> Direction {
        let legal = position.legal_moves();
        if legal.is_empty() {
            return position.heading();
        }
        let nth = rng::below(&mut self.draws, legal.len() as u64) as usize;
        legal.iter().nth(nth).expect("nth < len")
    }
}
