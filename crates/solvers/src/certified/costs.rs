//! The cost of a plan.

use super::candidate::Candidate;
use super::certificate::Certificate;
use super::problem::Problem;
use super::repair::{CycleRepair, Strictness};
use crate::grid::Grid;

/// Holes that cost less than this are not worth the search for a certificate without them.
pub(crate) const CHEAP: f64 = 0.3;

/// On a board with an odd number of cells, when at most this many cells are free, the cell that the
/// cycle misses matters more than the mean steps and the border.
const LAST: f64 = 8.0;

/// Marks a cell that a search has reached. It is greater than every step.
const REACHED: u32 = 1 << 31;

/// The estimated later cost of a body after eating. It has three terms:
///
/// - For each hole, the steps to wait for it if the next foods appear there. A hole `i` cells
///   before the tail is free again after `i` steps; foods come about every `t` steps, each of them
///   on one of `f` free cells. With `z = i / (t f)` the wait is `i (1 - (1 - exp(-z)) / z)`. Its
///   weight grows with the length.
/// - The mean steps from the head to a free cell, through cells as the body leaves them: the steps
///   that the next food will take.
/// - The border of the free cells, divided by the square root of their number: how ragged they are.
///
/// The weights of the three, as functions of the length, were first fitted to the exact values of
/// 6x6 (`hognose-tablebase`), and then to games with random weights on 5x5, 6x6, 7x7 and 8x8
/// (`docs/results/certified.md`).
///
/// On a board with an odd number of cells, two cells share a position on the cycle. If the body
/// covers one of them, the other one is a hole with half the cost, since another certificate may
/// have another such pair. If the body covers neither, it will still get this hole. While less than
/// half of the board is free, this costs 0.7 steps more with each food from ten free cells down to
/// five, and the mean steps and the border are left out at eight free cells or fewer, where they
/// are uninformative. This was fitted to the exact values of 3x7, 3x9 and 5x5. Agents that choose
/// among safe moves and see the costs do without this part: they were trained before it existed.
#[derive(Clone, Debug)]
pub(crate) struct Costs {
    /// The cost of a hole just behind the body cell of each index, counted from the tail.
    pub(crate) hole: Vec<f64>,
    /// The weight of the mean steps to a free cell.
    arrival: f64,
    /// The weight of the border.
    border: f64,
    /// The cost of covering neither of two cells that share a position.
    uncovered: f64,
    /// A lower bound on a body's cost, for any path.
    pub(crate) least: f64,
    /// The first step at which each cell may be entered, 0 if it is free, with [`REACHED`] added
    /// once it was entered. The last element stands for the walls.
    release: Vec<u32>,
    queue: Vec<u16>,
}

impl Costs {
    fn new(area: usize) -> Costs {
        let mut release = vec![0; area];
        release.push(!REACHED);
        Costs {
            hole: Vec::with_capacity(area),
            arrival: 0.0,
            border: 0.0,
            uncovered: 0.0,
            least: 0.0,
            release,
            queue: Vec::with_capacity(area),
        }
    }

    /// Sets the weights for a problem, with `to_the_end` also those for the end of a game on a
    /// board with an odd number of cells.
    pub(crate) fn set(&mut self, problem: &Problem, to_the_end: bool) {
        let length = problem.body.len() as f64;
        let area = problem.grid.area() as f64;
        let fill = length / area;
        let free = (area - length - 1.0).max(1.0);
        let side = (problem.grid.board.width() + problem.grid.board.height()) as f64 / 2.0;
        self.arrival = (0.8 - fill).max(0.0);
        self.border = (0.1 + fill) * side / 6.0;
        self.uncovered = 0.0;
        if to_the_end && problem.grid.has_spare() && 2.0 * free < area {
            if free <= LAST {
                (self.arrival, self.border) = (0.0, 0.0);
            }
            if free > 4.0 {
                self.uncovered = 0.7 * (10.5 - free).max(0.0);
            }
        }
        // Of all sets of cells, diamonds around the head have the smallest mean distance, and
        // squares have the smallest border.
        self.least = if free > 1.0 {
            self.arrival * 0.47 * free.sqrt() + self.border * 4.0
        } else {
            0.0
        };
        self.hole.clear();
        self.hole.extend((0..=problem.body.len()).map(|index| {
            let wait = (index + 1) as f64;
            let chance = wait / (side * free);
            2.2 * fill * wait * (1.0 - (1.0 - (-chance).exp()) / chance)
        }));
    }

