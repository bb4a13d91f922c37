//! What every kind of training has: how far it is, and what the loop that trains needs of it.

use crate::config::check;
use crate::error::TrainError;
use crate::metric::Metric;
use crate::score::Score;
use hognose_store::StoreError;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How far training is. Checkpoints hold it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Environment steps taken.
    pub step: u64,
    /// Gradient steps taken.
    pub gradient_steps: u64,
    /// The environment step of the last selection games.
    pub evaluated_at: u64,
    /// The environment step of the last checkpoint.
    pub saved_at: u64,
    /// The environment step of the last point of the curves.
    pub logged_at: u64,
    /// How the last selection games went.
    #[serde(rename = "last_score")]
    pub score: Option<Score>,
    /// The environment steps of the best weights so far, with their scores, best first.
    pub candidates: Vec<(u64, Score)>,
    /// The loss of the last gradient step; `None` before the first one of this process.
    #[serde(skip)]
    pub loss: Option<f64>,
    /// Since the last point of the curves: sums over gradient steps, and their number.
    loss_sum: f64,
    gradient_norm_sum: f64,
    losses: u64,
}

impl Progress {
    /// Whether a multiple of an interval has been reached since the last time. Both are counted in
    /// environment steps.
    pub fn has_come_round(&self, last: u64, every: u64) -> bool {
        self.step / every > last / every
    }

    /// Counts a gradient step.
    pub fn count(&mut self, loss: f64, gradient_norm: f64) {
        self.gradient_steps += 1;
        self.loss = Some(loss);
        self.losses += 1;
        self.loss_sum += loss;
        self.gradient_norm_sum += gradient_norm;
    }

    /// Begins a point of the curves: the means over the gradient steps since the last one.
    pub fn log(&mut self) -> Vec<(Metric, f64)> {
        let losses = self.losses as f64;
        let means = [
            (Metric::Loss, self.loss_sum / losses),
            (Metric::GradientNorm, self.gradient_norm_sum / losses),
        ];
        self.logged_at = self.step;
        self.loss_sum = 0.0;
        self.gradient_norm_sum = 0.0;
        if std::mem::take(&mut self.losses) > 0 {
            means.to_vec()
        } else {
            Vec::new()
        }
    }

    /// Fails if the loss that the next gradient step would begin with is no number.
    ///
    /// # Errors
    /// When training has diverged.
    pub fn check(&self, next_loss: f32) -> Result<(), TrainError> {
        if next_loss.is_finite() {
            return Ok(());
        }
        Err(self.diverged(next_loss, f32::NAN))
    }

    /// The error of a gradient step after which the weights would not be numbers.
    pub fn diverged(&self, loss: f32, gradient_norm: f32) -> TrainError {
        TrainError::Diverged {
            step: self.step,
            gradient_steps: self.gradient_steps,
            loss,
            gradient_norm,
        }
    }

    /// Whether there is room to count on, and nothing happened ahead of the last step.
    pub fn is_sound(&self) -> bool {
        let events = [self.evaluated_at, self.saved_at, self.logged_at];
        let counts = [self.step, self.gradient_steps];
        events.iter().all(|&at| at <= self.step) && counts.iter().all(|&count| count < 1 << 62)
    }
}

/// A point of every curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    /// The curves that have a value now.
    pub points: Vec<(Metric, f64)>,
    /// What the network says of each item of a batch, if there is one.
    pub histogram: Option<(Metric, Vec<f32>)>,
}

/// Training that goes in rounds: what a loop needs of it that plays selection games, writes
/// checkpoints and draws curves.
pub trait Training {
    /// What plays with the weights as they stand.
    type Agent;

    /// How far it is.
    fn progress(&mut self) -> &mut Progress;

    /// One round: environment steps, and a gradient step once learning has started.
    ///
    /// # Errors
    /// When training diverges: then go on from a checkpoint.
    fn round(&mut self) -> Result<(), TrainError>;

    /// A point of every curve after the last round.
    fn curves(&mut self) -> Curves;

    /// Fails if the next gradient step would find that training has diverged, before anything of it
    /// is written.
    ///
    /// # Errors
    /// When it would.
    fn check(&self) -> Result<(), TrainError>;

    /// What plays with the weights as they stand.
    fn agent(&self) -> Self::Agent;

    /// Writes what plays with the weights as they stand.
    ///
    /// # Errors
    /// When writing fails.
    fn save_agent(&self, path: &Path) -> Result<(), StoreError>;

    /// Reads an agent that was written by this training.
    ///
    /// # Errors
    /// When it can't be read, or is none of this training.
    fn load_agent(&self, path: &Path) -> Result<Self::Agent, StoreError>;

    /// Writes a checkpoint.
    ///
    /// # Errors
    /// When writing fails.
    fn save(&self, path: &Path) -> Result<(), StoreError>;

    /// Goes on where a checkpoint was written, exactly.
    ///
    /// # Errors
    /// When the file is not a whole checkpoint of this training.
    fn restore(&mut self, path: &Path) -> Result<(), StoreError>;
}

/// Threads for training. Results do not depend on their number.
///
/// # Errors
/// When there are none, or they can't be started.
pub fn start_threads(threads: usize) -> Result<rayon::ThreadPool, TrainError> {
    check(threads > 0, "the number of threads", "at least 1", &threads)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| TrainError::Threads {
        threads,
        reason: error.to_string(),
    })
}
