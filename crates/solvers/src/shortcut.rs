//! Follows a Hamiltonian cycle and takes safe shortcuts.

use crate::Cycle;
use hognose_game::{Direction, Policy, Position, Unsupported};

/// Jumps ahead on a fixed zig-zag cycle, as far as is safe and never past the food. [`Shortcut::default`] does so until the
/// snake covers half the board, then follows the cycle, since the cells that a long snake skips cost it another lap (the idea
/// of J. Tapsell's perturbed Hamiltonian cycle); the other constructors are the two methods of document 001.
///
/// **Invariant**: from tail to head the body's places on the cycle, counted from the tail, strictly increase. So
/// the stretch of the cycle from the head forward to the tail is free, and following the cycle never hits the body:
/// the tail leaves its cell in the step that enters it. A move to a cell no farther ahead than the tail keeps the
/// invariant. One exception: of two cells the tail is the neck, which can't be entered, so a single cell does not
/// grow onto the place just behind itself. Every move brings the head nearer to the food on the cycle, so every food
/// is eaten within area steps, and every game is won.
#[derive(Clone, Debug, Default)]
pub struct Shortcut {
    variant: Variant,
    cycle: Option<Cycle>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Variant {
    #[default]
    Perturbed,
    ModifiedCycle,
    ModifiedEndgame,
}

impl Shortcut {
    /// The modified cycle (document 001, section 3.3): jumps at every length, but not over the end of the cycle, which is
    /// the cell before the zig-zag's first one. If the food lies behind the head on the cycle so counted, it jumps towards
    /// that end.
    pub fn modified_cycle() -> Shortcut {
        Shortcut { variant: Variant::ModifiedCycle, cycle: None }
    }

    /// The modified cycle that only follows the cycle once the snake is longer than half the board (document 001, section
    /// 3.4; its text says from half on, its code beyond half, which its numbers come from).
    pub fn modified_endgame() -> Shortcut {
        Shortcut { variant: Variant::ModifiedEndgame, cycle: None }
    }

    /// Whether the invariant holds in a position of the game that `reset` began.
    pub fn invariant_holds(&self, position: &Position) -> bool {
        let cycle = self.cycle.as_ref().expect("reset comes first");
        let places: Vec<usize> = position.body().rev().map(|cell| cycle.distance(position.tail(), cell)).collect();
        places.is_sorted_by(|a, b| a < b)
    }
}

/// Refuses rules by which the head can't follow its tail closely.
pub(crate) fn check_tail_entry(position: &Position) -> Result<(), Unsupported> {
    if position.rules().tail_entry() {
        return Ok(());
    }
    Err(Unsupported("shortcuts are safe only where the tail's cell may be entered".into()))
}

impl Policy for Shortcut {
    fn reset(&mut self, position: &Position, _policy_seed: u64) -> Result<(), Unsupported> {
        check_tail_entry(position)?;
        self.cycle = Some(Cycle::for_game(self.cycle.take(), position)?);
        Ok(())
    }

    fn act(&mut self, position: &Position) -> Direction {
        let cycle = self.cycle.as_ref().expect("reset comes first");
        let (board, head) = (position.board(), position.head());
        if self.variant != Variant::ModifiedCycle && 2 * position.len() > board.area() {
            return cycle.next(head);
        }
        let ahead = |cell| cycle.distance(head, cell);
        let to_tail = if position.len() == 1 { board.area() } else { ahead(position.tail()) };
        let to_food = position.foods().iter().map(|&food| ahead(food)).min().unwrap_or(board.area());
        let to_end = match self.variant {
            Variant::Perturbed => board.area(),
            Variant::ModifiedCycle | Variant::ModifiedEndgame => cycle.distance(head, cycle.last()).max(1),
        };
        let farthest = to_tail.min(to_food).min(to_end);
        position
            .legal_moves()
            .iter()
            .filter_map(|direction| Some((direction, board.neighbor(head, direction)?)))
            .filter(|&(_, cell)| ahead(cell) <= farthest)
            .filter(|&(_, cell)| !(position.len() == 1 && position.is_food(cell) && ahead(cell) == board.area() - 1))
            .max_by_key(|&(_, cell)| ahead(cell))
            .map_or(cycle.next(head), |(direction, _)| direction)
    }
}
