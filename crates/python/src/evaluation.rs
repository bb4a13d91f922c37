//! The games of an evaluation. Built-in policies play them by their names, and Python functions
//! play them too.

/// The agents that the package brings along: those of the binary.
#[cfg(feature = "agents")]
#[path = "../../cli/agents.rs"]
mod agents;

/// The agents for duels that it brings along.
#[path = "../../cli/duel_agents.rs"]
mod duel_agents;

#[cfg(feature = "agents")]
use agents::AGENTS;
use duel_agents::DUEL_AGENTS;

use crate::arrays::{shape, value_error, whole_numbers};
use hognose_env::{ActionKind, Element, Encoder, Mask, Observation};
use hognose_eval::stats::{self, Interval};
use hognose_eval::{
    EndedBy, EvalError, Evaluation, Leaderboard, Limits, Played, Standing, Standings, Summary,
};
use hognose_game::{
    Allowed, BatchPolicy, Board, Choice, MakePolicy, Player, Position, Rules, Unsupported,
};
use hognose_policies::{
    Catalog, DEFAULT_MOVE_LIMIT, MOVE_LIMITS, NamedPolicy, SOLVERS, one_by_one, safe_moves,
};
use numpy::{Element as NumpyElement, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The leaderboard that ships: what `hognose leaderboard` wrote.
const SHIPPED: &str = include_str!("../../../experiments/leaderboard.json");

/// Every built-in policy: its name, what it does, and where it wins every game (`None` without a
/// guarantee).
#[pyfunction]
pub(crate) fn policies() -> Vec<(&'static str, &'static str, Option<&'static str>)> {
    SOLVERS
        .iter()
        .map(|known| (known.name, known.description, known.wins))
        .collect()
}

pyo3::create_exception!(
    hognose._hognose,
    UnsupportedError,
    PyValueError,
    "A policy does not play these games, such as those on a board that it can't win."
);

/// The JSON of [`play`]: which games are played, and what a Python function sees of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlayedGames {
    rules: Rules,
    seed: u64,
    first: usize,
    games: usize,
    starvation: Option<u32>,
    time_limit: Option<u32>,
    threads: usize,
    /// The seconds that a program may take for a move.
    move_limit: Option<f64>,
    view: View,
}

impl PlayedGames {
    pub(crate) fn from_json(config: &str) -> PyResult<PlayedGames> {
        serde_json::from_str(config).map_err(|error| value_error(&error))
    }

    pub(crate) fn evaluation(&self) -> Evaluation {
        Evaluation {
            first: self.first,
            limits: Limits {
                starvation: self.starvation,
                time_limit: self.time_limit,
                ..Limits::NONE
            },
            threads: self.threads,
            ..Evaluation::new(self.rules, self.seed, self.games)
        }
    }

    /// Calls `play` with a policy that plays one game at a time, while other Python threads go on.
    pub(crate) fn play_singly<T: Send>(
        &self,
        py: Python<'_>,
        policy: &Bound<'_, PyAny>,
        play: impl FnOnce(&Single) -> Result<T, Unsupported> + Send,
    ) -> PyResult<T> {
        let contestant = Contestant::new(policy, &catalog(self.move_limit)?)?;
        let failure = Failure::default();
        let maker = contestant.single_player(py, self.view, &failure);
        let single = Single {
            maker,
            contestant,
            failure: Arc::clone(&failure),
        };
        let played = py.detach(move || play(&single));
        match take(&failure) {
            Some(error) => Err(error),
            None => played.map_err(|refusal| unsupported(&refusal)),
        }
    }
}

/// What a Python function sees of the games, and what it answers.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct View {
    observation: Observation,
    action: ActionKind,
    dtype: Dtype,
    mask: Mask,
    frame_stack: NonZeroUsize,
}

/// The type of what a Python function sees.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Dtype {
    Uint8,
    Float32,
}

impl View {
    /// A player of games on this board that asks a Python function.
    fn player(self, function: Py<PyAny>, board: Board, failure: &Failure) -> Player {
        match self.dtype {
            Dtype::Uint8 => Function::<u8>::player(function, board, self, failure),
            Dtype::Float32 => Function::<f32>::player(function, board, self, failure),
        }
    }
}

