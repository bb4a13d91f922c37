//! The NumPy arrays that each step of many environments fills.

use hognose_env::{Batch, Element, Signal, Space, StepError};
use hognose_game::Board;
use numpy::{
    Element as NumpyElement, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyFixedUnicode,
    PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use serde::Deserialize;
use std::sync::{Mutex, MutexGuard, TryLockError};

/// Environments that fill rows of buffers.
pub(crate) trait Environments: Send {
    /// Plays one action in each row.
    fn step<T: Element>(
        &mut self,
        actions: &[u8],
        batch: &mut Batch<'_, T>,
    ) -> Result<(), StepError>;
    /// Fills observations and masks.
    fn observe<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError>;
    /// Returns the last finished episode of a row.
    fn finished(&self, row: usize) -> Option<Finished>;
}

/// A finished episode.
pub(crate) struct Finished {
    pub(crate) reward: f64,
    pub(crate) steps: u32,
    pub(crate) length: usize,
    pub(crate) ended_by: &'static str,
    /// Its board, if each episode draws one.
    pub(crate) board: Option<Board>,
}

/// Environments behind a lock.
pub(crate) struct Rows<E> {
    inner: Mutex<Inner<E>>,
    num_envs: usize,
}

/// Environments, and the results of their last step.
pub(crate) struct Inner<E> {
    pub(crate) env: E,
    rewards: Vec<f32>,
    signals: Vec<Signal>,
    /// The rows whose episodes ended in the last step.
    ended: Vec<usize>,
    totals: Totals,
}

/// Sums over finished episodes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) episodes: u64,
    pub(crate) reward: f64,
    pub(crate) steps: u64,
    pub(crate) length: u64,
    pub(crate) won: u64,
}

impl Totals {
    fn add(&mut self, episode: &Finished) {
        self.episodes += 1;
        self.reward += episode.reward;
        self.steps += u64::from(episode.steps);
        self.length += episode.length as u64;
        self.won += u64::from(episode.ended_by == "won");
    }
}

impl<E> Rows<E> {
    pub(crate) fn new(env: E, num_envs: usize, rows: usize) -> Rows<E> {
        let rewards = vec![0.0; rows];
        let signals = vec![Signal::Running; rows];
        let inner = Inner {
            env,
            rewards,
            signals,
            ended: Vec::new(),
            totals: Totals::default(),
        };
        Rows {
            inner: Mutex::new(inner),
            num_envs,
        }
    }

    /// Returns an error if there is no environment with this index.
    pub(crate) fn check(&self, env: usize) -> PyResult<()> {
        let n = self.num_envs;
        if env < n {
            return Ok(());
        }
        Err(PyIndexError::new_err(format!(
            "the environment must be from 0 to {}, got {env}",
            n - 1
        )))
    }

    /// Locks the environments, after a check of the index of one of them.
    pub(crate) fn at(&self, env: usize) -> PyResult<MutexGuard<'_, Inner<E>>> {
        self.check(env)?;
        self.lock()
    }

    pub(crate) fn lock(&self) -> PyResult<MutexGuard<'_, Inner<E>>> {
        self.inner.try_lock().map_err(|error| {
            PyRuntimeError::new_err(match error {
                TryLockError::WouldBlock => "another thread is stepping these environments",
                TryLockError::Poisoned(_) => "an earlier call failed in the middle",
            })
        })
    }
}

impl<E> Inner<E> {
    /// Returns the sums over the episodes finished since the last call.
    pub(crate) fn take_totals(&mut self) -> Totals {
        std::mem::take(&mut self.totals)
    }
}

