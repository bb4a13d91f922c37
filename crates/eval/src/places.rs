//! Places in a ranking.

use std::cmp::Ordering;

/// Sorts rows and sets the place of each, from 1. Equal rows share a place.
pub(crate) fn rank_by<T>(
    rows: &mut [T],
    order: impl Fn(&T, &T) -> Ordering,
    set: impl Fn(&mut T, usize),
) {
    rows.sort_by(&order);
    let mut place = 1;
    for equal in rows.chunk_by_mut(|a, b| order(a, b).is_eq()) {
        equal.iter_mut().for_each(|row| set(row, place));
        place += equal.len();
    }
}
