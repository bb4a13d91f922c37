//! Breadth-first searches over the cells of a grid.

/// Cells in the order in which a breadth-first search reaches them, with the steps that each one
/// takes. It reuses its memory.
#[derive(Clone, Debug)]
pub(crate) struct Flood {
    /// For each cell the search that reached it last, and in how many steps.
    reached: Vec<(u32, u16)>,
    search: u32,
    queue: Vec<u16>,
    next: usize,
}

impl Flood {
    /// A search on a grid of so many cells.
    pub(crate) fn new(area: usize) -> Flood {
        Flood {
            reached: vec![(0, 0); area],
            search: 0,
            queue: Vec::with_capacity(area),
            next: 0,
        }
    }

    /// Begins a search that has reached one cell.
    pub(crate) fn begin(&mut self, start: u16) {
        self.search += 1;
        self.queue.clear();
        self.next = 0;
        self.reach(start, 0);
    }

    /// Adds a cell that is reached after so many steps.
    #[inline]
    pub(crate) fn reach(&mut self, cell: u16, steps: u16) {
        self.reached[usize::from(cell)] = (self.search, steps);
        self.queue.push(cell);
    }

    /// The next cell to go on from, and its steps.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<(u16, u16)> {
        let &cell = self.queue.get(self.next)?;
        self.next += 1;
        Some((cell, self.reached[usize::from(cell)].1))
    }

    /// The steps of a cell that the search reached.
    #[inline]
    pub(crate) fn steps(&self, cell: u16) -> Option<u16> {
        let (search, steps) = self.reached[usize::from(cell)];
        (search == self.search).then_some(steps)
    }
}
