//! Runs: experiments trained into folders.

use crate::dqn::DqnExperiment;
use crate::error::RunError;
use crate::events::EventFile;
use crate::experiment::{EXPERIMENT, Experiment};
use crate::files;
use crate::folder::{self, newest_checkpoint};
use crate::manifest::{self, Begun, Manifest, Results};
use crate::observer::Observer;
use crate::selection::{Round, Selection};
use crate::selfplay::SelfplayExperiment;
use crate::train::{Recording, Stop, train};
use hognose_agent::{LearningRate, Network, Progress, StoreError, Trainer, Training};
use hognose_eval::Evaluation;
use hognose_eval::tournament::{Schedule, Tournament};
use hognose_game::Unsupported;
use hognose_policies::{Catalog, NamedBot, NamedPolicy};
use hognose_selfplay::{SelfplayTrainer, ValueMlp};
use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An experiment and the folder that it is trained into. The folder contains the experiment with
/// every key (`experiment.toml`), TensorBoard event files, checkpoints, the best weights so far
/// (`policy.safetensors`), and the manifest (`manifest.json`).
///
/// ```no_run
/// use hognose_run::{Experiment, Run, Stop};
/// use std::path::Path;
///
/// let folder = Path::new("runs/longer");
/// let experiment = Experiment::read(Path::new("experiments/quickstart.toml"))?;
/// Run::begin(experiment, folder)?.train(&mut ())?;
/// // Another day, twice as long.
/// let run = Run::resume(folder, &["train.total_steps=2_816_000".to_owned()])?;
/// assert_eq!(run.train(&mut ())?, Stop::Finished);
/// # Ok::<(), hognose_run::RunError>(())
/// ```
#[derive(Debug)]
pub struct Run {
    /// The experiment to train.
    pub experiment: Experiment,
    /// Looks up the policies and bots that the experiment names, and selects the device. It starts
    /// no programs, since the names come from files.
    pub catalog: Catalog,
    /// Number of threads for training and playing. Results do not depend on it.
    pub threads: usize,
    /// The command that begins the run, for its manifest.
    pub command: String,
    /// The program that trains, for the run's manifest.
    pub version: String,
    folder: PathBuf,
    /// The lock on the folder from the end of training until the results are recorded.
    held: Mutex<Option<File>>,
}

impl Run {
    /// Prepares a run that begins in a folder, which need not exist, on the CPU with one thread.
    /// Nothing is written yet.
    ///
    /// # Errors
    /// Fails if the folder holds a run, or an agent or results that training would overwrite, if
    /// its name is not UTF-8, or if a seed is too large for an experiment file.
    pub fn begin(experiment: impl Into<Experiment>, folder: &Path) -> Result<Run, RunError> {
        if holds_checkpoint(folder)? {
            return Err(RunError::Taken(folder.to_owned()));
        }
        let run = Run::new(experiment.into(), folder)?;
        run.check_overwrites_no_agent()?;
        Ok(run)
    }

    /// Prepares a run that resumes with its folder's own experiment, changed by settings of the
    /// form `key=value`. [`Trainer::restore`] lists what may change.
    ///
    /// # Errors
    /// Fails if the folder holds no run, or a setting may not change.
    pub fn resume(folder: &Path, settings: &[String]) -> Result<Run, RunError> {
        newest_checkpoint(folder)?;
        let begun = Experiment::of_run(folder, &[])?;
        let experiment = begun.clone().with_all(settings)?;
        expect_same(folder, "init", experiment.init(), begun.init())?;
        Run::new(experiment, folder)
    }

