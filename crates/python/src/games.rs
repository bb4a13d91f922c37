//! Many games behind NumPy arrays.

use hognose_env::{Batch, Element, EnvConfig, EnvError, Mask, Signal, Snapshot, Space, StepError, VectorEnv};
use hognose_env::{Termination, Truncation};
use hognose_game::{Direction, Origin, Overlay, Record, Rules};
use hognose_policies::safe_moves;
use hognose_viewer::{Drawing, Pixels, pixels};
use numpy::{
    Element as NumpyElement, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyFixedUnicode, PyReadonlyArray1,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, TryLockError};

/// The environments, and the arrays that each step fills. The arrays are made once and filled again each time, so
/// whoever gives them to others makes read-only views of them.
#[pyclass(frozen, module = "hognose._hognose")]
pub(crate) struct Games {
    inner: Mutex<Inner>,
    num_envs: usize,
    num_actions: usize,
    /// The shape of one frame of an observation.
    #[pyo3(get)]
    shape: Vec<usize>,
    observations: Observations,
    final_observations: Observations,
    #[pyo3(get)]
    rewards: Py<PyArray1<f64>>,
    #[pyo3(get)]
    terminations: Py<PyArray1<bool>>,
    #[pyo3(get)]
    truncations: Py<PyArray1<bool>>,
    #[pyo3(get)]
    masks: Py<PyArray2<bool>>,
    /// The masks of the final observations: false where no episode ended in the last step. The arrays below are 0
    /// there.
    #[pyo3(get)]
    final_masks: Py<PyArray2<bool>>,
    #[pyo3(get)]
    episode_returns: Py<PyArray1<f64>>,
    #[pyo3(get)]
    episode_steps: Py<PyArray1<i64>>,
    #[pyo3(get)]
    episode_lengths: Py<PyArray1<i64>>,
    #[pyo3(get)]
    ended_by: Py<PyArray1<Reason>>,
}

/// Why an episode ended. The length is that of the longest reason, `time_limit` or `starvation`.
type Reason = PyFixedUnicode<10>;

struct Inner {
    env: VectorEnv,
    rewards: Vec<f32>,
    signals: Vec<Signal>,
    /// The environments whose episodes ended in the last step.
    ended: Vec<usize>,
}

enum Observations {
    U8(Py<PyArray2<u8>>),
    F32(Py<PyArray2<f32>>),
}

impl Observations {
    fn new(py: Python<'_>, dtype: &str, shape: [usize; 2]) -> PyResult<Observations> {
        match dtype {
            "uint8" => Ok(Observations::U8(PyArray2::zeros(py, shape, false).unbind())),
            "float32" => Ok(Observations::F32(PyArray2::zeros(py, shape, false).unbind())),
            _ => Err(PyValueError::new_err(format!("dtype must be uint8 or float32, got {dtype}"))),
        }
    }

    fn array(&self, py: Python<'_>) -> Py<PyAny> {
        match self {
            Observations::U8(array) => array.clone_ref(py).into_any(),
            Observations::F32(array) => array.clone_ref(py).into_any(),
        }
    }
}

#[pymethods]
impl Games {
    /// Makes environments. `config` is an `EnvConfig` as JSON, and `dtype` is `uint8` or `float32`.
    #[new]
    fn new(py: Python<'_>, config: &str, num_envs: usize, seed: u64, threads: usize, dtype: &str) -> PyResult<Games> {
        let config: EnvConfig = serde_json::from_str(config).map_err(|error| value_error(&error))?;
        let space = config.observation.space(config.rules.board());
        let num_actions = config.action.count();
        let env = match config.mask {
            Mask::Legal => VectorEnv::new(config, num_envs, seed),
            Mask::Safe => VectorEnv::filtered(config, num_envs, seed, safe_moves()),
        };
        let env = env.and_then(|env| env.with_threads(threads)).map_err(|error| value_error(&error))?;
        Ok(Games {
            num_envs,
            num_actions,
            shape: shape(space),
            observations: Observations::new(py, dtype, [num_envs, space.len()])?,
            final_observations: Observations::new(py, dtype, [num_envs, space.len()])?,
            rewards: PyArray1::zeros(py, num_envs, false).unbind(),
            terminations: PyArray1::zeros(py, num_envs, false).unbind(),
            truncations: PyArray1::zeros(py, num_envs, false).unbind(),
            masks: PyArray2::zeros(py, [num_envs, num_actions], false).unbind(),
            final_masks: PyArray2::zeros(py, [num_envs, num_actions], false).unbind(),
            episode_returns: PyArray1::zeros(py, num_envs, false).unbind(),
            episode_steps: PyArray1::zeros(py, num_envs, false).unbind(),
            episode_lengths: PyArray1::zeros(py, num_envs, false).unbind(),
            ended_by: PyArray1::zeros(py, num_envs, false).unbind(),
            inner: Mutex::new(Inner {
                env,
                rewards: vec![0.0; num_envs],
                signals: vec![Signal::Running; num_envs],
                ended: Vec::new(),
            }),
        })
    }