    /// Returns the cost of the cells that a part of a body skips, or `None` if the certificate does
    /// not hold that part.
    pub(crate) fn skipped(&self, certificate: &Certificate, body: &[u16]) -> Option<f64> {
        let mut cost = 0.0;
        certificate
            .holes(body, |index, count| cost += count as f64 * self.hole[index])
            .then_some(cost)
    }

    /// Returns the cost of a body's holes, including that of two cells that share a position.
    /// `None` if the certificate does not hold the body.
    fn holes(&self, certificate: &Certificate, body: &[u16]) -> Option<f64> {
        let shared = certificate
            .shared(body)
            .map_or(self.uncovered, |index| 0.5 * self.hole[index]);
        Some(self.skipped(certificate, body)? + shared)
    }

    /// Returns the cost of reaching the free cells around a body.
    fn reaching(&mut self, grid: &Grid, body: &[u16]) -> f64 {
        let area = grid.area();
        let head = body[body.len() - 1];
        self.release[..area].fill(0);
        for (step, &cell) in (1..).zip(body) {
            self.release[usize::from(cell)] = step;
        }
        self.release[usize::from(head)] |= REACHED;
        self.queue.clear();
        self.queue.push(head);
        let mut arrivals = 0u64;
        let mut border = 0u32;
        let mut next = 0;
        let mut step = 0;
        while next < self.queue.len() {
            step += 1;
            let level = next..self.queue.len();
            next = level.end;
            for index in level {
                let cell = self.queue[index];
                let cell_is_free = self.release[usize::from(cell)] == REACHED;
                for other in grid.neighbors(cell) {
                    let place = usize::from(other).min(area);
                    let release = self.release[place];
                    border += u32::from(cell_is_free && release & !REACHED != 0);
                    if release > step {
                        continue;
                    }
                    self.release[place] |= REACHED;
                    self.queue.push(other);
                    if release == 0 {
                        arrivals += u64::from(step);
                    }
                }
            }
        }
        let free = (area - body.len()) as f64;
        self.arrival * arrivals as f64 / free + self.border * f64::from(border) / free.sqrt()
    }
}

/// A judge that finds certificates for candidates, and computes their costs.
#[derive(Clone, Debug)]
pub(crate) struct Judge {
    pub(crate) repair: CycleRepair,
    pub(crate) costs: Costs,
}

impl Judge {
    pub(crate) fn new(grid: Grid) -> Judge {
        Judge {
            costs: Costs::new(grid.area()),
            repair: CycleRepair::new(grid),
        }
    }

    /// Completes a candidate from its path: the body after it, a certificate near `base`, and the
    /// cost. Returns `false`, with an unusable candidate, if it costs more than `limit` or has no
    /// certificate.
    pub(crate) fn complete(
        &mut self,
        problem: &Problem,
        candidate: &mut Candidate,
        base: &Certificate,
        limit: f64,
    ) -> bool {
        let steps = candidate.path.len() as f64;
        if problem.wins() {
            candidate.eat(problem);
            candidate.certificate.clone_from(base);
            candidate.cost = steps;
            return steps <= limit;
        }
        if steps + self.costs.least > limit {
            return false;
        }
        candidate.eat(problem);
        let reaching = self.costs.reaching(&problem.grid, &candidate.after);
        if steps + reaching > limit {
            return false;
        }
        let Some((holes, keeps_base)) = self.cheapest_holes(candidate, base) else {
            return false;
        };
        candidate.cost = steps + holes + reaching;
        if candidate.cost > limit {
            return false;
        }
        if keeps_base {
            candidate.certificate.clone_from(base);
        }
        true
    }

    /// Returns the lowest cost of the candidate's holes, and whether that is on `base`, not on the
    /// candidate's own certificate, which this function writes.
    fn cheapest_holes(
        &mut self,
        candidate: &mut Candidate,
        base: &Certificate,
    ) -> Option<(f64, bool)> {
        let on_base = self.costs.holes(base, &candidate.after);
        if on_base.is_some_and(|holes| holes <= CHEAP)
            || !self.repair.hold(
                base,
                &candidate.after,
                Strictness::InOrder,
                &mut candidate.certificate,
            )
        {
            return on_base.map(|holes| (holes, true));
        }
        let on_own = self
            .costs
            .holes(&candidate.certificate, &candidate.after)
            .expect("a repaired certificate holds the body");
        match on_base {
            Some(on_base) if on_own >= on_base => Some((on_base, true)),
            _ => Some((on_own, false)),
        }
    }
}
