//! The search for plans: ways to the food that end on a certificate.

use crate::certificate::Certificate;
use crate::certify::{Certifier, Strictness};
use crate::grid::{Grid, NONE};
use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Cell, Position};

/// Searches for plans that eat soon and leave the snake well placed.
///
/// Nothing random happens before the food is eaten, so a plan is a path to the food and a certificate for the body after it.
/// The search starts from the walk along the certificate at hand. First it looks for paths that arrive after a fixed number
/// of steps, the least one first: then it is known which part of the body will remain, and each step of a path can be tested for
/// a certificate that holds this part and the path so far. Then it varies the best path: it replaces random sections by shortest
/// ways through the cells that the moving body will have left, or makes a detour around a square, as long as the body after
/// eating has a certificate and the cost does not grow.
///
/// The cost of a plan is its steps and what the body after it will cost later:
/// - For each hole the steps to wait for it if the next foods fall there. A hole `i` cells before the tail is free again
///   after `i` steps; foods come every `t` steps or so, each of them on one of `f` free cells. With `z = i / (t f)` that is
///   `i (1 - (1 - exp(-z)) / z)`.
/// - The mean steps to a free cell from the head, through cells as the body leaves them: what the next food will take.
/// - The border of the free cells, over the square root of their number: how ragged they are.
///
/// How the three weigh, as the snake grows, is fitted to the exact values of 6x6 (`hognose-tablebase`); on 10x10 and 16x16
/// other weights gain nothing.
#[derive(Clone, Debug)]
pub(crate) struct Planner {
    grid: Grid,
    certifier: Certifier,
    trial: Certificate,
    /// The first step in which each cell may be entered, `NONE` for never.
    release: Vec<u16>,
    /// What a hole behind the body cell of each index costs.
    hole: Vec<f64>,
    arrival: f64,
    border: f64,
    /// The path at hand, without the head, and at which step it enters each cell, 0 if it does not.
    path: Vec<u16>,
    entered: Vec<u16>,
    /// A path that may replace it, and the body after it.
    other: Vec<u16>,
    after: Vec<u16>,
    /// The body and the path so far, from tail to head, and the certificates of its steps.
    sequence: Vec<u16>,
    certificates: Vec<Certificate>,
    visits: Vec<u8>,
    /// The steps to the food from where it can be reached in time, else `NONE`.
    to_food: Vec<u16>,
    /// What the body after eating costs at least, whatever the path.
    least: f64,
    steps: Vec<u16>,
    seen: Vec<u32>,
    search: u32,
    queue: Vec<u16>,
    index: Vec<u16>,
    /// What other plans may cost more than the best one to be kept; 0 keeps none.
    margin: f64,
    kept: Vec<Found>,
}

/// A plan that was found.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// From the cell after the head.
    pub(crate) path: Vec<u16>,
    /// Of the body after it.
    pub(crate) certificate: Certificate,
    pub(crate) cost: f64,
    after: Vec<u16>,
}

/// A search for paths that arrive after a fixed number of steps.
struct Arrival {
    food: u16,
    /// The steps, and how many pairs of them are more than the distance.
    steps: usize,
    slack: usize,
    /// How many more certificates may be searched for.
    budget: usize,
    /// How often a path may come to the same cell at the same step.
    visits: u8,
    /// The length of the body before eating.
    length: usize,
    /// What the path must cost less than.
    cost: f64,
}

const WAYS: Purpose = Purpose::new("ways to the food");
/// A hole that costs less is not worth the search for a certificate without it.
const CHEAP: f64 = 0.3;
/// How many numbers of steps are tried.
const ARRIVALS: usize = 15;

/// How many certificates are searched for at most in each number of steps, and how often a path may come to the same cell at the
/// same step.
#[derive(Clone, Copy, Debug)]
struct Breadth {
    certificates: usize,
    visits: u8,
}

impl Breadth {
    /// For the best plan; more gains little.
    const ONE: Breadth = Breadth { certificates: 10, visits: 2 };
    /// For plans to choose from.
    const MANY: Breadth = Breadth { certificates: 100, visits: 10 };
}