/// Plays the games of `config` (JSON) and returns everything about them as JSON. `policy` is the
/// name of a built-in policy, `exec:COMMAND` for a program, or a Python function of (observations,
/// masks).
#[pyfunction]
pub(crate) fn play(py: Python<'_>, policy: &Bound<'_, PyAny>, config: &str) -> PyResult<String> {
    let config = PlayedGames::from_json(config)?;
    let contestant = Contestant::new(policy, &catalog(config.move_limit)?)?;
    let played = contestant.play(py, &config.evaluation(), config.view, None)?;
    let played = played.map_err(|error| match error {
        EvalError::Unsupported(refusal) => unsupported(&refusal),
        error => value_error(&error),
    })?;
    serde_json::to_string(&played).map_err(|error| value_error(&error))
}

pub(crate) fn unsupported(refusal: &Unsupported) -> PyErr {
    UnsupportedError::new_err(refusal.to_string())
}

/// The JSON of [`leaderboard`]: which boards are played, for how long, and what Python functions
/// see.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlayedBoards {
    boards: Vec<Rules>,
    seed: u64,
    games: Option<usize>,
    seconds: f64,
    threads: usize,
    view: View,
}

/// A policy on a board of a leaderboard.
#[derive(Serialize)]
struct Row {
    board: Board,
    games: usize,
    ended_by: Option<EndedBy>,
    shipped: bool,
    #[serde(flatten)]
    standing: Standing,
}

