//! Retrograde analysis: from the full board down to a single cell.

use crate::graph::{Graph, get, infinite, set};
use crate::index::PathIndex;
use crate::symmetry::{Symmetry, first_cells, representatives, symmetries};
use hognose_game::Board;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicU64;

/// The result of solving a length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// The length.
    pub length: usize,
    /// The number of bodies of this length.
    pub bodies: usize,
    /// The number of them that win for sure, wherever food appears.
    pub sure: usize,
}

/// Solves a board, length by length.
///
/// Between two foods nothing is random, so for a fixed food the bodies of one length are the nodes
/// of a graph whose exits are the steps that eat. With E(body) the mean of V(body, f) over the free
/// cells f, V(body, f) = 1 + E(body and f) if the step eats, else 1 + the least V of a legal step.
/// All steps cost 1, so the values of a length follow from those of the next one by a breadth-first
/// search for each food, from all exits at once, in the order of their values.
///
/// By symmetry, only one food of each orbit needs a search: E(body) adds up V over the images of
/// the body instead of over the foods.
///
/// ```
/// use hognose_game::Board;
/// use hognose_tablebase::Solver;
/// use std::ops::ControlFlow;
///
/// let mut solver = Solver::new(Board::new(2, 2)?);
/// while let Some(solved) = solver.step(|| ControlFlow::Continue(())) {
///     assert_eq!(solved.sure, solved.bodies);
/// }
/// assert_eq!(solver.length(), 1);
/// assert!((solver.expected(0) - 3.8333).abs() < 1e-4);
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
pub struct Solver {
    index: PathIndex,
    suffixes: Vec<Vec<u32>>,
    symmetries: Vec<Symmetry>,
    /// One cell of each orbit, and the number of symmetries that fix it.
    foods: Vec<(u8, usize)>,
    /// The length of `values`.
    length: usize,
    /// E of every body of that length; infinite if eating some food is not possible or leaves no
    /// sure win.
    values: Vec<AtomicU64>,
}

impl Solver {
    /// Creates a solver of a board, with full bodies solved: E = 0.
    pub fn new(board: Board) -> Solver {
        let (index, mut suffixes) = PathIndex::with_suffixes(board);
        suffixes.pop();
        let symmetries = symmetries(board);
        let least = representatives(board, &symmetries);
        let foods = first_cells(&least).map(|cell| {
            let stays = |symmetry: &&Symmetry| symmetry.cells[usize::from(cell)] == cell;
            (cell, symmetries.iter().filter(stays).count())
        });
        let foods = foods.collect();
        let length = board.area();
        let values = (0..index.count(length))
            .map(|_| AtomicU64::new(0f64.to_bits()))
            .collect();
        Solver {
            index,
            suffixes,
            symmetries,
            foods,
            length,
            values,
        }
    }

    /// Returns the index of bodies.
    pub fn index(&self) -> &PathIndex {
        &self.index
    }

    /// Returns the index of bodies, and drops the rest.
    pub fn into_index(self) -> PathIndex {
        self.index
    }

    /// Returns the length solved last.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Returns E of the bodies of the length solved last whose tail is the first cell of its orbit,
    /// in the order of their numbers.
    pub fn stored(&self) -> Vec<f64> {
        self.stored_paths(self.length)
            .map(|path| self.expected(path))
            .collect()
    }

    /// Returns the numbers of the bodies whose tail is the first cell of its orbit.
    fn stored_paths(&self, length: usize) -> impl Iterator<Item = usize> {
        let starts = self.index.starts(length);
        self.foods
            .iter()
            .flat_map(move |&(cell, _)| starts[usize::from(cell)]..starts[usize::from(cell) + 1])
    }

    /// Continues from [`stored`](Self::stored) values of a length; returns `false` if their number
    /// is wrong.
    pub fn restore(&mut self, length: usize, stored: &[f64]) -> bool {
        if self.stored_paths(length).count() != stored.len() {
            return false;
        }
        let mut known = vec![f64::INFINITY; self.index.count(length)];
        for (path, &value) in self.stored_paths(length).zip(stored) {
            known[path] = value;
        }
        let values = infinite(known.len());
        self.for_each_orbit(length, |images| {
            let value = known[images[0]];
            images.iter().for_each(|&path| set(&values[path], value));
        });
        self.suffixes.truncate(length.saturating_sub(2));
        (self.values, self.length) = (values, length);
        true
    }

