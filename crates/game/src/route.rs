//! The rest of a planned path.

use crate::{Cell, Direction, Overlay};

/// The remaining moves of a path that a policy follows to its end. As an iterator, it takes the
/// next move.
///
/// ```
/// use hognose_game::{Direction, Route};
///
/// let mut route = Route::default();
/// assert_eq!(route.begin([Direction::Up, Direction::Left]), Some(Direction::Up));
/// assert_eq!(route.overlay(Vec::new()).plan, [Direction::Left]);
/// assert_eq!((route.next(), route.next()), (Some(Direction::Left), None));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Route {
    /// The remaining moves in reverse order.
    left: Vec<Direction>,
}

impl Route {
    /// Begins another path and takes its first move; `None` if the path has no moves.
    pub fn begin(&mut self, path: impl IntoIterator<Item = Direction>) -> Option<Direction> {
        self.left.clear();
        self.left.extend(path);
        self.left.reverse();
        self.next()
    }

    /// Returns an overlay with a cycle and the remaining moves.
    pub fn overlay(&self, cycle: Vec<Cell>) -> Overlay {
        Overlay {
            cycle,
            plan: self.left.iter().rev().copied().collect(),
        }
    }
}

impl Iterator for Route {
    type Item = Direction;

    fn next(&mut self) -> Option<Direction> {
        self.left.pop()
    }
}
