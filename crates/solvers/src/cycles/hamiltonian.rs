//! Follows a Hamiltonian cycle.

use super::cycle::Cycle;
use super::zigzag::Zigzags;
use hognose_game::{Direction, MakePolicy, Overlay, Policy, Position, Unsupported};
use std::sync::Arc;

/// Follows a cycle that holds the snake. It wins every game, in (A-s)(A-s+3)/4 steps on average
/// from length s on a board of A cells. By default the cycle is a zig-zag.
///
/// ```
/// use hognose_game::{Board, Game, MakePolicy, Rules};
/// use hognose_solvers::Hamiltonian;
///
/// let game = Game::new(Rules::new(Board::new(8, 8)?), 7);
/// let mut policy = Hamiltonian::default().make(game.position(), 0)?;
/// assert!(game.position().legal_moves().contains(policy.act(game.position())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Hamiltonian {
    kind: CycleKind,
    zigzags: Zigzags,
}

#[derive(Clone, Copy, Debug, Default)]
enum CycleKind {
    #[default]
    Zigzag,
    Extended,
    Random,
}

impl Hamiltonian {
    /// Follows a random cycle, another in each game ([`Cycle::random`]). Takes boards with both sides
    /// even, and tori.
    pub fn random() -> Hamiltonian {
        Hamiltonian {
            kind: CycleKind::Random,
            ..Hamiltonian::default()
        }
    }

    /// Follows the cycle that "chuyangliu/snake" and "Killer Devouring Snake" build at the start:
    /// [`Cycle::extended`].
    pub fn extended() -> Hamiltonian {
        Hamiltonian {
            kind: CycleKind::Extended,
            ..Hamiltonian::default()
        }
    }
}

impl MakePolicy for Hamiltonian {
    fn make(&self, position: &Position, seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        let cycle = match self.kind {
            CycleKind::Zigzag => self.zigzags.holding(position)?,
            CycleKind::Extended => Arc::new(Cycle::extended(position)?),
            CycleKind::Random => Arc::new(Cycle::random_holding(position, seed)?),
        };
        Ok(Box::new(HamiltonianPolicy { cycle }))
    }
}

/// Plays one game.
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
        self.cycle.overlay()
    }
}
