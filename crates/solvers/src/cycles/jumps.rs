//! Jumps ahead on a cycle that keep the path from the head on to the tail free.

use super::cycle::Cycle;
use hognose_game::{Cell, Direction, Event, Position, Unsupported};

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

/// Returns the steps along the cycle to the tail or to food, whichever comes first. Jumps of so many
/// steps are safe and pass no food.
pub(crate) fn steps_to_tail_or_food(cycle: &Cycle, position: &Position) -> usize {
    let head = position.head();
    let to_tail = if position.len() == 1 {
        position.board().area()
    } else {
        cycle.distance(head, position.tail())
    };
    let to_foods = position.foods().iter();
    to_foods
        .map(|&food| cycle.distance(head, food))
        .fold(to_tail, usize::min)
}

/// Returns the position after a path, if the snake eats at its end, and not before.
pub(crate) fn after_eating(position: &Position, path: &[Direction]) -> Option<Position> {
    let (&last, before) = path.split_last()?;
    let mut after = position.clone();
    let arrives = before
        .iter()
        .all(|&direction| after.step(direction) == Event::Moved);
    (arrives && matches!(after.step(last), Event::Ate | Event::Won)).then_some(after)
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
