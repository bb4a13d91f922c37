//! The training loop: rounds, and between them evaluations, checkpoints and curves.

use crate::checkpoint::CheckpointError;
use crate::error::TrainError;
use crate::learner::GradientStep;
use crate::network::QNetwork;
use crate::policy::save_policy;
use crate::recorder::{Metric, Progress, Score, Stop, Watcher};
use crate::trainer::{Counters, Trainer};
use hognose_env::EpisodeStats;
use std::path::Path;

/// Trains until all steps are taken or the watcher interrupts: evaluates, keeps the best weights as
/// `policy.safetensors`, saves checkpoints, reports curves.
///
/// # Errors
/// When a file can't be written, the agent can't play the selection games, or training diverges; the last checkpoint
/// stays.
pub fn train<N: QNetwork>(
    trainer: &mut Trainer<N>,
    watcher: &mut impl Watcher<N>,
    run: &Path,
) -> Result<Stop, TrainError> {
    let mut progress = Progress { total: trainer.config.total_steps, ..Progress::default() };
    loop {
        let step = trainer.step();
        let last = trainer.counters.evaluated_at;
        let evaluate = is_due(step, last, trainer.config.evaluate_every) || trainer.finished() && last < step;
        let mut interrupted = watcher.interrupted();
        let save = is_due(step, trainer.counters.saved_at, trainer.config.checkpoint_every);
        if evaluate || save || interrupted {
            trainer.check()?;
        }
        if evaluate && !interrupted {
            match watcher.evaluate(&trainer.agent())? {
                Some(score) => trainer.take_score(score, watcher, run)?,
                None => interrupted = true,
            }
        }
        let stop = interrupted || trainer.finished();
        if stop || save {
            trainer.save(run)?;
            watcher.saved(step, trainer.gradient_steps());
        }
        if stop {
            return Ok(if interrupted { Stop::Interrupted } else { Stop::Finished });
        }
        let gradient_step = trainer.round()?;
        if is_due(trainer.step(), trainer.counters.logged_at, trainer.config.log_every) {
            trainer.log(gradient_step.as_ref(), watcher);
        }
        (progress.step, progress.gradient_steps) = (trainer.step(), trainer.gradient_steps());
        progress.loss = gradient_step.map(|done| done.loss).or(progress.loss);
        progress.score = trainer.score();
        watcher.progress(progress);
    }
}

/// Whether a multiple of the interval lies after the last time, up to this step.
fn is_due(step: u64, last: u64, every: u64) -> bool {
    step / every > last / every
}

impl<N: QNetwork> Trainer<N> {
    /// Fails if the next gradient step would find that training has diverged, before anything of it is written.
    fn check(&self) -> Result<(), TrainError> {
        let loss = self.batch.as_ref().map_or(0.0, |batch| self.learner.loss_on(batch, &self.device));
        if loss.is_finite() {
            return Ok(());
        }
        let Counters { step, gradient_steps, .. } = self.counters;
        Err(TrainError::Diverged { step, gradient_steps, loss, gradient_norm: f32::NAN })
    }

    fn take_score(&mut self, score: Score, watcher: &mut impl Watcher<N>, run: &Path) -> Result<(), CheckpointError> {
        let step = self.counters.step;
        watcher.record(step, Metric::WinRate, score.win_rate);
        watcher.record(step, Metric::MeanLength, score.mean_length);
        if let Some(steps) = score.mean_steps_won {
            watcher.record(step, Metric::MeanStepsWon, steps);
        }
        self.counters.evaluated_at = step;
        self.counters.last_score = Some(score);
        if self.counters.best_score.is_none_or(|best| score.is_better_than(&best)) {
            save_policy(&run.join("policy.safetensors"), &self.agent(), &self.description)?;
            self.counters.best_score = Some(score);
        }
        Ok(())
    }

    /// A point of every curve.
    fn log(&mut self, gradient_step: Option<&GradientStep>, watcher: &mut impl Watcher<N>) {
        let counters = &mut self.counters;
        let step = counters.step;
        counters.logged_at = step;
        watcher.point(step, counters.gradient_steps);
        let mut record = |metric, value: f64| watcher.record(step, metric, value);
        let mean = |of: &dyn Fn(&EpisodeStats) -> f64| {
            counters.episodes.iter().map(of).sum::<f64>() / counters.episodes.len() as f64
        };
        if !counters.episodes.is_empty() {
            record(Metric::EpisodeReward, mean(&|episode| episode.reward));
            record(Metric::EpisodeSteps, mean(&|episode| episode.steps.into()));
        }
        record(Metric::Epsilon, self.config.epsilon_at(step));
        record(Metric::BufferSize, self.actor.replay.len() as f64);
        record(Metric::LearningRate, self.config.learning_rate_at(step));
        if counters.losses > 0 {
            record(Metric::Loss, counters.loss_sum / counters.losses as f64);
            record(Metric::GradientNorm, counters.gradient_norm_sum / counters.losses as f64);
        }
        if let Some(GradientStep { q_values, td_abs, .. }) = gradient_step {
            let mean = |values: &[f32]| values.iter().map(|&x| f64::from(x)).sum::<f64>() / values.len() as f64;
            record(Metric::QMean, mean(q_values));
            record(Metric::TdAbsMean, mean(td_abs));
            watcher.record_q_values(step, q_values);
        }
        (counters.loss_sum, counters.gradient_norm_sum, counters.losses) = (0.0, 0.0, 0);
    }
}
