//! Paths that arrive at the food at a given step.

use super::candidate::{Candidate, Found};
use super::certificate::Certificate;
use super::costs::{CHEAP, Judge};
use super::flood::Flood;
use super::problem::Problem;
use super::repair::Strictness;
use crate::grid::NONE;

/// The number of arrival steps that are tried; twice as many if the grid is not bipartite.
const ARRIVALS: usize = 15;

/// The limits, for each arrival step, of certificates searched for and of visits to the same cell
/// at the same step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Breadth {
    certificates: usize,
    visits: u8,
}

impl Breadth {
    /// The breadth for a single plan; more gains little.
    pub(crate) const ONE: Breadth = Breadth {
        certificates: 20,
        visits: 6,
    };
    /// The breadth for plans to choose from.
    pub(crate) const MANY: Breadth = Breadth {
        certificates: 100,
        visits: 10,
    };
}

/// The reusable memory of the searches.
#[derive(Clone, Debug)]
pub(crate) struct Arrivals {
    /// A search back from the food: the cells from which it can be reached in time.
    from_food: Flood,
    /// The body and the path so far, from tail to head.
    sequence: Vec<u16>,
    /// Whether the head or the path so far is on a cell.
    taken: Vec<bool>,
    /// How often paths entered each cell at each step.
    visits: Vec<u8>,
    /// The certificate at each depth of the search; the first one is the body's.
    certificates: Vec<Certificate>,
    candidate: Candidate,
}

impl Arrivals {
    /// Returns memory for the board of a certificate, which has `area` cells.
    pub(crate) fn new(area: usize, certificate: Certificate) -> Arrivals {
        Arrivals {
            from_food: Flood::new(area),
            sequence: Vec::with_capacity(2 * area),
            taken: vec![false; area],
            visits: Vec::new(),
            certificates: vec![certificate.clone()],
            candidate: Candidate::new(certificate),
        }
    }

    /// Looks for paths cheaper than the best one found, in order of their number of steps, the
    /// smallest first. `base` holds the body.
    pub(crate) fn search(
        &mut self,
        problem: &Problem,
        judge: &mut Judge,
        base: &Certificate,
        effort: usize,
        breadth: Breadth,
        found: &mut Found,
    ) {
        let distance = problem.grid.distance(problem.head(), problem.food);
        self.certificates[0].clone_from(base);
        for slack in 0..2 * ARRIVALS / problem.grid.parity() {
            let steps = distance + problem.grid.parity() * slack;
            if steps as f64 + judge.costs.least >= found.limit() {
                break;
            }
            if !self.reaches_food(problem, steps) {
                continue;
            }
            self.begin(problem, slack);
            let remaining = &problem.body[(steps - 1).min(problem.body.len() - 1)..];
            let holes = judge
                .costs
                .skipped(base, remaining)
                .expect("a part of a body in order is in order");
            let budget = (effort * breadth.certificates / 100).clamp(1, breadth.certificates);
            let memory = &mut *self;
            Arrival {
                problem,
                judge,
                found,
                memory,
                steps,
                slack,
                budget,
                visits: breadth.visits,
            }
            .descend(0, holes);
        }
    }

    /// Finds the cells from which the food can still be reached in time, with their steps to it,
    /// searching back from the food: each cell must be free when the snake enters it. Returns
    /// whether the head is among them.
    fn reaches_food(&mut self, problem: &Problem, steps: usize) -> bool {
        let head = problem.head();
        self.from_food.begin(problem.food);
        while let Some((cell, left)) = self.from_food.next() {
            let Some(step) = steps.checked_sub(usize::from(left) + 1) else {
                continue;
            };
            for other in problem.grid.neighbors(cell) {
                if other == NONE || self.from_food.steps(other).is_some() {
                    continue;
                }
                let free = other == head || problem.is_free(other, step);
                if free && step >= problem.grid.distance(head, other) {
                    self.from_food.reach(other, left + 1);
                }
            }
        }
        self.from_food.steps(head).is_some()
    }

    /// Starts with an empty path.
    fn begin(&mut self, problem: &Problem, slack: usize) {
        self.visits.clear();
        self.visits.resize(problem.grid.area() * (slack + 1), 0);
        self.sequence.clear();
        self.sequence.extend_from_slice(&problem.body);
        self.taken.fill(false);
        self.taken[usize::from(problem.head())] = true;
    }
}

/// A depth-first search for paths that arrive at one step.
///
/// The arrival step determines which part of the body will remain, so the search tests at each step
/// of a path whether a certificate holds this part and the path so far.
struct Arrival<'a> {
    problem: &'a Problem,
    judge: &'a mut Judge,
    found: &'a mut Found,
    memory: &'a mut Arrivals,
    steps: usize,
    /// The number of steps beyond the distance, in units of the grid's parity.
    slack: usize,
    /// How many more certificates may be searched for.
    budget: usize,
    /// The limit of visits to the same cell at the same step.
    visits: u8,
}

