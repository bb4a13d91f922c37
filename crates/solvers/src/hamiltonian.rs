//! Follows a Hamiltonian cycle.

use crate::Cycle;
use hognose_game::{Direction, Policy, Position, Unsupported};

/// Follows a zig-zag cycle that holds the snake; wins every game, in (A-s)(A-s+3)/4 steps on average from length s on
/// area A.
#[derive(Clone, Debug, Default)]
pub struct Hamiltonian {
    cycle: Option<Cycle>,
}

impl Policy for Hamiltonian {
    fn reset(&mut self, position: &Position, _policy_seed: u64) -> Result<(), Unsupported> {
        self.cycle = Some(Cycle::for_game(self.cycle.take(), position)?);
        Ok(())
    }

    #[inline]
    fn act(&mut self, position: &Position) -> Direction {
        self.cycle.as_ref().expect("reset comes first").next(position.head())
    }
}
