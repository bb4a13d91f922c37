//! The search for plans: paths to the food that end on a certificate.

use super::arrivals::{Arrivals, Breadth};
use super::candidate::{Candidate, Found};
use super::certificate::Certificate;
use super::costs::Judge;
use super::problem::Problem;
use super::repair::Strictness;
use super::variations::Variations;
use crate::cycles::Reroute;
use crate::cycles::jumps::check_tail_entry;
use crate::cycles::reroute::Rerouter;
use crate::grid::{Grid, tail_to_head};
use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Board, Cell, Position, Status, Unsupported};
use std::collections::HashSet;

/// The maximum number of variations drawn per failure that `effort` allows.
const DRAWS: usize = 2;

/// On boards with more cells than this, the search for a single plan does not look for paths that
/// arrive after a fixed number of steps.
const LARGE: usize = 200;

/// From this effort on, on boards with one food that are not large, plans are compared by the cost
/// of the next food, averaged over all cells where it may appear, once the snake covers at least
/// three tenths of the board.
const LOOKAHEAD: usize = 1000;

/// On a board with an odd number of cells, plans that leave at most this many cells free are
/// compared by the cost of the next food, averaged over all cells where it may appear.
const FORESIGHT: usize = 5;

/// Plans that leave at most this many cells free are compared by all foods to the end of the game.
const TO_THE_END: usize = 2;

/// How much more than the best plan others may cost to be compared with it.
const MARGIN: f64 = 8.0;

/// The maximum number of plans that are compared.
const COMPARED: usize = 4;

/// The effort of searches for the plans that follow them.
const EFFORT_AHEAD: usize = 3;

const WAYS_TO_FOOD: Purpose = Purpose::new("ways to the food");

/// A search for plans that eat soon and leave the snake well placed.
///
/// Nothing random happens before the food is eaten, so a plan is a path to the food and a
/// certificate for the body after it. The search starts with the walk along the current
/// certificate. Then it changes the certificate ([`Rerouter`]), and unless the board is large it
/// looks for paths that arrive after a fixed number of steps ([`Arrivals`]). Finally it varies the
/// best path ([`Variations`]), and accepts variations if the body after eating has a certificate
/// and the cost does not grow ([`Costs`](super::costs::Costs)).
///
/// When few cells are free on a board with an odd number of cells, the costs are uninformative.
/// There the search compares the best plans again, by the cost of the next food after them,
/// averaged over all cells where it may appear. With an effort of at least [`LOOKAHEAD`] it does
/// that on other boards, too.
#[derive(Clone, Debug)]
pub(crate) struct Planner {
    problem: Problem,
    judge: Judge,
    arrivals: Arrivals,
    variations: Variations,
    found: Found,
    /// The current candidate.
    candidate: Candidate,
    /// The variations of the best path that were judged.
    judged: HashSet<Vec<u16>>,
    /// How much more than the best plan others may cost to be offered as choices; 0 for one plan
    /// only.
    margin: f64,
    /// Whether the end of a game on a board with an odd number of cells has costs of its own, and
    /// the search compares its plans by the foods after them.
    foresight: bool,
    /// The planner for these foods.
    ahead: Option<Box<Planner>>,
    /// The search that changes the certificate, once there was one without a pair.
    rerouter: Option<Rerouter>,
}

impl Planner {
    /// Makes a planner that keeps the plans that cost up to `margin` more than the best one, if
    /// `margin` is not 0.
    pub(crate) fn new(grid: Grid, margin: f64, foresight: bool) -> Planner {
        let area = grid.area();
        let certificate = Certificate::first(&grid);
        Planner {
            judge: Judge::new(grid.clone()),
            problem: Problem::new(grid),
            arrivals: Arrivals::new(area, certificate.clone()),
            variations: Variations::new(area),
            found: Found::new(certificate.clone()),
            candidate: Candidate::new(certificate),
            judged: HashSet::new(),
            margin,
            foresight,
            ahead: None,
            rerouter: None,
        }
    }

    /// Returns the planner of the last game if it was on the same board, or a [`new`](Self::new)
    /// one in its place.
    pub(crate) fn on(
        board: Board,
        last: &mut Option<Planner>,
        margin: f64,
        foresight: bool,
    ) -> &mut Planner {
        last.take_if(|planner| planner.grid().board != board);
        last.get_or_insert_with(|| Planner::new(Grid::new(board), margin, foresight))
    }

    pub(crate) fn grid(&self) -> &Grid {
        &self.problem.grid
    }

    /// Returns a certificate of a body, given from tail to head: `base`, or one near it.
    pub(crate) fn certify(&mut self, base: &Certificate, body: &[u16]) -> Option<Certificate> {
        let mut found = base.clone();
        let repair = &mut self.judge.repair;
        let is_held = base.holds(body) || repair.hold(base, body, Strictness::InOrder, &mut found);
        is_held.then_some(found)
    }

