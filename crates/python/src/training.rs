//! Training: the runs of `hognose train`.

#[path = "../../cli/experiments.rs"]
mod experiments;

use crate::arrays::value_error;
use crate::duels::{DUEL_AGENTS, Written, play_tournament};
use crate::evaluation::{AGENTS, play_named, summaries};
use experiments::EXPERIMENTS;
use hognose_agent::{TrainError, Training};
use hognose_eval::{EvalError, Summary};
use hognose_run::files::{read_or_embedded, usual_folder};
use hognose_run::{
    DuelExperiment, DuelSummary, EXPERIMENT, Experiment, Observer, Players, ProgressOf, Rates, Run,
    RunError, ScoreOf, Stop, Subject,
};
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Python hears this often how far training is, and is asked this often whether somebody pressed
/// Ctrl-C.
const EVERY: Duration = Duration::from_millis(50);

/// The JSON of [`train`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    /// An experiment of the package by its name, or the path of a file. A run goes on where there
    /// is none.
    experiment: Option<String>,
    /// The run's folder.
    out: Option<PathBuf>,
    /// Of the form `key=value`.
    settings: Vec<String>,
    seed: Option<u64>,
    init: Option<PathBuf>,
    device: String,
    threads: Option<usize>,
    /// Whether a run of the folder goes on, or stays as it is if it is finished.
    again: bool,
    /// The call that begins the run, for its manifest.
    command: String,
}

/// What a run came to, as JSON.
#[derive(Serialize)]
struct Ended {
    folder: PathBuf,
    agent: String,
    finished: bool,
    /// How the agent and others played the final games, if they were played now.
    results: Option<Value>,
}

/// Trains as `hognose train` does, and plays the final games. `hear` is called with how far it is
/// (JSON), and answers whether to go on.
#[pyfunction]
pub(crate) fn train(py: Python<'_>, request: &str, hear: Py<PyAny>) -> PyResult<String> {
    let request: Request = serde_json::from_str(request).map_err(|error| value_error(&error))?;
    let text = match (&request.experiment, &request.out) {
        (Some(name), _) => read_or_embedded(name, EXPERIMENTS).map_err(raised)?,
        // Where there is none, resuming tells.
        (None, Some(folder)) => fs::read_to_string(folder.join(EXPERIMENT)).unwrap_or_default(),
        (None, None) => return Err(value_error(&"a run that goes on needs its folder")),
    };
    let ended = if DuelExperiment::is_told_by(&text) {
        train_as::<DuelExperiment>(py, &request, &text, hear)?
    } else {
        train_as::<Experiment>(py, &request, &text, hear)?
    };
    serde_json::to_string(&ended).map_err(|error| value_error(&error))
}

fn train_as<S: Trains>(
    py: Python<'_>,
    request: &Request,
    text: &str,
    hear: Py<PyAny>,
) -> PyResult<Ended> {
    let run: Run<S> = request.run(text).map_err(raised)?;
    let ended = |finished: bool, results: Option<Value>| Ended {
        folder: run.folder().to_owned(),
        agent: run.agent_name(),
        finished,
        results,
    };
    if request.again && run.is_finished() {
        return Ok(ended(true, None));
    }
    let mut listener = Listener::new(hear);
    let stop = py.detach(|| run.train(&mut listener));
    if let Some(error) = listener.failure.into_inner() {
        return Err(error);
    }
    match stop.map_err(raised)? {
        Stop::Finished => Ok(ended(true, Some(S::final_games(py, &run)?))),
        Stop::Interrupted => Ok(ended(false, None)),
    }
}

impl Request {
    fn run<S: Subject>(&self, text: &str) -> Result<Run<S>, RunError> {
        let mut run = match (&self.experiment, &self.out) {
            (None, Some(folder)) => Run::resume(folder, &self.settings)?,
            (name, out) => {
                let experiment = S::parse(text)?.with_all(&self.settings)?;
                let init = self.init.clone().or(experiment.init().cloned());
                let experiment = experiment.with_init(init)?;
                let seed = self.seed.unwrap_or(experiment.seed());
                let usual = || usual_folder(name.as_deref().unwrap_or_default(), seed);
                let (experiment, folder) = (
                    experiment.with_seed(seed),
                    out.clone().unwrap_or_else(usual),
                );
                if self.again {
                    Run::begin_or_resume(experiment, &folder)?
                } else {
                    Run::begin(experiment, &folder)?
                }
            }
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        run.players = Players {
            device: self.device.clone(),
            agents: AGENTS,
            duel_agents: DUEL_AGENTS,
        };
        run.threads = self.threads.unwrap_or(cores.min(2));
        run.command.clone_from(&self.command);
        run.version = concat!("hognose for Python ", env!("CARGO_PKG_VERSION")).to_owned();
        Ok(run)
    }
}

/// The exception that Python gets.
fn raised(error: RunError) -> PyErr {
    match error {
        RunError::File { .. } => PyOSError::new_err(error.to_string()),
        RunError::Train(TrainError::Diverged { .. }) => PyRuntimeError::new_err(error.to_string()),
        _ => value_error(&error),
    }
}

/// How far training is, as Python hears it.
#[derive(Clone, Default, Serialize)]
struct Told {
    step: u64,
    total: u64,
    gradient_steps: u64,
    loss: Option<f64>,
    score: Option<Value>,
    steps_per_second: f64,
    gradient_steps_per_second: f64,
    /// How the selection games went that were just played.
    selection: Option<Value>,
    warning: Option<String>,
}

/// Tells Python how far training is.
struct Listener {
    hear: Py<PyAny>,
    /// What was told last, and when.
    told: Told,
    at: Instant,
    /// When signals were looked for last.
    looked: Cell<Instant>,
    goes_on: bool,
    /// The exception that Python raised, if it did.
    failure: RefCell<Option<PyErr>>,
}

impl Listener {
    fn new(hear: Py<PyAny>) -> Listener {
        let now = Instant::now();
        let (told, failure) = (Told::default(), RefCell::default());
        Listener {
            hear,
            told,
            at: now,
            looked: Cell::new(now),
            goes_on: true,
            failure,
        }
    }

