//! The games of one policy.

use crate::Episode;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The games of one policy, in the order of their index, and how long they took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Played {
    /// The games.
    pub episodes: Vec<Episode>,
    /// The indices of the games that were left out because the policy refused them, in order.
    pub refused: Vec<usize>,
    /// Why the policy refused the first of them, in words; `None` if it refused none.
    pub refusal: Option<String>,
    /// Why the first of the forfeited games was given up, in words; `None` if none was.
    pub forfeit: Option<String>,
    /// Whether moves depended on how long they took, so that another machine may play other games.
    pub depends_on_clock: bool,
    /// For each length, what the foods cost that a snake of that length ate.
    pub costs: Vec<Cost>,
    /// Time spent playing (rules included, setting up excluded), summed over threads.
    pub time: Duration,
    /// Time that policies and filters took to set up the games, such as tables that they solve,
    /// summed over threads.
    pub setup: Duration,
}

impl Played {
    /// Adds games of the same policy and rules that were played elsewhere.
    pub fn append(&mut self, other: Played) {
        self.episodes.extend(other.episodes);
        self.refused.extend(other.refused);
        self.refusal = self.refusal.take().or(other.refusal);
        self.forfeit = self.forfeit.take().or(other.forfeit);
        self.depends_on_clock |= other.depends_on_clock;
        self.costs
            .iter_mut()
            .zip(other.costs)
            .for_each(|(cost, its)| cost.add(its));
        self.time += other.time;
        self.setup += other.setup;
    }
}

/// What some foods cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// How many foods.
    pub foods: u64,
    /// Steps for all of them.
    pub steps: u64,
    /// The squares of these numbers of steps, added up.
    pub squares: u128,
}

impl Cost {
    /// What one food cost that took so many steps.
    pub fn of_food(steps: u32) -> Cost {
        Cost {
            foods: 1,
            steps: steps.into(),
            squares: u128::from(steps).pow(2),
        }
    }

    /// Adds what other foods cost.
    pub fn add(&mut self, other: Cost) {
        self.foods += other.foods;
        self.steps += other.steps;
        self.squares += other.squares;
    }

    /// Steps a food, and their standard deviation (with n); `None` without food.
    pub fn mean_and_sd(&self) -> Option<(f64, f64)> {
        let n = self.foods as f64;
        let mean = self.steps as f64 / n;
        (self.foods > 0).then(|| {
            (
                mean,
                (self.squares as f64 / n - mean * mean).max(0.0).sqrt(),
            )
        })
    }
}
