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
#[derive(Clone, Copy, Debug, Default)]
pub struct Hamiltonian {
    kind: CycleKind,
}

#[derive(Clone, Copy, Debug, Default)]
enum CycleKind {
    #[default]
    Zigzag,
    Extended,
    Random,
}

impl Hamiltonian {
    /// Returns a policy that follows a random cycle ([`Cycle::random`]), a new one in each game.
    /// Both sides of the board must be even, or the board a torus.
    pub fn random() -> Hamiltonian {
        Hamiltonian {
            kind: CycleKind::Random,
        }
    }

    /// Returns a policy that follows the cycle that "chuyangliu/snake" and "Killer Devouring Snake"
    /// build at the start, [`Cycle::extended`].
    pub fn extended() -> Hamiltonian {
        Hamiltonian {
            kind: CycleKind::Extended,
        }
    }
}

impl MakePolicy for Hamiltonian {
    fn make(&self, position: &Position, seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        let cycle = match self.kind {
            CycleKind::Zigzag => Cycle::holding(position)?,
            CycleKind::Extended => Cycle::extended(position)?,
            CycleKind::Random => Cycle::random_holding(position, seed)?,
        };
        Ok(Box::new(HamiltonianPolicy { cycle }))
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