    /// Prepares a run that begins or, if the folder holds a run of this experiment, resumes.
    /// `total_steps` and the intervals of reports may then differ. The run keeps the schedules that
    /// it began with.
    ///
    /// # Errors
    /// Fails if the folder holds a run with other schedules, another learning rate or another
    /// gradient norm or, without such a run, an agent that training would overwrite; if its name is
    /// not UTF-8, or if a seed is too large for an experiment file. [`check`](Self::check) finds
    /// other differences.
    pub fn begin_or_resume(
        experiment: impl Into<Experiment>,
        folder: &Path,
    ) -> Result<Run, RunError> {
        let mut run = Run::new(experiment.into(), folder)?;
        // A finished run no longer needs its checkpoints.
        if !holds_checkpoint(folder)? && !run.is_finished() {
            run.check_overwrites_no_agent()?;
            return Ok(run);
        }
        let begun = Experiment::of_run(folder, &[])?;
        expect_same(folder, "init", run.experiment.init(), begun.init())?;
        run.experiment = run.experiment.with_schedule_of(&begun);
        let kept = |its: &Experiment| {
            let LearningRate { start, end } = its.learning_rate();
            [
                ("learning_rate.start", start),
                ("learning_rate.end", end),
                ("max_gradient_norm", its.max_gradient_norm().into()),
                ("schedule_steps", its.schedule_steps() as f64),
            ]
        };
        for ((key, own), (_, begun)) in kept(&run.experiment).into_iter().zip(kept(&begun)) {
            if own != begun {
                return Err(RunError::Changed {
                    folder: folder.to_owned(),
                    key: format!("train.{key}"),
                    begun: begun.to_string(),
                    expected: own.to_string(),
                });
            }
        }
        Ok(run)
    }

    fn new(experiment: Experiment, folder: &Path) -> Result<Run, RunError> {
        if folder.to_str().is_none() {
            return Err(RunError::Experiment(format!(
                "expected a folder whose name is UTF-8, got {folder:?}"
            )));
        }
        experiment.text()?;
        Ok(Run {
            experiment,
            catalog: Catalog::default(),
            threads: 1,
            command: String::new(),
            version: concat!("hognose-run ", env!("CARGO_PKG_VERSION")).to_owned(),
            folder: folder.to_owned(),
            held: Mutex::default(),
        })
    }

    /// Returns the folder that the run is trained into.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns whether the folder holds a checkpoint to resume from.
    pub fn is_resumed(&self) -> bool {
        newest_checkpoint(&self.folder).is_ok()
    }

    /// Returns whether all steps of the experiment are taken and the final games are played.
    pub fn is_finished(&self) -> bool {
        let played = Manifest::read(&self.folder).is_some_and(|its| its.results.is_some());
        let begun = Experiment::of_run(&self.folder, &[]);
        played && begun.is_ok_and(|begun| self.experiment.clone().with_schedule_of(&begun) == begun)
    }

    /// Checks that training from the beginning would not overwrite an agent or its results. The
    /// agent of this very experiment may exist: a run that was killed before its first checkpoint
    /// begins again, and arrives at the same weights.
    fn check_overwrites_no_agent(&self) -> Result<(), RunError> {
        let is_own = || {
            let own = self.experiment.clone().with_schedule_of(&self.experiment);
            Experiment::of_run(&self.folder, &[]).is_ok_and(|begun| begun == own)
        };
        let has_agent = folder::policy(&self.folder).exists();
        if manifest::may_have_results(&self.folder) || has_agent && !is_own() {
            return Err(RunError::Agent(self.folder.clone()));
        }
        Ok(())
    }

    /// Returns the progress of the run in the folder's current state: at the newest checkpoint, or
    /// before the first step if there is none. Nothing is written. [`train`](Self::train) performs
    /// the same checks, so call this only to know the result beforehand.
    ///
    /// # Errors
    /// Fails if the experiment can't be trained, the checkpoint belongs to another experiment, the
    /// manifest or the best weights can't be read but are needed to resume, or the folder holds an
    /// agent that training would overwrite.
    pub fn check(&self) -> Result<Progress, RunError> {
        let progress = match &self.experiment {
            Experiment::Dqn(its) => {
                let mut trainer = self.trainer(|fresh| self.dqn(its, fresh))?;
                trainer.progress().clone()
            }
            Experiment::Selfplay(its) => {
                let mut trainer = self.trainer(|_| self.selfplay(its))?;
                trainer.progress().clone()
            }
        };
        Ok(progress)
    }

