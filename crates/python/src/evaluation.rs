//! Evaluation of built-in policies and of Python functions.

/// The agents that ship with the package, the same as in the binary.
#[cfg(feature = "agents")]
#[path = "../../cli/agents.rs"]
mod shipped;

#[cfg(not(feature = "agents"))]
const AGENTS: &[hognose_policies::EmbeddedAgent] = &[];

/// The agents for duels that ship with the package.
#[path = "../../cli/duel_agents.rs"]
mod duel_agents;

use duel_agents::DUEL_AGENTS;
#[cfg(feature = "agents")]
use shipped::AGENTS;

use crate::arrays::{from_json, locked, shape, value_error, whole_numbers};
use crate::forks::need_threads_of;
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

/// The shipped leaderboard, written by `hognose leaderboard`.
const SHIPPED: &str = include_str!("../../../experiments/leaderboard.json");

/// Returns each built-in policy's name, description, and where it wins every game (`None` without a
/// guarantee).
#[pyfunction]
pub(crate) fn policies() -> Vec<(&'static str, &'static str, Option<&'static str>)> {
    SOLVERS
        .iter()
        .map(|known| (known.name, known.description, known.wins))
        .collect()
}

/// Returns the names of the agents in the package, strongest first.
#[pyfunction]
#[pyo3(name = "agents")]
pub(crate) fn shipped_agents() -> Vec<&'static str> {
    AGENTS.iter().map(|agent| agent.name).collect()
}

pyo3::create_exception!(
    hognose._hognose,
    UnsupportedError,
    PyValueError,
    "A policy does not support these games: for example, it can't win on their board."
);

/// The configuration of [`play`], as JSON: the games, and what a Python function sees of them.
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
    /// The time limit of a program for each move, in seconds.
    move_limit: Option<f64>,
    view: View,
}

impl PlayedGames {
    pub(crate) fn from_json(config: &str) -> PyResult<PlayedGames> {
        from_json(config)
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

    /// Calls `play` with a policy that plays one game at a time, while other Python threads run.
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

/// What a Python function receives and returns.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct View {
    observation: Observation,
    action: ActionKind,
    dtype: Dtype,
    mask: Mask,
    frame_stack: NonZeroUsize,
}

/// The dtype of the observations that a Python function receives.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Dtype {
    Uint8,
    Float32,
}

impl View {
    /// Returns a player on `board` that calls a Python function.
    fn player(self, function: Py<PyAny>, board: Board, failure: &Failure) -> Player {
        match self.dtype {
            Dtype::Uint8 => Function::<u8>::player(function, board, self, failure),
            Dtype::Float32 => Function::<f32>::player(function, board, self, failure),
        }
    }
}

/// Plays the games of `config` (JSON) and returns their results as JSON. `policy` is the name of a
/// built-in policy, `exec:COMMAND` for a program, or a Python function of (observations, masks).
///
/// `report` receives the number of games that have ended, about ten times a second.
#[pyfunction]
#[pyo3(signature = (policy, config, report=None))]
pub(crate) fn play(
    py: Python<'_>,
    policy: &Bound<'_, PyAny>,
    config: &str,
    report: Option<Py<PyAny>>,
) -> PyResult<String> {
    let config = PlayedGames::from_json(config)?;
    let contestant = Contestant::new(policy, &catalog(config.move_limit)?)?;
    let mut report = Reporter::new(report);
    let played = contestant.play(py, &config.evaluation(), config.view, |games| {
        report.games(games)
    });
    if let Some(error) = report.failure {
        return Err(error);
    }
    let played = played?;
    let played = played.map_err(|error| match error {
        EvalError::Unsupported(refusal) => unsupported(&refusal),
        error => value_error(&error),
    })?;
    serde_json::to_string(&played).map_err(|error| value_error(&error))
}

/// Reports the number of games that have ended to a Python function.
pub(crate) struct Reporter {
    function: Option<Py<PyAny>>,
    at: Instant,
    /// The exception that the function raised.
    pub(crate) failure: Option<PyErr>,
}

impl Reporter {
    pub(crate) fn new(function: Option<Py<PyAny>>) -> Reporter {
        Reporter {
            function,
            at: Instant::now(),
            failure: None,
        }
    }