    #[getter]
    fn observations(&self, py: Python<'_>) -> Py<PyAny> {
        self.observations.array(py)
    }

    #[getter]
    fn final_observations(&self, py: Python<'_>) -> Py<PyAny> {
        self.final_observations.array(py)
    }

    /// Gives an environment a seed of its own, and begins the first episode of that seed.
    fn reseed(&self, env: usize, seed: u64) -> PyResult<()> {
        self.check(env)?;
        self.lock()?.env.reseed_one(env, seed);
        Ok(())
    }

    /// The seed that environment `env` gets where `seed` is the one seed of all environments.
    #[staticmethod]
    fn seed_of(seed: u64, env: usize) -> u64 {
        VectorEnv::seed_of(seed, env)
    }

    /// Begins the next episode of an environment.
    fn restart(&self, env: usize) -> PyResult<()> {
        self.check(env)?;
        self.lock()?.env.restart(env);
        Ok(())
    }

    /// Fills the arrays of observations and masks without a step.
    fn observe(&self, py: Python<'_>) -> PyResult<()> {
        self.run(py, None).map(drop)
    }

    /// Steps every environment, fills all arrays, and returns the environments whose episodes ended.
    fn step(&self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<Vec<usize>> {
        if actions.len() != self.num_envs {
            return Err(PyValueError::new_err(format!(
                "actions must be one for each of {} environments, got {}",
                self.num_envs,
                actions.len()
            )));
        }
        let given = actions.as_array();
        let outside = |action: &i64| !(0..self.num_actions as i64).contains(action);
        if given.iter().filter(|action| outside(action)).count() > 0 {
            let env = given.iter().position(outside).expect("there is one");
            let (expected, action) = (self.num_actions, given[env]);
            let text = format!("the action of environment {env} must be in 0..{expected}, got {action}");
            return Err(PyValueError::new_err(text));
        }
        let bytes = given.map(|&action| action as u8).to_vec();
        let mut inner = self.run(py, Some(&bytes))?;
        let mut rewards = self.rewards.bind(py).try_readwrite()?;
        for (reward, &own) in rewards.as_slice_mut()?.iter_mut().zip(&inner.rewards) {
            *reward = own.into();
        }
        self.tell_ends(py, &mut inner)?;
        Ok(inner.ended.clone())
    }

    /// The heading of the snake: 0 up, 1 right, 2 down, 3 left.
    fn heading(&self, env: usize) -> PyResult<usize> {
        self.check(env)?;
        Ok(self.lock()?.env.heading(env).index())
    }

    /// The seed of the present game.
    fn game_seed(&self, env: usize) -> PyResult<u64> {
        self.check(env)?;
        Ok(self.lock()?.env.snapshot(env).game().seed())
    }

    /// Whether the present episode has ended and waits for a reset.
    fn has_ended(&self, env: usize) -> PyResult<bool> {
        self.check(env)?;
        Ok(self.lock()?.env.has_ended(env))
    }

    /// The body from head to tail and the foods, as cell numbers.
    fn snake(&self, env: usize) -> PyResult<(Vec<u16>, Vec<u16>)> {
        self.check(env)?;
        let inner = self.lock()?;
        let position = inner.env.position(env);
        Ok((position.body().map(|cell| cell.0).collect(), position.foods().iter().map(|cell| cell.0).collect()))
    }

    /// The board as text: `@` head, `o` body, `*` food, `.` free.
    fn text(&self, env: usize) -> PyResult<String> {
        self.check(env)?;
        Ok(self.lock()?.env.position(env).to_string())
    }

    /// The picture of the board: rows, columns, and red, green and blue. Each cell has `side` times `side` pixels.
    fn picture<'py>(&self, py: Python<'py>, env: usize, side: usize) -> PyResult<Bound<'py, PyArray3<u8>>> {
        self.check(env)?;
        let drawing = Drawing::new(&self.lock()?.env.position(env), &Overlay::default());
        let Pixels { width, height, bytes } = pixels(&drawing, side);
        PyArray1::from_vec(py, bytes).reshape([height, width, 3])
    }

    /// All of the state of an environment, with the foods and episodes to come, as bytes.
    fn snapshot(&self, env: usize) -> PyResult<Vec<u8>> {
        self.check(env)?;
        serde_json::to_vec(&self.lock()?.env.snapshot(env)).map_err(|error| value_error(&error))
    }

    /// Puts an environment into the state of a snapshot.
    fn restore(&self, env: usize, snapshot: &[u8]) -> PyResult<()> {
        self.check(env)?;
        let snapshot: Snapshot = serde_json::from_slice(snapshot)
            .map_err(|error| PyValueError::new_err(format!("this is no snapshot: {error}")))?;
        self.lock()?.env.restore(env, &snapshot).map_err(|error: EnvError| value_error(&error))
    }

    /// Copies the state of an environment into others. With `reseed` each copy has a future of its own.
    fn fork(&self, env: usize, to: Vec<usize>, reseed: Option<u64>) -> PyResult<()> {
        self.check(env)?;
        to.iter().try_for_each(|&env| self.check(env))?;
        self.lock()?.env.fork(env, &to, reseed);
        Ok(())
    }
}

