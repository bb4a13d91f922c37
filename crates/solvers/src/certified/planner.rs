//! The search for plans: ways to the food that end on a certificate.

use super::arrivals::{Arrivals, Breadth};
use super::candidate::{Candidate, Found};
use super::certificate::Certificate;
use super::costs::Judge;
use super::problem::Problem;
use super::repair::CycleRepair;
use super::variations::Variations;
use crate::grid::Grid;
use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Cell, Position};
use std::collections::HashSet;

/// How many variations are drawn at most for one that may fail.
const DRAWS: usize = 2;

/// On boards of more cells than these, variations of the walk along the certificate find as good a
/// plan as variations of a path that arrives at a given step, and they find it sooner. Plans to
/// choose from come from both on every board.
const LARGE: usize = 200;

/// On a board with an odd number of cells, plans that leave at most so many cells free are compared
/// by what the next food will cost after them, wherever it appears.
const FORESIGHT: usize = 5;

/// Plans that leave at most so many cells free are compared by all foods to the end of the game.
const TO_THE_END: usize = 2;

/// How much more than the best plan others may cost to be compared with it.
const MARGIN: f64 = 8.0;

/// How many plans are compared at most.
const COMPARED: usize = 4;

/// The effort of the searches for the plans after them.
const EFFORT_AHEAD: usize = 3;

const WAYS_TO_FOOD: Purpose = Purpose::new("ways to the food");

/// Searches for plans that eat soon and leave the snake well placed.
///
/// Nothing random happens before the food is eaten, so a plan is a path to the food and a
/// certificate for the body after it. The search starts from the walk along the certificate at
/// hand. On boards that are not large, it looks next for paths that arrive after a fixed number of
/// steps ([`Arrivals`]). Then it varies the best path ([`Variations`]), as long as the body after
/// eating has a certificate and the cost does not grow ([`Costs`](super::costs::Costs)).
///
/// When few cells are free on a board with an odd number of cells, the costs say little. There the
/// best plans are compared once more, by what the next food costs after them, with the mean over
/// all cells where it may appear.
#[derive(Clone, Debug)]
pub(crate) struct Planner {
    problem: Problem,
    judge: Judge,
    arrivals: Arrivals,
    variations: Variations,
    found: Found,
    /// The candidate at hand.
    candidate: Candidate,
    /// The variations of the best path that were judged.
    judged: HashSet<Vec<u16>>,
    /// How much more than the best plan others may cost to be plans to choose from; 0 for none.
    margin: f64,
    /// Whether the end of a game on a board with an odd number of cells has costs of its own, and
    /// its plans are compared by the foods after them.
    pub(crate) foresight: bool,
    /// Plans for these foods.
    ahead: Option<Box<Planner>>,
}

