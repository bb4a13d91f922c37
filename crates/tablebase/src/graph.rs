//! The moves between the bodies of one length.

use crate::index::{MAX_AREA, PathIndex};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The bodies of one length, and the moves between them.
///
/// A move drops the tail's cell and adds one at the head. The cells in between are a *trunk*, a
/// path one cell shorter: a move leaves a body by its trunk without the tail, and enters a body by
/// its trunk without the head.
pub(crate) struct Graph {
    length: usize,
    heads: Vec<u8>,
    /// For each body, its trunk without the head.
    entered_by: Vec<u32>,
    /// The bodies sorted by their trunk without the tail, and where the bodies of each trunk begin.
    leaving: Vec<u32>,
    leaving_starts: Vec<u32>,
    tail_starts: Vec<usize>,
}

impl Graph {
    /// Creates the graph; `suffixes` holds each body's trunk without the tail, `None` at length 1.
    pub(crate) fn new(index: &PathIndex, length: usize, suffixes: Option<Vec<u32>>) -> Graph {
        let bodies = index.count(length);
        let mut graph = Graph {
            length,
            heads: index
                .grow(length, |_| (), |(), _| ())
                .into_iter()
                .map(|(head, ())| head)
                .collect(),
            entered_by: Vec::new(),
            leaving: Vec::new(),
            leaving_starts: Vec::new(),
            tail_starts: index.starts(length),
        };
        let Some(suffixes) = suffixes else {
            // A single cell has no trunk: it may come from any neighbor.
            graph.leaving_starts.push(0);
            for cell in 0..bodies as u8 {
                graph.entered_by.push(cell.into());
                graph.leaving.extend(
                    (0..4)
                        .filter_map(|direction| index.neighbor(cell, direction))
                        .map(u32::from),
                );
                graph.leaving_starts.push(graph.leaving.len() as u32);
            }
            return graph;
        };
        let trunks = index.count(length - 1);
        graph.entered_by.reserve_exact(bodies);
        for trunk in 0..trunks {
            let children = index.mask(length - 1, trunk).count_ones() as usize;
            graph
                .entered_by
                .extend(std::iter::repeat_n(trunk as u32, children));
        }
        // A counting sort.
        let mut starts = vec![0u32; trunks + 1];
        suffixes
            .iter()
            .for_each(|&trunk| starts[trunk as usize + 1] += 1);
        (1..=trunks).for_each(|trunk| starts[trunk] += starts[trunk - 1]);
        let mut leaving = vec![0u32; bodies];
        let mut next = starts.clone();
        for (body, &trunk) in suffixes.iter().enumerate() {
            let place = &mut next[trunk as usize];
            leaving[*place as usize] = body as u32;
            *place += 1;
        }
        (graph.leaving, graph.leaving_starts) = (leaving, starts);
        graph
    }

    /// Returns V of every body for a food, given E of the bodies that are one cell longer; infinite
    /// for bodies that cover the food.
    pub(crate) fn search(
        &self,
        index: &PathIndex,
        longer: &[AtomicU64],
        food: u8,
    ) -> Vec<AtomicU64> {
        let values = infinite(self.heads.len());
        let exits = self.exits(index, longer, food);
        let Some(first) = exits.iter().map(|&(_, value)| value).min_by(f64::total_cmp) else {
            return values;
        };
        // Buckets of width 1: a step leads from one to the next.
        let mut buckets: Vec<Vec<u32>> = Vec::new();
        for (body, value) in exits {
            let bucket = (value - first) as usize;
            if buckets.len() <= bucket {
                buckets.resize_with(bucket + 1, Vec::new);
            }
            set(&values[body as usize], value);
            buckets[bucket].push(body);
        }
        // The least value with which each trunk has been left so far.
        let trunks = infinite(self.leaving_starts.len().saturating_sub(1));
        let mut bucket = 0;
        while let Some(bodies) = buckets.get_mut(bucket).map(std::mem::take) {
            let improved: Vec<Vec<u32>> = bodies
                .par_chunks(1 << 12)
                .map(|bodies| {
                    let mut improved = Vec::new();
                    for &body in bodies {
                        let value = get(&values[body as usize]) + 1.0;
                        self.predecessors(body as usize, value, &trunks, |before| {
                            // A body whose tail covers the food is not valid.
                            if !self.tail_is(before, food) && lower(&values[before], value) > value
                            {
                                improved.push(before as u32);
                            }
                        });
                    }
                    improved
                })
                .collect();
            bucket += 1;
            if buckets.len() == bucket && improved.iter().any(|bodies| !bodies.is_empty()) {
                buckets.push(Vec::new());
            }
            improved
                .into_iter()
                .filter(|bodies| !bodies.is_empty())
                .for_each(|bodies| buckets[bucket].extend(bodies));
        }
        values
    }

