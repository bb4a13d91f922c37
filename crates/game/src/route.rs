//! The rest of a path.

use hognose_game::{Cell, Direction, Overlay};

/// The moves that are left of a path which a policy follows to its end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Route {
    /// The last move first.
    left: Vec<Direction>,
}

impl Route {
    /// Begins another path and takes its first move; `None` if the path has no moves.
    pub(crate) fn begin(&mut self, path: impl IntoIterator<Item = Direction>) -> Option<Direction> {
        self.left.clear();
        self.left.extend(path);
        self.left.reverse();
        self.next()
    }

    /// Takes the next move; `None` at the end of the path.
    pub(crate) fn next(&mut self) -> Option<Direction> {
        self.left.pop()
    }

    /// Shows a cycle and the moves that are left.
    pub(crate) fn overlay(&self, cycle: Vec<Cell>) -> Overlay {
        Overlay { cycle, plan: self.left.iter().rev().copied().collect() }
    }
}
