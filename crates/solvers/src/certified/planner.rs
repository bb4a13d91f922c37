//! The search for plans: ways to the food that end on a certificate.

use super::arrivals::Arrivals;
use super::candidate::{Candidate, Found};
use super::certificate::Certificate;
use super::certify::Certifier;
use super::costs::Judge;
use super::problem::Problem;
use super::variations::Variations;
use crate::grid::Grid;
use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Cell, Position};
use std::collections::HashSet;

/// How many variations are drawn at most for one that may fail.
const DRAWS: usize = 2;

/// On boards of more cells than these, variations of the walk along the certificate find as good a plan as variations of
/// a path that arrives at a given step, and they find it sooner. Plans to choose from come from both on every board.
const LARGE: usize = 200;

const WAYS_TO_FOOD: Purpose = Purpose::new("ways to the food");

/// Searches for plans that eat soon and leave the snake well placed.
///
/// Nothing random happens before the food is eaten, so a plan is a path to the food and a certificate for the body
/// after it. The search starts from the walk along the certificate at hand. On boards that are not large, it looks next
/// for paths that arrive after a fixed number of steps ([`Arrivals`]). Then it varies the best path ([`Variations`]), as
/// long as the body after eating has a certificate and the cost does not grow ([`Costs`](super::costs::Costs)).
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
}

impl Planner {
    /// Keeps the plans that cost up to `margin` more than the best one, if that is not 0.
    pub(crate) fn new(grid: Grid, margin: f64) -> Planner {
        let (area, certificate) = (grid.area(), Certificate::first(&grid));
        Planner {
            judge: Judge::new(grid.clone()),
            problem: Problem::new(grid),
            arrivals: Arrivals::new(area, certificate.clone()),
            variations: Variations::new(area),
            found: Found::new(certificate.clone(), margin),
            candidate: Candidate::new(certificate),
            judged: HashSet::new(),
        }
    }

    pub(crate) fn grid(&self) -> &Grid {
        &self.problem.grid
    }

    pub(crate) fn certifier(&mut self) -> &mut Certifier {
        &mut self.judge.certifier
    }

    /// The best plan that was found. The body, which `certificate` holds, is given from tail to head; food must lie
    /// somewhere. Of several foods the plan is for the one that the certificate meets first. The search ends when
    /// `effort` different variations in a row gain nothing, or when twice as many were drawn.
    pub(crate) fn plan(
        &mut self,
        position: &Position,
        body: &[u16],
        effort: usize,
        certificate: &Certificate,
        draws: &mut Generator,
    ) -> &Candidate {
        self.walk(position, body, certificate);
        // A walk that comes by the food and has to come again visits cells twice, which the search does not.
        if effort > 0 && self.found.best.path.len() <= certificate.cells().len() {
            if self.problem.grid.area() <= LARGE || self.found.keeps_others() {
                self.arrivals.search(&self.problem, &mut self.judge, certificate, effort, &mut self.found);
            }
            self.improve(effort, draws);
        }
        &self.found.best
    }

    /// Takes the plans that the last search kept, each ending in another body, the best first.
    pub(crate) fn take_kept(&mut self) -> Vec<Candidate> {
        self.found.take_kept()
    }

    /// The first plan that is found among some random shortest paths to a food, with a certificate near to `base`.
    /// Nothing need hold the body, which is given from tail to head.
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
            if !self.variations.shortest(&self.problem, &mut self.candidate.path, &mut draws) {
                return None;
            }
            if self.judge.complete(&self.problem, &mut self.candidate, base, f64::INFINITY) {
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
        let found = self.judge.complete(&self.problem, &mut self.candidate, base, f64::INFINITY);
        found.then_some(&self.candidate)
    }

    /// Prepares what depends on the position only.
    fn set(&mut self, position: &Position, body: &[u16], food: u16) {
        self.problem.set(position, body, food);
        self.judge.set(&self.problem);
    }

    /// Begins with the walk along a certificate to the first food on it.
    fn walk(&mut self, position: &Position, body: &[u16], certificate: &Certificate) {
        let path = &mut self.candidate.path;
        path.clear();
        let mut food = body[body.len() - 1];
        while !position.is_food(Cell(food)) {
            food = certificate.next(food, position, path.len() + 1);
            path.push(food);
        }
        self.set(position, body, food);
        let found = self.judge.complete(&self.problem, &mut self.candidate, certificate, f64::INFINITY);
        assert!(found, "the walk ends on the certificate");
        self.found.begin(&mut self.candidate);
    }

    /// Varies the best path as long as that helps. A variation that comes up again is not judged again.
    fn improve(&mut self, effort: usize, draws: &mut Generator) {
        let Planner { problem, judge, variations, found, candidate, judged, .. } = self;
        variations.begin(&found.best.path);
        judged.clear();
        let (mut failed, mut drawn) = (0, 0);
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
