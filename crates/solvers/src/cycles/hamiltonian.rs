//! The policy that follows a Hamiltonian cycle.

use super::cycle::Cycle;
use hognose_game::{Direction, MakePolicy, Overlay, Policy, Position, Unsupported};

/// A policy that follows a cycle which contains the body as a path, by default a zig-zag. It wins
/// every game, in (A-s)(A-s+3)/4 steps on average from length s on a board of A cells.
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
#[derive(Clone, Copy, Debug)]
pub struct Hamiltonian {
    /// Makes a cycle that contains the body, for a position and a seed.
    cycle: fn(&Position, u64) -> Result<Cycle, Unsupported>,
}

impl Hamiltonian {
    /// Returns a policy that follows a random cycle ([`Cycle::random`]), a new one in each game.
    /// Both sides of the board must be even, or the board a torus.
    pub fn random() -> Hamiltonian {
        Hamiltonian {
            cycle: Cycle::random_holding,
        }
    }

    /// Returns a policy that follows the cycle that "chuyangliu/snake" and "Killer Devouring Snake"
    /// build at the start, [`Cycle::extended`].
    pub fn extended() -> Hamiltonian {
        Hamiltonian {
            cycle: |position, _| Cycle::extended(position),
        }
    }
}

impl Default for Hamiltonian {
    fn default() -> Hamiltonian {
        Hamiltonian {
            cycle: |position, _| Cycle::holding(position),
        }
    }
}

impl MakePolicy for Hamiltonian {
    fn make(&self, position: &Position, seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        Ok(Box::new(HamiltonianPolicy {
            cycle: (self.cycle)(position, seed)?,
        }))
    }
}

struct HamiltonianPolicy {
    cycle: Cycle,
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
