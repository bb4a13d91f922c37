//! What a plan costs: its steps, and what the body after it will cost later.

use super::candidate::Candidate;
use super::certificate::Certificate;
use super::problem::Problem;
use super::repair::{CycleRepair, Strictness};
use crate::grid::Grid;

/// Holes that cost less than this are not worth the search for a certificate without them.
pub(crate) const CHEAP: f64 = 0.3;

/// On a board with an odd number of cells, the cell that the cycle leaves out matters more than the
/// way and the border when at most so many cells are free.
const LAST: f64 = 8.0;

/// Marks a cell that a search has reached. It is more than every step.
const REACHED: u32 = 1 << 31;

/// What a body after eating will cost later.
///
/// - For each hole the steps to wait for it if the next foods fall there. A hole `i` cells before
///   the tail is free again after `i` steps; foods come every `t` steps or so, each of them on one
///   of `f` free cells. With `z = i / (t f)` that is `i (1 - (1 - exp(-z)) / z)`. It weighs the
///   more, the longer the snake is.
/// - The mean steps to a free cell from the head, through cells as the body leaves them: what the
///   next food will take.
/// - The border of the free cells, over the square root of their number: how ragged they are.
///
/// How the three weigh, as the snake grows, was first fitted to the exact values of 6x6
/// (`hognose-tablebase`), and then to games with random weights on 5x5, 6x6, 7x7 and 8x8
/// (`docs/results/certified.md`).
///
/// On a board with an odd number of cells, two cells share a place on the cycle. A body that lies
/// on one of them makes the other one a hole, which counts half: another certificate may have
/// another such pair. A body that lies on neither has this hole still before it. From ten free
/// cells down to five this costs 0.7 steps more with each food, and the mean steps and the border
/// tell nothing from eight free cells on, unless half of the board is free. This was fitted to the
/// exact values of 3x7, 3x9 and 5x5. Agents that choose among safe moves, and see the costs, do
/// without it: they learned before it was known.
#[derive(Clone, Debug)]
pub(crate) struct Costs {
    /// What a hole costs behind the body cell of each index, counted from the tail.
    pub(crate) hole: Vec<f64>,
    /// The weight of the mean steps to a free cell.
    arrival: f64,
    /// The weight of the border.
    border: f64,
    /// What it costs that the body lies on neither of two cells that share a place.
    uncovered: f64,
    /// What a body costs at least, whatever the path.
    pub(crate) least: f64,
    /// The first step in which each cell may be entered, 0 if it is free, with [`REACHED`] once it
    /// was entered. The last one stands for the walls.
    release: Vec<u32>,
    queue: Vec<u16>,
}

impl Costs {
    fn new(area: usize) -> Costs {
        let hole = Vec::with_capacity(area);
        let queue = Vec::with_capacity(area);
        let mut release = vec![0; area];
        release.push(!REACHED);
        Costs {
            hole,
            arrival: 0.0,
            border: 0.0,
            uncovered: 0.0,
            least: 0.0,
            release,
            queue,
        }
    }

    /// Sets the weights for a problem; with `to_the_end`, those for the end of a game on a board
    /// with an odd number of cells, too.
    fn set(&mut self, problem: &Problem, to_the_end: bool) {
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
        // Of all sets of cells, diamonds around the head have the least mean distance, and squares
        // the least border.
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

    /// What the cells cost that a part of a body skips; `None` if the certificate does not hold it.
    pub(crate) fn skipped(&self, certificate: &Certificate, body: &[u16]) -> Option<f64> {
        let mut cost = 0.0;
        certificate
            .holes(body, |index, count| cost += count as f64 * self.hole[index])
            .then_some(cost)
    }

    /// What the holes of a body cost, with what two cells cost that share a place. `None` if the
    /// certificate does not hold the body.
    fn holes(&self, certificate: &Certificate, body: &[u16]) -> Option<f64> {
        let shared = certificate
            .shared(body)
            .map_or(self.uncovered, |index| 0.5 * self.hole[index]);
        Some(self.skipped(certificate, body)? + shared)
    }

    /// What reaching the free cells around a body will cost.
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

/// Finds certificates for candidates, and what they cost.
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

    /// Sets the problem that candidates are judged for; see [`Costs`] for `to_the_end`.
    pub(crate) fn set(&mut self, problem: &Problem, to_the_end: bool) {
        self.costs.set(problem, to_the_end);
    }

    /// Completes a candidate from its path: the body after it, a certificate near to `base`, and
    /// the cost. `false` if it costs more than `limit`, or no certificate was found; the candidate
    /// is of no use then.
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

    /// What the holes of the candidate's body cost, and whether that is on `base`; else it is on
    /// the candidate's certificate, which is written then.
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
            .expect("the repair is right");
        match on_base {
            Some(on_base) if on_own >= on_base => Some((on_base, true)),
            _ => Some((on_own, false)),
        }
    }
}
