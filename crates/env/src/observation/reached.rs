//! What observations say of each of the three turns: how much of the board is reached after it.

use crate::{Element, Reach};
use hognose_game::Sight;

/// How many numbers there are: four for each of left, straight, right.
pub(super) const SCALARS: usize = 12;

/// For each turn of the last search: share of the free cells reached, 1 / steps to food (0 if not reached), steps to
/// food / area (1 if not reached), tail reached.
pub(super) fn write<T: Element>(reach: &Reach, game: impl Sight, out: &mut [T]) {
    let area = game.board().area() as u32;
    let free = (area - game.len() as u32).max(1);
    for (reach, out) in reach.moves().iter().zip(out.chunks_exact_mut(4)) {
        out[0] = T::ratio(reach.free_cells, free);
        out[1] = reach.food_steps.map_or(T::ZERO, |steps| T::ratio(1, steps.into()));
        out[2] = reach.food_steps.map_or(T::ONE, |steps| T::ratio(steps.into(), area));
        out[3] = T::bit(reach.tail);
    }
}
