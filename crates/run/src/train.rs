//! The training loop: rounds, interleaved with selection games, checkpoints and curves.

use crate::error::RunError;
use crate::events::EventFile;
use crate::experiment::{Experiment, Intervals};
use crate::manifest::{Clock, Manifest};
use crate::observer::{Observer, Rates};
use crate::selection::{Round, Selection};
use crate::{files, folder};
use hognose_agent::{Metric, Progress, Score, Training};
use hognose_game::Unsupported;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

/// The number of candidates that play the last round of the selection games.
const CANDIDATES: usize = 3;

/// Why training returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All steps are taken.
    Finished,
    /// The observer stopped it; everything is saved.
    Interrupted,
}

/// Trains until all steps are taken or the observer stops it. `select` plays a round of the
/// selection games and returns `None` if the observer stops them.
pub(crate) fn train<T: Training>(
    trainer: &mut T,
    experiment: &Experiment,
    recording: &mut Recording<'_>,
    select: impl Fn(
        &T::Agent,
        Round,
        &dyn Fn() -> ControlFlow<()>,
    ) -> Result<Option<Selection>, Unsupported>,
) -> Result<Stop, RunError> {
    let total_steps = experiment.total_steps();
    let every = experiment.intervals();
    loop {
        let progress = trainer.progress();
        let finished = progress.step >= total_steps;
        let evaluates = progress.has_come_round(progress.evaluated_at, every.evaluate)
            || finished && progress.evaluated_at < progress.step;
        let saves = progress.has_come_round(progress.saved_at, every.checkpoint);
        let mut interrupted = recording.go_on().is_break();
        if evaluates || saves || interrupted {
            trainer.check()?;
        }
        if evaluates && !interrupted {
            match select(&trainer.agent(), Round::First, &|| recording.go_on()).map_err(refused)? {
                Some(selection) => recording.evaluated(trainer, &selection)?,
                None => interrupted = true,
            }
        }
        if finished && !interrupted {
            interrupted = !recording.choose(trainer, &select)?;
        }
        if saves || finished || interrupted {
            recording.save(trainer, &every)?;
        }
        if interrupted {
            return Ok(Stop::Interrupted);
        }
        if finished {
            return Ok(Stop::Finished);
        }
        trainer.round()?;
        recording.round(trainer, &every);
    }
}

fn refused(refusal: Unsupported) -> RunError {
    RunError::Train(refusal.into())
}

/// The files that a run writes during training, and its observer.
pub(crate) struct Recording<'a> {
    observer: &'a mut dyn Observer,
    run: &'a Path,
    events: EventFile,
    manifest: Manifest,
    clock: Clock,
    /// When rates were last measured, and the environment steps and gradient steps at that time.
    measured: (Instant, [u64; 2]),
    rates: Rates,
    /// Whether the observer was warned that the curves can't be written.
    warned: bool,
}