    /// Returns the bodies that can eat in the next step, with their V if they do.
    fn exits(&self, index: &PathIndex, longer: &[AtomicU64], food: u8) -> Vec<(u32, f64)> {
        self.eating(index, food)
            .map(|(body, after)| (body, 1.0 + get(&longer[after])))
            .filter(|exit| exit.1.is_finite())
            .collect()
    }

    /// Returns the bodies that can eat in the next step, and what they become.
    pub(crate) fn eating<'a>(
        &'a self,
        index: &'a PathIndex,
        food: u8,
    ) -> impl Iterator<Item = (u32, usize)> + 'a {
        let mut toward_food = [None; MAX_AREA];
        for direction in 0..4 {
            if let Some(cell) = index.neighbor(food, (direction + 2) % 4) {
                toward_food[usize::from(cell)] = Some(direction);
            }
        }
        self.heads
            .iter()
            .enumerate()
            .filter_map(move |(body, &head)| {
                let direction = toward_food[usize::from(head)]?;
                let free = index.mask(self.length, body) >> direction & 1 == 1;
                free.then(|| (body as u32, index.child(self.length, body, direction)))
            })
    }

    /// Calls `visit` with the predecessors of a body, unless its trunk has been left with a value
    /// at least as good.
    fn predecessors(
        &self,
        body: usize,
        value: f64,
        trunks: &[AtomicU64],
        visit: impl FnMut(usize),
    ) {
        let trunk = self.entered_by[body] as usize;
        // Bodies of two cells can't enter every successor of their trunk.
        if lower(&trunks[trunk], value) > value || self.length == 2 {
            self.before(body, visit);
        }
    }

    /// Calls `visit` with the predecessors of a body.
    pub(crate) fn before(&self, body: usize, mut visit: impl FnMut(usize)) {
        let trunk = self.entered_by[body] as usize;
        for &before in &self.leaving
            [self.leaving_starts[trunk] as usize..self.leaving_starts[trunk + 1] as usize]
        {
            // In a body of two cells the tail is the neck, and a body can't turn back.
            let before = before as usize;
            if self.length != 2 || self.tail(before) != self.heads[body] {
                visit(before);
            }
        }
    }

    /// Returns whether a body's tail lies on a cell.
    pub(crate) fn tail_is(&self, body: usize, cell: u8) -> bool {
        (self.tail_starts[usize::from(cell)]..self.tail_starts[usize::from(cell) + 1])
            .contains(&body)
    }

    fn tail(&self, body: usize) -> u8 {
        (self.tail_starts.partition_point(|&start| start <= body) - 1) as u8
    }
}

/// Reads a value.
#[inline]
pub(crate) fn get(value: &AtomicU64) -> f64 {
    f64::from_bits(value.load(Relaxed))
}

#[inline]
pub(crate) fn set(value: &AtomicU64, to: f64) {
    value.store(to.to_bits(), Relaxed);
}

/// Lowers a value to a limit if it is greater, and returns what it was. The bits of values are
/// ordered like the values, since none is negative.
#[inline]
fn lower(value: &AtomicU64, limit: f64) -> f64 {
    f64::from_bits(value.fetch_min(limit.to_bits(), Relaxed))
}

/// Returns `count` infinite values.
pub(crate) fn infinite(count: usize) -> Vec<AtomicU64> {
    (0..count)
        .into_par_iter()
        .map(|_| AtomicU64::new(f64::INFINITY.to_bits()))
        .collect()
}