    /// Makes E infinite for chosen bodies of the length solved last, so that no shorter body may
    /// become one of them.
    pub fn give_up(&mut self, given_up: impl Fn(usize) -> bool) {
        let given_up = self
            .values
            .iter()
            .enumerate()
            .filter(|&(body, _)| given_up(body));
        given_up.for_each(|(_, value)| set(value, f64::INFINITY));
    }

    /// Returns E of a body of the length solved last, by its number; infinite if no win is sure.
    pub fn expected(&self, body: usize) -> f64 {
        get(&self.values[body])
    }

    /// Solves the next smaller length; `go_on` is called between foods. Returns `None` at length 1,
    /// or if `go_on` breaks; the solver must not be used after a break.
    pub fn step(&mut self, mut go_on: impl FnMut() -> ControlFlow<()>) -> Option<Solved> {
        let length = self.length.checked_sub(1).filter(|&length| length > 0)?;
        let bodies = self.index.count(length);
        let orders = self.symmetries.len();
        // Sums of V over the foods searched, weighted by the size of their orbit, and how many of
        // the terms are finite.
        let mut sums = vec![0.0; bodies];
        let mut finite = vec![0u8; bodies];
        let graph = Graph::new(&self.index, length, self.suffixes.pop());
        for &(food, stays) in &self.foods {
            if go_on().is_break() {
                return None;
            }
            let values = graph.search(&self.index, &self.values, food);
            let weight = (orders / stays) as u8;
            sums.par_iter_mut()
                .zip(&mut finite)
                .zip(&values)
                .for_each(|((sum, finite), value)| {
                    let value = get(value);
                    if value.is_finite() {
                        *sum += f64::from(weight) * value;
                        *finite += weight;
                    }
                });
        }
        drop(graph);
        let values = infinite(bodies);
        let all = orders * (self.index.board().area() - length);
        self.for_each_orbit(length, |images| {
            let count: usize = images.iter().map(|&path| usize::from(finite[path])).sum();
            if count == all {
                let sum: f64 = images.iter().map(|&path| sums[path]).sum();
                let value = sum / all as f64;
                images.iter().for_each(|&path| set(&values[path], value));
            }
        });
        let sure = values
            .par_iter()
            .filter(|value| get(value).is_finite())
            .count();
        (self.values, self.length) = (values, length);
        Some(Solved {
            length,
            bodies,
            sure,
        })
    }

    /// Calls `visit` with the numbers of a body's images under all symmetries, for bodies whose
    /// tail is the first cell of its orbit: every body is an image of one of these.
    fn for_each_orbit(&self, length: usize, visit: impl Fn(&[usize]) + Sync) {
        // Enough branches to keep all cores busy.
        let mut branches: Vec<Branch> = self
            .foods
            .iter()
            .map(|&(cell, _)| self.branch(cell))
            .collect();
        for _ in 1..length.min(6) {
            branches = branches
                .iter()
                .flat_map(|branch| self.grown(branch))
                .collect();
        }
        branches
            .into_par_iter()
            .for_each(|branch| self.visit(&branch, length, &visit));
    }

    fn branch(&self, cell: u8) -> Branch {
        let mut images = [0; 8];
        for (image, symmetry) in images.iter_mut().zip(&self.symmetries) {
            *image = symmetry.cells[usize::from(cell)].into();
        }
        Branch {
            length: 1,
            head: cell,
            images,
        }
    }

    fn grown(&self, branch: &Branch) -> impl Iterator<Item = Branch> {
        let Branch {
            length,
            head,
            images,
        } = *branch;
        self.index
            .moves(length, images[0], head)
            .map(move |(direction, head)| {
                let mut images = images;
                for (image, symmetry) in images.iter_mut().zip(&self.symmetries) {
                    let direction = symmetry.directions[direction].into();
                    *image = self.index.child(length, *image, direction);
                }
                Branch {
                    length: length + 1,
                    head,
                    images,
                }
            })
    }

    fn visit(&self, branch: &Branch, length: usize, visit: &(impl Fn(&[usize]) + Sync)) {
        if branch.length == length {
            let images = &branch.images[..self.symmetries.len()];
            // Only one of a body's images with that tail is visited, so that results don't depend
            // on the order.
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

/// Returns E of every single cell, given the [`Solver::stored`] values of length 1.
pub fn spread(board: Board, singles: &[f64]) -> Vec<f64> {
    let least = representatives(board, &symmetries(board));
    least
        .iter()
        .map(|&(cell, _)| {
            let orbit = first_cells(&least).position(|first| first == cell);
            singles[orbit.expect("every orbit has a first cell")]
        })
        .collect()
}

/// A body and the numbers of its images under all symmetries.
struct Branch {
    length: usize,
    head: u8,
    images: [usize; 8],
}