impl Planner {
    /// Keeps the plans that cost up to `margin` more than the best one, if that is not 0.
    pub(crate) fn new(grid: Grid, margin: f64) -> Planner {
        let area = grid.area();
        let certificate = Certificate::first(&grid);
        Planner {
            certifier: Certifier::new(grid.clone()),
            trial: certificate.clone(),
            release: vec![0; area],
            hole: Vec::with_capacity(area),
            arrival: 0.0,
            border: 0.0,
            path: Vec::with_capacity(area),
            entered: vec![0; area],
            other: Vec::with_capacity(area),
            after: Vec::with_capacity(area),
            sequence: Vec::with_capacity(2 * area),
            certificates: vec![certificate],
            visits: Vec::new(),
            to_food: vec![NONE; area],
            least: 0.0,
            steps: vec![0; area],
            seen: vec![0; area],
            search: 0,
            queue: Vec::with_capacity(area),
            index: vec![0; area],
            margin,
            kept: Vec::new(),
            grid,
        }
    }

    /// The plans kept in the last search, each ending in another body, the best first.
    pub(crate) fn alternatives(&mut self) -> Vec<Found> {
        let mut kept = std::mem::take(&mut self.kept);
        kept.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let best = kept.first().map_or(0.0, |found| found.cost);
        kept.retain(|found| found.cost <= best + self.margin);
        kept
    }

    /// Keeps the path judged last with its certificate, which is `trial` if none is given, unless one that ends in the same body
    /// costs less.
    fn keep(&mut self, certificate: Option<&Certificate>, cost: f64) {
        if self.margin == 0.0 {
            return;
        }
        let found = self.kept.iter_mut().find(|found| found.after == self.after);
        if found.as_ref().is_some_and(|found| found.cost <= cost) {
            return;
        }
        let certificate = certificate.unwrap_or(&self.trial).clone();
        let new = Found { path: self.other.clone(), certificate, cost, after: self.after.clone() };
        match found {
            Some(found) => *found = new,
            None => self.kept.push(new),
        }
    }

    pub(crate) fn grid(&self) -> &Grid {
        &self.grid
    }

    pub(crate) fn certifier(&mut self) -> &mut Certifier {
        &mut self.certifier
    }

    /// The path of the best plan that was found, from the cell after the head, and its cost; `certificate`, which holds the
    /// body, becomes that of the body after it. The body is given from tail to head; food must lie somewhere. Of several foods
    /// the plan is for the one that the certificate meets first. The search ends when `effort` changes in a row gain nothing.
    pub(crate) fn plan(
        &mut self,
        position: &Position,
        body: &[u16],
        effort: usize,
        certificate: &mut Certificate,
        draws: &mut Generator,
    ) -> (&[u16], f64) {
        self.path.clear();
        let mut food = body[body.len() - 1];
        while !position.is_food(Cell(food)) {
            food = certificate.next(food, position, self.path.len() + 1);
            self.path.push(food);
        }
        self.look_at(position, body, food);
        self.other.clone_from(&self.path);
        self.eat(body);
        let (mut cost, kept) = self.judge(certificate, f64::INFINITY).expect("the walk ends on the certificate");
        self.certificates[0].clone_from(certificate);
        if !kept {
            std::mem::swap(certificate, &mut self.trial);
        }
        self.kept.clear();
        self.keep(Some(certificate), cost);
        // A walk that comes by the food and has to come again visits cells twice, which the search does not.
        if effort > 0 && self.path.len() <= certificate.cells().len() {
            cost = self.arrive(body, food, effort, cost, certificate);
            cost = self.improve(body, food, effort, cost, certificate, draws);
        }
        (&self.path, cost)
    }

    /// A path to a food, from the cell after the head, its cost, and a certificate near to `base` of the body after it: the first
    /// that is found among some random shortest paths. Nothing need hold the body, which is given from tail to head.
    pub(crate) fn reach(
        &mut self,
        position: &Position,
        body: &[u16],
        base: &Certificate,
        ways: u64,
    ) -> Option<(Certificate, &[u16], f64)> {
        let &food = position.foods().first()?;
        self.look_at(position, body, food.0);
        self.path.clear();
        for way in 0..ways {
            let mut draws = rng::keyed(0, WAYS, way);
            if !self.shortest(body, food.0, 0, food.0, self.grid.area(), &mut draws) {
                return None;
            }
            if let Some((certificate, cost)) = self.end(body, base) {
                return Some((certificate, &self.other, cost));
            }
        }
        None
    }

    /// A certificate near to `base` of the body after eating food next to the head, and what this step and that body cost.
    pub(crate) fn eat_next(
        &mut self,
        position: &Position,
        body: &[u16],
        food: Cell,
        base: &Certificate,
    ) -> Option<(Certificate, f64)> {
        self.look_at(position, body, food.0);
        self.other.clear();
        self.other.push(food.0);
        self.end(body, base)
    }

