//! Follows a Hamiltonian cycle.

use crate::Cycle;
use hognose_game::{Direction, Policy, Position, Unsupported};

/// Follows a cycle that holds the snake; wins every game, in (A-s)(A-s+3)/4 steps on average from length s on area A. By
/// default the cycle is a zig-zag.
#[derive(Clone, Debug, Default)]
pub struct Hamiltonian {
    random: bool,
    cycle: Option<Cycle>,
}

impl Hamiltonian {
    /// Follows a random cycle, another in each game: the way around a random spanning tree. Takes boards with both sides even.
    pub fn around_random_tree() -> Hamiltonian {
        Hamiltonian { random: true, cycle: None }
    }
}

impl Policy for Hamiltonian {
    fn reset(&mut self, position: &Position, policy_seed: u64) -> Result<(), Unsupported> {
        self.cycle = Some(match self.random {
            true => Cycle::random_holding(position, policy_seed)?,
            false => Cycle::for_game(self.cycle.take(), position)?,
        });
        Ok(())
    }

    #[inline]
    fn act(&mut self, position: &Position) -> Direction {
        self.cycle.as_ref().expect("reset comes first").next(position.head())
    }
}
