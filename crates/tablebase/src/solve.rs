//! Retrograde analysis: from the full board down to a single cell.

use crate::MAX_AREA;
use crate::index::PathIndex;
use crate::symmetry::{Symmetry, representatives, symmetries};
use hognose_game::Board;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// What a length came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// The length.
    pub length: usize,
    /// How many bodies of this length there are.
    pub bodies: usize,
    /// How many of them win for sure, wherever the food appears.
    pub sure: usize,
}

/// Solves a board, length by length.
///
/// Between two foods nothing is random, so for a fixed food the bodies of one length are the nodes of a graph whose exits are
/// the steps that eat. With E(body) the mean over the free cells f of V(body, f), V(body, f) = 1 + E(body and f) if the step
/// eats, else 1 + the least V of a legal step. All steps cost 1, so the values of a length follow from those of the next one
/// by one breadth-first search for each food, from all exits at once, in the order of their values.
///
/// Symmetry leaves one food of each orbit to be searched for: E(body) adds up V over the images of the body instead of over
/// the foods.
pub struct Solver {
    index: PathIndex,
    suffixes: Vec<Vec<u32>>,
    symmetries: Vec<Symmetry>,
    /// One cell of each orbit, and in how many of the symmetries it stays.
    foods: Vec<(u8, usize)>,
    /// The length of `values`.
    length: usize,
    /// E of every body of that length; infinite where some food can't be eaten with certainty of winning afterwards.
    values: Vec<AtomicU64>,
}

impl Solver {
    /// A solver of a board, whose full bodies are solved: E = 0.
    pub fn new(board: Board) -> Solver {
        let (index, mut suffixes) = PathIndex::with_suffixes(board);
        suffixes.pop();
        let symmetries = symmetries(board);
        let least = representatives(board, &symmetries);
        let stays = |cell: u8| symmetries.iter().filter(|symmetry| symmetry.cells[usize::from(cell)] == cell).count();
        let foods = (0..board.area() as u8).filter(|&cell| least[usize::from(cell)].0 == cell);
        let foods = foods.map(|cell| (cell, stays(cell))).collect();
        let length = board.area();
        let values = (0..index.count(length)).map(|_| AtomicU64::new(0f64.to_bits())).collect();
        Solver { index, suffixes, symmetries, foods, length, values }
    }

    /// The index of bodies.
    pub fn index(&self) -> &PathIndex {
        &self.index
    }

    /// The index of bodies, when the rest is not needed any more.
    pub fn into_index(self) -> PathIndex {
        self.index
    }

    /// The length that was solved last.
    pub fn length(&self) -> usize {
        self.length
    }

    /// E of the bodies of the length solved last whose tail is the first cell of its orbit, in the order of their numbers.
    pub fn stored(&self) -> Vec<f64> {
        self.stored_paths(self.length).map(|path| self.expected(path)).collect()
    }

    /// The numbers of the bodies whose tail is the first cell of its orbit.
    fn stored_paths(&self, length: usize) -> impl Iterator<Item = usize> {
        let starts = self.index.starts(length);
        let range = move |&(cell, _): &(u8, usize)| starts[usize::from(cell)]..starts[usize::from(cell) + 1];
        self.foods.iter().flat_map(range)
    }

    /// Goes on from values that [`stored`](Self::stored) gave of a length; `false` if they are not as many as that takes.
    pub fn restore(&mut self, length: usize, stored: &[f64]) -> bool {
        if self.stored_paths(length).count() != stored.len() {
            return false;
        }
        let known = infinite(self.index.count(length));
        self.stored_paths(length).zip(stored).for_each(|(path, value)| known[path].store(value.to_bits(), Relaxed));
        let values = infinite(self.index.count(length));
        self.for_each_orbit(length, |images| {
            let value = known[images[0]].load(Relaxed);
            images.iter().for_each(|&path| values[path].store(value, Relaxed));
        });
        self.suffixes.truncate(length.saturating_sub(2));
        (self.values, self.length) = (values, length);
        true
    }