impl Arrival<'_> {
    /// Continues the path so far. The part of the body that will remain and this path lie in order
    /// on the certificate at `depth`, and the cells that they skip cost `holes`.
    fn descend(&mut self, depth: usize, holes: f64) {
        if self.taken() == self.steps {
            self.arrive(depth);
            return;
        }
        for (ahead, next) in self
            .ways(depth, holes)
            .into_iter()
            .filter(|way| way.1 != NONE)
        {
            let visit = self.visit(next);
            if self.memory.visits[visit] >= self.visits {
                continue;
            }
            self.memory.sequence.push(next);
            let better = if ahead > holes + CHEAP {
                self.search_certificate(depth, ahead)
            } else {
                None
            };
            let (below, cost) = better.map_or((depth, ahead), |cost| (depth + 1, cost));
            if self.steps as f64 + cost + self.judge.costs.least < self.found.limit() {
                self.memory.visits[visit] += 1;
                self.memory.taken[usize::from(next)] = true;
                self.descend(below, cost);
                self.memory.taken[usize::from(next)] = false;
            }
            self.memory.sequence.pop();
        }
    }

    /// Returns the number of steps of the path.
    fn taken(&self) -> usize {
        self.memory.sequence.len() - self.problem.body.len()
    }

    /// Judges the path, which has reached the food.
    fn arrive(&mut self, depth: usize) {
        let Arrivals {
            candidate,
            sequence,
            certificates,
            ..
        } = &mut *self.memory;
        candidate.path.clear();
        candidate
            .path
            .extend_from_slice(&sequence[self.problem.body.len()..]);
        let limit = self.found.limit() - 1e-9;
        if !self
            .judge
            .complete(self.problem, candidate, &certificates[depth], limit)
        {
            return;
        }
        self.found.keep(candidate);
        if candidate.cost <= self.found.best.cost - 1e-9 {
            std::mem::swap(candidate, &mut self.found.best);
        }
    }

    /// Returns the next cells that lead to the food in time, with the cost of the holes after each,
    /// the cheapest first; padded with `NONE`.
    fn ways(&self, depth: usize, holes: f64) -> [(f64, u16); 4] {
        let sequence = &self.memory.sequence;
        let mut ways = [(f64::INFINITY, NONE); 4];
        for (way, next) in ways
            .iter_mut()
            .zip(self.problem.grid.neighbors(sequence[sequence.len() - 1]))
        {
            if next != NONE && self.may_enter(next) {
                *way = (self.holes_after(next, depth, holes), next);
            }
        }
        ways.sort_by(|a, b| a.0.total_cmp(&b.0));
        ways
    }

    /// Returns whether the next step may enter a cell, and the food can be reached in time from
    /// there.
    fn may_enter(&self, next: u16) -> bool {
        let step = self.taken() + 1;
        let in_time = self
            .memory
            .from_food
            .steps(next)
            .is_some_and(|left| step + usize::from(left) <= self.steps);
        in_time
            && !self.memory.taken[usize::from(next)]
            && self.problem.is_free(next, step)
            && !self.problem.turns_back(step, next)
            && (next != self.problem.food || step == self.steps)
    }

    /// Returns the cost of the holes after the next step enters a cell, or `f64::MAX` if the
    /// certificate at `depth` does not hold the result.
    fn holes_after(&self, next: u16, depth: usize, holes: f64) -> f64 {
        let sequence = &self.memory.sequence;
        let wins = next == self.problem.food && self.problem.wins();
        if wins {
            return 0.0;
        }
        let certificate = &self.memory.certificates[depth];
        let cell = sequence[sequence.len() - 1];
        let first = self.first_remaining();
        let place = certificate.distance(sequence[first], cell);
        let ahead = certificate.distance(sequence[first], next);
        // Two cells are in order either way around, but the next step must not turn back.
        let pair = self.problem.body.len() == 1
            && next == self.problem.food
            && certificate.distance(next, cell) == 1;
        if ahead > place && !pair {
            holes + (ahead - place - 1) as f64 * self.judge.costs.hole[sequence.len() - first]
        } else {
            f64::MAX
        }
    }

    /// Returns the start, in the sequence, of the part that will remain when the food is eaten.
    fn first_remaining(&self) -> usize {
        (self.steps - 1).min(self.memory.sequence.len() - 1)
    }

    /// Searches for a certificate on which the holes cost less than `cost`, writes it below
    /// `depth`, and returns that lower cost.
    fn search_certificate(&mut self, depth: usize, cost: f64) -> Option<f64> {
        let first = self.first_remaining();
        let Arrivals {
            sequence,
            certificates,
            ..
        } = &mut *self.memory;
        let remaining = &sequence[first..];
        if self.budget == 0 || remaining.len() == self.problem.grid.area() {
            return None;
        }
        self.budget -= 1;
        if certificates.len() == depth + 1 {
            certificates.push(certificates[0].clone());
        }
        let (bases, below) = certificates.split_at_mut(depth + 1);
        let is_held =
            self.judge
                .repair
                .hold(&bases[depth], remaining, Strictness::InOrder, &mut below[0]);
        let holes = if is_held {
            self.judge.costs.skipped(&below[0], remaining)
        } else {
            None
        };
        holes.filter(|&holes| holes < cost)
    }

    /// Returns the index in `visits` for entering a cell at the next step. Call it before that step
    /// is pushed.
    fn visit(&self, next: u16) -> usize {
        let more = self.taken() + 1 - self.problem.grid.distance(self.problem.head(), next);
        usize::from(next) * (self.slack + 1) + more / self.problem.grid.parity()
    }
}
