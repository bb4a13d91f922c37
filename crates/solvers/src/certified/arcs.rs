//! The parts of a cycle between cut edges.

use super::certificate::Certificate;
use super::edges::Edges;
use crate::grid::NONE;

/// The parts into which cut edges divide the base's cycle, and how the new edges join them into new
/// cycles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arcs {
    /// The position on the base of each arc's first cell, increasing; the last arc wraps around to
    /// the first one.
    starts: Vec<u16>,
    /// The new cycle of each arc; the base's spare is one more arc, at the end.
    pub(crate) cycle: Vec<u16>,
    /// The arcs in the order in which the new cycles visit them, and whether backward.
    pub(crate) visits: Vec<(usize, bool)>,
    /// The number of new cycles.
    pub(crate) cycles: usize,
}

impl Arcs {
    /// Divides a base at its cut edges, and follows the new edges from arc to arc.
    pub(crate) fn find(&mut self, base: &Certificate, edges: &Edges) {
        let spare = base.pair().map_or(NONE, |pair| pair.spare);
        self.divide(base, edges, spare);
        self.cycle.clear();
        self.cycle
            .resize(self.starts.len() + usize::from(spare != NONE), NONE);
        self.visits.clear();
        self.cycles = 0;
        for start in 0..self.cycle.len() {
            if self.cycle[start] == NONE && edges.degree(self.ends(base, start).0) > 0 {
                self.follow(base, edges, start);
                self.cycles += 1;
            }
        }
    }

    /// Finds the starts of the arcs, after each cut edge.
    fn divide(&mut self, base: &Certificate, edges: &Edges, spare: u16) {
        let period = base.cells().len() as u16;
        self.starts.clear();
        for &cell in edges.cut_cells().iter().filter(|&&cell| cell != spare) {
            let [before, after] = base.links()[usize::from(cell)];
            if edges.count(cell, before) == 0 {
                self.starts.push(base.place(cell));
            }
            if edges.count(cell, after) == 0 {
                self.starts.push((base.place(cell) + 1) % period);
            }
        }
        self.starts.sort_unstable();
        self.starts.dedup();
        if self.starts.is_empty() {
            self.starts.push(0);
        }
    }

    /// Follows the edges from an arc around a new cycle.
    fn follow(&mut self, base: &Certificate, edges: &Edges, start: usize) {
        let mut arc = start;
        let mut backward = false;
        let mut before = edges.of(self.ends(base, start).0)[0];
        loop {
            self.cycle[arc] = self.cycles as u16;
            self.visits.push((arc, backward));
            let (first, last) = self.ends(base, arc);
            let exit = if backward { first } else { last };
            if first != last {
                before = base.links()[usize::from(exit)][usize::from(backward)];
            }
            let entry = edges.beyond(exit, before);
            before = exit;
            arc = self.of(base, entry);
            if arc == start {
                return;
            }
            backward = entry != self.ends(base, arc).0;
        }
    }

    /// Returns the first and the last cell of an arc.
    fn ends(&self, base: &Certificate, arc: usize) -> (u16, u16) {
        let Some(&start) = self.starts.get(arc) else {
            let spare = base.pair().map_or(NONE, |pair| pair.spare);
            return (spare, spare);
        };
        let next = usize::from(*self.starts.get(arc + 1).unwrap_or(&self.starts[0]));
        let period = base.cells().len();
        (
            base.cells()[usize::from(start)],
            base.cells()[(next + period - 1) % period],
        )
    }

    fn of(&self, base: &Certificate, cell: u16) -> usize {
        if base.pair().is_some_and(|pair| pair.spare == cell) {
            return self.starts.len();
        }
        let place = base.place(cell);
        // Cells before the first start belong to the last arc.
        self.starts
            .partition_point(|&start| start <= place)
            .checked_sub(1)
            .unwrap_or(self.starts.len() - 1)
    }

    /// Returns the cells of an arc in the base's order, in two parts.
    pub(crate) fn cells<'a>(&self, base: &'a Certificate, arc: usize) -> [&'a [u16]; 2] {
        let cells = base.cells();
        let Some(&start) = self.starts.get(arc) else {
            return [
                base.pair()
                    .map_or(&[], |pair| std::slice::from_ref(&pair.spare)),
                &[],
            ];
        };
        let start = usize::from(start);
        match self.starts.get(arc + 1) {
            Some(&next) => [&cells[start..usize::from(next)], &[]],
            None => [&cells[start..], &cells[..usize::from(self.starts[0])]],
        }
    }
}
