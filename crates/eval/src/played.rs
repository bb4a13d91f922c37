//! The games of one policy.

use crate::Episode;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The games of one policy, ordered by index, and how long they took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Played {
    /// The games.
    pub episodes: Vec<Episode>,
    /// The indices of the games left out because the policy refused them, in order.
    pub refused: Vec<usize>,
    /// Why the policy refused the first of them; `None` if it refused none.
    pub refusal: Option<String>,
    /// The reason of the first forfeit; `None` if there was none.
    pub forfeit: Option<String>,
    /// Whether moves depend on the clock, so that games may differ on another machine.
    pub depends_on_clock: bool,
    /// For each length, the cost of the foods that a snake of that length ate.
    pub costs: Vec<Cost>,
    /// Time spent playing, including the rules but not setup, summed over threads.
    pub time: Duration,
    /// Time that policies and filters took to set up games, for example to solve tables, summed
    /// over threads.
    pub setup: Duration,
}

impl Played {
    /// Appends games of the same policy and rules that were played separately.
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

/// The cost of some foods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// The number of foods.
    pub foods: u64,
    /// The total steps.
    pub steps: u64,
    /// The sum of the squared steps.
    pub squares: u128,
}

impl Cost {
    /// Returns the cost of one food that took `steps` steps.
    pub fn of_food(steps: u32) -> Cost {
        Cost {
            foods: 1,
            steps: steps.into(),
            squares: u128::from(steps).pow(2),
        }
    }

    /// Adds the cost of other foods.
    pub fn add(&mut self, other: Cost) {
        self.foods += other.foods;
        self.steps += other.steps;
        self.squares += other.squares;
    }

    /// Returns the mean steps per food and their standard deviation (with n); `None` without food.
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