impl Games {
    fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        self.inner.try_lock().map_err(|error| {
            PyRuntimeError::new_err(match error {
                TryLockError::WouldBlock => "another thread is stepping these environments",
                TryLockError::Poisoned(_) => "an earlier call failed in the middle",
            })
        })
    }

    fn check(&self, env: usize) -> PyResult<()> {
        let n = self.num_envs;
        let error = || PyIndexError::new_err(format!("the environment must be in 0..{n}, got {env}"));
        if env < n { Ok(()) } else { Err(error()) }
    }

    /// Clears the entries of the episodes that ended in the step before, and fills those of the episodes that ended
    /// now.
    fn tell_ends(&self, py: Python<'_>, inner: &mut Inner) -> PyResult<()> {
        let mut terminations = self.terminations.bind(py).try_readwrite()?;
        let mut truncations = self.truncations.bind(py).try_readwrite()?;
        let mut final_masks = self.final_masks.bind(py).try_readwrite()?;
        let mut returns = self.episode_returns.bind(py).try_readwrite()?;
        let mut steps = self.episode_steps.bind(py).try_readwrite()?;
        let mut lengths = self.episode_lengths.bind(py).try_readwrite()?;
        let mut reasons = self.ended_by.bind(py).try_readwrite()?;
        let (terminations, truncations) = (terminations.as_slice_mut()?, truncations.as_slice_mut()?);
        let final_masks = final_masks.as_slice_mut()?;
        let (returns, steps) = (returns.as_slice_mut()?, steps.as_slice_mut()?);
        let (lengths, reasons) = (lengths.as_slice_mut()?, reasons.as_slice_mut()?);
        let Inner { env, signals, ended: last, .. } = inner;
        let now: Vec<usize> = signals.iter().enumerate().filter(|(_, signal)| signal.ended()).map(|(i, _)| i).collect();
        for &i in last.iter() {
            (terminations[i], truncations[i]) = (false, false);
            (returns[i], steps[i], lengths[i], reasons[i]) = (0.0, 0, 0, reason(""));
            if !signals[i].ended() {
                final_masks[i * self.num_actions..][..self.num_actions].fill(false);
            }
        }
        for &i in &now {
            (terminations[i], truncations[i]) = (signals[i].terminated(), signals[i].truncated());
            if let Some(episode) = env.last_episode(i) {
                (returns[i], steps[i], lengths[i]) = (episode.reward, episode.steps.into(), episode.length as i64);
                reasons[i] = reason(ended_by(episode.signal));
            }
        }
        *last = now;
        Ok(())
    }

    /// Steps with `actions`, or only observes without them. Other Python threads go on meanwhile.
    fn run(&self, py: Python<'_>, actions: Option<&[u8]>) -> PyResult<MutexGuard<'_, Inner>> {
        match (&self.observations, &self.final_observations) {
            (Observations::U8(now), Observations::U8(last)) => self.run_as(py, now, last, actions),
            (Observations::F32(now), Observations::F32(last)) => self.run_as(py, now, last, actions),
            _ => unreachable!("both are made alike"),
        }
    }

    fn run_as<T: Element + NumpyElement>(
        &self,
        py: Python<'_>,
        observations: &Py<PyArray2<T>>,
        final_observations: &Py<PyArray2<T>>,
        actions: Option<&[u8]>,
    ) -> PyResult<MutexGuard<'_, Inner>> {
        let mut guard = self.lock()?;
        let mut observations = observations.bind(py).try_readwrite()?;
        let mut final_observations = final_observations.bind(py).try_readwrite()?;
        let mut masks = self.masks.bind(py).try_readwrite()?;
        let mut final_masks = self.final_masks.bind(py).try_readwrite()?;
        let (observations, final_observations) = (observations.as_slice_mut()?, final_observations.as_slice_mut()?);
        let (masks, final_masks) = (masks.as_slice_mut()?, final_masks.as_slice_mut()?);
        let inner = &mut *guard;
        let called = py.detach(|| {
            let Inner { env, rewards, signals, .. } = inner;
            let mut batch =
                Batch { observations, kept: true, final_observations, rewards, signals, masks, final_masks };
            match actions {
                Some(actions) => env.step(actions, &mut batch),
                None => env.observe(&mut batch),
            }
        });
        match called {
            Ok(()) => Ok(guard),
            Err(error @ StepError::NeedsReset { .. }) => {
                let kind = py.import("gymnasium.error")?.getattr("ResetNeeded")?;
                Err(PyErr::from_value(kind.call1((error.to_string(),))?))
            }
            Err(error) => Err(value_error(&error)),
        }
    }
}

