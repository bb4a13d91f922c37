//! Random variations of a path.

use super::flood::Flood;
use super::problem::Problem;
use crate::grid::NONE;
use hognose_game::rng::{self, Generator};

/// A generator of path variations: it replaces a random section by a shortest path through cells
/// that the moving body will have left, or makes a detour around a square.
#[derive(Clone, Debug)]
pub(crate) struct Variations {
    /// The step at which the varied path enters each cell; 0 if it does not.
    entered: Vec<u16>,
    flood: Flood,
}

impl Variations {
    pub(crate) fn new(area: usize) -> Variations {
        Variations {
            entered: vec![0; area],
            flood: Flood::new(area),
        }
    }

    /// Starts to vary a path, given from the cell after the head.
    pub(crate) fn begin(&mut self, path: &[u16]) {
        self.entered.fill(0);
        for (step, &cell) in (1..).zip(path) {
            self.entered[usize::from(cell)] = step;
        }
    }

    /// Writes a variation of the path to `varied`. Returns `false` if it finds none.
    pub(crate) fn vary(
        &mut self,
        problem: &Problem,
        path: &[u16],
        varied: &mut Vec<u16>,
        draws: &mut Generator,
    ) -> bool {
        let length = path.len();
        let from = rng::below(draws, length as u64 - 1) as usize;
        let found = if rng::below(draws, 5) < 2 {
            self.detour(problem, path, from, varied, draws)
        } else {
            // A sixth of the sections begin at the head, a sixth end at the food.
            let from = if rng::below(draws, 6) == 0 { 0 } else { from };
            let to = from + 2 + rng::below(draws, (length - from - 1) as u64) as usize;
            let to = if rng::below(draws, 6) == 0 {
                length
            } else {
                to
            };
            self.section(problem, path, [from, to], varied, draws)
        };
        // The cells after the section are entered sooner or later than before.
        found
            && (1..)
                .zip(&*varied)
                .all(|(step, &cell)| problem.is_free(cell, step))
    }

    /// Replaces one step of the path by the other three sides of a square.
    fn detour(
        &self,
        problem: &Problem,
        path: &[u16],
        from: usize,
        varied: &mut Vec<u16>,
        draws: &mut Generator,
    ) -> bool {
        let cell = after_steps(problem, path, from);
        let next = after_steps(problem, path, from + 1);
        let across =
            (problem.grid.side(cell, next) + if rng::below(draws, 2) == 0 { 1 } else { 3 }) % 4;
        let corners = [
            problem.grid.neighbors(cell)[across],
            problem.grid.neighbors(next)[across],
        ];
        if problem.turns_back(from + 1, corners[0])
            || corners
                .into_iter()
                .any(|corner: u16| corner == NONE || self.entered[usize::from(corner)] != 0)
        {
            return false;
        }
        varied.clear();
        varied.extend_from_slice(&path[..from]);
        varied.extend(corners);
        varied.extend_from_slice(&path[from..]);
        true
    }

    /// Replaces a section of the path by a different shortest path that is no longer.
    fn section(
        &mut self,
        problem: &Problem,
        path: &[u16],
        [from, to]: [usize; 2],
        varied: &mut Vec<u16>,
        draws: &mut Generator,
    ) -> bool {
        let goal = after_steps(problem, path, to);
        if !self.flood(problem, path, [from, to], goal) {
            return false;
        }
        varied.clear();
        varied.extend_from_slice(&path[..from]);
        self.extend_to(problem, goal, varied, draws);
        varied.extend_from_slice(&path[to..]);
        varied != path
    }

    /// Writes a random shortest path to the food to `path`. Returns `false` if there is none.
    pub(crate) fn shortest(
        &mut self,
        problem: &Problem,
        path: &mut Vec<u16>,
        draws: &mut Generator,
    ) -> bool {
        self.begin(&[]);
        path.clear();
        let found = self.flood(problem, &[], [0, problem.grid.area()], problem.food);
        if found {
            self.extend_to(problem, problem.food, path, draws);
        }
        found
    }

    /// Searches for `goal` to replace the part of a path between two of its steps: through cells
    /// that the body has left by then and that the rest of the path does not enter, in no more
    /// steps.
    fn flood(
        &mut self,
        problem: &Problem,
        path: &[u16],
        [from, to]: [usize; 2],
        goal: u16,
    ) -> bool {
        self.flood.begin(after_steps(problem, path, from));
        while let Some((cell, steps)) = self.flood.next() {
            if cell == goal {
                return true;
            }
            let steps = steps + 1;
            let step = from + usize::from(steps);
            for other in problem.grid.neighbors(cell) {
                if other == NONE || self.flood.steps(other).is_some() {
                    continue;
                }
                let entered = usize::from(self.entered[usize::from(other)]);
                let crosses = entered != 0 && (entered <= from || entered > to);
                let too_far = step + problem.grid.distance(other, goal) > to;
                if !crosses
                    && !too_far
                    && (other != problem.food || goal == problem.food)
                    && problem.is_free(other, step)
                    && !problem.turns_back(step, other)
                {
                    self.flood.reach(other, steps);
                }
            }
        }
        false
    }

    /// Extends a path to the goal that was found, by a random shortest path back from the goal.
    fn extend_to(&self, problem: &Problem, goal: u16, path: &mut Vec<u16>, draws: &mut Generator) {
        let shortest = self.flood.steps(goal).expect("the search found the goal");
        let from = path.len();
        path.resize(from + usize::from(shortest), goal);
        let mut cell = goal;
        for steps in (1..shortest).rev() {
            let turn = rng::below(draws, 4) as usize;
            let around = problem.grid.neighbors(cell);
            let mut ways = (0..4).map(|side| around[(side + turn) % 4]);
            let on_the_way =
                |&before: &u16| before != NONE && self.flood.steps(before) == Some(steps);
            cell = ways
                .find(on_the_way)
                .expect("a reached cell has a predecessor");
            path[from + usize::from(steps) - 1] = cell;
        }
    }
}

/// Returns the cell of the head after some steps of a path.
fn after_steps(problem: &Problem, path: &[u16], steps: usize) -> u16 {
    if steps == 0 {
        problem.head()
    } else {
        path[steps - 1]
    }
}