impl Planner {
    /// Keeps the plans that cost up to `margin` more than the best one, if that is not 0.
    pub(crate) fn new(grid: Grid, margin: f64) -> Planner {
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
            foresight: false,
            ahead: None,
        }
    }

    pub(crate) fn grid(&self) -> &Grid {
        &self.problem.grid
    }

    pub(crate) fn repair(&mut self) -> &mut CycleRepair {
        &mut self.judge.repair
    }

    /// The best plan that was found. The body, which `certificate` holds, is given from tail to
    /// head; food must lie somewhere. Of several foods the plan is for the one that the certificate
    /// meets first. The search ends when `effort` different variations in a row gain nothing, or
    /// when twice as many were drawn.
    pub(crate) fn plan(
        &mut self,
        position: &Position,
        body: &[u16],
        effort: usize,
        certificate: &Certificate,
        draws: &mut Generator,
    ) -> &Candidate {
        let grid = &self.problem.grid;
        let area = grid.area();
        let foods = match area - body.len() - 1 {
            free if !self.foresight || !grid.has_spare() || 2 * free >= area => 0,
            free @ ..=TO_THE_END => free,
            free => usize::from(free <= FORESIGHT),
        };
        let margin = if foods > 0 {
            self.margin.max(MARGIN)
        } else {
            self.margin
        };
        self.search(position, body, effort, certificate, draws, margin);
        if foods > 0 && self.found.keeps_several() {
            self.compare(position, draws, foods);
        }
        &self.found.best
    }

    /// Ranks the best plans that were kept anew, and forgets the others: the cost after each is now
    /// what the next food will cost, looking ahead for so many foods.
    fn compare(&mut self, position: &Position, draws: &mut Generator, foods: usize) {
        let grid = &self.problem.grid;
        let ahead = self.ahead.get_or_insert_with(|| {
            Box::new(Planner {
                foresight: true,
                ..Planner::new(grid.clone(), 0.0)
            })
        });
        let mut kept = self.found.take_kept();
        kept.truncate(COMPARED);
        for candidate in &mut kept {
            let cost = ahead.expected(position, candidate, draws, foods - 1);
            candidate.cost = candidate.path.len() as f64 + cost;
        }
        self.found.replace(kept, self.margin);
    }

    /// The mean over all foods of what the best plan costs after a candidate, looking ahead for so
    /// many more foods.
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
                next.expect("a body that has eaten, and food on a free cell, are a position");
            self.search(&next, after, EFFORT_AHEAD, certificate, draws, margin);
            if foods > 0 {
                self.compare(&next, draws, foods);
            }
            sum += self.found.best.cost;
            free += 1;
        }
        sum / f64::from(free)
    }

    /// Searches for the best plan, and keeps those that cost up to `margin` more if that is not 0.
    fn search(
        &mut self,
        position: &Position,
        body: &[u16],
        effort: usize,
        certificate: &Certificate,
        draws: &mut Generator,
        margin: f64,
    ) {
        self.walk(position, body, certificate, margin);
        // A walk that comes by the food and has to come again visits cells twice, which the search
        // does not.
        if effort > 0 && self.found.best.path.len() <= certificate.cells().len() {
            let many = self.margin > 0.0;
            if self.problem.grid.area() <= LARGE || many {
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

    /// Takes the plans that the last search kept, each ending in another body, the best first.
    pub(crate) fn take_kept(&mut self) -> Vec<Candidate> {
        self.found.take_kept()
    }

    /// The first plan that is found among some random shortest paths to a food, with a certificate
    /// near to `base`. Nothing need hold the body, which is given from tail to head.
    pub(crate) fn reach(
        &mut self,
        position: &Position,
        body: &[u16],
        base: &Certificate,
        ways: u64,
    ) -> Option<&Candidate> {
        let &food = position.foods().first()?;
        self.set(position, body, food.0);
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

    /// The plan to eat food next to the head, with a certificate near to `base`, if one is found.
    pub(crate) fn eat_next(
        &mut self,
        position: &Position,
        body: &[u16],
        food: Cell,
        base: &Certificate,
    ) -> Option<&Candidate> {
        self.set(position, body, food.0);
        self.candidate.path.clear();
        self.candidate.path.push(food.0);
        let found = self
            .judge
            .complete(&self.problem, &mut self.candidate, base, f64::INFINITY);
        found.then_some(&self.candidate)
    }

    /// Prepares what depends on the position only.
    fn set(&mut self, position: &Position, body: &[u16], food: u16) {
        self.problem.set(position, body, food);
        self.judge.set(&self.problem, self.foresight);
    }

    /// Begins with the walk along a certificate to the first food on it.
    fn walk(&mut self, position: &Position, body: &[u16], certificate: &Certificate, margin: f64) {
        let path = &mut self.candidate.path;
        path.clear();
        let mut food = body[body.len() - 1];
        while !position.is_food(Cell(food)) {
            food = certificate.next(food, position, path.len() + 1);
            path.push(food);
        }
        self.set(position, body, food);
        let found = self.judge.complete(
            &self.problem,
            &mut self.candidate,
            certificate,
            f64::INFINITY,
        );
        assert!(found, "the walk ends on the certificate");
        self.found.begin(&mut self.candidate, margin);
    }

    /// Varies the best path as long as that helps. A variation that comes up again is not judged
    /// again.
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
            variations.end(&found.best.path);
            std::mem::swap(candidate, &mut found.best);
            variations.begin(&found.best.path);
            judged.clear();
        }
        variations.end(&found.best.path);
    }
}