    fn tell(&mut self, told: Told) {
        let heard = serde_json::to_string(&told).map_err(|error| value_error(&error));
        let heard = heard.and_then(|text| {
            Python::attach(|py| self.hear.call1(py, (text,))?.extract::<bool>(py))
        });
        match heard {
            Ok(goes_on) => self.goes_on &= goes_on,
            Err(error) => drop(self.failure.get_mut().get_or_insert(error)),
        }
    }
}

impl<S: Trains> Observer<S> for Listener {
    fn started(&mut self, progress: &ProgressOf<S>) {
        self.told = told::<S>(progress, Rates::default());
        self.tell(self.told.clone());
    }

    fn progress(&mut self, progress: &ProgressOf<S>, rates: Rates) {
        let over = progress.step >= progress.total;
        if over || self.at.elapsed() >= EVERY {
            self.at = Instant::now();
            self.told = told::<S>(progress, rates);
            self.tell(self.told.clone());
        }
    }

    fn selected(&mut self, step: u64, score: ScoreOf<S>, selected: &S::Selected) {
        self.told.score = serde_json::to_value(score).ok();
        self.tell(Told {
            step,
            selection: serde_json::to_value(selected).ok(),
            ..self.told.clone()
        });
    }

    fn warned(&mut self, warning: &str) {
        self.tell(Told {
            warning: Some(warning.to_owned()),
            ..self.told.clone()
        });
    }

    fn goes_on(&self) -> bool {
        if self.goes_on && self.failure.borrow().is_none() && self.looked.get().elapsed() >= EVERY {
            self.looked.set(Instant::now());
            *self.failure.borrow_mut() = Python::attach(|py| py.check_signals()).err();
        }
        self.goes_on && self.failure.borrow().is_none()
    }
}

fn told<S: Trains>(progress: &ProgressOf<S>, rates: Rates) -> Told {
    Told {
        step: progress.step,
        total: progress.total,
        gradient_steps: progress.gradient_steps,
        loss: progress.loss,
        score: progress
            .score
            .and_then(|score| serde_json::to_value(score).ok()),
        steps_per_second: rates.steps,
        gradient_steps_per_second: rates.gradient_steps,
        ..Told::default()
    }
}

/// An experiment that Python trains.
trait Trains: Subject<Trainer: Training<Score: Serialize + Copy>, Selected: Serialize> + Sync {
    /// Plays the best weights on games that neither training nor selection saw, and notes the
    /// results in the run's folder.
    fn final_games(py: Python<'_>, run: &Run<Self>) -> PyResult<Value>;
}

impl Trains for Experiment {
    fn final_games(py: Python<'_>, run: &Run<Experiment>) -> PyResult<Value> {
        let (games, policies) = run.final_games().map_err(raised)?;
        let mut all = Vec::new();
        for policy in &policies {
            match play_named(py, policy, &games, None)? {
                Ok(played) => all.push((policy.name().to_owned(), played)),
                // A policy that does not play this board is left out.
                Err(EvalError::Unsupported(_)) => {}
                Err(error) => return Err(value_error(&error)),
            }
        }
        let summaries = summaries(games.rules.board(), &all);
        let agent = run.agent_name();
        let own: Option<&Summary> = summaries.iter().find(|summary| summary.name == agent);
        run.note_results(own.cloned(), None).map_err(raised)?;
        serde_json::to_value(&summaries).map_err(|error| value_error(&error))
    }
}

impl Trains for DuelExperiment {
    fn final_games(py: Python<'_>, run: &Run<DuelExperiment>) -> PyResult<Value> {
        let (mut tournament, bots) = run.final_tournament().map_err(raised)?;
        let makers: Vec<_> = bots.iter().map(hognose_duel::Bot::maker).collect();
        play_tournament(
            py,
            &mut tournament,
            &makers,
            run.threads,
            &Default::default(),
        )?;
        run.note_results(DuelSummary::new(&tournament, bots.len() - 1), None)
            .map_err(raised)?;
        serde_json::to_value(Written::new(&tournament)).map_err(|error| value_error(&error))
    }
}