    /// A certificate near to `base` of the body after `other`, and what the path and that body cost.
    fn end(&mut self, body: &[u16], base: &Certificate) -> Option<(Certificate, f64)> {
        self.eat(body);
        let (cost, kept) = self.judge(base, f64::INFINITY)?;
        Some((if kept { base } else { &self.trial }.clone(), cost))
    }

    /// Looks for cheaper paths by their number of steps; the cost of the best path.
    fn arrive(&mut self, body: &[u16], food: u16, effort: usize, cost: f64, certificate: &mut Certificate) -> f64 {
        let head = body[body.len() - 1];
        let distance = self.grid.distance(head, food);
        let breadth = if self.margin > 0.0 { Breadth::MANY } else { Breadth::ONE };
        let mut search =
            Arrival { food, steps: distance, slack: 0, budget: 0, visits: breadth.visits, length: body.len(), cost };
        for slack in 0..ARRIVALS {
            (search.steps, search.slack) = (distance + 2 * slack, slack);
            if search.steps as f64 + self.least >= search.cost + self.margin {
                break;
            }
            if !self.spread(&search, head) {
                continue;
            }
            self.visits.clear();
            self.visits.resize(self.grid.area() * (slack + 1), 0);
            search.budget = (effort * breadth.certificates / 100).clamp(1, breadth.certificates);
            self.sequence.clear();
            self.sequence.extend_from_slice(body);
            let remaining = &body[(search.steps - 1).min(body.len() - 1)..];
            let holes =
                skipped(&self.hole, &self.certificates[0], remaining).expect("a part of a body in order is in order");
            self.entered[usize::from(head)] = 1;
            self.descend(&mut search, 0, holes, certificate);
            self.entered[usize::from(head)] = 0;
        }
        search.cost
    }

    /// Marks the cells from which the food can still be reached in time, with their steps to it, back from the food: a cell that
    /// the snake enters so many steps before arriving must be free by then. Whether the head is among them.
    fn spread(&mut self, search: &Arrival, head: u16) -> bool {
        self.to_food.fill(NONE);
        self.to_food[usize::from(search.food)] = 0;
        self.queue.clear();
        self.queue.push(search.food);
        let mut next = 0;
        while let Some(&cell) = self.queue.get(next) {
            next += 1;
            let steps = self.to_food[usize::from(cell)] + 1;
            for other in self.grid.neighbors(cell) {
                if other == NONE || self.to_food[usize::from(other)] != NONE {
                    continue;
                }
                let Some(step) = search.steps.checked_sub(steps.into()) else { continue };
                let free = other == head || usize::from(self.release[usize::from(other)]) <= step;
                if free && step >= self.grid.distance(head, other) {
                    self.to_food[usize::from(other)] = steps;
                    self.queue.push(other);
                }
            }
        }
        self.to_food[usize::from(head)] != NONE
    }

