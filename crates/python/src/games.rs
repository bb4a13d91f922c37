//! Vectorized games behind NumPy arrays.

use crate::arrays::{
    Arrays, Environments, Finished, Given, Rows, Totals, from_json, read_snapshot, value_error,
};
use crate::positions::{Position, picture};
use hognose_env::{
    Batch, Element, EnvConfig, EnvError, Mask, Signal, Snapshot, StepError, Termination,
    Truncation, VectorEnv,
};
use hognose_game::{Direction, Game, Origin, Record, Rules};
use hognose_policies::safe_moves;
use numpy::{PyArray3, PyReadonlyArray1};
use pyo3::prelude::*;

/// The environments, and the arrays that each step fills.
#[pyclass(frozen, module = "hognose._hognose")]
pub(crate) struct Games {
    rows: Rows<VectorEnv>,
    /// The arrays, with one row for each environment.
    #[pyo3(get)]
    arrays: Py<Arrays>,
}

#[pymethods]
impl Games {
    /// Creates environments. `config` is an `EnvConfig` as JSON, and `dtype` is `uint8` or
    /// `float32`. `start_share` is the share of episodes that begin at a position of `starts`.
    /// `buffers` are the caller's observations, rewards, terminations and truncations, which
    /// replace the ones in `arrays`.
    #[new]
    #[pyo3(signature = (config, num_envs, seed, threads, dtype, starts, start_share, buffers=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "they mirror the arguments in Python"
    )]
    fn new(
        py: Python<'_>,
        config: &str,
        num_envs: usize,
        seed: u64,
        threads: usize,
        dtype: &str,
        starts: Vec<PyRef<'_, Position>>,
        start_share: f64,
        buffers: Option<Given<'_>>,
    ) -> PyResult<Games> {
        let (config, starts) = read_config(config, &starts)?;
        let env = py.detach(|| {
            let env = environments(config, num_envs, seed, starts, start_share);
            env.and_then(|env| env.with_threads(threads))
                .map_err(|error| value_error(&error))
        })?;
        let arrays = Arrays::new(py, num_envs, env.space(), env.num_actions(), dtype)?;
        let arrays = if let Some(buffers) = &buffers {
            arrays.with_given(py, buffers)?
        } else {
            arrays
        };
        Ok(Games {
            rows: Rows::new(env, num_envs, num_envs),
            arrays: Py::new(py, arrays)?,
        })
    }

    /// Changes the configuration of the next episodes. The arguments are those of `new`.
    fn configure(
        &self,
        py: Python<'_>,
        config: &str,
        starts: Vec<PyRef<'_, Position>>,
        start_share: f64,
    ) -> PyResult<()> {
        let (config, starts) = read_config(config, &starts)?;
        py.detach(|| -> PyResult<Result<(), EnvError>> {
            // Checks the starts before anything changes.
            let checked = environments(config.clone(), 1, 0, starts.clone(), start_share);
            let mut inner = self.rows.lock()?;
            Ok(checked
                .and_then(|_| inner.env.configure(config))
                .and_then(|()| inner.env.set_starts(starts, start_share)))
        })?
        .map_err(|error| value_error(&error))
    }

    /// Reseeds an environment, and begins the first episode of that seed.
    fn reseed(&self, py: Python<'_>, env: usize, seed: u64) -> PyResult<()> {
        py.detach(|| -> PyResult<()> {
            self.rows.at(env)?.env.reseed_one(env, seed);
            Ok(())
        })
    }

    /// Returns the seed of environment `env` if all environments are seeded with `seed`.
    #[staticmethod]
    fn seed_of(seed: u64, env: usize) -> u64 {
        VectorEnv::seed_of(seed, env)
    }

    /// Begins the next episode of an environment.
    fn restart(&self, py: Python<'_>, env: usize) -> PyResult<()> {
        py.detach(|| -> PyResult<()> {
            self.rows.at(env)?.env.restart(env);
            Ok(())
        })
    }

    /// Fills the arrays of observations and masks without a step.
    fn observe(&self, py: Python<'_>) -> PyResult<()> {
        self.arrays.get().observe(py, &self.rows)
    }

    /// Steps every environment, fills all arrays, and returns the environments whose episodes
    /// ended.
    fn step(&self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<Vec<usize>> {
        self.arrays.get().step(py, &self.rows, actions)
    }

    /// Returns sums over the episodes finished since the last call: their number, returns, steps,
    /// lengths and wins.
    fn take_totals(&self) -> PyResult<(u64, f64, u64, u64, u64)> {
        let Totals {
            episodes,
            reward,
            steps,
            length,
            won,
        } = self.rows.lock()?.take_totals();
        Ok((episodes, reward, steps, length, won))
    }

    /// Returns the heading of the snake: 0 up, 1 right, 2 down, 3 left.
    fn heading(&self, env: usize) -> PyResult<usize> {
        Ok(self.rows.at(env)?.env.heading(env).index())
    }

    /// Returns the board of each current game.
    fn boards(&self) -> PyResult<Vec<String>> {
        let inner = self.rows.lock()?;
        let env = &inner.env;
        Ok((0..env.num_envs())
            .map(|i| env.position(i).board().to_string())
            .collect())
    }

    /// Returns the start of a game without moves: its position without the foods drawn from its
    /// seed.
    fn start(&self, env: usize) -> PyResult<Position> {
        let snapshot = self.rows.at(env)?.env.snapshot(env);
        let position = snapshot.game().position();
        let drawn = snapshot.game().spawned() as usize;
        let foods = &position.foods()[..position.foods().len() - drawn];
        let rules = position.rules();
        let heading = position.heading();
        let body = position.body();
        let start = hognose_game::Position::new(rules, heading, body, foods.iter().copied());
        start.map(Position).map_err(|error| value_error(&error))
    }

    /// Returns the record of the current game from its start and its moves (0 up, 1 right, 2 down,
    /// 3 left): text for `hognose replay` and `hognose watch`.
    fn record(&self, env: usize, start: &Position, moves: Vec<usize>) -> PyResult<String> {
        let rules = start.0.rules();
        let seed = self.rows.at(env)?.env.snapshot(env).game().seed();
        let origin = if Game::new(rules, seed) == Game::from_position(start.0.clone(), seed) {
            Origin::Seed(rules)
        } else {
            Origin::Position(Box::new(start.0.clone()))
        };
        let moves = moves.into_iter().map(Direction::from_index).collect();
        let record = Record::new(origin, seed, moves).map_err(|error| value_error(&error))?;
        Ok(record.to_string())
    }

    /// Returns whether the episode has ended and waits for a reset.
    fn has_ended(&self, env: usize) -> PyResult<bool> {
        Ok(self.rows.at(env)?.env.has_ended(env))
    }

    /// Returns the body, from head to tail, and the foods, as cell numbers.
    fn snake(&self, env: usize) -> PyResult<(Vec<u16>, Vec<u16>)> {
        let games = self.rows.at(env)?;
        let position = games.env.position(env);
        Ok((
            position.body().map(|cell| cell.0).collect(),
            position.foods().iter().map(|cell| cell.0).collect(),
        ))
    }

    /// Draws the board as text: `@` head, `o` body, `*` food, `.` free.
    fn text(&self, env: usize) -> PyResult<String> {
        Ok(self.rows.at(env)?.env.position(env).to_string())
    }

    /// Draws the board as an RGB array: rows x columns x 3.
    fn picture<'py>(&self, py: Python<'py>, env: usize) -> PyResult<Bound<'py, PyArray3<u8>>> {
        picture(py, &self.rows.at(env)?.env.position(env))
    }

    /// Returns the position of the current game.
    fn position(&self, env: usize) -> PyResult<Position> {
        Ok(Position(self.rows.at(env)?.env.position(env).into_owned()))
    }

    /// Returns the full state of an environment, including its future foods and episodes, as bytes.
    fn snapshot(&self, env: usize) -> PyResult<Vec<u8>> {
        serde_json::to_vec(&self.rows.at(env)?.env.snapshot(env))
            .map_err(|error| value_error(&error))
    }

    /// Restores an environment from a snapshot.
    fn restore(&self, env: usize, snapshot: &[u8]) -> PyResult<()> {
        let snapshot: Snapshot = read_snapshot(snapshot)?;
        self.rows
            .at(env)?
            .env
            .restore(env, &snapshot)
            .map_err(|error: EnvError| value_error(&error))
    }

    /// Copies the state of an environment into others. With `reseed` each copy has its own future.
    fn fork(&self, env: usize, to: Vec<usize>, reseed: Option<u64>) -> PyResult<()> {
        to.iter().try_for_each(|&env| self.rows.check(env))?;
        self.rows.at(env)?.env.fork(env, &to, reseed);
        Ok(())
    }
}