/// The shape of an observation: planes, rows and columns, or flat if it has scalars.
pub(crate) fn shape(space: Space) -> Vec<usize> {
    if space.scalars == 0 { space.planes.to_vec() } else { vec![space.len()] }
}

/// The text of a record, which `hognose replay` and `hognose watch` read. Rules are JSON, and moves are numbers from 0
/// (up) to 3 (left).
#[pyfunction]
pub(crate) fn record(rules: &str, seed: u64, moves: Vec<usize>) -> PyResult<String> {
    let rules: Rules = serde_json::from_str(rules).map_err(|error| value_error(&error))?;
    let moves = moves.into_iter().map(Direction::from_index).collect();
    let record = Record::new(Origin::Seed(rules), seed, moves).map_err(|error| value_error(&error))?;
    Ok(record.to_string())
}

fn ended_by(signal: Signal) -> &'static str {
    match signal {
        Signal::Running => "",
        Signal::Terminated(Termination::Won) => "won",
        Signal::Terminated(Termination::Wall) => "wall",
        Signal::Terminated(Termination::Body) => "body",
        Signal::Truncated(Truncation::TimeLimit) => "time_limit",
        Signal::Truncated(Truncation::Starvation) => "starvation",
    }
}

fn reason(text: &str) -> Reason {
    let mut letters = text.chars().map(u32::from);
    PyFixedUnicode(std::array::from_fn(|_| letters.next().unwrap_or(0)))
}

pub(crate) fn value_error(error: &dyn std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
