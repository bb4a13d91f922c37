//! The interface between trainers and the training loop.

use crate::config::check;
use crate::error::TrainError;
use crate::metric::Metric;
use crate::score::Score;
use hognose_store::StoreError;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The progress of training, as stored in checkpoints.
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
    /// The score of the last selection games.
    #[serde(rename = "last_score")]
    pub score: Option<Score>,
    /// The environment steps of the best weights so far, with their scores, best first.
    pub candidates: Vec<(u64, Score)>,
    /// The loss of the last gradient step; `None` before the first one of this process.
    #[serde(skip)]
    pub loss: Option<f64>,
    /// Sums over the gradient steps since the last point of the curves, and their number.
    loss_sum: f64,
    gradient_norm_sum: f64,
    losses: u64,
}

impl Progress {
    /// Returns whether `step` has reached the next multiple of `every` after `last`, in environment
    /// steps.
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

    /// Starts a new point of the curves and returns the means over the gradient steps since the
    /// last.
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

    /// Checks that the loss of the next gradient step is finite.
    ///
    /// # Errors
    /// Fails if training has diverged.
    pub fn check(&self, next_loss: f32) -> Result<(), TrainError> {
        if next_loss.is_finite() {
            return Ok(());
        }
        Err(self.diverged(next_loss, f32::NAN))
    }

    /// Returns the error of a gradient step that would make the weights non-finite.
    pub fn diverged(&self, loss: f32, gradient_norm: f32) -> TrainError {
        TrainError::Diverged {
            step: self.step,
            gradient_steps: self.gradient_steps,
            loss,
            gradient_norm,
        }
    }

    /// Returns whether the counters leave room to count on and no event lies after the last step.
    pub fn is_sound(&self) -> bool {
        let events = [self.evaluated_at, self.saved_at, self.logged_at];
        let counts = [self.step, self.gradient_steps];
        events.iter().all(|&at| at <= self.step) && counts.iter().all(|&count| count < 1 << 62)
    }
}

/// One point of every curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    /// The curves that have a value now.
    pub points: Vec<(Metric, f64)>,
    /// The network's output for each item of a batch, if there is one.
    pub histogram: Option<(Metric, Vec<f32>)>,
}

/// Training in rounds, as the loop sees it that plays selection games, writes checkpoints and draws
/// curves.
pub trait Training {
    /// The type that plays with the trained weights.
    type Agent;

    /// Returns the progress of training.
    fn progress(&mut self) -> &mut Progress;

    /// Runs one round: environment steps, and a gradient step once learning has started.
    ///
    /// # Errors
    /// Fails if training diverges; then resume from a checkpoint.
    fn round(&mut self) -> Result<(), TrainError>;

    /// Returns a point of every curve after the last round.
    fn curves(&mut self) -> Curves;

    /// Checks, before anything is written, that the next gradient step would not find that training
    /// has diverged.
    ///
    /// # Errors
    /// Fails if it would.
    fn check(&self) -> Result<(), TrainError>;

    /// Returns an agent with the current weights.
    fn agent(&self) -> Self::Agent;

    /// Writes a policy file with the current weights.
    ///
    /// # Errors
    /// Fails if writing fails.
    fn save_agent(&self, path: &Path) -> Result<(), StoreError>;

    /// Reads an agent that this training wrote.
    ///
    /// # Errors
    /// Fails if it can't be read or belongs to another training.
    fn load_agent(&self, path: &Path) -> Result<Self::Agent, StoreError>;

    /// Writes a checkpoint.
    ///
    /// # Errors
    /// Fails if writing fails.
    fn save(&self, path: &Path) -> Result<(), StoreError>;

    /// Resumes exactly from a checkpoint.
    ///
    /// # Errors
    /// Fails if the file is not a complete checkpoint of this training.
    fn restore(&mut self, path: &Path) -> Result<(), StoreError>;
}

/// Starts threads for training. Results do not depend on their number.
///
/// # Errors
/// Fails if `threads` is 0 or the threads can't be started.
pub fn start_threads(threads: usize) -> Result<rayon::ThreadPool, TrainError> {
    check(threads > 0, "the number of threads", "at least 1", &threads)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| TrainError::Threads {
        threads,
        reason: error.to_string(),
    })
}