    /// Finds a certificate of a position with which a game begins.
    pub(crate) fn first_certificate(
        &mut self,
        position: &Position,
    ) -> Result<Certificate, Unsupported> {
        check_tail_entry(position)?;
        let board = position.board();
        if position.status() == Status::Won {
            return Ok(Certificate::first(self.grid()));
        }
        let body: Vec<u16> = tail_to_head(position).collect();
        // The repair is incomplete: where it fails from one cycle, it may succeed from another.
        let found = Certificate::zigzags(board).find_map(|base| self.certify(&base, &body));
        found.ok_or_else(|| {
            let cells = body.len();
            Unsupported(format!(
                "no cycle of {board} was found on which the snake's {cells} cells lie in order: \
                 start with a shorter body or a straight one"
            ))
        })
    }

    /// Returns the best plan found. `certificate` holds the body. There must be food; of several
    /// foods the plan is for the first one on the certificate. The search ends after `effort`
    /// consecutive different variations without improvement, or after drawing twice as many.
    pub(crate) fn plan(
        &mut self,
        position: &Position,
        effort: usize,
        certificate: &Certificate,
        draws: &mut Generator,
    ) -> &Candidate {
        let grid = &self.problem.grid;
        let area = grid.area();
        let free = area - position.len() - 1;
        let is_last = grid.has_spare() && free <= FORESIGHT && 2 * free < area;
        let may_compare = area <= LARGE && position.foods().len() == 1;
        let looks_ahead = effort >= LOOKAHEAD && may_compare && 10 * position.len() >= 3 * area;
        let foods = match free {
            _ if !self.foresight || !(is_last || looks_ahead) => 0,
            ..=TO_THE_END => free,
            _ => 1,
        };
        let margin = if foods > 0 {
            self.margin.max(MARGIN)
        } else {
            self.margin
        };
        self.search(position, effort, certificate, draws, margin);
        if foods > 0 && self.found.keeps_several() {
            self.compare(position, draws, foods);
        }
        &self.found.best
    }

    /// Ranks the best kept plans again, and forgets the others. The cost after each plan becomes
    /// the cost of the next food, looking ahead for `foods` foods.
    fn compare(&mut self, position: &Position, draws: &mut Generator, foods: usize) {
        let grid = &self.problem.grid;
        let ahead = self
            .ahead
            .get_or_insert_with(|| Box::new(Planner::new(grid.clone(), 0.0, true)));
        let mut kept = self.found.take_kept();
        kept.truncate(COMPARED);
        for candidate in &mut kept {
            let cost = ahead.expected(position, candidate, draws, foods - 1);
            candidate.cost = candidate.path.len() as f64 + cost;
        }
        self.found.replace(kept, self.margin);
    }

    /// Returns the mean cost of the best plan after a candidate, over all cells where food may
    /// appear, looking ahead for `foods` more foods.
    fn expected(
        &mut self,
        position: &Position,
        candidate: &Candidate,
        draws: &mut Generator,
        foods: usize,
    ) -> f64 {
        let Candidate {
            after, certificate, ..
        } = candidate;
        let heading = self
            .grid()
            .direction(after[after.len() - 2], after[after.len() - 1]);
        let margin = if foods > 0 { MARGIN } else { 0.0 };
        let mut sum = 0.0;
        let mut free = 0;
        for food in (0..self.grid().area() as u16).filter(|food| !after.contains(food)) {
            let cells = after.iter().rev().map(|&cell| Cell(cell));
            let next = Position::new(position.rules(), heading, cells, [Cell(food)]);
            let next =
                next.expect("a body that has eaten, with food on a free cell, is a position");
            self.search(&next, EFFORT_AHEAD, certificate, draws, margin);
            if foods > 0 {
                self.compare(&next, draws, foods);
            }
            sum += self.found.best.cost;
            free += 1;
        }
        sum / f64::from(free)
    }

    /// Searches for the best plan, and keeps plans that cost up to a nonzero `margin` more.
    fn search(
        &mut self,
        position: &Position,
        effort: usize,
        certificate: &Certificate,
        draws: &mut Generator,
        margin: f64,
    ) {
        self.walk(position, certificate, margin);
        if effort > 0 && certificate.pair().is_none() && position.foods().len() == 1 {
            self.reroute(position, effort, certificate, draws);
        }
        // A walk that passes the food and has to come back visits cells twice, which the search
        // does not allow.
        if effort > 0 && self.found.best.path.len() <= certificate.cells().len() {
            let many = self.margin > 0.0;
            if many || self.problem.grid.area() <= LARGE {
                let breadth = if many { Breadth::MANY } else { Breadth::ONE };
                self.arrivals.search(
                    &self.problem,
                    &mut self.judge,
                    certificate,
                    effort,
                    breadth,
                    &mut self.found,
                );
            }
            self.improve(effort, draws);
        }
    }

