//! The games of an evaluation. Built-in policies play them by their names, and Python functions play them too.

use crate::games::{shape, value_error};
use hognose_env::{ActionKind, Element, Encoder, Mask, Observation};
use hognose_eval::{EvalError, Evaluation, Limits, Played, Summary};
use hognose_game::{Allowed, BatchPolicy, Choice, Player, Position, Rules, Unsupported};
use hognose_policies::{Catalog, DEFAULT_MOVE_LIMIT, SOLVERS, safe_moves};
use numpy::{Element as NumpyElement, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyKeyboardInterrupt, PyTypeError, PyValueError};
use pyo3::prelude::*;
use serde::Deserialize;
use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Every built-in policy: its name, what it does, and where it wins every game (`None` without a guarantee).
#[pyfunction]
pub(crate) fn policies() -> Vec<(&'static str, &'static str, Option<&'static str>)> {
    SOLVERS.iter().map(|known| (known.name, known.description, known.wins)).collect()
}

/// The JSON of [`play`]: which games are played, and what a Python function sees and answers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlayedGames {
    rules: Rules,
    seed: u64,
    first: usize,
    games: usize,
    starvation: Option<u32>,
    time_limit: Option<u32>,
    threads: usize,
    /// The seconds that a program may take for a move.
    move_limit: Option<f64>,
    observation: Observation,
    action: ActionKind,
    dtype: String,
    mask: Mask,
    frame_stack: NonZeroUsize,
}

/// Plays the games of `config` (JSON) and returns everything about them as JSON. `policy` is the name of a built-in
/// policy, `exec:COMMAND` for a program, or a Python function of (observations, masks).
#[pyfunction]
pub(crate) fn play(py: Python<'_>, policy: &Bound<'_, PyAny>, config: &str) -> PyResult<String> {
    let config: PlayedGames = serde_json::from_str(config).map_err(|error| value_error(&error))?;
    let evaluation = Evaluation {
        first: config.first,
        limits: Limits { starvation: config.starvation, time_limit: config.time_limit },
        threads: config.threads,
        ..Evaluation::new(config.rules, config.seed, config.games)
    };
    let played = if let Ok(name) = policy.extract::<String>() {
        let catalog = Catalog::default().with_programs(move_limit(config.move_limit)?);
        let named = catalog.policy(&name).map_err(|error| value_error(&error))?;
        run(py, move || named.player(), &evaluation, &Arc::default())?
    } else if policy.is_callable() {
        let function = policy.clone().unbind();
        // One thread: the function runs under Python's lock anyway.
        let evaluation = Evaluation { threads: 1, ..evaluation };
        let failure = Failure::default();
        let player = |function: Py<PyAny>| match config.dtype.as_str() {
            "uint8" => Ok(Function::<u8>::player(function, &config, &failure)),
            "float32" => Ok(Function::<f32>::player(function, &config, &failure)),
            other => Err(PyValueError::new_err(format!("dtype must be uint8 or float32, got {other}"))),
        };
        let mut player = Some(player(function)?);
        run(py, || player.take().expect("one thread needs one player"), &evaluation, &failure)?
    } else {
        let got = policy.get_type().name()?;
        return Err(PyTypeError::new_err(format!("a policy must be a name or a function, got {got}")));
    };
    serde_json::to_string(&played).map_err(|error| value_error(&error))
}

/// How long a program may think about a move.
fn move_limit(seconds: Option<f64>) -> PyResult<Duration> {
    let Some(seconds) = seconds else { return Ok(DEFAULT_MOVE_LIMIT) };
    match (0.001..=3600.0).contains(&seconds) {
        true => Ok(Duration::from_secs_f64(seconds)),
        false => Err(PyValueError::new_err(format!("move_limit must be 0.001 to 3600 seconds, got {seconds}"))),
    }
}

/// The summaries of the games of each policy as JSON, with the differences to the first policy. Games are JSON of
/// [`play`], and those of a policy may come in parts, in order.
#[pyfunction]
pub(crate) fn summarize(rules: &str, games: Vec<(String, Vec<String>)>) -> PyResult<String> {
    let rules: Rules = serde_json::from_str(rules).map_err(|error| value_error(&error))?;
    let mut all: Vec<(String, Played)> = Vec::new();
    for (name, parts) in games {
        let mut joined: Option<Played> = None;
        for part in parts {
            let part: Played = serde_json::from_str(&part).map_err(|error| value_error(&error))?;
            match &mut joined {
                Some(joined) => joined.append(part),
                None => joined = Some(part),
            }
        }
        let joined = joined.ok_or_else(|| PyValueError::new_err(format!("no games of {name}")))?;
        all.push((name, joined));
    }
    let summaries = all.iter().enumerate().map(|(index, (name, played))| {
        let summary = Summary::new(name, rules.board(), played);
        let (reference, its) = &all[0];
        if index == 0 { summary } else { summary.paired_with(reference, &its.episodes, &played.episodes) }
    });
    serde_json::to_string(&summaries.collect::<Vec<_>>()).map_err(|error| value_error(&error))
}

/// The exception that a Python function raised, if it did.
type Failure = Arc<Mutex<Option<PyErr>>>;

fn take(failure: &Failure) -> Option<PyErr> {
    failure.lock().expect("nothing panics while it is held").take()
}

