//! What the training loop trains.

use crate::error::TrainError;
use crate::recorder::Recorder;
use hognose_store::StoreError;
use std::path::Path;

/// What training does at regular intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Games that choose the best weights.
    Evaluation,
    /// A checkpoint.
    Checkpoint,
    /// A point of every curve.
    Point,
}

/// Training that goes in rounds: what [`train`](crate::train) needs of it.
pub trait Training: Sized {
    /// What plays with the weights as they stand.
    type Agent;
    /// How well it played.
    type Score: Copy;
    /// What one gradient step did.
    type GradientStep;

    /// Trains on so many threads of its own. Results do not depend on them.
    ///
    /// # Errors
    /// When there are none, or they can't be started.
    fn with_threads(self, threads: usize) -> Result<Self, TrainError>;

    /// Goes on where a checkpoint was written, exactly.
    ///
    /// # Errors
    /// When the file is not a whole checkpoint of this training.
    fn restore(&mut self, checkpoint: &Path) -> Result<(), StoreError>;

    /// Environment steps over which schedules fall.
    fn schedule(&self) -> u64;

    /// Environment steps taken.
    fn step(&self) -> u64;

    /// Environment steps in all.
    fn total_steps(&self) -> u64;

    /// Gradient steps taken.
    fn gradient_steps(&self) -> u64;

    /// The last evaluation's score.
    fn score(&self) -> Option<Self::Score>;

    /// The step at which something happened last, and the steps between two times.
    fn interval(&self, what: Due) -> (u64, u64);

    /// The loss that the next gradient step will begin with; 0 if the next round takes none.
    fn next_loss(&self) -> f32;

    /// What plays with the weights as they stand.
    fn agent(&self) -> Self::Agent;

    /// Whether one score is better than another.
    fn is_better(one: &Self::Score, other: &Self::Score) -> bool;

    /// Takes the score of the weights as they stand, and writes them to the folder of the run if
    /// they are among the best.
    ///
    /// # Errors
    /// When they can't be written.
    fn take_score(&mut self, score: Self::Score, run: &Path) -> Result<(), StoreError>;

    /// Those that play with the best few weights so far, and the steps of these weights, best
    /// first.
    ///
    /// # Errors
    /// When they can't be read, or are none of this training.
    fn candidates(&self, run: &Path) -> Result<Vec<(u64, Self::Agent)>, StoreError>;

    /// Makes the weights of a candidate those of the run.
    ///
    /// # Errors
    /// When they can't be written.
    fn choose(&self, agent: &Self::Agent, run: &Path) -> Result<(), StoreError>;

    /// Writes a checkpoint into a run folder, which must be there, and removes old ones.
    ///
    /// # Errors
    /// When writing fails; earlier checkpoints are left whole then.
    fn save(&mut self, run: &Path) -> Result<(), StoreError>;

    /// One round: environment steps, and a gradient step once learning has started.
    ///
    /// # Errors
    /// When training diverges: then go on from a checkpoint.
    fn round(&mut self) -> Result<Option<Self::GradientStep>, TrainError>;

    /// The loss of a gradient step.
    fn loss(gradient_step: &Self::GradientStep) -> f64;

    /// A point of every curve, after a round with this gradient step.
    fn record(&mut self, gradient_step: Option<&Self::GradientStep>, recorder: &mut impl Recorder);

    /// Whether all steps are taken.
    fn is_finished(&self) -> bool {
        self.step() >= self.total_steps()
    }

    /// Whether something should happen at this step. The weights of the last step are always
    /// evaluated.
    fn is_due(&self, what: Due) -> bool {
        let (step, (last, every)) = (self.step(), self.interval(what));
        has_come_round(step, last, every)
            || what == Due::Evaluation && self.is_finished() && last < step
    }

    /// Fails if the next gradient step would find that training has diverged, before anything of it
    /// is written.
    ///
    /// # Errors
    /// When it would.
    fn check(&self) -> Result<(), TrainError> {
        let loss = self.next_loss();
        if loss.is_finite() {
            return Ok(());
        }
        let (step, gradient_steps) = (self.step(), self.gradient_steps());
        Err(TrainError::Diverged {
            step,
            gradient_steps,
            loss,
            gradient_norm: f32::NAN,
        })
    }
}

/// Whether a multiple of the interval lies after the last time, up to this step.
pub(crate) fn has_come_round(step: u64, last: u64, every: u64) -> bool {
    step / every > last / every
}
