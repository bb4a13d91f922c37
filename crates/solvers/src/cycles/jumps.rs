//! Jumps ahead on a cycle that keep the path from the head on to the tail free.

use super::cycle::Cycle;
use hognose_game::{Cell, Direction, Position, Unsupported};

/// Returns the legal move that leads farthest ahead on the cycle, but at most `limit` steps;
/// without one, the move along the cycle. Keeps the invariant of [`Shortcut`] if the limit is not
/// beyond the tail.
pub(crate) fn farthest_move(cycle: &Cycle, position: &Position, limit: usize) -> Direction {
    let board = position.board();
    let head = position.head();
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

/// Returns whether a single cell would eat just behind itself on the cycle. Its tail would then be
/// the neck, which it can't enter.
pub(crate) fn grows_onto_its_back(cycle: &Cycle, position: &Position, cell: Cell) -> bool {
    position.len() == 1 && position.is_food(cell) && cycle.distance(cell, position.head()) == 1
}

/// Returns the steps along the cycle to the tail and to the nearest food. Jumps within both are
/// safe and pass no food.
pub(crate) fn to_tail_and_food(cycle: &Cycle, position: &Position) -> (usize, usize) {
    let area = position.board().area();
    let head = position.head();
    let to_tail = if position.len() == 1 {
        area
    } else {
        cycle.distance(head, position.tail())
    };
    let to_food = position
        .foods()
        .iter()
        .map(|&food| cycle.distance(head, food))
        .min()
        .unwrap_or(area);
    (to_tail, to_food)
}

/// Refuses rules without tail entry, by which the head can't follow its tail closely.
pub(crate) fn check_tail_entry(position: &Position) -> Result<(), Unsupported> {
    if position.rules().tail_entry() {
        return Ok(());
    }
    Err(Unsupported(
        "it wins only if the rules allow tail entry".into(),
    ))
}
