//! Adapts policies for many games at once to one game at a time.

use hognose_game::{
    BatchPolicy, Choice, Direction, MakeFilter, MakePolicy, MoveFilter, Player, Policy, Position,
    Unsupported,
};
use std::sync::{Arc, Mutex, PoisonError};

/// Returns a maker of players for one game each that move as this player does.
pub fn one_by_one(player: Player) -> Arc<dyn MakePolicy> {
    match player {
        Player::Single(maker) => maker,
        Player::Batch(policy, make_filter) => Arc::new(OneByOne {
            policy: Arc::new(Mutex::new(policy)),
            make_filter,
        }),
    }
}

/// A policy for one game at a time, made of one that can play many at once, which must not remember
/// earlier positions of a game.
struct OneByOne {
    policy: Arc<Mutex<Box<dyn BatchPolicy>>>,
    make_filter: MakeFilter,
}

impl MakePolicy for OneByOne {
    fn make(&self, position: &Position, _seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        let policy = Arc::clone(&self.policy);
        policy
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .check(position)?;
        let mut filter = (self.make_filter)();
        filter.reset(position)?;
        Ok(Box::new(OneByOnePolicy { policy, filter }))
    }
}

struct OneByOnePolicy {
    policy: Arc<Mutex<Box<dyn BatchPolicy>>>,
    filter: Box<dyn MoveFilter>,
}

impl Policy for OneByOnePolicy {
    fn act(&mut self, position: &Position) -> Direction {
        let mut choices = [Choice {
            direction: Direction::Up,
            forbidden: false,
        }];
        let policy = self.policy.lock().unwrap_or_else(PoisonError::into_inner);
        policy.act_all(&[position], &[self.filter.allowed(position)], &mut choices);
        self.filter.commit(choices[0].direction);
        choices[0].direction
    }
}