impl Environments for VectorEnv {
    fn step<T: Element>(
        &mut self,
        actions: &[u8],
        batch: &mut Batch<'_, T>,
    ) -> Result<(), StepError> {
        VectorEnv::step(self, actions, batch)
    }

    fn observe<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError> {
        VectorEnv::observe(self, batch)
    }

    fn finished(&self, row: usize) -> Option<Finished> {
        let episode = self.last_episode(row)?;
        let reward = episode.reward;
        let steps = episode.steps;
        let length = episode.length;
        let board = (!self.config().boards.is_empty()).then_some(episode.board);
        Some(Finished {
            reward,
            steps,
            length,
            ended_by: ended_by(episode.signal),
            board,
        })
    }
}

/// Reads a configuration, and puts positions under its rules.
fn read_config(
    config: &str,
    starts: &[PyRef<'_, Position>],
) -> PyResult<(EnvConfig, Vec<hognose_game::Position>)> {
    let config: EnvConfig = from_json(config)?;
    let starts = starts.iter().map(|start| by_rules(config.rules, &start.0));
    let starts = starts.collect::<PyResult<_>>()?;
    Ok((config, starts))
}

fn environments(
    config: EnvConfig,
    num_envs: usize,
    seed: u64,
    starts: Vec<hognose_game::Position>,
    start_share: f64,
) -> Result<VectorEnv, EnvError> {
    let env = match config.mask {
        Mask::Legal => VectorEnv::new(config, num_envs, seed),
        Mask::Safe => VectorEnv::filtered(config, num_envs, seed, safe_moves()),
    };
    env?.with_starts(starts, start_share)
}

/// Returns a position under the environments' rules, on its own board.
fn by_rules(rules: Rules, start: &hognose_game::Position) -> PyResult<hognose_game::Position> {
    let rules = rules
        .on(start.board())
        .map_err(|error| value_error(&error))?;
    let heading = start.heading();
    let body = start.body();
    let foods = start.foods().iter().copied();
    hognose_game::Position::new(rules, heading, body, foods).map_err(|error| value_error(&error))
}

fn ended_by(signal: Signal) -> &'static str {
    match signal {
        Signal::Running => "",
        Signal::Terminated(Termination::Won) => "won",
        Signal::Terminated(Termination::Wall) => "wall",
        Signal::Terminated(Termination::Body) => "body",
        Signal::Terminated(Termination::Lost) => "lost",
        Signal::Terminated(Termination::Drawn) => "drawn",
        Signal::Truncated(Truncation::TimeLimit) => "time_limit",
        Signal::Truncated(Truncation::Starvation) => "starvation",
    }
}
