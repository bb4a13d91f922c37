//! The task of a search for plans.

use crate::grid::{Grid, NONE, tail_to_head};
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

    /// Sets the problem to a position and one of its foods.
    pub(crate) fn set(&mut self, position: &Position, food: Cell) {
        self.body.clear();
        self.body.extend(tail_to_head(position));
        self.food = food.0;
        self.release.fill(0);
        for (step, &cell) in (1..).zip(&self.body) {
            self.release[usize::from(cell)] = step;
        }
        let others = position.foods().iter().filter(|&&other| other != food);
        for &blocked in others.chain([&position.head()]) {
            self.release[blocked.index()] = NONE;
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