    /// Trains until all steps are taken or the observer stops it, starting from the newest
    /// checkpoint in the folder, or from the beginning if there is none. Call it again to resume an
    /// interrupted run.
    ///
    /// Meanwhile no other training run writes to the folder. Once all steps are taken, this run
    /// keeps the folder locked for the final games, until [`note_results`](Self::note_results) or
    /// until it is dropped.
    ///
    /// # Errors
    /// Fails without writing anything if [`check`](Self::check) refuses the run or another training
    /// run holds the folder. Fails if a file can't be written or training diverges; the last
    /// checkpoint then remains.
    pub fn train(&self, observer: &mut dyn Observer) -> Result<Stop, RunError> {
        match &self.experiment {
            Experiment::Dqn(its) => self.train_by(
                |fresh| self.dqn(its, fresh),
                |agent, round, go_on| its.select(agent, round, self.threads, go_on),
                observer,
            ),
            Experiment::Selfplay(its) => self.train_by(
                |_| self.selfplay(its),
                |agent, round, go_on| its.select(agent, round, &self.catalog, self.threads, go_on),
                observer,
            ),
        }
    }

    /// Creates a trainer of one snake before its first step. Only a fresh one loads the initial
    /// weights; otherwise a checkpoint replaces them.
    fn dqn(&self, its: &DqnExperiment, fresh: bool) -> Result<Trainer<Network>, RunError> {
        let mut its = its.clone();
        its.init = its.init.filter(|_| fresh);
        Ok(its
            .trainer(self.catalog.device())?
            .with_threads(self.threads)?)
    }

    /// Creates a trainer of two snakes before its first step.
    fn selfplay(&self, its: &SelfplayExperiment) -> Result<SelfplayTrainer<ValueMlp>, RunError> {
        Ok(its.trainer(&self.catalog)?.with_threads(self.threads)?)
    }

    fn train_by<T: Training>(
        &self,
        make: impl Fn(bool) -> Result<T, RunError>,
        select: impl Fn(
            &T::Agent,
            Round,
            &dyn Fn() -> ControlFlow<()>,
        ) -> Result<Option<Selection>, Unsupported>,
        observer: &mut dyn Observer,
    ) -> Result<Stop, RunError> {
        // A refused run creates no folder.
        let mut fresh = None;
        if !self.is_resumed() {
            fresh = Some(self.trainer(&make)?);
            files::create_folder(&self.folder)?;
        }
        let held = self.held().take();
        let held = held.map_or_else(|| files::hold(&self.folder), Ok)?;
        // Another training run may have written to the folder before it was locked.
        let mut trainer = match fresh {
            Some(trainer) if !self.is_resumed() => {
                self.check_overwrites_no_agent()?;
                trainer
            }
            _ => self.trainer(&make)?,
        };
        let manifest = self.manifest()?;
        let experiment = self.experiment.clone().with_schedule_of(&self.experiment);
        let text = experiment.text()?;
        files::write(&self.folder.join(EXPERIMENT), &text)?;
        manifest.write(&self.folder)?;
        let started = trainer.progress().clone();
        // The points at the checkpoint's own step are kept.
        let begins_at = if self.is_resumed() {
            started.step + 1
        } else {
            0
        };
        let mut events = EventFile::create(&self.folder, begins_at)?;
        events.text(
            started.step,
            "hyperparameters",
            &format!("```toml\n{text}```"),
        );
        let hyperparameters = experiment.hyperparameters()?;
        events.session_start(started.step, &experiment.group()?, &hyperparameters);
        let mut recording = Recording::new(observer, &self.folder, events, manifest, &started);
        let stop = train(&mut trainer, &experiment, &mut recording, select);
        if let Ok(Stop::Finished) = stop {
            recording.end(trainer.progress().step);
            *self.held() = Some(held);
        }
        recording.finish();
        stop
    }

    /// Creates a trainer and restores the folder's newest checkpoint. `make` creates one before its
    /// first step.
    fn trainer<T: Training>(
        &self,
        make: impl Fn(bool) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        self.experiment.check(&self.catalog)?;
        if !holds_checkpoint(&self.folder)? {
            self.check_overwrites_no_agent()?;
            return make(true);
        }
        let mut trainer = make(false)?;
        trainer.restore(&newest_checkpoint(&self.folder)?)?;
        let Progress {
            step, candidates, ..
        } = trainer.progress().clone();
        let total = self.experiment.total_steps();
        if total < step && total < Experiment::of_run(&self.folder, &[])?.total_steps() {
            return Err(RunError::Experiment(format!(
                "train.total_steps: expected at least the {step} steps that the run has taken, got \
                 {total}"
            )));
        }
        for (step, _) in candidates {
            let path = folder::candidate(&self.folder, step);
            trainer.load_agent(&path).map_err(RunError::BestWeights)?;
        }
        Begun::read(&self.folder)?;
        Ok(trainer)
    }

