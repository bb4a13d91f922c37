//! The edges of a cycle while it is changed.

use super::certificate::{Certificate, Pair};
use crate::grid::NONE;

/// Two edges for each cell, of which some may be missing.
#[derive(Clone, Debug)]
pub(crate) struct Edges {
    /// The cells that each cell has edges to; `NONE` where an edge is missing.
    links: Vec<[u16; 2]>,
    /// The cells that lost an edge, each as often as it lost one.
    cut: Vec<u16>,
}

impl Edges {
    /// No edges between so many cells.
    pub(crate) fn new(area: usize) -> Edges {
        Edges {
            links: vec![[NONE; 2]; area],
            cut: Vec::new(),
        }
    }

    /// Becomes the edges of a certificate's cycle, whose spare cell has none.
    pub(crate) fn set(&mut self, base: &Certificate) {
        self.links.copy_from_slice(base.links());
        if let Some(&Pair { spare, .. }) = base.pair() {
            self.links[usize::from(spare)] = [NONE; 2];
        }
        self.cut.clear();
    }

    /// The cells that a cell has edges to.
    #[inline]
    pub(crate) fn of(&self, cell: u16) -> [u16; 2] {
        self.links[usize::from(cell)]
    }

    /// How many edges lead from a cell to another.
    #[inline]
    pub(crate) fn count(&self, from: u16, to: u16) -> usize {
        let [one, other] = self.of(from);
        usize::from(one == to) + usize::from(other == to)
    }

    /// How many edges a cell has.
    #[inline]
    pub(crate) fn degree(&self, cell: u16) -> usize {
        2 - self.count(cell, NONE)
    }

    /// The other end of a cell's other edge.
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

    /// Takes one edge between two cells out.
    pub(crate) fn cut(&mut self, a: u16, b: u16) {
        for (from, to) in [(a, b), (b, a)] {
            let [one, other] = &mut self.links[usize::from(from)];
            *(if *one == to { one } else { other }) = NONE;
            self.cut.push(from);
        }
    }

    /// The cells that lost an edge since the edges were set.
    pub(crate) fn cut_cells(&self) -> &[u16] {
        &self.cut
    }
}
