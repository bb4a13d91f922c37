//! The environments that training steps side by side, one kind for each kind of action.

mod afterstates;
mod moves;
mod plans;
mod step;

use crate::config::{Actions, TrainConfig};
use crate::epsilon_greedy::EpsilonGreedy;
use crate::error::TrainError;
use crate::n_step::{Begins, TimeStep};
use crate::network::QNetwork;
use crate::solvers::Solvers;
use crate::spec::AgentSpec;
use afterstates::{AfterstateEnvs, AfterstateSnapshot};
use hognose_env::{EnvConfig, EnvError, EpisodeStats, Mask, Snapshot, VectorEnv};
use hognose_game::{Board, Rules};
use moves::MoveEnvs;
use plans::{PlanEnvs, PlanSnapshot};
use serde::{Deserialize, Serialize};

/// Environments stepped side by side.
pub(crate) enum RolloutEnvs {
    Moves(MoveEnvs),
    Afterstates(AfterstateEnvs),
    Plans(PlanEnvs),
}

/// The states of all games.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Snapshots {
    Moves(Vec<Snapshot>),
    Afterstates(Vec<AfterstateSnapshot>),
    Plans(Vec<PlanSnapshot>),
}

impl RolloutEnvs {
    /// Creates as many games as the configuration says, before their first step. `rules` are those
    /// on all boards of the training.
    pub(crate) fn new(
        config: &TrainConfig,
        env: EnvConfig,
        rules: &[Rules],
        spec: &AgentSpec,
        solvers: &Solvers,
        seed: u64,
    ) -> Result<RolloutEnvs, TrainError> {
        let envs = config.num_envs;
        let vector_env = |env: EnvConfig| match &solvers.safe_moves {
            Some(safe_moves) if env.mask == Mask::Safe => {
                VectorEnv::filtered(env, envs, seed, safe_moves.clone())
            }
            _ => VectorEnv::new(env, envs, seed),
        };
        Ok(match config.actions {
            Actions::Moves if spec.afterstates.is_some() => {
                let env = vector_env(env)?;
                RolloutEnvs::Afterstates(AfterstateEnvs::new(env, rules, spec, config))
            }
            Actions::Moves => RolloutEnvs::Moves(MoveEnvs::new(vector_env(env)?, rules)),
            Actions::Plans => {
                let plans = solvers.plans.as_ref().ok_or(TrainError::NoPlans)?;
                RolloutEnvs::Plans(PlanEnvs::new(&env, spec, config, seed, || {
                    plans(config.plans)
                })?)
            }
        })
    }

    /// Changes the configuration of episodes that begin from now on; games of plans have only one.
    pub(crate) fn configure(&mut self, config: EnvConfig) -> Result<(), EnvError> {
        match self {
            RolloutEnvs::Moves(envs) => envs.env.configure(config),
            RolloutEnvs::Afterstates(envs) => envs.env.configure(config),
            RolloutEnvs::Plans(_) => Ok(()),
        }
    }

    /// Takes one action in every game and passes each transition step to `store`: the game, its
    /// board, where a window begins, and the outcome. Returns the episodes that finished.
    pub(crate) fn act<N: QNetwork>(
        &mut self,
        policy: &mut EpsilonGreedy<'_, N>,
        store: impl FnMut(usize, Board, Begins, &TimeStep<'_>),
    ) -> Vec<EpisodeStats> {
        match self {
            RolloutEnvs::Moves(envs) => envs.act(policy, store),
            RolloutEnvs::Afterstates(envs) => envs.act(policy, store),
            RolloutEnvs::Plans(envs) => envs.act(policy, store),
        }
    }

    /// Returns the states of all games.
    pub(crate) fn snapshots(&self) -> Snapshots {
        match self {
            RolloutEnvs::Moves(envs) => Snapshots::Moves(envs.snapshots()),
            RolloutEnvs::Afterstates(envs) => Snapshots::Afterstates(envs.snapshots()),
            RolloutEnvs::Plans(envs) => Snapshots::Plans(envs.snapshots()),
        }
    }

    /// Returns the packed states kept from the last step.
    pub(crate) fn packed(&self) -> Vec<&[u8]> {
        match self {
            RolloutEnvs::Moves(_) => Vec::new(),
            RolloutEnvs::Afterstates(envs) => envs.packed().collect(),
            RolloutEnvs::Plans(envs) => envs.packed().collect(),
        }
    }

    /// Restores all games from snapshots, one per game. The error is a message.
    pub(crate) fn restore(&mut self, snapshots: Snapshots) -> Result<(), String> {
        match (self, snapshots) {
            (RolloutEnvs::Moves(envs), Snapshots::Moves(snapshots)) => {
                envs.restore(&snapshots).map_err(|error| error.to_string())
            }
            (RolloutEnvs::Afterstates(envs), Snapshots::Afterstates(snapshots)) => {
                envs.restore(snapshots).map_err(|error| error.to_string())
            }
            (RolloutEnvs::Plans(envs), Snapshots::Plans(snapshots)) => {
                envs.restore(snapshots).map_err(|error| error.to_string())
            }
            _ => Err("expected snapshots of this kind of action, got another kind".to_owned()),
        }
    }
}

impl Snapshots {
    /// Returns the number of games.
    pub(crate) fn len(&self) -> usize {
        match self {
            Snapshots::Moves(snapshots) => snapshots.len(),
            Snapshots::Afterstates(snapshots) => snapshots.len(),
            Snapshots::Plans(snapshots) => snapshots.len(),
        }
    }
}
