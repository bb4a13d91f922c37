//! Training: the runs of `hognose train`.

#[path = "../../cli/experiments.rs"]
mod experiments;

use crate::arrays::value_error;
use crate::duels::{Written, play_tournament};
use crate::evaluation::{known, play_named, summaries};
use experiments::EXPERIMENTS;
use hognose_agent::{Score, TrainError};
use hognose_eval::EvalError;
use hognose_run::files::{read_or_embedded, usual_folder};
use hognose_run::{
    DuelSummary, Experiment, FinalGames, Observer, Progress, Rates, Results, Round, Run, RunError,
    Selection, SelectionGames, Stop,
};
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cell::{Cell, RefCell};
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
    let run = request.run().map_err(raised)?;
    let ended = |finished: bool, results: Option<Value>| Ended {
        folder: run.folder().to_owned(),
        agent: run.agent_name(),
        finished,
        results,
    };
    let ended = if request.again && run.is_finished() {
        ended(true, None)
    } else {
        let mut listener = Listener::new(hear, run.experiment.total_steps());
        let stop = py.detach(|| run.train(&mut listener));
        if let Some(error) = listener.failure.into_inner() {
            return Err(error);
        }
        match stop.map_err(raised)? {
            Stop::Finished => ended(true, Some(play_final_games(py, &run)?)),
            Stop::Interrupted => ended(false, None),
        }
    };
    serde_json::to_string(&ended).map_err(|error| value_error(&error))
}

impl Request {
    fn run(&self) -> Result<Run, RunError> {
        let mut run = match (&self.experiment, &self.out) {
            (None, Some(folder)) => Run::resume(folder, &self.settings)?,
            (None, None) => {
                let problem = "a run that goes on needs its folder";
                return Err(RunError::Experiment(problem.to_owned()));
            }
            (Some(name), out) => {
                let text = read_or_embedded(name, EXPERIMENTS)?;
                let mut experiment = Experiment::parse(&text)?.with_all(&self.settings)?;
                if let Some(init) = &self.init {
                    experiment = experiment.with_init(init.clone())?;
                }
                let seed = self.seed.unwrap_or(experiment.seed());
                let experiment = experiment.with_seed(seed);
                let folder = out.clone().unwrap_or_else(|| usual_folder(name, seed));
                if self.again {
                    Run::begin_or_resume(experiment, &folder)?
                } else {
                    Run::begin(experiment, &folder)?
                }
            }
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        run.catalog = known().on(&self.device);
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
    score: Option<Score>,
    steps_per_second: f64,
    gradient_steps_per_second: f64,
    /// How the selection games went that were just played.
    selection: Option<SelectionGames>,
    warning: Option<String>,
}

/// Tells Python how far training is.
struct Listener {
    hear: Py<PyAny>,
    total: u64,
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
    fn new(hear: Py<PyAny>, total: u64) -> Listener {
        let now = Instant::now();
        Listener {
            hear,
            total,
            told: Told::default(),
            at: now,
            looked: Cell::new(now),
            goes_on: true,
            failure: RefCell::default(),
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

    fn tell_progress(&mut self, progress: &Progress, rates: Rates) {
        self.told = Told {
            step: progress.step,
            total: self.total,
            gradient_steps: progress.gradient_steps,
            loss: progress.loss,
            score: progress.score,
            steps_per_second: rates.steps,
            gradient_steps_per_second: rates.gradient_steps,
            ..Told::default()
        };
        self.tell(self.told.clone());
    }
}

impl Observer for Listener {
    fn started(&mut self, progress: &Progress) {
        self.tell_progress(progress, Rates::default());
    }

    fn progress(&mut self, progress: &Progress, rates: Rates) {
        if progress.step >= self.total || self.at.elapsed() >= EVERY {
            self.at = Instant::now();
            self.tell_progress(progress, rates);
        }
    }

    fn selected(&mut self, step: u64, round: Round, selection: &Selection) {
        if round == Round::First {
            self.told.score = Some(selection.score);
            self.tell(Told {
                step,
                selection: Some(selection.games.clone()),
                ..self.told.clone()
            });
        }
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

/// Plays the best weights on games that neither training nor selection saw, and notes the results
/// in the run's folder.
fn play_final_games(py: Python<'_>, run: &Run) -> PyResult<Value> {
    let written = match run.final_games().map_err(raised)? {
        FinalGames::Evaluation(games, policies) => {
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
            let own = summaries.iter().find(|summary| summary.name == agent);
            let results = own.map(|summary| Results::Games(Box::new(summary.clone())));
            run.note_results(results, None).map_err(raised)?;
            serde_json::to_value(&summaries)
        }
        FinalGames::Tournament(mut tournament, bots) => {
            let makers: Vec<_> = bots.iter().map(hognose_policies::NamedBot::maker).collect();
            let progress = Default::default();
            play_tournament(py, &mut tournament, &makers, run.threads, &progress)?;
            let results = DuelSummary::new(&tournament, bots.len() - 1).map(Results::Duels);
            run.note_results(results, None).map_err(raised)?;
            serde_json::to_value(Written::new(&tournament))
        }
    };
    written.map_err(|error| value_error(&error))
}
