//! Training: the runs of `hognose train`.

#[path = "../../cli/experiments.rs"]
mod shipped;

use crate::arrays::{from_json, value_error};
use crate::duels::{Written, play_tournament};
use crate::evaluation::{Reporter, known, play_named, summaries};
use crate::forks::need_threads;
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
use shipped::EXPERIMENTS;
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The interval between progress reports to Python, and between checks for Ctrl-C.
const EVERY: Duration = Duration::from_millis(50);

/// The request of [`train`], as JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    /// The name of a shipped experiment, or the path of a file. Without it a run resumes.
    experiment: Option<String>,
    /// The run's folder.
    out: Option<PathBuf>,
    /// Of the form `key=value`.
    settings: Vec<String>,
    seed: Option<u64>,
    init: Option<PathBuf>,
    device: String,
    threads: Option<usize>,
    /// Whether to resume a run in the folder, or to keep it if it is finished.
    again: bool,
    /// The call in Python, for the manifest.
    command: String,
}

/// The end of a run, as JSON.
#[derive(Serialize)]
struct Ended {
    folder: PathBuf,
    agent: String,
    finished: bool,
    /// The results of the final games, if this call played them.
    results: Option<Value>,
}

/// Trains as `hognose train` does, and plays the final games. `callback` receives the progress
/// (JSON) and returns whether to continue.
#[pyfunction]
pub(crate) fn train(py: Python<'_>, request: &str, callback: Py<PyAny>) -> PyResult<String> {
    need_threads()?;
    let request: Request = from_json(request)?;
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
        let mut listener = Listener::new(callback, run.experiment.total_steps());
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

/// Returns the names and texts of the shipped experiments.
#[pyfunction]
pub(crate) fn experiments() -> Vec<(&'static str, &'static str)> {
    EXPERIMENTS.to_vec()
}

/// A curve: its name, steps and values.
type Curve = (String, Vec<u64>, Vec<f64>);

/// Returns the curves of a run.
#[pyfunction]
pub(crate) fn curves(folder: PathBuf) -> PyResult<Vec<Curve>> {
    let curves = hognose_run::scalars(&folder).map_err(raised)?.into_iter();
    Ok(curves
        .map(|(name, points)| {
            let (steps, values) = points.into_iter().unzip();
            (name, steps, values)
        })
        .collect())
}

impl Request {
    fn run(&self) -> Result<Run, RunError> {
        let mut run = match (&self.experiment, &self.out) {
            (None, Some(folder)) => Run::resume(folder, &self.settings)?,
            (None, None) => {
                let problem = "resuming a run needs its folder";
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

/// Returns the Python exception for an error.
fn raised(error: RunError) -> PyErr {
    match error {
        RunError::File { .. } => PyOSError::new_err(error.to_string()),
        RunError::Train(TrainError::Diverged { .. }) => PyRuntimeError::new_err(error.to_string()),
        _ => value_error(&error),
    }
}

/// The progress of training, as JSON for the callback.
#[derive(Clone, Default, Serialize)]
struct Report {
    step: u64,
    total: u64,
    gradient_steps: u64,
    loss: Option<f64>,
    score: Option<Score>,
    steps_per_second: f64,
    gradient_steps_per_second: f64,
    /// The selection games that were just played.
    selection: Option<SelectionGames>,
    warning: Option<String>,
}

/// Reports progress to the Python callback.
struct Listener {
    callback: Py<PyAny>,
    total: u64,
    /// The last report of progress, and its time.
    last: Report,
    at: Instant,
    /// The time of the last check for signals.
    polled: Cell<Instant>,
    goes_on: bool,
    /// The exception raised by the callback or by Ctrl-C.
    failure: RefCell<Option<PyErr>>,
}

impl Listener {
    fn new(callback: Py<PyAny>, total: u64) -> Listener {
        let now = Instant::now();
        Listener {
            callback,
            total,
            last: Report::default(),
            at: now,
            polled: Cell::new(now),
            goes_on: true,
            failure: RefCell::default(),
        }
    }

    fn report(&mut self, report: Report) {
        let answer = serde_json::to_string(&report).map_err(|error| value_error(&error));
        let answer = answer.and_then(|text| {
            Python::attach(|py| self.callback.call1(py, (text,))?.extract::<bool>(py))
        });
        match answer {
            Ok(goes_on) => self.goes_on &= goes_on,
            Err(error) => drop(self.failure.get_mut().get_or_insert(error)),
        }
    }

    fn report_progress(&mut self, progress: &Progress, rates: Rates) {
        self.last = Report {
            step: progress.step,
            total: self.total,
            gradient_steps: progress.gradient_steps,
            loss: progress.loss,
            score: progress.score,
            steps_per_second: rates.steps,
            gradient_steps_per_second: rates.gradient_steps,
            ..Report::default()
        };
        self.report(self.last.clone());
    }
}

impl Observer for Listener {
    fn started(&mut self, progress: &Progress) {
        self.report_progress(progress, Rates::default());
    }

    fn progress(&mut self, progress: &Progress, rates: Rates) {
        if progress.step >= self.total || self.at.elapsed() >= EVERY {
            self.at = Instant::now();
            self.report_progress(progress, rates);
        }
    }

    fn selected(&mut self, step: u64, round: Round, selection: &Selection) {
        if round == Round::First {
            self.last.score = Some(selection.score);
            self.report(Report {
                step,
                selection: Some(selection.games.clone()),
                ..self.last.clone()
            });
        }
    }

    fn warned(&mut self, warning: &str) {
        self.report(Report {
            warning: Some(warning.to_owned()),
            ..self.last.clone()
        });
    }

    fn goes_on(&self) -> bool {
        if self.goes_on && self.failure.borrow().is_none() && self.polled.get().elapsed() >= EVERY {
            self.polled.set(Instant::now());
            *self.failure.borrow_mut() = Python::attach(|py| py.check_signals()).err();
        }
        self.goes_on && self.failure.borrow().is_none()
    }
}

/// Plays the best weights on games unseen in training and selection, and saves the results in the
/// run's folder.
fn play_final_games(py: Python<'_>, run: &Run) -> PyResult<Value> {
    let written = match run.final_games().map_err(raised)? {
        FinalGames::Evaluation(games, policies) => {
            let mut all = Vec::new();
            for policy in &policies {
                match play_named(py, policy, &games, |_| ControlFlow::Continue(()))? {
                    Ok(played) => all.push((policy.name().to_owned(), played)),
                    // Skip a policy that does not support this board.
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
            let report = &mut Reporter::new(None);
            play_tournament(py, &mut tournament, &makers, run.threads, &progress, report)?;
            let results = DuelSummary::new(&tournament, bots.len() - 1).map(Results::Duels);
            run.note_results(results, None).map_err(raised)?;
            serde_json::to_value(Written::new(&tournament))
        }
    };
    written.map_err(|error| value_error(&error))
}
