//! A run: an experiment trained into a folder.

use crate::duel_experiment::DuelExperiment;
use crate::error::RunError;
use crate::events::EventFile;
use crate::experiment::Experiment;
use crate::files;
use crate::manifest::{self, Begun, Manifest};
use crate::observer::{Observer, ProgressOf};
use crate::recording::Recording;
use crate::subject::{EXPERIMENT, Players, Subject};
use hognose_agent::{LearningRate, Progress, Stop, StoreError, Training, newest_checkpoint};
use hognose_duel::Bot;
use hognose_eval::Evaluation;
use hognose_eval::tournament::{Schedule, Tournament};
use hognose_policies::Named;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An experiment and the folder that it is trained into. The folder gets the experiment with every
/// key (`experiment.toml`), TensorBoard event files, checkpoints, the best weights so far
/// (`policy.safetensors`), and how it came about (`manifest.json`).
///
/// ```no_run
/// use hognose_run::{Experiment, Run, Stop, Subject};
/// use std::path::Path;
///
/// let folder = Path::new("runs/longer");
/// let experiment = Experiment::read(Path::new("experiments/quickstart.toml"))?;
/// Run::begin(experiment, folder)?.train(&mut ())?;
/// // Another day, twice as long.
/// let run: Run = Run::resume(folder, &["train.total_steps=2_816_000".to_owned()])?;
/// assert_eq!(run.train(&mut ())?, Stop::Finished);
/// # Ok::<(), hognose_run::RunError>(())
/// ```
#[derive(Debug)]
pub struct Run<S = Experiment> {
    /// What is trained.
    pub experiment: S,
    /// Where tensors live, and whom the experiment may name besides those in files.
    pub players: Players,
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

impl<S: Subject> Run<S> {
    /// A run to begin in a folder, which need not exist: on the CPU, on one thread. Nothing is
    /// written yet.
    ///
    /// # Errors
    /// When the folder holds a run, or an agent or results that training would overwrite; when its
    /// name is no UTF-8, or a seed is too large for an experiment file.
    pub fn begin(experiment: S, folder: &Path) -> Result<Run<S>, RunError> {
        if holds_checkpoint(folder)? {
            return Err(RunError::Taken(folder.to_owned()));
        }
        let run = Run::new(experiment, folder)?;
        run.check_overwrites_no_agent()?;
        Ok(run)
    }