    /// Makes E infinite for bodies of the length solved last, so that no shorter one is solved by becoming one of them.
    pub fn give_up(&mut self, given_up: impl Fn(usize) -> bool) {
        let given_up = self.values.iter().enumerate().filter(|&(body, _)| given_up(body));
        given_up.for_each(|(_, value)| value.store(f64::INFINITY.to_bits(), Relaxed));
    }

    /// E of a body of the length solved last, by its number; infinite if it does not win for sure.
    pub fn expected(&self, body: usize) -> f64 {
        f64::from_bits(self.values[body].load(Relaxed))
    }

    /// Solves the next smaller length; `go_on` is asked between two foods. `None` if it broke off, and then the solver is of no
    /// use any more; and at length 1.
    pub fn step(&mut self, mut go_on: impl FnMut() -> ControlFlow<()>) -> Option<Solved> {
        let length = self.length.checked_sub(1).filter(|&length| length > 0)?;
        let bodies = self.index.count(length);
        let orders = self.symmetries.len();
        // Sums of V over the foods searched for, each as often as its orbit needs, and how many of them are finite.
        let sums: Vec<AtomicU64> = (0..bodies).map(|_| AtomicU64::new(0f64.to_bits())).collect();
        let finite: Vec<AtomicU8> = (0..bodies).map(|_| AtomicU8::new(0)).collect();
        let graph = Graph::new(&self.index, length, self.suffixes.pop());
        for &(food, stays) in &self.foods {
            if go_on().is_break() {
                return None;
            }
            let values = graph.search(&self.index, &self.values, food);
            let weight = (orders / stays) as u8;
            sums.par_iter().zip(&finite).zip(&values).for_each(|((sum, finite), value)| {
                let value = f64::from_bits(value.load(Relaxed));
                if value.is_finite() {
                    let total = f64::from_bits(sum.load(Relaxed)) + f64::from(weight) * value;
                    sum.store(total.to_bits(), Relaxed);
                    finite.fetch_add(weight, Relaxed);
                }
            });
        }
        drop(graph);
        let values = infinite(bodies);
        let all = orders * (self.index.board().area() - length);
        self.for_each_orbit(length, |images| {
            let count: usize = images.iter().map(|&path| usize::from(finite[path].load(Relaxed))).sum();
            if count == all {
                let sum: f64 = images.iter().map(|&path| f64::from_bits(sums[path].load(Relaxed))).sum();
                let value = (sum / all as f64).to_bits();
                images.iter().for_each(|&path| values[path].store(value, Relaxed));
            }
        });
        let sure = values.par_iter().filter(|value| f64::from_bits(value.load(Relaxed)).is_finite()).count();
        (self.values, self.length) = (values, length);
        Some(Solved { length, bodies, sure })
    }

    /// Calls `visit` with the numbers of a body's images under all symmetries, for bodies whose tail is the first cell of its
    /// orbit: every body is an image of at least one of these.
    fn for_each_orbit(&self, length: usize, visit: impl Fn(&[usize]) + Sync) {
        // Enough branches to keep all cores busy.
        let mut branches: Vec<Branch> = self.foods.iter().map(|&(cell, _)| self.branch(cell)).collect();
        for _ in 1..length.min(6) {
            branches = branches.iter().flat_map(|branch| self.grown(branch)).collect();
        }
        branches.into_par_iter().for_each(|branch| self.visit(&branch, length, &visit));
    }

    fn branch(&self, cell: u8) -> Branch {
        let mut images = [0; 8];
        for (image, symmetry) in images.iter_mut().zip(&self.symmetries) {
            *image = symmetry.cells[usize::from(cell)].into();
        }
        Branch { length: 1, head: cell, images }
    }

