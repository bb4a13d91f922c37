//! The edges of a cycle while a repair changes it.

use super::certificate::{Certificate, Pair};
use crate::grid::NONE;

/// Up to two edges for each cell.
#[derive(Clone, Debug)]
pub(crate) struct Edges {
    /// The cells that each cell has edges to; `NONE` for a missing edge.
    links: Vec<[u16; 2]>,
    /// The cells that lost an edge, once for each lost edge.
    cut: Vec<u16>,
}

impl Edges {
    /// Makes an empty set of edges between `area` cells.
    pub(crate) fn new(area: usize) -> Edges {
        Edges {
            links: vec![[NONE; 2]; area],
            cut: Vec::new(),
        }
    }

    /// Becomes the edges of a certificate's cycle. The spare cell has none.
    pub(crate) fn set(&mut self, base: &Certificate) {
        self.links.copy_from_slice(base.links());
        if let Some(&Pair { spare, .. }) = base.pair() {
            self.links[usize::from(spare)] = [NONE; 2];
        }
        self.cut.clear();
    }

    #[inline]
    pub(crate) fn of(&self, cell: u16) -> [u16; 2] {
        self.links[usize::from(cell)]
    }

    /// Returns the number of edges from one cell to another.
    #[inline]
    pub(crate) fn count(&self, from: u16, to: u16) -> usize {
        let [one, other] = self.of(from);
        usize::from(one == to) + usize::from(other == to)
    }

    #[inline]
    pub(crate) fn degree(&self, cell: u16) -> usize {
        2 - self.count(cell, NONE)
    }

    /// Returns the far end of a cell's edge that does not lead to `before`.
    #[inline]
    pub(crate) fn beyond(&self, cell: u16, before: u16) -> u16 {
        let [one, other] = self.of(cell);
        if one == before { other } else { one }
    }

    /// Joins two cells, both of which lack an edge.
    pub(crate) fn add(&mut self, a: u16, b: u16) {
        for (from, to) in [(a, b), (b, a)] {
            let [one, other] = &mut self.links[usize::from(from)];
            *(if *one == NONE { one } else { other }) = to;
        }
    }

    /// Removes one edge between two cells.
    pub(crate) fn cut(&mut self, a: u16, b: u16) {
        for (from, to) in [(a, b), (b, a)] {
            let [one, other] = &mut self.links[usize::from(from)];
            *(if *one == to { one } else { other }) = NONE;
            self.cut.push(from);
        }
    }

    /// Returns the cells that lost an edge since [`set`](Self::set).
    pub(crate) fn cut_cells(&self) -> &[u16] {
        &self.cut
    }
}