/// Plays while other Python threads go on. It stops at Ctrl-C, and where a Python function raised an exception.
fn run(
    py: Python<'_>,
    make: impl FnMut() -> Player + Send,
    config: &Evaluation,
    failure: &Failure,
) -> PyResult<Played> {
    let mut interrupted = None;
    let played = py.detach(|| {
        hognose_eval::evaluate(make, config, |_| {
            if failure.lock().expect("nothing panics while it is held").is_some() {
                return ControlFlow::Break(());
            }
            match Python::attach(|py| py.check_signals()) {
                Ok(()) => ControlFlow::Continue(()),
                Err(signal) => {
                    interrupted = Some(signal);
                    ControlFlow::Break(())
                }
            }
        })
    });
    match (played, take(failure), interrupted) {
        (_, Some(error), _) | (_, None, Some(error)) => Err(error),
        (Ok(played), None, None) => Ok(played),
        (Err(EvalError::Interrupted), None, None) => Err(PyKeyboardInterrupt::new_err("interrupted")),
        (Err(error), None, None) => Err(value_error(&error)),
    }
}

/// A Python function that answers (observations, masks) with an action for each row.
struct Function<T> {
    function: Py<PyAny>,
    encoder: RefCell<Encoder>,
    /// The shape of what the function sees of one game: an observation, with an axis of frames before it if they are
    /// stacked.
    shape: Vec<usize>,
    frames: usize,
    /// What the function sees of each game that goes on, one row a game, the newest frame last.
    seen: RefCell<Vec<T>>,
    action: ActionKind,
    failure: Failure,
}

impl<T: Element + NumpyElement> Function<T> {
    fn player(function: Py<PyAny>, config: &PlayedGames, failure: &Failure) -> Player {
        let encoder = Encoder::new(config.observation, config.rules.board());
        let (frames, mut shape) = (config.frame_stack.get(), shape(encoder.space()));
        if frames > 1 {
            shape.insert(0, frames);
        }
        let policy = Function::<T> {
            function,
            encoder: RefCell::new(encoder),
            shape,
            frames,
            seen: RefCell::default(),
            action: config.action,
            failure: Arc::clone(failure),
        };
        Player::Batch(Box::new(policy), config.mask.filter(&safe_moves()))
    }

    /// Adds the newest frame of each game. Where a game begins, its first frame fills the stack.
    fn see(&self, positions: &[&Position], allowed: &[Allowed]) {
        let mut encoder = self.encoder.borrow_mut();
        let mut seen = self.seen.borrow_mut();
        let values = encoder.space().len();
        let row = self.frames * values;
        let going_on = seen.len() / row;
        seen.resize(positions.len() * row, T::ZERO);
        for (game, (row, (position, allowed))) in
            seen.chunks_exact_mut(row).zip(positions.iter().zip(allowed)).enumerate()
        {
            let newest = row.len() - values;
            if game < going_on {
                row.copy_within(values.., 0);
            }
            encoder.encode(*position, allowed.moves, &mut row[newest..]);
            if game >= going_on {
                (0..newest).step_by(values).for_each(|frame| row.copy_within(newest.., frame));
            }
        }
    }

    fn call(
        &self,
        py: Python<'_>,
        positions: &[&Position],
        allowed: &[Allowed],
        choices: &mut [Choice],
    ) -> PyResult<()> {
        let (n, actions) = (positions.len(), self.action.count());
        self.see(positions, allowed);
        let shape: Vec<usize> = std::iter::once(n).chain(self.shape.iter().copied()).collect();
        let observations = PyArray1::from_slice(py, &self.seen.borrow()).reshape(shape)?;
        let masks = PyArray2::<bool>::zeros(py, [n, actions], false);
        {
            let mut masks = masks.try_readwrite()?;
            let masks = masks.as_slice_mut()?.chunks_exact_mut(actions);
            for ((position, allowed), mask) in positions.iter().zip(allowed).zip(masks) {
                let bits = self.action.bits(allowed.moves, position.heading());
                for (action, allowed) in mask.iter_mut().enumerate() {
                    *allowed = bits == 0 || bits >> action & 1 == 1;
                }
            }
        }
        let answer = self.function.bind(py).call1((observations, masks))?;
        let answer = py.import("numpy")?.call_method1("asarray", (answer,))?.call_method1("astype", ("int64",))?;
        let answer: PyReadonlyArray1<'_, i64> = answer.extract().map_err(|_| {
            PyValueError::new_err(format!("the policy must answer with an array of {n} actions, got another shape"))
        })?;
        let answer = answer.as_array();
        if answer.len() != n {
            let got = answer.len();
            return Err(PyValueError::new_err(format!("the policy must answer with {n} actions, got {got}")));
        }
        for ((choice, position), &action) in choices.iter_mut().zip(positions).zip(answer) {
            let valid = u8::try_from(action).ok().filter(|&action| usize::from(action) < actions);
            let action = valid.ok_or_else(|| {
                PyValueError::new_err(format!("the policy's actions must be in 0..{actions}, got {action}"))
            })?;
            *choice = Choice { direction: self.action.direction(action, position.heading()), forbidden: false };
        }
        Ok(())
    }
}

impl<T: Element + NumpyElement> BatchPolicy for Function<T> {
    fn check(&self, _: &Position) -> Result<(), Unsupported> {
        Ok(())
    }

    fn act_all(&self, positions: &[&Position], allowed: &[Allowed], choices: &mut [Choice]) {
        let mut failure = self.failure.lock().expect("nothing panics while it is held");
        if failure.is_none() {
            *failure = Python::attach(|py| self.call(py, positions, allowed, choices)).err();
        }
    }

    fn keep(&self, going_on: &[bool]) {
        let mut seen = self.seen.borrow_mut();
        let row = seen.len() / going_on.len();
        let mut kept = 0;
        for (game, _) in going_on.iter().enumerate().filter(|(_, going_on)| **going_on) {
            seen.copy_within(game * row..(game + 1) * row, kept * row);
            kept += 1;
        }
        seen.truncate(kept * row);
    }
}