/// The arrays that each step overwrites, whose first axis is the rows. Python code that returns
/// them makes read-only views. Some may be buffers of the caller: see [`Given`].
#[pyclass(frozen, module = "hognose._hognose")]
pub(crate) struct Arrays {
    rows: usize,
    num_actions: usize,
    /// The shape of one frame of an observation.
    #[pyo3(get)]
    shape: Vec<usize>,
    /// The numbers of planes, rows and columns of an observation.
    #[pyo3(get)]
    planes: [usize; 3],
    #[pyo3(get)]
    scalars: usize,
    observations: Observations,
    final_observations: Observations,
    rewards: Rewards,
    #[pyo3(get)]
    terminations: Py<PyArray1<bool>>,
    #[pyo3(get)]
    truncations: Py<PyArray1<bool>>,
    /// Whether an episode ended in the last step.
    #[pyo3(get)]
    ended: Py<PyArray1<bool>>,
    #[pyo3(get)]
    masks: Py<PyArray2<bool>>,
    /// The masks of the final observations. In rows whose episode did not end in the last step,
    /// they are false and the arrays below are 0.
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
    /// Empty if episodes draw no boards.
    #[pyo3(get)]
    boards: Py<PyArray1<BoardText>>,
}

/// The reason why an episode ended. `time_limit` and `starvation` are the longest.
type Reason = PyFixedUnicode<10>;

/// A board. `255x255-torus` is the longest.
type BoardText = PyFixedUnicode<13>;

enum Observations {
    U8(Py<PyArray2<u8>>),
    F32(Py<PyArray2<f32>>),
}

impl Observations {
    fn new(py: Python<'_>, dtype: &str, shape: [usize; 2]) -> PyResult<Observations> {
        match dtype {
            "uint8" => Ok(Observations::U8(PyArray2::zeros(py, shape, false).unbind())),
            "float32" => Ok(Observations::F32(
                PyArray2::zeros(py, shape, false).unbind(),
            )),
            _ => Err(PyValueError::new_err(format!(
                "dtype must be uint8 or float32, got {dtype}"
            ))),
        }
    }

    fn array(&self, py: Python<'_>) -> Py<PyAny> {
        match self {
            Observations::U8(array) => array.clone_ref(py).into_any(),
            Observations::F32(array) => array.clone_ref(py).into_any(),
        }
    }
}

/// Rewards: `float64` as in Gymnasium, or a `float32` buffer of the caller.
enum Rewards {
    F64(Py<PyArray1<f64>>),
    F32(Py<PyArray1<f32>>),
}

/// Buffers of the caller that replace arrays: observations, rewards (`float32`), terminations and
/// truncations (`bool`). All must be C-contiguous and writable. Only the environments may then
/// write into the observations, since a step writes only the values that change.
#[derive(FromPyObject)]
pub(crate) struct Given<'py>(
    Bound<'py, PyUntypedArray>,
    Bound<'py, PyUntypedArray>,
    Bound<'py, PyUntypedArray>,
    Bound<'py, PyUntypedArray>,
);

/// Returns a buffer of the caller after a check of its type, shape and layout.
fn given<T: NumpyElement>(
    name: &str,
    array: &Bound<'_, PyUntypedArray>,
    dtype: &str,
    shape: &[usize],
) -> PyResult<Py<PyArrayDyn<T>>> {
    let typed = array.cast::<PyArrayDyn<T>>().map_err(|_| {
        PyTypeError::new_err(format!(
            "the buffer of {name} must have dtype {dtype}, got {}",
            array.dtype()
        ))
    })?;
    let wrong = |what: String| {
        Err(PyValueError::new_err(format!(
            "the buffer of {name} must {what}"
        )))
    };
    if typed.shape() != shape {
        return wrong(format!("have shape {shape:?}, got {:?}", typed.shape()));
    }
    if !typed.is_c_contiguous() {
        return wrong("be C-contiguous".to_owned());
    }
    if typed.try_readwrite().is_err() {
        return wrong("be writable".to_owned());
    }
    Ok(typed.clone().unbind())
}