    fn grown(&self, branch: &Branch) -> impl Iterator<Item = Branch> {
        let Branch { length, head, images } = *branch;
        let mask = self.index.mask(length, images[0]);
        (0..4).filter(move |direction| mask >> direction & 1 == 1).map(move |direction| {
            let mut images = images;
            for (image, symmetry) in images.iter_mut().zip(&self.symmetries) {
                *image = self.index.child(length, *image, symmetry.directions[direction].into());
            }
            let head = self.index.neighbor(head, direction).expect("masks lead to cells");
            Branch { length: length + 1, head, images }
        })
    }

    fn visit(&self, branch: &Branch, length: usize, visit: &(impl Fn(&[usize]) + Sync)) {
        if branch.length == length {
            let images = &branch.images[..self.symmetries.len()];
            // Of a body's images whose tail is that cell only one is visited, so that results do not depend on the order.
            if images.iter().all(|&image| image >= images[0]) {
                visit(images);
            }
            return;
        }
        for next in self.grown(branch) {
            self.visit(&next, length, visit);
        }
    }
}

/// A body, and the numbers of its images under all symmetries.
struct Branch {
    length: usize,
    head: u8,
    images: [usize; 8],
}

fn infinite(count: usize) -> Vec<AtomicU64> {
    (0..count).into_par_iter().map(|_| AtomicU64::new(f64::INFINITY.to_bits())).collect()
}

/// The bodies of one length, and the moves between them.
///
/// A move drops the tail's cell and adds one at the head. What is left between the two is a *trunk*, a path one cell shorter:
/// a body leaves by its trunk without the tail, and is entered by its trunk without the head.
pub(crate) struct Graph {
    length: usize,
    heads: Vec<u8>,
    /// For each body, its trunk without the head.
    entered_by: Vec<u32>,
    /// The bodies sorted by their trunk without the tail, and where each trunk's begin.
    leaving: Vec<u32>,
    leaving_starts: Vec<u32>,
    tail_starts: Vec<usize>,
}