/// How policies with names stand on the boards of `config` (JSON), among those of the shipped
/// leaderboard, as JSON rows. `spread` plays games elsewhere: a function of (the policy's index,
/// games as JSON) that answers with what [`play`] does, in parts, or with None if the time is over.
#[pyfunction]
#[pyo3(signature = (policies, config, spread=None))]
pub(crate) fn leaderboard(
    py: Python<'_>,
    policies: Vec<(String, Bound<'_, PyAny>)>,
    config: &str,
    spread: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let config: PlayedBoards = serde_json::from_str(config).map_err(|error| value_error(&error))?;
    let time = Duration::try_from_secs_f64(config.seconds).ok();
    let until = time.and_then(|time| Instant::now().checked_add(time));
    let until = until.ok_or_else(|| {
        PyValueError::new_err(format!("expected fewer seconds, got {}", config.seconds))
    })?;
    let catalog = catalog(None)?;
    let contestants = policies
        .iter()
        .map(|(_, policy)| Contestant::new(policy, &catalog))
        .collect::<PyResult<Vec<_>>>()?;
    let mut leaderboard = Leaderboard::new(
        config.seed,
        policies.iter().map(|(name, _)| name),
        &config.boards,
    );
    let played = leaderboard.play(config.games, |policy, games| {
        let games = Evaluation {
            threads: config.threads,
            ..games.clone()
        };
        let played = match &spread {
            Some(spread) => play_elsewhere(spread, policy, &games),
            None => contestants[policy].play(py, &games, config.view, Some(until)),
        };
        match played {
            Ok(Ok(played)) => Ok(Some(played)),
            Ok(Err(EvalError::Unsupported(_))) => Ok(None),
            Ok(Err(EvalError::Interrupted)) => Err(None),
            Ok(Err(error)) => Err(Some(value_error(&error))),
            Err(error) => Err(Some(error)),
        }
    });
    match played {
        Ok(()) => {}
        Err(None) => leaderboard.end(EndedBy::Time),
        Err(Some(error)) => return Err(error),
    }
    let shipped: Leaderboard =
        serde_json::from_str(SHIPPED).map_err(|error| value_error(&error))?;
    let rows: Vec<Row> = leaderboard
        .boards
        .iter()
        .filter(|own| own.games > 0)
        .flat_map(|own| rows(own, &shipped))
        .collect();
    if rows.is_empty() {
        return Err(PyValueError::new_err(
            "minutes were over before every policy had played its first games on a board",
        ));
    }
    serde_json::to_string(&rows).map_err(|error| value_error(&error))
}

/// Plays games by a function of (the policy's index, games as JSON).
fn play_elsewhere(
    spread: &Bound<'_, PyAny>,
    policy: usize,
    games: &Evaluation,
) -> PyResult<Result<Played, EvalError>> {
    let Evaluation {
        rules,
        seed,
        first,
        games,
        limits: Limits {
            starvation,
            time_limit,
            ..
        },
        ..
    } = games;
    let text = serde_json::json!({
        "rules": rules,
        "seed": seed,
        "first": first,
        "games": games,
        "starvation": starvation,
        "time_limit": time_limit,
    });
    match spread.call1((policy, text.to_string())) {
        Ok(parts) if parts.is_none() => Ok(Err(EvalError::Interrupted)),
        Ok(parts) => joined(parts.extract()?).map(Ok),
        Err(error) if error.is_instance_of::<UnsupportedError>(spread.py()) => Ok(Err(
            EvalError::Unsupported(Unsupported(error.value(spread.py()).to_string())),
        )),
        Err(error) => Err(error),
    }
}

/// Games that were played in parts, in order: JSON of [`play`].
fn joined(parts: Vec<String>) -> PyResult<Played> {
    let mut joined: Option<Played> = None;
    for part in parts {
        let part: Played = serde_json::from_str(&part).map_err(|error| value_error(&error))?;
        match &mut joined {
            Some(joined) => joined.append(part),
            None => joined = Some(part),
        }
    }
    joined.ok_or_else(|| PyValueError::new_err("expected games, got none"))
}

/// The rows of a board, among those of the shipped leaderboard that have other policies.
fn rows(own: &Standings, shipped: &Leaderboard) -> Vec<Row> {
    let of = |standings: &Standings, standing: Standing, shipped: bool| {
        let board = standings.rules.board();
        let games = standings.games;
        let ended_by = standings.ended_by;
        Row {
            board,
            games,
            ended_by,
            shipped,
            standing,
        }
    };
    let theirs = shipped
        .boards
        .iter()
        .find(|theirs| theirs.rules == own.rules);
    let others = theirs
        .into_iter()
        .flat_map(|theirs| &theirs.rows)
        .filter(|row| own.of(&row.policy).is_none());
    let mut ranked: Vec<Standing> = own.rows.iter().chain(others).cloned().collect();
    hognose_eval::rank(&mut ranked);
    ranked
        .into_iter()
        .map(|standing| match theirs {
            Some(theirs) if own.of(&standing.policy).is_none() => of(theirs, standing, true),
            _ => of(own, standing, false),
        })
        .collect()
}

/// Where policies and bots of files are looked up: those that are computed, and agents.
pub(crate) fn known() -> Catalog {
    let catalog = Catalog::default().with_duel_agents(DUEL_AGENTS);
    #[cfg(feature = "agents")]
    let catalog = catalog.with_agents(AGENTS);
    catalog
}

/// Where policies and bots are looked up: those that are computed, agents, and programs, which may
/// think about a move for so many seconds.
pub(crate) fn catalog(move_limit: Option<f64>) -> PyResult<Catalog> {
    let catalog = known();
    let Some(seconds) = move_limit else {
        return Ok(catalog.with_programs(DEFAULT_MOVE_LIMIT));
    };
    match MOVE_LIMITS.contains(&seconds) {
        true => Ok(catalog.with_programs(Duration::from_secs_f64(seconds))),
        false => {
            let least = MOVE_LIMITS.start();
            let most = MOVE_LIMITS.end();
            Err(PyValueError::new_err(format!(
                "move_limit must be {least} to {most} seconds, got {seconds}"
            )))
        }
    }
}

/// The summaries of the games of each policy as JSON, with the differences to the first policy.
/// Games are JSON of [`play`], and those of a policy may come in parts, in order.
#[pyfunction]
pub(crate) fn summarize(rules: &str, games: Vec<(String, Vec<String>)>) -> PyResult<String> {
    let rules: Rules = serde_json::from_str(rules).map_err(|error| value_error(&error))?;
    let all = games
        .into_iter()
        .map(|(name, parts)| Ok((name, joined(parts)?)))
        .collect::<PyResult<Vec<_>>>()?;
    serde_json::to_string(&summaries(rules.board(), &all)).map_err(|error| value_error(&error))
}

/// The summaries of the games of each policy, with the differences to the first policy.
pub(crate) fn summaries(board: Board, all: &[(String, Played)]) -> Vec<Summary> {
    all.iter()
        .enumerate()
        .map(|(index, (name, played))| {
            let summary = Summary::new(name, board, played);
            let (reference, its) = &all[0];
            if index == 0 {
                summary
            } else {
                summary.paired_with(reference, &its.episodes, &played.episodes)
            }
        })
        .collect()
}

/// The mean over training seeds with its 95 % interval, by Student's t; of shares of so many games
/// by Wilson with Student's t and the design effect of the seeds.
#[pyfunction]
pub(crate) fn mean_over_seeds(
    values: Vec<f64>,
    games: Option<usize>,
) -> (Option<f64>, Option<(f64, f64)>) {
    let interval = match games {
        Some(games) => stats::grouped_interval(&values, games),
        None => stats::mean_interval(&values),
    };
    (
        stats::mean(&values),
        interval.map(|Interval { low, high }| (low, high)),
    )
}

/// Who plays: a built-in policy, or a Python function of (observations, masks).
enum Contestant {
    BuiltIn(NamedPolicy),
    Function(Py<PyAny>),
}

impl Contestant {
    /// The policy of a name, or a Python function.
    fn new(policy: &Bound<'_, PyAny>, catalog: &Catalog) -> PyResult<Contestant> {
        if let Ok(name) = policy.extract::<String>() {
            catalog
                .policy(&name)
                .map(Contestant::BuiltIn)
                .map_err(|error| value_error(&error))
        } else if policy.is_callable() {
            Ok(Contestant::Function(policy.clone().unbind()))
        } else {
            let got = policy.get_type().name()?;
            Err(PyTypeError::new_err(format!(
                "a policy must be a name or a function, got {got}"
            )))
        }
    }

    /// Plays games. They are interrupted where the time is over.
    fn play(
        &self,
        py: Python<'_>,
        games: &Evaluation,
        view: View,
        until: Option<Instant>,
    ) -> PyResult<Result<Played, EvalError>> {
        let function = match self {
            Contestant::BuiltIn(named) => return play_named(py, named, games, until),
            Contestant::Function(function) => function.clone_ref(py),
        };
        // One thread: the function runs under Python's lock anyway.
        let games = Evaluation {
            threads: 1,
            ..games.clone()
        };
        let failure = Failure::default();
        let mut player = Some(view.player(function, games.rules.board(), &failure));
        run(
            py,
            || player.take().expect("one thread needs one player"),
            &games,
            &failure,
            until,
        )
    }

    /// What makes players of one game.
    fn single_player(&self, py: Python<'_>, view: View, failure: &Failure) -> Arc<dyn MakePolicy> {
        let function = match self {
            Contestant::BuiltIn(named) => return named.single_player(),
            Contestant::Function(function) => function.clone_ref(py),
        };
        let failure = Arc::clone(failure);
        // Each game has a player of its own, since it remembers what it saw.
        Arc::new(move |position: &Position, seed: u64| {
            let function = Python::attach(|py| function.clone_ref(py));
            one_by_one(view.player(function, position.board(), &failure)).make(position, seed)
        })
    }
}

/// A policy that plays one game at a time.
pub(crate) struct Single {
    pub(crate) maker: Arc<dyn MakePolicy>,
    contestant: Contestant,
    failure: Failure,
}

impl Single {
    /// What the policy thinks that a position is worth; `None` for policies without values.
    pub(crate) fn value(&self, position: &Position) -> Option<f64> {
        match &self.contestant {
            Contestant::BuiltIn(named) => named.value(position),
            Contestant::Function(_) => None,
        }
    }

    /// Breaks off at Ctrl-C, and where a Python function raised an exception.
    pub(crate) fn go_on(&self) -> ControlFlow<()> {
        go_on(&self.failure)
    }
}

/// Plays games of a policy with a name. They are interrupted where the time is over.
pub(crate) fn play_named(
    py: Python<'_>,
    named: &NamedPolicy,
    games: &Evaluation,
    until: Option<Instant>,
) -> PyResult<Result<Played, EvalError>> {
    // They are made here, since a policy with a name can't be shared with other threads.
    let players = (0..games.threads.min(games.games)).map(|_| named.player());
    let mut players: Vec<Player> = players.collect();
    run(
        py,
        || players.pop().expect("each thread has a player"),
        games,
        &Arc::default(),
        until,
    )
}

/// The exception that a Python function raised, or that of Ctrl-C.
pub(crate) type Failure = Arc<Mutex<Option<PyErr>>>;

pub(crate) fn take(failure: &Failure) -> Option<PyErr> {
    failure
        .lock()
        .expect("nothing panics while it is held")
        .take()
}

/// Breaks off at Ctrl-C, and where a Python function on this thread raised an exception.
pub(crate) fn go_on(failure: &Failure) -> ControlFlow<()> {
    let mut failure = failure.lock().expect("nothing panics while it is held");
    if failure.is_none() {
        *failure = Python::attach(|py| py.check_signals()).err();
    }
    if failure.is_some() {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

/// Plays while other Python threads go on. It stops at Ctrl-C, where a Python function raised an
/// exception, and where the time is over.
fn run(
    py: Python<'_>,
    make: impl FnMut() -> Player + Send,
    config: &Evaluation,
    failure: &Failure,
    until: Option<Instant>,
) -> PyResult<Result<Played, EvalError>> {
    let played = py.detach(|| {
        hognose_eval::evaluate(make, config, |_| match until {
            Some(until) if Instant::now() >= until => ControlFlow::Break(()),
            _ => go_on(failure),
        })
    });
    match take(failure) {
        Some(error) => Err(error),
        None => Ok(played),
    }
}

/// A Python function that answers (observations, masks) with an action for each row.
struct Function<T> {
    function: Py<PyAny>,
    encoder: RefCell<Encoder>,
    /// The shape of what the function sees of one game: an observation, with an axis of frames
    /// before it if they are stacked.
    shape: Vec<usize>,
    frames: usize,
    /// What the function sees of each game that goes on, one row a game, the newest frame last.
    seen: RefCell<Vec<T>>,
    action: ActionKind,
    failure: Failure,
}

impl<T: Element + NumpyElement> Function<T> {
    fn player(function: Py<PyAny>, board: Board, view: View, failure: &Failure) -> Player {
        let encoder = Encoder::new(view.observation, board);
        let frames = view.frame_stack.get();
        let mut shape = shape(encoder.space());
        if frames > 1 {
            shape.insert(0, frames);
        }
        let policy = Function::<T> {
            function,
            encoder: RefCell::new(encoder),
            shape,
            frames,
            seen: RefCell::default(),
            action: view.action,
            failure: Arc::clone(failure),
        };
        Player::Batch(Box::new(policy), view.mask.filter(&safe_moves()))
    }

    /// Adds the newest frame of each game. Where a game begins, its first frame fills the stack.
    fn see(&self, positions: &[&Position], allowed: &[Allowed]) {
        let mut encoder = self.encoder.borrow_mut();
        let mut seen = self.seen.borrow_mut();
        let values = encoder.space().len();
        let row = self.frames * values;
        let going_on = seen.len() / row;
        seen.resize(positions.len() * row, T::ZERO);
        for (game, (row, (position, allowed))) in seen
            .chunks_exact_mut(row)
            .zip(positions.iter().zip(allowed))
            .enumerate()
        {
            let newest = row.len() - values;
            if game < going_on {
                row.copy_within(values.., 0);
            }
            encoder.encode(*position, allowed.moves, &mut row[newest..]);
            if game >= going_on {
                (0..newest)
                    .step_by(values)
                    .for_each(|frame| row.copy_within(newest.., frame));
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
        let n = positions.len();
        let actions = self.action.count();
        self.see(positions, allowed);
        let shape: Vec<usize> = std::iter::once(n)
            .chain(self.shape.iter().copied())
            .collect();
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
        let answer = whole_numbers(
            "policy",
            &self.function.bind(py).call1((observations, masks))?,
        )?;
        let answer: PyReadonlyArray1<'_, i64> = answer.extract().map_err(|_| {
            PyValueError::new_err(format!(
                "the policy must answer with an array of {n} actions, got another shape"
            ))
        })?;
        let answer = answer.as_array();
        if answer.len() != n {
            let got = answer.len();
            return Err(PyValueError::new_err(format!(
                "the policy must answer with {n} actions, got {got}"
            )));
        }
        for ((choice, position), &action) in choices.iter_mut().zip(positions).zip(answer) {
            let valid = u8::try_from(action)
                .ok()
                .filter(|&action| usize::from(action) < actions);
            let action = valid.ok_or_else(|| {
                PyValueError::new_err(format!(
                    "the policy's actions must be in 0..{actions}, got {action}"
                ))
            })?;
            *choice = Choice {
                direction: self.action.direction(action, position.heading()),
                forbidden: false,
            };
        }
        Ok(())
    }
}

impl<T: Element + NumpyElement> BatchPolicy for Function<T> {
    fn check(&self, _: &Position) -> Result<(), Unsupported> {
        Ok(())
    }

    fn act_all(&self, positions: &[&Position], allowed: &[Allowed], choices: &mut [Choice]) {
        let mut failure = self
            .failure
            .lock()
            .expect("nothing panics while it is held");
        if failure.is_none() {
            *failure = Python::attach(|py| self.call(py, positions, allowed, choices)).err();
        }
    }

    fn keep(&self, going_on: &[bool]) {
        let mut seen = self.seen.borrow_mut();
        let row = seen.len() / going_on.len();
        let mut kept = 0;
        for (game, _) in going_on
            .iter()
            .enumerate()
            .filter(|(_, going_on)| **going_on)
        {
            seen.copy_within(game * row..(game + 1) * row, kept * row);
            kept += 1;
        }
        seen.truncate(kept * row);
    }
}