    /// A run to go on with by its folder's own experiment, changed by settings of the form
    /// `key=value`. What may change is told by [`Training::restore`].
    ///
    /// # Errors
    /// When the folder holds no run, or a setting is none that may change.
    pub fn resume(folder: &Path, settings: &[String]) -> Result<Run<S>, RunError> {
        newest_checkpoint(folder)?;
        let begun = S::of_run(folder, &[])?;
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
    /// [`trainer`](Self::trainer).
    pub fn begin_or_resume(experiment: S, folder: &Path) -> Result<Run<S>, RunError> {
        let mut run = Run::new(experiment, folder)?;
        // A run that is finished needs its checkpoints no more.
        if !holds_checkpoint(folder)? && !run.is_finished() {
            run.check_overwrites_no_agent()?;
            return Ok(run);
        }
        let begun = S::of_run(folder, &[])?;
        expect_same(folder, "init", run.experiment.init(), begun.init())?;
        // `of_run` says how long the schedules of a begun run are.
        let schedule = run.experiment.schedule_steps().or(begun.schedule_steps());
        run.experiment = run.experiment.with_schedule_steps(schedule);
        let kept = |of: &S| {
            let LearningRate { start, end } = of.learning_rate();
            [
                ("learning_rate.start", start),
                ("learning_rate.end", end),
                ("max_gradient_norm", of.max_gradient_norm().into()),
                ("schedule_steps", schedule_steps(of) as f64),
            ]
        };
        let (own, begun) = (kept(&run.experiment), kept(&begun));
        let mut keys = own
            .into_iter()
            .zip(begun)
            .map(|((key, own), (_, begun))| (key, own, begun));
        if let Some((key, own, begun)) = keys.find(|(_, own, begun)| own != begun) {
            let (key, folder) = (format!("train.{key}"), folder.to_owned());
            return Err(RunError::Changed {
                folder,
                key,
                begun: begun.to_string(),
                expected: own.to_string(),
            });
        }
        Ok(run)
    }

    fn new(experiment: S, folder: &Path) -> Result<Run<S>, RunError> {
        if folder.to_str().is_none() {
            return Err(RunError::Experiment(format!(
                "expected a folder whose name is UTF-8, got {folder:?}"
            )));
        }
        experiment.text()?;
        Ok(Run {
            experiment,
            players: Players::default(),
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
        let Ok(experiment) = S::of_run(&self.folder, &[]) else {
            return false;
        };
        let played = Manifest::<S::Results>::read(&self.folder)
            .is_some_and(|manifest| manifest.results.is_some());
        let steps = self
            .experiment
            .schedule_steps()
            .or(experiment.schedule_steps());
        played && experiment == self.experiment.clone().with_schedule_steps(steps)
    }

    /// Fails if training from the beginning would overwrite an agent or its results. The agent of
    /// this very experiment may lie there: a run that was killed before its first checkpoint begins
    /// anew, and comes to the same weights.
    fn check_overwrites_no_agent(&self) -> Result<(), RunError> {
        let is_own = || {
            let own = self
                .experiment
                .clone()
                .with_schedule_steps(Some(schedule_steps(&self.experiment)));
            S::of_run(&self.folder, &[]).is_ok_and(|begun| begun == own)
        };
        let has_agent = self.folder.join("policy.safetensors").exists();
        match manifest::may_have_results(&self.folder) || has_agent && !is_own() {
            true => Err(RunError::Agent(self.folder.clone())),
            false => Ok(()),
        }
    }

    /// A trainer of the run as the folder stands now: at the newest checkpoint, or before the first
    /// step if there is none. Whatever can be refused is refused here, and nothing is written:
    /// [`train`](Self::train) makes such a trainer first, so call this only to know beforehand.
    ///
    /// One thread also gets a pool of its own, because burn would otherwise spread over all cores
    /// by rayon's global threads.
    ///
    /// # Errors
    /// When the experiment can't be trained, or the checkpoint is not one of it; when the manifest
    /// or the best weights can't be read without which the run can't go on, or the folder holds an
    /// agent that training would overwrite.
    pub fn trainer(&self) -> Result<S::Trainer, RunError> {
        self.experiment.check(&self.players)?;
        let trainer = if holds_checkpoint(&self.folder)? {
            self.restored()?
        } else {
            self.fresh()?
        };
        Ok(trainer.with_threads(self.threads)?)
    }

    fn fresh(&self) -> Result<S::Trainer, RunError> {
        self.check_overwrites_no_agent()?;
        self.experiment.trainer(&self.players)
    }

    fn restored(&self) -> Result<S::Trainer, RunError> {
        let mut trainer = self
            .experiment
            .clone()
            .with_init(None)?
            .trainer(&self.players)?;
        trainer.restore(&newest_checkpoint(&self.folder)?)?;
        let (step, total) = (trainer.step(), self.experiment.total_steps());
        if total < step && total < S::of_run(&self.folder, &[])?.total_steps() {
            let problem =
                format!("expected at least the {step} steps that the run has taken, got {total}");
            return Err(RunError::Experiment(format!(
                "train.total_steps: {problem}"
            )));
        }
        trainer
            .candidates(&self.folder)
            .map_err(RunError::BestWeights)?;
        Begun::read(&self.folder)?;
        Ok(trainer)
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
    /// When [`trainer`](Self::trainer) refuses the run, or another training holds the folder; then
    /// nothing is written. When a file can't be written, or training diverges; then the last
    /// checkpoint stays.
    pub fn train(&self, observer: &mut impl Observer<S>) -> Result<Stop, RunError> {
        // A run that is refused makes no folder.
        let mut fresh = None;
        if !self.is_resumed() {
            fresh = Some(self.trainer()?);
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
            _ => self.trainer()?,
        };
        let manifest = self.manifest()?;
        let experiment = self
            .experiment
            .clone()
            .with_schedule_steps(Some(trainer.schedule()));
        let (text, group) = (experiment.text()?, experiment.group()?);
        let hyperparameters = experiment.hyperparameters()?;
        files::write(&self.folder.join(EXPERIMENT), &text)?;
        manifest.write(&self.folder)?;
        // Points at the very step of a checkpoint are kept.
        let begins_at = if self.is_resumed() {
            trainer.step() + 1
        } else {
            0
        };
        let mut events = EventFile::create(&self.folder, begins_at)?;
        events.text(
            trainer.step(),
            "hyperparameters",
            &format!("```toml\n{text}```"),
        );
        events.session_start(trainer.step(), &group, &hyperparameters);
        let started: ProgressOf<S> = Progress {
            step: trainer.step(),
            gradient_steps: trainer.gradient_steps(),
            total: experiment.total_steps(),
            loss: None,
            score: trainer
                .score()
                .filter(|_| experiment.reports_what_it_chooses_by()),
        };
        observer.started(&started);
        let playing = (&experiment, &self.players, self.threads);
        let mut recording =
            Recording::new(observer, events, &self.folder, manifest, playing, &started);
        let stop = hognose_agent::train(&mut trainer, &mut recording, &self.folder);
        if let Ok(Stop::Finished) = stop {
            recording.events.session_end(trainer.step());
            *self.held() = Some(held);
        }
        recording.finish();
        Ok(stop?)
    }

    fn held(&self) -> MutexGuard<'_, Option<File>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known of the run before it goes on.
    fn manifest(&self) -> Result<Manifest<S::Results>, RunError> {
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
            device: self.players.device.clone(),
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
        S::agent_name(&self.folder)
    }

    /// Notes in the manifest of a trained run how the best weights played the final games, and the
    /// command that plays them again, where there is one. Then other trainings may write into the
    /// folder.
    ///
    /// # Errors
    /// When the manifest can't be read or written.
    pub fn note_results(
        &self,
        results: Option<S::Results>,
        command: Option<String>,
    ) -> Result<(), RunError> {
        let manifest = Manifest::<S::Results>::expect(&self.folder)?;
        Manifest {
            results,
            evaluation: command,
            ..manifest
        }
        .write(&self.folder)?;
        *self.held() = None;
        Ok(())
    }
}

impl Run<Experiment> {
    /// The final games, which neither training nor selection saw, and who plays them: the
    /// experiment's policies, then the best weights.
    ///
    /// # Errors
    /// When a policy can't be loaded.
    pub fn final_games(&self) -> Result<(Evaluation, Vec<Named>), RunError> {
        let Experiment {
            env, evaluation, ..
        } = &self.experiment;
        let policies = self
            .players
            .policies()
            .policies(evaluation.policies.iter().chain([&self.agent_name()]))?;
        let games = Evaluation::new(env.rules, evaluation.seed, evaluation.games);
        Ok((
            Evaluation {
                threads: self.threads,
                ..games
            },
            policies,
        ))
    }
}

impl Run<DuelExperiment> {
    /// The final tournament, of which neither training nor selection saw a game, and who plays it:
    /// the experiment's bots, then the best weights.
    ///
    /// # Errors
    /// When a bot can't be loaded.
    pub fn final_tournament(&self) -> Result<(Tournament, Vec<Bot>), RunError> {
        let DuelExperiment {
            duel, evaluation, ..
        } = &self.experiment;
        let bots = self
            .players
            .bots()
            .bots(evaluation.bots.iter().chain([&self.agent_name()]))?;
        let names = bots.iter().map(|bot| bot.name().to_owned());
        let schedule = Schedule::new(*duel, names, evaluation.games, evaluation.seed);
        let schedule =
            schedule.map_err(|error| RunError::Experiment(format!("evaluation: {error}")))?;
        Ok((Tournament::new(schedule), bots))
    }
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

/// Environment steps over which the schedules of an experiment fall.
fn schedule_steps<S: Subject>(experiment: &S) -> u64 {
    experiment
        .schedule_steps()
        .unwrap_or(experiment.total_steps())
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
    let (key, folder) = (key.to_owned(), folder.to_owned());
    Err(RunError::Changed {
        folder,
        key,
        begun: text(begun),
        expected: text(own),
    })
}
