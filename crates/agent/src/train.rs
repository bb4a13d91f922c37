//! The training loop: rounds, and between them evaluations, checkpoints and curves.

use crate::checkpoint::create_run;
use crate::error::TrainError;
use crate::recorder::Progress;
use crate::training::{Due, Training};
use crate::watcher::{Stop, Watcher};
use std::path::Path;

/// Trains until all steps are taken or the watcher interrupts: evaluates, keeps the best weights as
/// `policy.safetensors`, saves checkpoints, reports curves. The best of many noisy scores is too
/// high, and often not of the best weights. In the end the best few weights play other games, which
/// decide among them. The folder of the run is made, but only before training begins: one that is
/// moved away meanwhile is not made again.
///
/// # Errors
/// When a file can't be written, the agent can't play the selection games, or training diverges;
/// the last checkpoint stays.
pub fn train<T: Training>(
    trainer: &mut T,
    watcher: &mut impl Watcher<T>,
    run: &Path,
) -> Result<Stop, TrainError> {
    create_run(run)?;
    let mut loss = None;
    loop {
        let mut interrupted = watcher.interrupted();
        let (evaluate, save) = (
            trainer.is_due(Due::Evaluation),
            trainer.is_due(Due::Checkpoint),
        );
        if evaluate || save || interrupted {
            trainer.check()?;
        }
        if evaluate && !interrupted {
            match watcher.evaluate(&trainer.agent())? {
                Some(score) => trainer.take_score(score, run)?,
                None => interrupted = true,
            }
        }
        if trainer.is_finished() && !interrupted {
            let candidates = trainer.candidates(run)?;
            match watcher.choose(&candidates)? {
                Some(index) => trainer.choose(&candidates[index].1, run)?,
                None => interrupted = true,
            }
        }
        let stop = interrupted || trainer.is_finished();
        if stop || save {
            trainer.save(run)?;
            watcher.saved(trainer.step(), trainer.gradient_steps());
        }
        if stop {
            return Ok(if interrupted {
                Stop::Interrupted
            } else {
                Stop::Finished
            });
        }
        let gradient_step = trainer.round()?;
        if trainer.is_due(Due::Point) {
            trainer.record(gradient_step.as_ref(), watcher);
        }
        loss = gradient_step.as_ref().map(T::loss).or(loss);
        watcher.progress(Progress {
            step: trainer.step(),
            total: trainer.total_steps(),
            gradient_steps: trainer.gradient_steps(),
            loss,
            score: trainer.score(),
        });
    }
}