    /// Goes on from a path of some steps, whose certificate is the one at `depth`, at hole costs of `holes`.
    fn descend(&mut self, search: &mut Arrival, depth: usize, holes: f64, certificate: &mut Certificate) {
        let area = self.grid.area();
        let taken = self.sequence.len() - search.length;
        if taken == search.steps {
            self.after.clear();
            self.after.extend_from_slice(&self.sequence[taken - 1..]);
            self.other.clear();
            self.other.extend_from_slice(&self.sequence[search.length..]);
            let order = std::mem::replace(&mut self.certificates[depth], Certificate::EMPTY);
            if let Some((cost, kept)) = self.judge(&order, search.cost + self.margin - 1e-9) {
                self.keep(kept.then_some(&order), cost);
                if cost <= search.cost - 1e-9 {
                    search.cost = cost;
                    self.path.clone_from(&self.other);
                    certificate.clone_from(if kept { &order } else { &self.trial });
                }
            }
            self.certificates[depth] = order;
            return;
        }
        let cell = self.sequence[self.sequence.len() - 1];
        let head = self.sequence[search.length - 1];
        // The part of the body that will remain when the food is eaten.
        let drop = (search.steps - 1).min(self.sequence.len() - 1);
        let index = self.sequence.len() - drop;
        let order = &self.certificates[depth];
        let place = order.distance(self.sequence[drop], cell);
        let mut ways: [(f64, u16); 4] = [(f64::INFINITY, NONE); 4];
        for (way, next) in ways.iter_mut().zip(self.grid.neighbors(cell)) {
            if next == NONE || self.entered[usize::from(next)] != 0 || self.to_food[usize::from(next)] == NONE {
                continue;
            }
            let release = usize::from(self.release[usize::from(next)]);
            let late = usize::from(self.to_food[usize::from(next)]) + taken + 1 > search.steps;
            let turns_back = search.length == 2 && taken == 0 && next == self.sequence[0];
            if release > taken + 1 || late || turns_back || (next == search.food && taken + 1 < search.steps) {
                continue;
            }
            let ahead = order.distance(self.sequence[drop], next);
            let wins = next == search.food && search.length + 1 == area;
            // Two cells lie in either order, but the next step must not turn back.
            let pair = search.length == 1 && next == search.food && order.distance(next, cell) == 1;
            let cost = if wins {
                0.0
            } else if ahead > place && !pair {
                holes + (ahead - place - 1) as f64 * self.hole[index]
            } else {
                f64::MAX
            };
            *way = (cost, next);
        }
        ways.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (mut cost, next) in ways.into_iter().filter(|way| way.1 != NONE) {
            let visit = usize::from(next) * (search.slack + 1) + (taken + 1 - self.grid.distance(head, next)) / 2;
            if self.visits[visit] >= search.visits {
                continue;
            }
            self.sequence.push(next);
            let mut below = depth;
            let drop = (search.steps - 1).min(self.sequence.len() - 1);
            if cost > holes + CHEAP && search.budget > 0 && self.sequence.len() - drop < area {
                search.budget -= 1;
                if self.certificates.len() == depth + 1 {
                    self.certificates.push(certificate.clone());
                }
                let (bases, found) = self.certificates.split_at_mut(depth + 1);
                let remaining = &self.sequence[drop..];
                if self.certifier.certify(&bases[depth], remaining, Strictness::InOrder, &mut found[0])
                    && let Some(others) = skipped(&self.hole, &found[0], remaining)
                    && others < cost
                {
                    (cost, below) = (others, depth + 1);
                }
            }
            if search.steps as f64 + cost + self.least < search.cost + self.margin {
                self.visits[visit] += 1;
                self.entered[usize::from(next)] = 1;
                self.descend(search, below, cost, certificate);
                self.entered[usize::from(next)] = 0;
            }
            self.sequence.pop();
        }
    }

    /// Varies the path as long as that helps; its cost.
    fn improve(
        &mut self,
        body: &[u16],
        food: u16,
        effort: usize,
        mut cost: f64,
        certificate: &mut Certificate,
        draws: &mut Generator,
    ) -> f64 {
        (1..).zip(&self.path).for_each(|(step, &cell)| self.entered[usize::from(cell)] = step);
        let mut failed = 0;
        while failed < effort && self.path.len() > 1 {
            failed += 1;
            if !self.vary(body, food, draws) {
                continue;
            }
            self.eat(body);
            let Some((new_cost, kept)) = self.judge(certificate, cost + self.margin) else { continue };
            self.keep(kept.then_some(certificate), new_cost);
            if new_cost > cost {
                continue;
            }
            if new_cost < cost - 1e-9 {
                failed = 0;
            }
            cost = new_cost;
            if !kept {
                std::mem::swap(certificate, &mut self.trial);
            }
            self.path.iter().for_each(|&cell| self.entered[usize::from(cell)] = 0);
            std::mem::swap(&mut self.path, &mut self.other);
            (1..).zip(&self.path).for_each(|(step, &cell)| self.entered[usize::from(cell)] = step);
        }
        self.path.iter().for_each(|&cell| self.entered[usize::from(cell)] = 0);
        cost
    }

    /// Prepares what depends on the position only.
    fn look_at(&mut self, position: &Position, body: &[u16], food: u16) {
        self.release.fill(0);
        for (step, &cell) in (1..).zip(body) {
            self.release[usize::from(cell)] = step;
        }
        self.release[usize::from(body[body.len() - 1])] = NONE;
        for other in position.foods().iter().filter(|other| other.0 != food) {
            self.release[other.index()] = NONE;
        }
        let area = self.grid.area() as f64;
        let fill = body.len() as f64 / area;
        let free = (area - body.len() as f64 - 1.0).max(1.0);
        let side = (self.grid.board.width() + self.grid.board.height()) as f64 / 2.0;
        self.arrival = (1.0 - 1.2 * fill).max(0.0);
        self.border = (0.1 + 1.2 * fill) * side / 6.0;
        // Of all sets of cells, diamonds around the head have the least mean distance, and squares the least border.
        self.least = if free > 1.0 { self.arrival * 0.47 * free.sqrt() + self.border * 4.0 } else { 0.0 };
        self.hole.clear();
        self.hole.extend((0..=body.len()).map(|index| {
            let wait = (index + 1) as f64;
            let chance = wait / (side * free);
            2.4 * fill.powf(1.5) * wait * (1.0 - (1.0 - (-chance).exp()) / chance)
        }));
    }

