//! The policies that take safe shortcuts on a Hamiltonian cycle.

use super::cycle::Cycle;
use super::jumps::{check_tail_entry, farthest_move, steps_to_tail_or_food};
use hognose_game::{Direction, MakePolicy, Overlay, Policy, Position, Unsupported};

/// A policy that jumps ahead on a fixed zig-zag cycle, as far as is safe but never past the food.
/// [`Shortcut::default`] jumps until the snake covers half the board and then follows the cycle,
/// because a long snake needs another lap for the cells that it skips (the idea of J. Tapsell's
/// perturbed Hamiltonian cycle). The other constructors are the two methods of "Snek AI".
///
/// **Invariant** ([`Cycle::holds_in_order`]): counted along the cycle from the tail, the positions
/// of the body's cells strictly increase from tail to head. The stretch from the head forward to
/// the tail is therefore free, and following the cycle never hits the body: the tail leaves its
/// cell in the step that enters it. A move to a cell no farther ahead than the tail keeps the
/// invariant, with one exception: in a body of two cells the tail is the neck, which can't be
/// entered, so a single cell must not eat just behind itself. Every move brings the head nearer to
/// the food on the cycle, so every food is eaten within area steps, and every game is won.
///
/// ```
/// use hognose_game::{Board, Game, MakePolicy, Rules};
/// use hognose_solvers::Shortcut;
///
/// let game = Game::new(Rules::new(Board::new(8, 8)?), 7);
/// let mut policy = Shortcut::up_to(20).make(game.position(), 0)?;
/// assert!(game.position().legal_moves().contains(policy.act(game.position())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Shortcut {
    /// The maximum length at which the snake jumps; by default half the board.
    threshold: Option<usize>,
    /// Whether jumps stop at the end of the cycle.
    stops_at_end: bool,
}

impl Shortcut {
    /// Returns a policy that jumps up to a length of `threshold` cells.
    pub fn up_to(threshold: usize) -> Shortcut {
        Shortcut {
            threshold: Some(threshold),
            ..Shortcut::default()
        }
    }

    /// Returns the modified cycle ("Snek AI", section 3.3): jumps at every length, but not past the
    /// end of the cycle, which is the cell before the zig-zag's first one. If the food lies behind
    /// the head in this numbering, it jumps toward the end.
    pub fn modified_cycle() -> Shortcut {
        Shortcut::modified_endgame_from(usize::MAX)
    }

    /// Returns the modified cycle up to half the board; a longer snake only follows the cycle
    /// ("Snek AI", section 3.4). The document's text says from half the board on, its code says
    /// beyond half, and its numbers come from the code.
    pub fn modified_endgame() -> Shortcut {
        Shortcut {
            stops_at_end: true,
            ..Shortcut::default()
        }
    }

    /// Returns the modified cycle up to a length of `threshold` cells; a longer snake only follows
    /// the cycle.
    pub fn modified_endgame_from(threshold: usize) -> Shortcut {
        Shortcut {
            stops_at_end: true,
            ..Shortcut::up_to(threshold)
        }
    }
}

impl MakePolicy for Shortcut {
    fn make(&self, position: &Position, _seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        check_tail_entry(position)?;
        Ok(Box::new(ShortcutPolicy {
            cycle: Cycle::holding(position)?,
            threshold: self.threshold.unwrap_or(position.board().area() / 2),
            stops_at_end: self.stops_at_end,
        }))
    }
}

struct ShortcutPolicy {
    cycle: Cycle,
    /// The maximum length at which the snake jumps.
    threshold: usize,
    stops_at_end: bool,
}

impl Policy for ShortcutPolicy {
    fn act(&mut self, position: &Position) -> Direction {
        let cycle = &self.cycle;
        let head = position.head();
        debug_assert!(cycle.holds_in_order(position), "{position:?}");
        if position.len() > self.threshold {
            return cycle.next(head);
        }
        let mut limit = steps_to_tail_or_food(cycle, position);
        if self.stops_at_end {
            let end = cycle.cells()[position.board().area() - 1];
            limit = limit.min(cycle.distance(head, end).max(1));
        }
        farthest_move(cycle, position, limit)
    }

    fn overlay(&self) -> Overlay {
        self.cycle.overlay()
    }
}
