//! Breadth-first search over the cells of a grid.

/// A breadth-first search: its cells in the order in which it reaches them, with the steps to each.
/// It reuses its memory.
#[derive(Clone, Debug)]
pub(crate) struct Flood {
    /// For each cell, the last search that reached it, and in how many steps.
    reached: Vec<(u32, u16)>,
    search: u32,
    queue: Vec<u16>,
    next: usize,
}

impl Flood {
    /// Makes a search on a grid of `area` cells.
    pub(crate) fn new(area: usize) -> Flood {
        Flood {
            reached: vec![(0, 0); area],
            search: 0,
            queue: Vec::with_capacity(area),
            next: 0,
        }
    }

    /// Starts a search from one cell.
    pub(crate) fn begin(&mut self, start: u16) {
        self.search += 1;
        self.queue.clear();
        self.next = 0;
        self.reach(start, 0);
    }

    /// Adds a cell that is reached after `steps` steps.
    #[inline]
    pub(crate) fn reach(&mut self, cell: u16, steps: u16) {
        self.reached[usize::from(cell)] = (self.search, steps);
        self.queue.push(cell);
    }

    /// Returns the next cell to expand, and its steps.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<(u16, u16)> {
        let &cell = self.queue.get(self.next)?;
        self.next += 1;
        Some((cell, self.reached[usize::from(cell)].1))
    }

    /// Returns the steps to a cell, if the search has reached it.
    #[inline]
    pub(crate) fn steps(&self, cell: u16) -> Option<u16> {
        let (search, steps) = self.reached[usize::from(cell)];
        (search == self.search).then_some(steps)
    }
}
