//! John Tapsell's perturbed Hamiltonian cycle, the usual public baseline.

use super::cycle::Cycle;
use super::jumps::check_tail_entry;
use hognose_game::{Direction, MakePolicy, Overlay, Policy, Position, Unsupported};

/// Cells kept free between the head and the tail when jumping.
const MARGIN: usize = 3;
/// Additional cells kept free when the food lies well before the tail.
const LATE_MARGIN: usize = 10;

/// A policy that jumps ahead on a random cycle ([`Cycle::random`](crate::Cycle::random)): as far as
/// the food, but never nearer to the tail than a margin, and not at all once the snake covers half
/// the board (Tapsell, 2015; the margins come from his program).
///
/// Its jumps keep the invariant of [`Shortcut`](crate::Shortcut), so it wins every game. Both sides
/// of the board must be even, or the board a torus, and the rules must allow tail entry.
///
/// ```
/// use hognose_game::{Board, Game, MakePolicy, Rules};
/// use hognose_solvers::PerturbedCycle;
///
/// let game = Game::new(Rules::new(Board::new(8, 8)?), 7);
/// let mut policy = PerturbedCycle.make(game.position(), 0)?;
/// assert!(game.position().legal_moves().contains(policy.act(game.position())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PerturbedCycle;

impl MakePolicy for PerturbedCycle {
    fn make(&self, position: &Position, seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        check_tail_entry(position)?;
        Ok(Box::new(PerturbedCyclePolicy {
            cycle: Cycle::random_holding(position, seed)?,
        }))
    }
}

struct PerturbedCyclePolicy {
    cycle: Cycle,
}

impl Policy for PerturbedCyclePolicy {
    fn act(&mut self, position: &Position) -> Direction {
        let cycle = &self.cycle;
        let board = position.board();
        let head = position.head();
        debug_assert!(cycle.holds_in_order(position), "{position:?}");
        let area = board.area();
        // Returns the number of cells on the cycle between the head and another cell.
        let between = |cell| (cycle.distance(head, cell) + area - 1) % area;
        let to_tail = between(position.tail());
        let to_food = position
            .foods()
            .iter()
            .map(|&food| between(food))
            .min()
            .unwrap_or(area);
        let free = area - position.len() - position.foods().len();
        let mut available = to_tail.saturating_sub(MARGIN);
        if 2 * free < area {
            available = 0;
        } else if to_food < to_tail {
            available = available.saturating_sub(1);
            if 4 * (to_tail - to_food) > free {
                available = available.saturating_sub(LATE_MARGIN);
            }
        }
        let available = available.min(to_food);
        [
            Direction::Right,
            Direction::Left,
            Direction::Down,
            Direction::Up,
        ]
        .into_iter()
        .filter(|&direction| position.legal_moves().contains(direction))
        .filter_map(|direction| Some((direction, between(board.neighbor(head, direction)?))))
        .filter(|&(_, skipped)| skipped <= available)
        .reduce(|best, other| if other.1 > best.1 { other } else { best })
        .map_or(cycle.next(head), |(direction, _)| direction)
    }

    fn overlay(&self) -> Overlay {
        self.cycle.overlay()
    }
}