#[pymethods]
impl Arrays {
    #[getter]
    fn rewards(&self, py: Python<'_>) -> Py<PyAny> {
        match &self.rewards {
            Rewards::F64(array) => array.clone_ref(py).into_any(),
            Rewards::F32(array) => array.clone_ref(py).into_any(),
        }
    }

    #[getter]
    fn observations(&self, py: Python<'_>) -> Py<PyAny> {
        self.observations.array(py)
    }

    #[getter]
    fn final_observations(&self, py: Python<'_>) -> Py<PyAny> {
        self.final_observations.array(py)
    }
}

impl Arrays {
    pub(crate) fn new(
        py: Python<'_>,
        rows: usize,
        space: Space,
        num_actions: usize,
        dtype: &str,
    ) -> PyResult<Arrays> {
        Ok(Arrays {
            rows,
            num_actions,
            shape: shape(space),
            planes: space.planes,
            scalars: space.scalars,
            observations: Observations::new(py, dtype, [rows, space.len()])?,
            final_observations: Observations::new(py, dtype, [rows, space.len()])?,
            rewards: Rewards::F64(PyArray1::zeros(py, rows, false).unbind()),
            terminations: PyArray1::zeros(py, rows, false).unbind(),
            truncations: PyArray1::zeros(py, rows, false).unbind(),
            ended: PyArray1::zeros(py, rows, false).unbind(),
            masks: PyArray2::zeros(py, [rows, num_actions], false).unbind(),
            final_masks: PyArray2::zeros(py, [rows, num_actions], false).unbind(),
            episode_returns: PyArray1::zeros(py, rows, false).unbind(),
            episode_steps: PyArray1::zeros(py, rows, false).unbind(),
            episode_lengths: PyArray1::zeros(py, rows, false).unbind(),
            ended_by: PyArray1::zeros(py, rows, false).unbind(),
            boards: PyArray1::zeros(py, rows, false).unbind(),
        })
    }

    /// Replaces arrays with the caller's buffers.
    pub(crate) fn with_given(mut self, py: Python<'_>, buffers: &Given<'_>) -> PyResult<Arrays> {
        let Given(observations, rewards, terminations, truncations) = buffers;
        let shape: Vec<usize> = [self.rows]
            .into_iter()
            .chain(self.shape.iter().copied())
            .collect();
        let flat = [self.rows, self.shape.iter().product()];
        self.observations = match self.observations {
            Observations::U8(_) => {
                let array = given::<u8>("observations", observations, "uint8", &shape)?;
                Observations::U8(array.bind(py).reshape(flat)?.unbind())
            }
            Observations::F32(_) => {
                let array = given::<f32>("observations", observations, "float32", &shape)?;
                Observations::F32(array.bind(py).reshape(flat)?.unbind())
            }
        };
        let rows = [self.rows];
        self.rewards = Rewards::F32(
            given("rewards", rewards, "float32", &rows)?
                .bind(py)
                .reshape(rows)?
                .unbind(),
        );
        let flags = |name, array| {
            PyResult::Ok(
                given(name, array, "bool", &rows)?
                    .bind(py)
                    .reshape(rows)?
                    .unbind(),
            )
        };
        self.terminations = flags("terminals", terminations)?;
        self.truncations = flags("truncations", truncations)?;
        Ok(self)
    }

    /// Fills observations and masks without a step.
    pub(crate) fn observe<E: Environments>(&self, py: Python<'_>, rows: &Rows<E>) -> PyResult<()> {
        self.run(py, rows, None).map(drop)
    }

