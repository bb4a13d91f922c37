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
        // A single cell lies on every cycle; any longer body gets the first one that holds it.
        let keep = position.len() == 1 && self.cycle.as_ref().is_some_and(|cycle| cycle.holds(position));
        if !keep {
            self.cycle = Some(Cycle::holding(position)?);
        }
        Ok(())
    }

    #[inline]
    fn act(&mut self, position: &Position) -> Direction {
        self.cycle.as_ref().expect("reset comes first").next(position.head())
    }
}