impl<'a> Recording<'a> {
    pub(crate) fn new(
        observer: &'a mut dyn Observer,
        run: &'a Path,
        events: EventFile,
        manifest: Manifest,
        started: &Progress,
    ) -> Recording<'a> {
        observer.started(started);
        Recording {
            observer,
            run,
            events,
            manifest,
            clock: Clock::start(),
            measured: (Instant::now(), [started.step, started.gradient_steps]),
            rates: Rates::default(),
            warned: false,
        }
    }

    /// Returns whether the observer lets training continue.
    fn go_on(&self) -> ControlFlow<()> {
        if self.observer.goes_on() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    /// Records the score of the current weights, and saves them if they are among the best.
    fn evaluated<T: Training>(
        &mut self,
        trainer: &mut T,
        selection: &Selection,
    ) -> Result<(), RunError> {
        let progress = trainer.progress();
        let step = progress.step;
        for (tag, value) in selection.curves() {
            self.events.scalar(step, &tag, value);
        }
        self.observer.selected(step, Round::First, selection);
        progress.evaluated_at = step;
        progress.score = Some(selection.score);
        let candidates = progress.candidates.iter();
        let place = candidates
            .take_while(|(_, other)| !selection.score.is_better_than(other))
            .count();
        if place == CANDIDATES {
            return Ok(());
        }
        progress.candidates.insert(place, (step, selection.score));
        progress.candidates.truncate(CANDIDATES);
        let path = folder::candidate(self.run, step);
        folder::make_room(&path)?;
        trainer.save_agent(&path)?;
        if place == 0 {
            self.make_policy(step)?;
        }
        Ok(())
    }

    /// Makes the weights of a candidate the best weights of the run.
    fn make_policy(&self, step: u64) -> Result<(), RunError> {
        let weights = files::read_bytes(&folder::candidate(self.run, step))?;
        files::write(&folder::policy(self.run), weights)
    }

    /// Plays the last round of the selection games with the best few weights, and keeps the best of
    /// them as the run's weights. Returns whether the games were played to the end.
    fn choose<T: Training>(
        &mut self,
        trainer: &mut T,
        select: impl Fn(
            &T::Agent,
            Round,
            &dyn Fn() -> ControlFlow<()>,
        ) -> Result<Option<Selection>, Unsupported>,
    ) -> Result<bool, RunError> {
        let candidates = trainer.progress().candidates.clone();
        if candidates.len() < 2 {
            return Ok(true);
        }
        let mut best: Option<(u64, Score)> = None;
        for (step, _) in candidates {
            let agent = trainer.load_agent(&folder::candidate(self.run, step))?;
            let Some(selection) = select(&agent, Round::Last, &|| self.go_on()).map_err(refused)?
            else {
                return Ok(false);
            };
            self.observer.selected(step, Round::Last, &selection);
            if best.is_none_or(|(_, best)| selection.score.is_better_than(&best)) {
                best = Some((step, selection.score));
            }
        }
        if let Some((step, _)) = best {
            self.make_policy(step)?;
        }
        Ok(true)
    }

    /// Writes a checkpoint, and everything recorded so far.
    fn save<T: Training>(&mut self, trainer: &mut T, every: &Intervals) -> Result<(), RunError> {
        let progress = trainer.progress();
        progress.saved_at = progress.step;
        self.manifest.environment_steps = progress.step;
        self.manifest.gradient_steps = progress.gradient_steps;
        let best: Vec<u64> = progress.candidates.iter().map(|(step, _)| *step).collect();
        let path = folder::checkpoint(self.run, progress.step);
        folder::make_room(&path)?;
        trainer.save(&path)?;
        folder::prune(self.run, every.kept, &best)?;
        let synced = self.events.sync();
        self.warn_once(synced);
        self.clock.add_to(&mut self.manifest);
        if let Err(error) = self.manifest.write(self.run) {
            self.observer
                .warned(&format!("the manifest is out of date: {error}"));
        }
        Ok(())
    }

    /// Writes the curves if they are due, and reports progress.
    fn round<T: Training>(&mut self, trainer: &mut T, every: &Intervals) {
        let progress = trainer.progress();
        if progress.has_come_round(progress.logged_at, every.log) {
            let step = progress.step;
            self.measure(progress);
            let curves = trainer.curves();
            let rates = [
                (Metric::StepsPerSecond, self.rates.steps),
                (Metric::GradientStepsPerSecond, self.rates.gradient_steps),
            ];
            for (metric, value) in curves.points.into_iter().chain(rates) {
                self.events.scalar(step, metric.name(), value);
            }
            if let Some((metric, values)) = curves.histogram {
                self.events.histogram(step, metric.name(), &values);
            }
            let flushed = self.events.flush();
            self.warn_once(flushed);
        }
        self.observer.progress(trainer.progress(), self.rates);
    }

    fn measure(&mut self, progress: &Progress) {
        let now = (Instant::now(), [progress.step, progress.gradient_steps]);
        let seconds = (now.0 - self.measured.0).as_secs_f64().max(1e-9);
        self.rates = Rates {
            steps: (now.1[0] - self.measured.1[0]) as f64 / seconds,
            gradient_steps: (now.1[1] - self.measured.1[1]) as f64 / seconds,
        };
        self.measured = now;
    }

    /// Marks the curves as those of a finished run.
    pub(crate) fn end(&mut self, step: u64) {
        self.events.session_end(step);
    }

    /// Writes the rest of the curves.
    pub(crate) fn finish(mut self) {
        if let Err(error) = self.events.sync() {
            self.observer
                .warned(&format!("the curves are incomplete: {error}"));
        }
    }

    fn warn_once(&mut self, written: io::Result<()>) {
        if let Err(error) = written
            && !self.warned
        {
            self.warned = true;
            self.observer.warned(&format!(
                "the curves can't be written now and are kept in memory: {error}"
            ));
        }
    }
}
