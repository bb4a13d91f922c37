//! Trained agents: their Q-values and moves.

use crate::arrays::{from_json, value_error};
use crate::evaluation::catalog;
use crate::forks::need_threads;
use crate::positions::Position;
use hognose_agent::{Agent as Learned, AgentSpec, MoveAgent, Network, NetworkConfig, Weights};
use hognose_env::Space;
use hognose_game::{Allowed, BatchPolicy, Choice, Direction};
use hognose_policies::safe_moves;
use numpy::{
    PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArray2, PyReadonlyArrayDyn,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A trained agent.
#[pyclass(frozen, module = "hognose._hognose")]
pub(crate) struct Agent {
    name: String,
    spec: AgentSpec,
    /// Boxed, since Python allocates objects with less alignment than tensors have.
    agent: Box<Mutex<Learned<Network>>>,
}

#[pymethods]
impl Agent {
    /// Loads an agent onto a device. `name` is the part of a policy's name after `dqn:`.
    #[new]
    fn new(py: Python<'_>, name: &str, device: &str) -> PyResult<Agent> {
        need_threads()?;
        let agent = py.detach(|| -> PyResult<_> {
            catalog(None)?
                .on(device)
                .learned(name)
                .map_err(|error| value_error(&error))
        })?;
        Ok(Agent {
            name: name.to_owned(),
            spec: agent.spec(),
            agent: Box::new(Mutex::new(agent)),
        })
    }

    /// Returns its specification as JSON: boards, observation, actions and mask.
    fn spec(&self) -> PyResult<String> {
        serde_json::to_string(&self.spec).map_err(|error| value_error(&error))
    }

    /// Returns the architecture of its network as JSON.
    fn network(&self) -> PyResult<String> {
        serde_json::to_string(&self.agent().network().config()).map_err(|error| value_error(&error))
    }

    /// Returns the weights of its network, by their names in policy files.
    fn weights<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<BTreeMap<String, Bound<'py, PyArrayDyn<f32>>>> {
        let weights = hognose_agent::weights(self.agent().network()).into_iter();
        weights
            .map(|(name, (shape, values))| {
                Ok((name, PyArray1::from_vec(py, values).reshape(shape)?))
            })
            .collect()
    }

    /// The shapes of its network: (planes, rows, columns), scalars, and outputs.
    #[getter]
    fn inputs(&self) -> ((usize, usize, usize), usize, usize) {
        let Space {
            planes: [planes, rows, columns],
            scalars,
        } = self.spec.inputs();
        ((planes, rows, columns), scalars, self.spec.outputs())
    }

    /// Returns the Q-values of observations, one row each.
    fn q_values_of_observations<'py>(
        &self,
        py: Python<'py>,
        observations: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let rows = observations.shape()[0];
        let expected = self.spec.inputs().len();
        let got = observations.shape()[1];
        if got != expected && self.spec.afterstates.is_none() {
            return Err(PyValueError::new_err(format!(
                "an observation must have {expected} values, got {got}"
            )));
        }
        let observations = observations.as_slice()?;
        let values = py.detach(|| {
            self.ask(|agent| {
                agent.values_of(observations).ok_or_else(|| {
                    let name = &self.name;
                    value_error(&format!(
                        "{name} evaluates the positions after each move: give it positions, not \
                         observations"
                    ))
                })
            })
        })?;
        PyArray1::from_vec(py, values).reshape([rows, self.spec.action.count()])
    }

    /// Returns the Q-values of positions, one row each.
    fn q_values_of_positions<'py>(
        &self,
        py: Python<'py>,
        positions: Vec<PyRef<'py, Position>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let positions: Vec<&hognose_game::Position> =
            positions.iter().map(|position| &position.0).collect();
        let values = py.detach(|| {
            self.ask(|agent| Ok(agent.q_values(&positions, &allowed(agent, &positions)?)))
        })?;
        PyArray1::from_vec(py, values).reshape([positions.len(), self.spec.action.count()])
    }

    /// Returns the move at each position: 0 up, 1 right, 2 down, 3 left.
    fn act<'py>(
        &self,
        py: Python<'py>,
        positions: Vec<PyRef<'py, Position>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let positions: Vec<&hognose_game::Position> =
            positions.iter().map(|position| &position.0).collect();
        let choices = py.detach(|| {
            let mut choices = vec![
                Choice {
                    direction: Direction::Up,
                    forbidden: false
                };
                positions.len()
            ];
            self.ask(|agent| {
                agent.act_all(&positions, &allowed(agent, &positions)?, &mut choices);
                Ok(choices)
            })
        })?;
        Ok(PyArray1::from_iter(
            py,
            choices.iter().map(|choice| choice.direction.index() as i64),
        ))
    }
}

/// Writes the policy file of an agent from its specification, its network (both JSON) and its
/// weights by name.
#[pyfunction]
pub(crate) fn save_policy(
    path: PathBuf,
    spec: &str,
    network: &str,
    weights: BTreeMap<String, PyReadonlyArrayDyn<'_, f32>>,
) -> PyResult<()> {
    let spec: AgentSpec = from_json(spec)?;
    // The policy file keeps it as it is.
    let description: Value = from_json(network)?;
    let config = NetworkConfig::deserialize(&description).map_err(|error| value_error(&error))?;
    let device = hognose_agent::device("cpu").map_err(|error| value_error(&error))?;
    let built = config
        .build(spec.inputs(), spec.outputs(), 0, &device)
        .map_err(|error| value_error(&error))?;
    let weights = weights.into_iter().map(|(name, array)| {
        let values = array.as_slice()?.to_vec();
        Ok((name, (array.shape().to_vec(), values)))
    });
    let weights: Weights = weights.collect::<PyResult<_>>()?;
    let built = hognose_agent::with_weights(built, weights, "the module")
        .map_err(|error| value_error(&error))?;
    let saved = hognose_agent::save_policy(&path, &Learned::new(spec, built, device), &description);
    saved.map_err(|error| PyOSError::new_err(error.to_string()))
}

impl Agent {
    fn agent(&self) -> MutexGuard<'_, Learned<Network>> {
        self.agent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `ask` with the agent; fails if it chooses among plans.
    fn ask<T>(&self, ask: impl FnOnce(&MoveAgent<Network>) -> PyResult<T>) -> PyResult<T> {
        need_threads()?;
        match &*self.agent() {
            Learned::Moves(agent) => ask(agent),
            Learned::Plans(_) => Err(PyValueError::new_err(format!(
                "{0} chooses among plans and has no Q-values of moves: play it with \
                 hognose.Solver(\"dqn:{0}\")",
                self.name
            ))),
        }
    }
}

/// Returns the moves that an agent's mask allows at each position. Fails if the agent does not play
/// a position's board, or if a position has no legal moves.
fn allowed(
    agent: &MoveAgent<Network>,
    positions: &[&hognose_game::Position],
) -> PyResult<Vec<Allowed>> {
    let mut filter = agent.spec().mask.filter(&safe_moves())();
    let allowed = positions.iter().map(|position| {
        agent.check(position).map_err(|error| value_error(&error))?;
        if position.legal_moves().is_empty() {
            return Err(PyValueError::new_err(format!(
                "no move is legal here: {}",
                position.status()
            )));
        }
        filter
            .reset(position)
            .map_err(|error| value_error(&error))?;
        Ok(filter.allowed(position))
    });
    allowed.collect()
}
