//! Follows a Hamiltonian cycle and takes safe shortcuts.

use crate::Cycle;
use crate::cycle::Zigzags;
use hognose_game::{Cell, Direction, MakePolicy, Overlay, Policy, Position, Unsupported};
use std::sync::Arc;

/// Jumps ahead on a fixed zig-zag cycle, as far as is safe and never past the food. [`Shortcut::default`] does so until the
/// snake covers half the board, then follows the cycle, since the cells that a long snake skips cost it another lap (the idea
/// of J. Tapsell's perturbed Hamiltonian cycle); the other constructors are the two methods of document 001.
///
/// **Invariant** ([`Cycle::holds_in_order`]): from tail to head the body's places on the cycle, counted from the tail,
/// strictly increase. So the stretch of the cycle from the head forward to the tail is free, and following the cycle never
/// hits the body: the tail leaves its cell in the step that enters it. A move to a cell no farther ahead than the tail keeps
/// the invariant. One exception: of two cells the tail is the neck, which can't be entered, so a single cell does not
/// grow onto the place just behind itself. Every move brings the head nearer to the food on the cycle, so every food
/// is eaten within area steps, and every game is won.
#[derive(Debug, Default)]
pub struct Shortcut {
    jumps: Jumps,
    /// Whether no jump leads over the end of the cycle.
    stops_at_end: bool,
    zigzags: Zigzags,
}

/// At which lengths the snake jumps.
#[derive(Clone, Copy, Debug, Default)]
enum Jumps {
    #[default]
    UpToHalfTheBoard,
    UpTo(usize),
}

impl Shortcut {
    /// Jumps up to a length of `threshold` cells.
    pub fn up_to(threshold: usize) -> Shortcut {
        Shortcut { jumps: Jumps::UpTo(threshold), ..Shortcut::default() }
    }

    /// The modified cycle (document 001, section 3.3): jumps at every length, but not over the end of the cycle, which is
    /// the cell before the zig-zag's first one. If the food lies behind the head on the cycle so counted, it jumps towards
    /// that end.
    pub fn modified_cycle() -> Shortcut {
        Shortcut::modified_endgame_from(usize::MAX)
    }

    /// The modified cycle that only follows the cycle once the snake is longer than half the board (document 001, section
    /// 3.4; its text says from half on, its code beyond half, which its numbers come from).
    pub fn modified_endgame() -> Shortcut {
        Shortcut { stops_at_end: true, ..Shortcut::default() }
    }

    /// The same with a threshold of its own: the snake jumps up to a length of `threshold` cells.
    pub fn modified_endgame_from(threshold: usize) -> Shortcut {
        Shortcut { stops_at_end: true, ..Shortcut::up_to(threshold) }
    }
}

/// The legal move farthest ahead on the cycle that enters no cell more than `limit` steps ahead; the next cell's if there is
/// none. Keeps the invariant of [`Shortcut`] if the limit is not beyond the tail.
pub(crate) fn farthest_move(cycle: &Cycle, position: &Position, limit: usize) -> Direction {
    let (board, head) = (position.board(), position.head());
    let ahead = |cell| cycle.distance(head, cell);
    position
        .legal_moves()
        .iter()
        .filter_map(|direction| Some((direction, board.neighbor(head, direction)?)))
        .filter(|&(_, cell)| ahead(cell) <= limit)
        .filter(|&(_, cell)| !grows_onto_its_back(cycle, position, cell))
        .max_by_key(|&(_, cell)| ahead(cell))
        .map_or(cycle.next(head), |(direction, _)| direction)
}

/// Whether a single cell would eat just behind itself on the cycle: its tail would then be the neck, which it can't enter.
pub(crate) fn grows_onto_its_back(cycle: &Cycle, position: &Position, cell: Cell) -> bool {
    position.len() == 1 && position.is_food(cell) && cycle.distance(cell, position.head()) == 1
}

/// Steps along the cycle to the tail and to the nearest food: jumps within both are safe and pass no food.
pub(crate) fn to_tail_and_food(cycle: &Cycle, position: &Position) -> (usize, usize) {
    let (area, head) = (position.board().area(), position.head());
    let to_tail = if position.len() == 1 { area } else { cycle.distance(head, position.tail()) };
    let to_food = position.foods().iter().map(|&food| cycle.distance(head, food)).min().unwrap_or(area);
    (to_tail, to_food)
}

/// Refuses rules by which the head can't follow its tail closely.
pub(crate) fn check_tail_entry(position: &Position) -> Result<(), Unsupported> {
    if position.rules().tail_entry() {
        return Ok(());
    }
    Err(Unsupported("it wins only where the tail's cell may be entered".into()))
}

impl MakePolicy for Shortcut {
    fn make(&self, position: &Position, _seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        check_tail_entry(position)?;
        let threshold = match self.jumps {
            Jumps::UpToHalfTheBoard => position.board().area() / 2,
            Jumps::UpTo(threshold) => threshold,
        };
        let cycle = self.zigzags.holding(position)?;
        Ok(Box::new(ShortcutPolicy { cycle, threshold, stops_at_end: self.stops_at_end }))
    }
}

struct ShortcutPolicy {
    cycle: Arc<Cycle>,
    /// The longest snake that jumps.
    threshold: usize,
    stops_at_end: bool,
}

impl Policy for ShortcutPolicy {
    fn act(&mut self, position: &Position) -> Direction {
        let cycle = &*self.cycle;
        let (area, head) = (position.board().area(), position.head());
        debug_assert!(cycle.holds_in_order(position), "{position:?}");
        if position.len() > self.threshold {
            return cycle.next(head);
        }
        let (to_tail, to_food) = to_tail_and_food(cycle, position);
        let to_end = if self.stops_at_end { cycle.distance(head, cycle.last()).max(1) } else { area };
        farthest_move(cycle, position, to_tail.min(to_food).min(to_end))
    }

    fn overlay(&self) -> Overlay {
        self.cycle.overlay(&[])
    }
}
