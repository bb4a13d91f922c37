//! Follows a Hamiltonian cycle.

use crate::Cycle;
use crate::cycle::Zigzags;
use hognose_game::{Direction, MakePolicy, Overlay, Policy, Position, Unsupported};
use std::sync::Arc;

/// Follows a cycle that holds the snake; wins every game, in (A-s)(A-s+3)/4 steps on average from length s on area A. By
/// default the cycle is a zig-zag.
#[derive(Debug, Default)]
pub struct Hamiltonian {
    kind: Kind,
    zigzags: Zigzags,
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
        Hamiltonian { kind: Kind::RandomTree, ..Hamiltonian::default() }
    }

    /// Follows the cycle that documents 002 and 004 build at the start: [`Cycle::extended`].
    pub fn extended() -> Hamiltonian {
        Hamiltonian { kind: Kind::Extended, ..Hamiltonian::default() }
    }
}

impl MakePolicy for Hamiltonian {
    fn make(&self, position: &Position, seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        let cycle = match self.kind {
            Kind::Zigzag => self.zigzags.holding(position)?,
            Kind::Extended => Arc::new(Cycle::extended(position)?),
            Kind::RandomTree => Arc::new(Cycle::random_holding(position, seed)?),
        };
        Ok(Box::new(HamiltonianPolicy { cycle }))
    }
}

struct HamiltonianPolicy {
    cycle: Arc<Cycle>,
}

impl Policy for HamiltonianPolicy {
    #[inline]
    fn act(&mut self, position: &Position) -> Direction {
        debug_assert!(self.cycle.holds(position), "{position:?}");
        self.cycle.next(position.head())
    }

    fn overlay(&self) -> Overlay {
        self.cycle.overlay(&[])
    }
}