    fn held(&self) -> MutexGuard<'_, Option<File>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the run's manifest at the point where it resumes.
    fn manifest(&self) -> Result<Manifest, RunError> {
        let begun = match self.is_resumed() {
            true => Begun::read(&self.folder)?,
            false => Begun {
                command: self.command.clone(),
                ..Begun::default()
            },
        };
        let Begun {
            command,
            environment_steps,
            gradient_steps,
            wall_seconds,
            cpu_seconds,
        } = begun;
        Ok(Manifest {
            command,
            version: self.version.clone(),
            board: self.experiment.board(),
            seed: self.experiment.seed(),
            device: self.catalog.device().to_owned(),
            threads: self.threads,
            environment_steps,
            gradient_steps,
            wall_seconds,
            cpu_seconds,
            evaluation: None,
            results: None,
        })
    }

    /// Returns the name of the policy or bot that plays the run's best weights.
    pub fn agent_name(&self) -> String {
        self.experiment.agent_name(&self.folder)
    }

    /// Records the results of the final games in the manifest of a trained run, and the command
    /// that repeats the games, if there is one. Then other training runs may write to the folder.
    ///
    /// # Errors
    /// Fails if the manifest can't be read or written.
    pub fn note_results(
        &self,
        results: Option<Results>,
        command: Option<String>,
    ) -> Result<(), RunError> {
        let manifest = Manifest::expect(&self.folder)?;
        Manifest {
            results,
            evaluation: command,
            ..manifest
        }
        .write(&self.folder)?;
        *self.held() = None;
        Ok(())
    }

    /// Returns the final games, which neither training nor selection played, and their players:
    /// those that the experiment names, then the best weights.
    ///
    /// # Errors
    /// Fails if a player can't be loaded.
    pub fn final_games(&self) -> Result<FinalGames, RunError> {
        let agent = self.agent_name();
        match &self.experiment {
            Experiment::Dqn(its) => {
                let names = its.evaluation.policies.iter().chain([&agent]);
                let policies = self.catalog.policies(names)?;
                let rules = its.env.rules;
                let games = Evaluation {
                    threads: self.threads,
                    ..Evaluation::new(rules, its.evaluation.seed, its.evaluation.games)
                };
                Ok(FinalGames::Evaluation(games, policies))
            }
            Experiment::Selfplay(its) => {
                let names = its.evaluation.bots.iter().chain([&agent]);
                let bots = self.catalog.bots(names)?;
                let names = bots.iter().map(|bot| bot.name().to_owned());
                let evaluation = &its.evaluation;
                let schedule = Schedule::new(its.duel, names, evaluation.games, evaluation.seed)
                    .map_err(|error| RunError::Experiment(format!("evaluation: {error}")))?;
                Ok(FinalGames::Tournament(Tournament::new(schedule), bots))
            }
        }
    }
}

/// The final games of a run, and their players.
pub enum FinalGames {
    /// One snake.
    Evaluation(Evaluation, Vec<NamedPolicy>),
    /// Two snakes.
    Tournament(Tournament, Vec<NamedBot>),
}

/// Returns whether a folder holds a run that can be resumed.
///
/// # Errors
/// Fails if the folder can't be read.
fn holds_checkpoint(folder: &Path) -> Result<bool, RunError> {
    match newest_checkpoint(folder) {
        Err(StoreError::Missing(_)) => Ok(false),
        newest => newest.map(|_| true).map_err(RunError::from),
    }
}

/// Checks that weights start from the same file as in the run to resume.
fn expect_same(
    folder: &Path,
    key: &str,
    own: Option<&PathBuf>,
    begun: Option<&PathBuf>,
) -> Result<(), RunError> {
    if own == begun {
        return Ok(());
    }
    let text =
        |path: Option<&PathBuf>| path.map_or("none".to_owned(), |path| path.display().to_string());
    let key = key.to_owned();
    let folder = folder.to_owned();
    Err(RunError::Changed {
        folder,
        key,
        begun: text(begun),
        expected: text(own),
    })
}
