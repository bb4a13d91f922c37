//! What a run takes down while it trains: curves, the manifest, and how the selection games ended.

use crate::events::EventFile;
use crate::manifest::{Clock, Manifest};
use crate::observer::{Observer, ProgressOf, Rates, ScoreOf};
use crate::subject::{Players, Round, Scored, Subject};
use hognose_agent::{Metric, Recorder, Training, Watcher};
use hognose_game::Unsupported;
use std::io;
use std::path::Path;
use std::time::Instant;

/// Joins the trainer's reports with files and the observer.
pub(crate) struct Recording<'a, S: Subject, O> {
    pub(crate) observer: &'a mut O,
    pub(crate) events: EventFile,
    folder: &'a Path,
    manifest: Manifest<S::Results>,
    experiment: &'a S,
    players: &'a Players,
    threads: usize,
    clock: Clock,
    /// When rates were told last, and the environment steps and gradient steps then.
    looked: (Instant, [u64; 2]),
    rates: Rates,
    step: u64,
    /// The score of the last selection games.
    reported: Option<ScoreOf<S>>,
    /// Whether the observer has heard that the curves can't be written.
    warned: bool,
}

impl<'a, S: Subject, O: Observer<S>> Recording<'a, S, O> {
    pub(crate) fn new(
        observer: &'a mut O,
        events: EventFile,
        folder: &'a Path,
        manifest: Manifest<S::Results>,
        (experiment, players, threads): (&'a S, &'a Players, usize),
        started: &ProgressOf<S>,
    ) -> Recording<'a, S, O> {
        let looked = (Instant::now(), [started.step, started.gradient_steps]);
        Recording {
            observer,
            events,
            folder,
            manifest,
            experiment,
            players,
            threads,
            clock: Clock::start(),
            looked,
            rates: Rates::default(),
            step: started.step,
            reported: started.score,
            warned: false,
        }
    }

    /// Writes what is left of the curves.
    pub(crate) fn finish(&mut self) {
        if let Err(error) = self.events.sync() {
            self.observer
                .warned(&format!("the curves are incomplete: {error}"));
        }
    }

    /// Plays a round of the selection games; `None` when interrupted.
    fn select(
        &self,
        agent: &<S::Trainer as Training>::Agent,
        round: Round,
    ) -> Result<Option<Scored<S>>, Unsupported> {
        self.experiment
            .select(agent, round, self.players, self.threads, &|| {
                self.observer.goes_on()
            })
    }

    fn warn_once(&mut self, written: io::Result<()>) {
        if let Err(error) = written
            && !self.warned
        {
            self.warned = true;
            self.observer.warned(&format!(
                "the curves can't be written now, and wait until they can: {error}"
            ));
        }
    }
}

impl<S: Subject, O: Observer<S>> Recorder for Recording<'_, S, O> {
    fn point(&mut self, step: u64, gradient_steps: u64) {
        let (looked, before) =
            std::mem::replace(&mut self.looked, (Instant::now(), [step, gradient_steps]));
        let seconds = looked.elapsed().as_secs_f64().max(1e-9);
        let [steps, gradient_steps] =
            [step - before[0], gradient_steps - before[1]].map(|steps| steps as f64 / seconds);
        self.rates = Rates {
            steps,
            gradient_steps,
        };
        self.record(step, Metric::StepsPerSecond, steps);
        self.record(step, Metric::GradientStepsPerSecond, gradient_steps);
    }

    fn record(&mut self, step: u64, metric: Metric, value: f64) {
        self.events.scalar(step, metric.name(), value);
    }

    fn record_values(&mut self, step: u64, values: &[f32]) {
        self.events.histogram(step, S::VALUES, values);
        let flushed = self.events.flush();
        self.warn_once(flushed);
    }
}

impl<S: Subject, O: Observer<S>> Watcher<S::Trainer> for Recording<'_, S, O> {
    fn evaluate(
        &mut self,
        agent: &<S::Trainer as Training>::Agent,
    ) -> Result<Option<<S::Trainer as Training>::Score>, Unsupported> {
        let Some((score, selected)) = self.select(agent, Round::First)? else {
            return Ok(None);
        };
        let reported = S::reported(score, &selected);
        self.reported = Some(reported);
        for (tag, value) in S::curves(&reported, &selected) {
            self.events.scalar(self.step, &tag, value);
        }
        self.observer.selected(self.step, reported, &selected);
        Ok(Some(score))
    }

    fn choose(
        &mut self,
        candidates: &[(u64, <S::Trainer as Training>::Agent)],
    ) -> Result<Option<usize>, Unsupported> {
        if candidates.len() < 2 {
            return Ok(Some(0));
        }
        let mut best = None;
        for (index, (step, agent)) in candidates.iter().enumerate() {
            let Some((score, selected)) = self.select(agent, Round::Last)? else {
                return Ok(None);
            };
            self.observer
                .selected_again(*step, S::reported(score, &selected), &selected);
            if best.is_none_or(|(_, best)| S::Trainer::is_better(&score, &best)) {
                best = Some((index, score));
            }
        }
        Ok(best.map(|(index, _)| index))
    }

    fn progress(&mut self, progress: ProgressOf<S>) {
        self.step = progress.step;
        self.observer.progress(
            &ProgressOf::<S> {
                score: self.reported,
                ..progress
            },
            self.rates,
        );
    }

    fn saved(&mut self, step: u64, gradient_steps: u64) {
        let synced = self.events.sync();
        self.warn_once(synced);
        (
            self.manifest.environment_steps,
            self.manifest.gradient_steps,
        ) = (step, gradient_steps);
        self.clock.add_to(&mut self.manifest);
        if let Err(error) = self.manifest.write(self.folder) {
            self.observer
                .warned(&format!("the manifest is out of date: {error}"));
        }
    }

    fn interrupted(&self) -> bool {
        !self.observer.goes_on()
    }
}
