//! The task of a search for plans.

use crate::grid::{Grid, NONE};
use hognose_game::{Cell, Position};

/// A body and the food that it must eat.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) grid: Grid,
    /// From tail to head.
    pub(crate) body: Vec<u16>,
    pub(crate) food: u16,
    /// The first step at which each cell may be entered; `NONE` for never.
    release: Vec<u16>,
}

impl Problem {
    /// Makes a placeholder, to be replaced by [`set`](Self::set).
    pub(crate) fn new(grid: Grid) -> Problem {
        let release = vec![0; grid.area()];
        Problem {
            grid,
            body: vec![0],
            food: 0,
            release,
        }
    }

    /// Sets the problem to a position and one of its foods. The body is given from tail to head.
    pub(crate) fn set(&mut self, position: &Position, body: &[u16], food: u16) {
        self.body.clear();
        self.body.extend_from_slice(body);
        self.food = food;
        self.release.fill(0);
        for (step, &cell) in (1..).zip(body) {
            self.release[usize::from(cell)] = step;
        }
        self.release[usize::from(body[body.len() - 1])] = NONE;
        for other in position.foods().iter().filter(|other| other.0 != food) {
            self.release[other.index()] = NONE;
        }
    }

    pub(crate) fn head(&self) -> u16 {
        self.body[self.body.len() - 1]
    }

    /// Returns whether a path may enter a cell at a step, counted from 1.
    #[inline]
    pub(crate) fn is_free(&self, cell: u16, step: usize) -> bool {
        usize::from(self.release[usize::from(cell)]) <= step
    }

    /// Returns whether a step, counted from 1, reverses a body of two cells.
    #[inline]
    pub(crate) fn turns_back(&self, step: usize, cell: u16) -> bool {
        self.body.len() == 2 && step == 1 && cell == self.body[0]
    }

    pub(crate) fn wins(&self) -> bool {
        self.body.len() + 1 == self.grid.area()
    }
}

/// Writes a position's body from tail to head.
pub(crate) fn tail_to_head(position: &Position, body: &mut Vec<u16>) {
    body.clear();
    body.extend(position.body().rev().map(|Cell(cell)| cell));
}