impl Graph {
    /// `suffixes` gives each body's trunk without the tail; `None` at length 1.
    pub(crate) fn new(index: &PathIndex, length: usize, suffixes: Option<Vec<u32>>) -> Graph {
        let bodies = index.count(length);
        let mut graph = Graph {
            length,
            heads: index.grow(length, |_| (), |(), _| ()).into_iter().map(|(head, ())| head).collect(),
            entered_by: Vec::new(),
            leaving: Vec::new(),
            leaving_starts: Vec::new(),
            tail_starts: index.starts(length),
        };
        let Some(suffixes) = suffixes else {
            // A single cell has no trunk: it may come from any neighbour.
            graph.leaving_starts.push(0);
            for cell in 0..bodies as u8 {
                graph.entered_by.push(cell.into());
                graph.leaving.extend((0..4).filter_map(|direction| index.neighbor(cell, direction)).map(u32::from));
                graph.leaving_starts.push(graph.leaving.len() as u32);
            }
            return graph;
        };
        let trunks = index.count(length - 1);
        graph.entered_by.reserve_exact(bodies);
        for trunk in 0..trunks {
            let children = index.mask(length - 1, trunk).count_ones() as usize;
            graph.entered_by.extend(std::iter::repeat_n(trunk as u32, children));
        }
        // A counting sort.
        let mut starts = vec![0u32; trunks + 1];
        suffixes.iter().for_each(|&trunk| starts[trunk as usize + 1] += 1);
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

    /// V of every body for a food, from E of the bodies that are one cell longer; infinite where the food lies under the body.
    fn search(&self, index: &PathIndex, longer: &[AtomicU64], food: u8) -> Vec<AtomicU64> {
        let values = infinite(self.heads.len());
        let exits = self.exits(index, longer, food);
        let Some(first) = exits.iter().map(|&(_, value)| value).min_by(f64::total_cmp) else { return values };
        // Buckets of width 1: a step leads from one to the next.
        let mut buckets: Vec<Vec<u32>> = Vec::new();
        for (body, value) in exits {
            let bucket = (value - first) as usize;
            if buckets.len() <= bucket {
                buckets.resize_with(bucket + 1, Vec::new);
            }
            values[body as usize].store(value.to_bits(), Relaxed);
            buckets[bucket].push(body);
        }
        // The least value by which each trunk was left so far.
        let trunks = infinite(self.leaving_starts.len().saturating_sub(1));
        let mut bucket = 0;
        while let Some(bodies) = buckets.get_mut(bucket).map(std::mem::take) {
            let improved: Vec<Vec<u32>> = bodies
                .par_chunks(1 << 12)
                .map(|bodies| {
                    let mut improved = Vec::new();
                    for &body in bodies {
                        let value = f64::from_bits(values[body as usize].load(Relaxed)) + 1.0;
                        self.predecessors(body as usize, value, &trunks, |before| {
                            // A body with the food under its tail is none.
                            if !self.tail_is(before, food)
                                && f64::from_bits(values[before].fetch_min(value.to_bits(), Relaxed)) > value
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
            improved.into_iter().filter(|bodies| !bodies.is_empty()).for_each(|bodies| buckets[bucket].extend(bodies));
        }
        values
    }

    /// The bodies that eat in the next step, with V by that step.
    fn exits(&self, index: &PathIndex, longer: &[AtomicU64], food: u8) -> Vec<(u32, f64)> {
        let worth = |after: usize| 1.0 + f64::from_bits(longer[after].load(Relaxed));
        self.eating(index, food).map(|(body, after)| (body, worth(after))).filter(|exit| exit.1.is_finite()).collect()
    }

    /// The bodies that can eat in the next step, and the bodies that they become.
    pub(crate) fn eating<'a>(&'a self, index: &'a PathIndex, food: u8) -> impl Iterator<Item = (u32, usize)> + 'a {
        let mut towards_food = [None; MAX_AREA];
        for direction in 0..4 {
            if let Some(cell) = index.neighbor(food, (direction + 2) % 4) {
                towards_food[usize::from(cell)] = Some(direction);
            }
        }
        self.heads.iter().enumerate().filter_map(move |(body, &head)| {
            let direction = towards_food[usize::from(head)]?;
            let free = index.mask(self.length, body) >> direction & 1 == 1;
            free.then(|| (body as u32, index.child(self.length, body, direction)))
        })
    }

    /// Calls `visit` with the bodies that a move leads from to this one, unless its trunk was left by as good a value before.
    fn predecessors(&self, body: usize, value: f64, trunks: &[AtomicU64], visit: impl FnMut(usize)) {
        let trunk = self.entered_by[body] as usize;
        // From two cells not every body of the trunk can go on to each of its successors.
        if f64::from_bits(trunks[trunk].fetch_min(value.to_bits(), Relaxed)) > value || self.length == 2 {
            self.before(body, visit);
        }
    }

    /// Calls `visit` with the bodies that a move leads from to this one.
    pub(crate) fn before(&self, body: usize, mut visit: impl FnMut(usize)) {
        let trunk = self.entered_by[body] as usize;
        for &before in &self.leaving[self.leaving_starts[trunk] as usize..self.leaving_starts[trunk + 1] as usize] {
            // Of two cells the tail is the neck: a body does not turn on the spot.
            let before = before as usize;
            if self.length != 2 || self.tail(before) != self.heads[body] {
                visit(before);
            }
        }
    }

    /// Whether a body's tail lies on a cell.
    pub(crate) fn tail_is(&self, body: usize, cell: u8) -> bool {
        (self.tail_starts[usize::from(cell)]..self.tail_starts[usize::from(cell) + 1]).contains(&body)
    }

    fn tail(&self, body: usize) -> u8 {
        (self.tail_starts.partition_point(|&start| start <= body) - 1) as u8
    }
}