    /// Reports at most ten times a second, and once all games have ended. Breaks if the function
    /// raises an exception.
    pub(crate) fn games(&mut self, (ended, all): (usize, usize)) -> ControlFlow<()> {
        let due = ended == all || self.at.elapsed() >= Duration::from_millis(100);
        if let Some(function) = self.function.as_ref().filter(|_| due) {
            self.at = Instant::now();
            self.failure = Python::attach(|py| function.call1(py, (ended,)).err());
        }
        match self.failure {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }
}

pub(crate) fn unsupported(refusal: &Unsupported) -> PyErr {
    UnsupportedError::new_err(refusal.to_string())
}

/// The configuration of [`leaderboard`], as JSON: the boards, the time, and what Python functions
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

/// The row of a policy on one board of a leaderboard.
#[derive(Serialize)]
struct Row {
    board: Board,
    games: usize,
    ended_by: Option<EndedBy>,
    shipped: bool,
    #[serde(flatten)]
    standing: Standing,
}

/// Ranks named policies on the boards of `config` (JSON) among the policies of the shipped
/// leaderboard, and returns JSON rows. `spread` plays games elsewhere: a function of (policy index,
/// games as JSON) that returns what [`play`] returns, in parts, or None once the time is over.
#[pyfunction]
#[pyo3(signature = (policies, config, spread=None))]
pub(crate) fn leaderboard(
    py: Python<'_>,
    policies: Vec<(String, Bound<'_, PyAny>)>,
    config: &str,
    spread: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let config: PlayedBoards = from_json(config)?;
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
            None => contestants[policy].play(py, &games, config.view, until_then(until)),
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
    let shipped: Leaderboard = from_json(SHIPPED)?;
    let rows: Vec<Row> = leaderboard
        .boards
        .iter()
        .filter(|own| own.games > 0)
        .flat_map(|own| rows(own, &shipped))
        .collect();
    if rows.is_empty() {
        return Err(PyValueError::new_err(
            "expected more minutes: not every policy played its first games on a board in time",
        ));
    }
    serde_json::to_string(&rows).map_err(|error| value_error(&error))
}

/// Plays games by a call of `spread`: see [`leaderboard`].
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

/// Joins games that were played in parts. The parts are JSON of [`play`], in order.
fn joined(parts: Vec<String>) -> PyResult<Played> {
    let mut joined: Option<Played> = None;
    for part in parts {
        let part: Played = from_json(&part)?;
        match &mut joined {
            Some(joined) => joined.append(part),
            None => joined = Some(part),
        }
    }
    joined.ok_or_else(|| PyValueError::new_err("expected games, got none"))
}

/// Ranks the rows of a board together with the shipped rows of other policies.
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

/// Returns the catalog of solvers, bots and agents, without programs.
pub(crate) fn known() -> Catalog {
    let catalog = Catalog::default().with_duel_agents(DUEL_AGENTS);
    #[cfg(feature = "agents")]
    let catalog = catalog.with_agents(AGENTS);
    catalog
}

/// Returns the catalog of solvers, bots, agents and programs. A program may take `move_limit`
/// seconds for a move.
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

/// Summarizes the games of each policy, with differences from the first policy, as JSON. Games are
/// JSON of [`play`], in one or several parts in order.
#[pyfunction]
pub(crate) fn summarize(rules: &str, games: Vec<(String, Vec<String>)>) -> PyResult<String> {
    let rules: Rules = from_json(rules)?;
    let all = games
        .into_iter()
        .map(|(name, parts)| Ok((name, joined(parts)?)))
        .collect::<PyResult<Vec<_>>>()?;
    serde_json::to_string(&summaries(rules.board(), &all)).map_err(|error| value_error(&error))
}

/// Summarizes the games of each policy, with differences from the first policy.
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

/// Returns the mean over training seeds with its 95 % interval: by Student's t, or for shares of
/// `games` games by Wilson with Student's t and the design effect of the seeds.
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

/// A policy to evaluate: built-in, or a Python function of (observations, masks).
enum Contestant {
    BuiltIn(NamedPolicy),
    Function(Py<PyAny>),
}

impl Contestant {
    /// Looks up a name, or takes a Python function.
    fn new(policy: &Bound<'_, PyAny>, catalog: &Catalog) -> PyResult<Contestant> {
        if let Ok(name) = policy.extract::<String>() {
            need_threads_of(&name)?;
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

    /// Plays games until `progress` breaks.
    fn play(
        &self,
        py: Python<'_>,
        games: &Evaluation,
        view: View,
        progress: impl FnMut((usize, usize)) -> ControlFlow<()> + Send,
    ) -> PyResult<Result<Played, EvalError>> {
        let function = match self {
            Contestant::BuiltIn(named) => return play_named(py, named, games, progress),
            Contestant::Function(function) => function.clone_ref(py),
        };
        // One thread, since the function holds Python's lock anyway.
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
            progress,
        )
    }

    /// Returns a factory of players of one game.
    fn single_player(&self, py: Python<'_>, view: View, failure: &Failure) -> Arc<dyn MakePolicy> {
        let function = match self {
            Contestant::BuiltIn(named) => return named.single_player(),
            Contestant::Function(function) => function.clone_ref(py),
        };
        let failure = Arc::clone(failure);
        // Each game has its own player, which remembers the frames of its game.
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
    /// Returns the policy's value of a position; `None` for policies without values.
    pub(crate) fn value(&self, position: &Position) -> Option<f64> {
        match &self.contestant {
            Contestant::BuiltIn(named) => named.value(position),
            Contestant::Function(_) => None,
        }
    }

    /// Breaks at Ctrl-C, or if a Python function raised an exception.
    pub(crate) fn go_on(&self) -> ControlFlow<()> {
        go_on(&self.failure)
    }
}

/// Breaks at a time.
fn until_then(until: Instant) -> impl FnMut((usize, usize)) -> ControlFlow<()> {
    move |_| match Instant::now() >= until {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    }
}

/// Plays games of a named policy until `progress` breaks. It receives the number of games that have
/// ended, and the number of all games.
pub(crate) fn play_named(
    py: Python<'_>,
    named: &NamedPolicy,
    games: &Evaluation,
    progress: impl FnMut((usize, usize)) -> ControlFlow<()> + Send,
) -> PyResult<Result<Played, EvalError>> {
    // Players are made on this thread, since a named policy can't be shared between threads.
    let players = (0..games.threads.min(games.games)).map(|_| named.player());
    let mut players: Vec<Player> = players.collect();
    run(
        py,
        || players.pop().expect("each thread has a player"),
        games,
        &Arc::default(),
        progress,
    )
}

/// The exception raised by a Python function or by Ctrl-C.
pub(crate) type Failure = Arc<Mutex<Option<PyErr>>>;

pub(crate) fn take(failure: &Failure) -> Option<PyErr> {
    locked(failure).take()
}

/// Breaks at Ctrl-C, or if a Python function raised an exception.
pub(crate) fn go_on(failure: &Failure) -> ControlFlow<()> {
    let mut failure = locked(failure);
    if failure.is_none() {
        *failure = Python::attach(|py| py.check_signals()).err();
    }
    if failure.is_some() {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

/// Plays while other Python threads run. Stops at Ctrl-C, when a Python function raises an
/// exception, and when `progress` breaks.
fn run(
    py: Python<'_>,
    make: impl FnMut() -> Player + Send,
    config: &Evaluation,
    failure: &Failure,
    mut progress: impl FnMut((usize, usize)) -> ControlFlow<()> + Send,
) -> PyResult<Result<Played, EvalError>> {
    let played = py.detach(|| {
        hognose_eval::evaluate(make, config, |played| {
            match progress((played.finished, played.games)) {
                ControlFlow::Continue(()) => go_on(failure),
                ControlFlow::Break(()) => ControlFlow::Break(()),
            }
        })
    });
    match take(failure) {
        Some(error) => Err(error),
        None => Ok(played),
    }
}

/// A policy that calls a Python function of (observations, masks) for the actions of all rows.
struct Function<T> {
    function: Py<PyAny>,
    encoder: RefCell<Encoder>,
    /// The shape of the observation of one game, with a leading axis of frames if they are stacked.
    shape: Vec<usize>,
    frames: usize,
    /// The observations of the games that go on, one row per game, the newest frame last.
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

    /// Adds the newest frame of each game. The first frame of a game fills its stack.
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
                "the policy must return an array of {n} actions, got another shape"
            ))
        })?;
        let answer = answer.as_array();
        if answer.len() != n {
            let got = answer.len();
            return Err(PyValueError::new_err(format!(
                "the policy must return {n} actions, got {got}"
            )));
        }
        for ((choice, position), &action) in choices.iter_mut().zip(positions).zip(answer) {
            let valid = u8::try_from(action)
                .ok()
                .filter(|&action| usize::from(action) < actions);
            let action = valid.ok_or_else(|| {
                PyValueError::new_err(format!(
                    "the policy's actions must be from 0 to {}, got {action}",
                    actions - 1
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
        let mut failure = locked(&self.failure);
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