    /// Steps all environments, fills all arrays, and returns the rows whose episodes ended.
    pub(crate) fn step<E: Environments>(
        &self,
        py: Python<'_>,
        rows: &Rows<E>,
        actions: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Vec<usize>> {
        if actions.len() != self.rows {
            return Err(PyValueError::new_err(format!(
                "expected {} actions, one for each environment, got {}",
                self.rows,
                actions.len()
            )));
        }
        let given = actions.as_array();
        // The step rejects bytes that are not actions, with the same message.
        if u8::try_from(given.fold(0, |bits, action| bits | action)).is_err() {
            let env = given
                .iter()
                .position(|action| u8::try_from(*action).is_err())
                .expect("some action has bits beyond a byte");
            let most = self.num_actions - 1;
            let action = given[env];
            let text =
                format!("the action of environment {env} must be from 0 to {most}, got {action}");
            return Err(PyValueError::new_err(text));
        }
        let bytes = given.map(|&action| action as u8).to_vec();
        let mut inner = self.run(py, rows, Some(&bytes))?;
        match &self.rewards {
            Rewards::F64(rewards) => {
                for (reward, &own) in rewards
                    .bind(py)
                    .try_readwrite()?
                    .as_slice_mut()?
                    .iter_mut()
                    .zip(&inner.rewards)
                {
                    *reward = own.into();
                }
            }
            Rewards::F32(rewards) => {
                rewards
                    .bind(py)
                    .try_readwrite()?
                    .as_slice_mut()?
                    .copy_from_slice(&inner.rewards);
            }
        }
        self.fill_ends(py, &mut inner)?;
        Ok(inner.ended.clone())
    }

    /// Clears the rows whose episodes ended in the previous step, and fills the rows whose episodes
    /// ended in this step.
    fn fill_ends<E: Environments>(&self, py: Python<'_>, inner: &mut Inner<E>) -> PyResult<()> {
        let Inner {
            env,
            signals,
            ended: last,
            totals,
            ..
        } = inner;
        // Counting is faster than collecting, and usually no episode has ended.
        let count = signals.iter().filter(|signal| signal.ended()).count();
        if last.is_empty() && count == 0 {
            return Ok(());
        }
        let now = signals
            .iter()
            .enumerate()
            .filter(|(_, signal)| signal.ended())
            .map(|(i, _)| i);
        let now: Vec<usize> = now.take(count).collect();
        let mut terminations = self.terminations.bind(py).try_readwrite()?;
        let mut truncations = self.truncations.bind(py).try_readwrite()?;
        let mut ended = self.ended.bind(py).try_readwrite()?;
        let mut final_masks = self.final_masks.bind(py).try_readwrite()?;
        let mut returns = self.episode_returns.bind(py).try_readwrite()?;
        let mut steps = self.episode_steps.bind(py).try_readwrite()?;
        let mut lengths = self.episode_lengths.bind(py).try_readwrite()?;
        let mut reasons = self.ended_by.bind(py).try_readwrite()?;
        let mut boards = self.boards.bind(py).try_readwrite()?;
        let terminations = terminations.as_slice_mut()?;
        let truncations = truncations.as_slice_mut()?;
        let ended = ended.as_slice_mut()?;
        let final_masks = final_masks.as_slice_mut()?;
        let returns = returns.as_slice_mut()?;
        let steps = steps.as_slice_mut()?;
        let lengths = lengths.as_slice_mut()?;
        let reasons = reasons.as_slice_mut()?;
        let boards = boards.as_slice_mut()?;
        for &i in last.iter() {
            (terminations[i], truncations[i], ended[i]) = (false, false, false);
            (returns[i], steps[i], lengths[i], reasons[i]) = (0.0, 0, 0, fixed(""));
            boards[i] = fixed("");
            if !signals[i].ended() {
                final_masks[i * self.num_actions..][..self.num_actions].fill(false);
            }
        }
        for &i in &now {
            (terminations[i], truncations[i], ended[i]) =
                (signals[i].terminated(), signals[i].truncated(), true);
            if let Some(episode) = env.finished(i) {
                totals.add(&episode);
                (returns[i], steps[i], lengths[i]) =
                    (episode.reward, episode.steps.into(), episode.length as i64);
                reasons[i] = fixed(episode.ended_by);
                if let Some(board) = episode.board {
                    boards[i] = fixed(&board.to_string());
                }
            }
        }
        *last = now;
        Ok(())
    }

    /// Steps with `actions`, or only observes without them. Other Python threads run meanwhile.
    fn run<'a, E: Environments>(
        &self,
        py: Python<'_>,
        rows: &'a Rows<E>,
        actions: Option<&[u8]>,
    ) -> PyResult<MutexGuard<'a, Inner<E>>> {
        match (&self.observations, &self.final_observations) {
            (Observations::U8(now), Observations::U8(last)) => {
                self.run_as(py, rows, now, last, actions)
            }
            (Observations::F32(now), Observations::F32(last)) => {
                self.run_as(py, rows, now, last, actions)
            }
            _ => unreachable!("both have the same dtype"),
        }
    }

    fn run_as<'a, T: Element + NumpyElement, E: Environments>(
        &self,
        py: Python<'_>,
        rows: &'a Rows<E>,
        observations: &Py<PyArray2<T>>,
        final_observations: &Py<PyArray2<T>>,
        actions: Option<&[u8]>,
    ) -> PyResult<MutexGuard<'a, Inner<E>>> {
        let mut guard = rows.lock()?;
        let mut observations = observations.bind(py).try_readwrite()?;
        let mut final_observations = final_observations.bind(py).try_readwrite()?;
        let mut masks = self.masks.bind(py).try_readwrite()?;
        let mut final_masks = self.final_masks.bind(py).try_readwrite()?;
        let observations = observations.as_slice_mut()?;
        let final_observations = final_observations.as_slice_mut()?;
        let masks = masks.as_slice_mut()?;
        let final_masks = final_masks.as_slice_mut()?;
        let inner = &mut *guard;
        let called = py.detach(|| {
            let Inner {
                env,
                rewards,
                signals,
                ..
            } = inner;
            let mut batch = Batch {
                observations,
                kept: true,
                final_observations,
                rewards,
                signals,
                masks,
                final_masks,
            };
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

/// Returns the shape of an observation: planes, rows and columns, or flat if it has scalars.
pub(crate) fn shape(space: Space) -> Vec<usize> {
    if space.scalars == 0 {
        space.planes.to_vec()
    } else {
        vec![space.len()]
    }
}

/// Returns the actions of a policy or bot as an int64 array. Rejects fractions instead of
/// truncating them.
pub(crate) fn whole_numbers<'py>(
    who: &str,
    answer: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let answer = answer
        .py()
        .import("numpy")?
        .call_method1("asarray", (answer,))?;
    let dtype = answer.getattr("dtype")?;
    match dtype.getattr("kind")?.extract::<String>()?.as_str() {
        "i" | "u" => answer.call_method1("astype", ("int64",)),
        _ => Err(PyTypeError::new_err(format!(
            "the {who}'s actions must be whole numbers, got dtype {dtype}"
        ))),
    }
}

/// Returns a text as a fixed number of characters, padded with zeros.
fn fixed<const LETTERS: usize>(text: &str) -> PyFixedUnicode<LETTERS> {
    let mut letters = text.chars().map(u32::from);
    PyFixedUnicode(std::array::from_fn(|_| letters.next().unwrap_or(0)))
}

/// Parses JSON from our own Python code, in which places mean nothing to the user.
pub(crate) fn from_json<'a, T: Deserialize<'a>>(text: &'a str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        let place = message.rfind(" at line ").unwrap_or(message.len());
        PyValueError::new_err(message[..place].to_owned())
    })
}

pub(crate) fn value_error(error: &dyn std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Locks a value during whose use nothing panics.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nothing panics while it is held")
}

/// Parses a snapshot.
pub(crate) fn read_snapshot<'a, S: Deserialize<'a>>(bytes: &'a [u8]) -> PyResult<S> {
    serde_json::from_slice(bytes)
        .map_err(|error| PyValueError::new_err(format!("not a snapshot: {error}")))
}
