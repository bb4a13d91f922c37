//! A run: an experiment trained into a folder.

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

/// An experiment and the folder that it is trained into. The folder gets the experiment with every
/// key (`experiment.toml`), TensorBoard event files, checkpoints, the best weights so far
/// (`policy.safetensors`), and how it came about (`manifest.json`).
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
    /// What is trained.
    pub experiment: Experiment,
    /// Where policies and bots that the experiment names are looked up, and the device that tensors
    /// are on. It starts no programs, since the names come from files.
    pub catalog: Catalog,
    /// How many threads train and play. Results do not depend on them.
    pub threads: usize,
    /// The command that begins the run, for its manifest.
    pub command: String,
    /// The program that trains, for the run's manifest.
    pub version: String,
    folder: PathBuf,
    /// What holds the folder from the end of training until the results are noted.
    held: Mutex<Option<File>>,
}

impl Run {
    /// A run to begin in a folder, which need not exist: on the CPU, on one thread. Nothing is
    /// written yet.
    ///
    /// # Errors
    /// When the folder holds a run, or an agent or results that training would overwrite; when its
    /// name is no UTF-8, or a seed is too large for an experiment file.
    pub fn begin(experiment: impl Into<Experiment>, folder: &Path) -> Result<Run, RunError> {
        if holds_checkpoint(folder)? {
            return Err(RunError::Taken(folder.to_owned()));
        }
        let run = Run::new(experiment.into(), folder)?;
        run.check_overwrites_no_agent()?;
        Ok(run)
    }

    /// A run to go on with by its folder's own experiment, changed by settings of the form
    /// `key=value`. [`Trainer::restore`] says what may change.
    ///
    /// # Errors
    /// When the folder holds no run, or a setting is none that may change.
    pub fn resume(folder: &Path, settings: &[String]) -> Result<Run, RunError> {
        newest_checkpoint(folder)?;
        let begun = Experiment::of_run(folder, &[])?;
        let experiment = begun.clone().with_all(settings)?;
        expect_same(folder, "init", experiment.init(), begun.init())?;
        Run::new(experiment, folder)
    }

    /// A run to begin, or to go on with if the folder holds one of this experiment. `total_steps`
    /// and the intervals of reports may differ then. Its schedules are those that it began with.
    ///
    /// # Errors
    /// When the folder holds a run whose schedules, learning rate or gradient norm are others, or,
    /// without such a run, an agent that training would overwrite; when its name is no UTF-8, or a
    /// seed is too large for an experiment file. Other differences are found by
    /// [`check`](Self::check).
    pub fn begin_or_resume(
        experiment: impl Into<Experiment>,
        folder: &Path,
    ) -> Result<Run, RunError> {
        let mut run = Run::new(experiment.into(), folder)?;
        // A run that is finished needs its checkpoints no more.
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

    /// The folder that the run is trained into.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether the folder holds a checkpoint now, from which training goes on.
    pub fn is_resumed(&self) -> bool {
        newest_checkpoint(&self.folder).is_ok()
    }

    /// Whether all steps of the run's experiment are taken and the final games are played.
    pub fn is_finished(&self) -> bool {
        let played = Manifest::read(&self.folder).is_some_and(|its| its.results.is_some());
        let begun = Experiment::of_run(&self.folder, &[]);
        played && begun.is_ok_and(|begun| self.experiment.clone().with_schedule_of(&begun) == begun)
    }

    /// Fails if training from the beginning would overwrite an agent or its results. The agent of
    /// this very experiment may lie there: a run that was killed before its first checkpoint begins
    /// anew, and comes to the same weights.
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

    /// How far the run is as the folder stands now: at the newest checkpoint, or before the first
    /// step if there is none. Nothing is written. [`train`](Self::train) checks this first, so call
    /// it only to know beforehand.
    ///
    /// # Errors
    /// When the experiment can't be trained, or the checkpoint is not one of it; when the manifest
    /// or the best weights can't be read without which the run can't go on, or the folder holds an
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

    /// Trains until all steps are taken or the observer stops it: from the newest checkpoint in the
    /// folder, or from the beginning if there is none. A run that was interrupted goes on when this
    /// is called again.
    ///
    /// No other training writes into the folder meanwhile. Once all steps are taken, this run goes
    /// on to hold the folder for the final games, until [`note_results`](Self::note_results) or
    /// until it is dropped.
    ///
    /// # Errors
    /// When [`check`](Self::check) refuses the run, or another training holds the folder; then
    /// nothing is written. When a file can't be written, or training diverges; then the last
    /// checkpoint stays.
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

    /// A trainer of one snake before its first step: from the weights that a fresh one starts from,
    /// or from any, which a checkpoint replaces.
    fn dqn(&self, its: &DqnExperiment, fresh: bool) -> Result<Trainer<Network>, RunError> {
        let mut its = its.clone();
        its.init = its.init.filter(|_| fresh);
        Ok(its
            .trainer(self.catalog.device())?
            .with_threads(self.threads)?)
    }

    /// A trainer of two snakes before its first step.
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
        // A run that is refused makes no folder.
        let mut fresh = None;
        if !self.is_resumed() {
            fresh = Some(self.trainer(&make)?);
            files::create_folder(&self.folder)?;
        }
        let held = self.held().take();
        let held = held.map_or_else(|| files::hold(&self.folder), Ok)?;
        // Until the folder was held, another training may have written into it.
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
        // Points at the very step of a checkpoint are kept.
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

    /// A trainer of the run as the folder stands now. `make` makes one before its first step.
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

    /// What is known of the run before it goes on.
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

    /// The name of the policy that plays the run's best weights.
    pub fn agent_name(&self) -> String {
        self.experiment.agent_name(&self.folder)
    }

    /// Notes in the manifest of a trained run how the best weights played the final games, and the
    /// command that plays them again, where there is one. Then other trainings may write into the
    /// folder.
    ///
    /// # Errors
    /// When the manifest can't be read or written.
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

    /// The final games, which neither training nor selection saw, and who plays them: those that
    /// the experiment names, then the best weights.
    ///
    /// # Errors
    /// When one of them can't be loaded.
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

/// The final games of a run, and who plays them.
pub enum FinalGames {
    /// One snake.
    Evaluation(Evaluation, Vec<NamedPolicy>),
    /// Two snakes.
    Tournament(Tournament, Vec<NamedBot>),
}

/// Whether a folder holds a run that can be gone on with.
///
/// # Errors
/// When the folder can't be read.
fn holds_checkpoint(folder: &Path) -> Result<bool, RunError> {
    match newest_checkpoint(folder) {
        Err(StoreError::Missing(_)) => Ok(false),
        newest => newest.map(|_| true).map_err(RunError::from),
    }
}

/// Fails if a file that weights start from is another than that of a begun run.
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
