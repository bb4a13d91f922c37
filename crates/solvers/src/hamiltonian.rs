//! Follows a Hamiltonian cycle.

use crate::Cycle;
use hognose_game::{Direction, Overlay, Policy, Position, Unsupported};

/// Follows a cycle that holds the snake; wins every game, in (A-s)(A-s+3)/4 steps on average from length s on area A. By
/// default the cycle is a zig-zag.
#[derive(Clone, Debug, Default)]
pub struct Hamiltonian {
    kind: Kind,
    cycle: Option<Cycle>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Kind {
    #[default]
    Zigzag,
    Extended,
    RandomTree,
}

impl Hamiltonian {
    /// Follows a random cycle, another in each game: the way around a random spanning tree. Takes boards with both sides even.
    pub fn around_random_tree() -> Hamiltonian {
        Hamiltonian { kind: Kind::RandomTree, cycle: None }
    }

    /// Follows the cycle that documents 002 and 004 build at the start: [`Cycle::extended`].
    pub fn extended() -> Hamiltonian {
        Hamiltonian { kind: Kind::Extended, cycle: None }
    }
}

impl Policy for Hamiltonian {
    fn reset(&mut self, position: &Position, policy_seed: u64) -> Result<(), Unsupported> {
        self.cycle = Some(match self.kind {
            Kind::Zigzag => Cycle::for_game(self.cycle.take(), position)?,
            Kind::Extended => Cycle::extended(position)?,
            Kind::RandomTree => Cycle::random_holding(position, policy_seed)?,
        });
        Ok(())
    }

    #[inline]
    fn act(&mut self, position: &Position) -> Direction {
        let cycle = self.cycle.as_ref().expect("reset comes first");
        debug_assert!(cycle.holds(position), "{position:?}");
        cycle.next(position.head())
    }

    fn overlay(&self) -> Overlay {
        self.cycle.as_ref().map_or_else(Overlay::default, |cycle| cycle.overlay(&[]))
    }
}