    /// Takes the plans that the last search kept, the best first; each ends in a different body.
    pub(crate) fn take_kept(&mut self) -> Vec<Candidate> {
        self.found.take_kept()
    }

    /// Returns the first plan found among `ways` random shortest paths to a food, with a
    /// certificate near `base`. The body needs no certificate.
    pub(crate) fn reach(
        &mut self,
        position: &Position,
        base: &Certificate,
        ways: u64,
    ) -> Option<&Candidate> {
        self.set(position, *position.foods().first()?);
        for way in 0..ways {
            let mut draws = rng::keyed(0, WAYS_TO_FOOD, way);
            if !self
                .variations
                .shortest(&self.problem, &mut self.candidate.path, &mut draws)
            {
                return None;
            }
            if self
                .judge
                .complete(&self.problem, &mut self.candidate, base, f64::INFINITY)
            {
                return Some(&self.candidate);
            }
        }
        None
    }

    /// Returns the plan to eat food next to the head, with a certificate near `base`, if one is
    /// found.
    pub(crate) fn eat_next(
        &mut self,
        position: &Position,
        food: Cell,
        base: &Certificate,
    ) -> Option<&Candidate> {
        self.set(position, food);
        self.candidate.path.clear();
        self.candidate.path.push(food.0);
        let found = self
            .judge
            .complete(&self.problem, &mut self.candidate, base, f64::INFINITY);
        found.then_some(&self.candidate)
    }

    /// Prepares everything that depends only on the position.
    fn set(&mut self, position: &Position, food: Cell) {
        self.problem.set(position, food);
        self.judge.costs.set(&self.problem, self.foresight);
    }

    /// Starts with the walk along a certificate to the first food on it.
    fn walk(&mut self, position: &Position, certificate: &Certificate, margin: f64) {
        let path = &mut self.candidate.path;
        path.clear();
        let mut food = position.head().0;
        while !position.is_food(Cell(food)) {
            food = certificate.next(food, position, path.len() + 1);
            path.push(food);
        }
        self.set(position, Cell(food));
        let found = self.judge.complete(
            &self.problem,
            &mut self.candidate,
            certificate,
            f64::INFINITY,
        );
        assert!(found, "the walk ends on the certificate");
        self.found.begin(&mut self.candidate, margin);
    }

    /// Takes the path to the food along a changed certificate, unless the walk costs less.
    fn reroute(
        &mut self,
        position: &Position,
        effort: usize,
        certificate: &Certificate,
        draws: &mut Generator,
    ) {
        let cells = certificate.cells();
        let board = self.problem.grid.board;
        let rerouter = self
            .rerouter
            .get_or_insert_with(|| Rerouter::new(board, cells.to_vec()));
        rerouter.take(cells);
        rerouter.search(position, effort * Reroute::EFFORT / 100, draws);
        let Some(path) = rerouter.path() else {
            return;
        };
        self.candidate.path.clear();
        self.candidate.path.extend_from_slice(path);
        let base = Certificate::from_cells(board.area(), rerouter.cells(), None);
        let limit = self.found.limit();
        if self
            .judge
            .complete(&self.problem, &mut self.candidate, &base, limit)
        {
            self.found.keep(&self.candidate);
            if self.candidate.cost <= self.found.best.cost {
                std::mem::swap(&mut self.candidate, &mut self.found.best);
            }
        }
    }

    /// Varies the best path as long as that improves it. Judges no variation twice.
    fn improve(&mut self, effort: usize, draws: &mut Generator) {
        let Planner {
            problem,
            judge,
            variations,
            found,
            candidate,
            judged,
            ..
        } = self;
        variations.begin(&found.best.path);
        judged.clear();
        let mut failed = 0;
        let mut drawn = 0;
        while failed < effort && drawn < DRAWS * effort && found.best.path.len() > 1 {
            drawn += 1;
            if !variations.vary(problem, &found.best.path, &mut candidate.path, draws)
                || !judged.insert(candidate.path.clone())
            {
                continue;
            }
            failed += 1;
            if !judge.complete(problem, candidate, &found.best.certificate, found.limit()) {
                continue;
            }
            found.keep(candidate);
            if candidate.cost > found.best.cost {
                continue;
            }
            if candidate.cost < found.best.cost - 1e-9 {
                (failed, drawn) = (0, 0);
            }
            std::mem::swap(candidate, &mut found.best);
            variations.begin(&found.best.path);
            judged.clear();
        }
    }
}