    /// Writes the body after `other`, from tail to head.
    fn eat(&mut self, body: &[u16]) {
        let (length, steps) = (body.len() + 1, self.other.len());
        self.after.clear();
        self.after.extend_from_slice(&body[(steps - 1).min(body.len())..]);
        self.after.extend_from_slice(&self.other[steps.saturating_sub(length)..]);
    }

    /// What the holes of the body after eating cost; `None` if the certificate does not hold it.
    fn holes(&self, certificate: &Certificate) -> Option<f64> {
        let shared = certificate.shared(&self.after).map_or(0.0, |index| self.hole[index]);
        Some(skipped(&self.hole, certificate, &self.after)? + shared)
    }

    /// What `other` costs, if that is no more than `cost`, and whether the certificate at hand holds the body after it; if not,
    /// `trial` does.
    fn judge(&mut self, certificate: &Certificate, cost: f64) -> Option<(f64, bool)> {
        let steps = self.other.len() as f64;
        if self.after.len() == self.grid.area() {
            return (steps <= cost).then_some((steps, true));
        }
        if steps + self.least > cost {
            return None;
        }
        let mut holes = self.holes(certificate);
        let mut kept = true;
        if holes.is_none_or(|holes| holes > CHEAP)
            && self.certifier.certify(certificate, &self.after, Strictness::InOrder, &mut self.trial)
        {
            let others = self.holes(&self.trial).expect("the certifier is right");
            if holes.is_none_or(|holes| others < holes) {
                (holes, kept) = (Some(others), false);
            }
        }
        let steps = steps + holes?;
        if steps + self.least > cost {
            return None;
        }
        let new_cost = steps + self.outlook();
        (new_cost <= cost).then_some((new_cost, kept))
    }

    /// What reaching the free cells after eating will cost.
    fn outlook(&mut self) -> f64 {
        let head = self.after[self.after.len() - 1];
        let free = self.grid.area() - self.after.len();
        self.index.fill(0);
        for (step, &cell) in (1..).zip(&self.after) {
            self.index[usize::from(cell)] = step;
        }
        self.search += 1;
        self.seen[usize::from(head)] = self.search;
        self.steps[usize::from(head)] = 0;
        self.queue.clear();
        self.queue.push(head);
        let (mut arrivals, mut border, mut next) = (0u64, 0u32, 0);
        while let Some(&cell) = self.queue.get(next) {
            next += 1;
            let step = self.steps[usize::from(cell)] + 1;
            let cell_is_free = self.index[usize::from(cell)] == 0;
            for other in self.grid.neighbors(cell) {
                if other == NONE {
                    border += u32::from(cell_is_free);
                    continue;
                }
                let release = self.index[usize::from(other)];
                border += u32::from(cell_is_free && release != 0);
                if self.seen[usize::from(other)] == self.search || release > step {
                    continue;
                }
                self.seen[usize::from(other)] = self.search;
                self.steps[usize::from(other)] = step;
                self.queue.push(other);
                if release == 0 {
                    arrivals += u64::from(step);
                }
            }
        }
        let free = free as f64;
        self.arrival * arrivals as f64 / free + self.border * f64::from(border) / free.sqrt()
    }

    /// Writes a variation of the path to `other`; `false` if it finds none.
    fn vary(&mut self, body: &[u16], food: u16, draws: &mut Generator) -> bool {
        let length = self.path.len();
        let from = rng::below(draws, length as u64 - 1) as usize;
        let found = if rng::below(draws, 8) == 0 {
            self.detour(body, from, draws)
        } else {
            // A third of the sections begin at the head, a third end at the food.
            let from = if rng::below(draws, 3) == 0 { 0 } else { from };
            let to = from + 2 + rng::below(draws, (length - from - 1) as u64) as usize;
            let to = if rng::below(draws, 3) == 0 { length } else { to };
            self.section(body, food, from, to, draws)
        };
        // What comes after the section is entered sooner or later than before.
        found && (1..).zip(&self.other).all(|(step, &cell)| self.release[usize::from(cell)] <= step)
    }

    /// The cell of the path after some steps.
    fn at(&self, body: &[u16], steps: usize) -> u16 {
        if steps == 0 { body[body.len() - 1] } else { self.path[steps - 1] }
    }

    /// Replaces one step of the path by the other three sides of a square.
    fn detour(&mut self, body: &[u16], from: usize, draws: &mut Generator) -> bool {
        let (cell, next) = (self.at(body, from), self.at(body, from + 1));
        let across = (self.grid.side(cell, next) + if rng::below(draws, 2) == 0 { 1 } else { 3 }) % 4;
        let corners = [self.grid.neighbors(cell)[across], self.grid.neighbors(next)[across]];
        let turns_back = body.len() == 2 && from == 0 && corners[0] == body[0];
        if turns_back || corners.iter().any(|&corner| corner == NONE || self.entered[usize::from(corner)] != 0) {
            return false;
        }
        self.other.clear();
        self.other.extend_from_slice(&self.path[..from]);
        self.other.extend(corners);
        self.other.extend_from_slice(&self.path[from..]);
        true
    }

    /// Replaces a section of the path by a shortest way that is no longer, and not the same.
    fn section(&mut self, body: &[u16], food: u16, from: usize, to: usize, draws: &mut Generator) -> bool {
        let goal = self.at(body, to);
        let found = self.shortest(body, food, from, goal, to - from, draws);
        if found {
            self.other.extend_from_slice(&self.path[to..]);
        }
        found && self.other != self.path
    }

    /// Writes the path's first steps and a shortest way from there to a cell, of `limit` steps at most, to `other`.
    fn shortest(
        &mut self,
        body: &[u16],
        food: u16,
        from: usize,
        goal: u16,
        limit: usize,
        draws: &mut Generator,
    ) -> bool {
        let start = self.at(body, from);
        self.search += 1;
        self.seen[usize::from(start)] = self.search;
        self.steps[usize::from(start)] = 0;
        self.queue.clear();
        self.queue.push(start);
        let mut next = 0;
        let found = loop {
            let Some(&cell) = self.queue.get(next) else { break false };
            if cell == goal {
                break true;
            }
            next += 1;
            let steps = self.steps[usize::from(cell)] + 1;
            for other in self.grid.neighbors(cell) {
                if other == NONE || self.seen[usize::from(other)] == self.search {
                    continue;
                }
                let step = from + usize::from(steps);
                let entered = usize::from(self.entered[usize::from(other)]);
                let crosses =
                    entered != 0 && (entered <= from || entered > from + limit) || other == food && goal != food;
                let turns_back = body.len() == 2 && step == 1 && other == body[0];
                if crosses
                    || turns_back
                    || usize::from(self.release[usize::from(other)]) > step
                    || usize::from(steps) + self.grid.distance(other, goal) > limit
                {
                    continue;
                }
                self.seen[usize::from(other)] = self.search;
                self.steps[usize::from(other)] = steps;
                self.queue.push(other);
            }
        };
        if !found {
            return false;
        }
        // Back from the goal, by a random one of the shortest ways.
        let shortest = usize::from(self.steps[usize::from(goal)]);
        self.other.clear();
        self.other.extend_from_slice(&self.path[..from]);
        self.other.resize(from + shortest, goal);
        let mut cell = goal;
        for steps in (1..shortest).rev() {
            let turn = rng::below(draws, 4) as usize;
            let around = self.grid.neighbors(cell);
            let mut ways = (0..4).map(|side| around[(side + turn) % 4]).filter(|&before| {
                before != NONE
                    && self.seen[usize::from(before)] == self.search
                    && usize::from(self.steps[usize::from(before)]) == steps
            });
            cell = ways.next().expect("the search came from somewhere");
            self.other[from + steps - 1] = cell;
        }
        true
    }
}

/// What the cells cost that a body skips, if a cell costs that much behind the body cell of each index; `None` if the certificate
/// does not hold the body.
fn skipped(hole: &[f64], certificate: &Certificate, body: &[u16]) -> Option<f64> {
    let mut cost = 0.0;
    certificate.holes(body, |index, count| cost += count as f64 * hole[index]).then_some(cost)
}

/// A position's body from tail to head.
pub(crate) fn tail_to_head(position: &Position, body: &mut Vec<u16>) {
    body.clear();
    body.extend(position.body().rev().map(|Cell(cell)| cell));
}
