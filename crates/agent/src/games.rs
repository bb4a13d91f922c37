//! The games that training plays. What an action is decides how they are stepped.

mod afterstates;
mod moves;
mod plans;
mod step;

use crate::config::{Actions, TrainConfig};
use crate::epsilon_greedy::EpsilonGreedy;
use crate::error::TrainError;
use crate::guides::Guides;
use crate::n_step::{Begins, TimeStep};
use crate::network::QNetwork;
use crate::spec::AgentSpec;
use afterstates::{AfterstateGames, AfterstateSnapshot};
use hognose_env::{EnvConfig, EpisodeStats, Mask, Snapshot, VectorEnv};
use hognose_game::Board;
use moves::MoveGames;
use plans::{PlanGames, PlanSnapshot};
use serde::{Deserialize, Serialize};

/// Games stepped side by side.
pub(crate) enum Games {
    Moves(MoveGames),
    Afterstates(AfterstateGames),
    Plans(PlanGames),
}

/// The states of all games.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Snapshots {
    Moves(Vec<Snapshot>),
    Afterstates(Vec<AfterstateSnapshot>),
    Plans(Vec<PlanSnapshot>),
}

impl Games {
    /// As many games as the configuration says, before their first step.
    pub(crate) fn new(
        config: &TrainConfig,
        env: EnvConfig,
        spec: &AgentSpec,
        guides: &Guides,
        seed: u64,
    ) -> Result<Games, TrainError> {
        let envs = config.num_envs;
        let vector_env = |env: EnvConfig| match &guides.safe_moves {
            Some(safe_moves) if env.mask == Mask::Safe => {
                VectorEnv::filtered(env, envs, seed, safe_moves.clone())
            }
            _ => VectorEnv::new(env, envs, seed),
        };
        Ok(match config.actions {
            Actions::Moves if spec.afterstates.is_some() => {
                Games::Afterstates(AfterstateGames::new(vector_env(env)?, spec, config))
            }
            Actions::Moves => Games::Moves(MoveGames::new(vector_env(env)?)),
            Actions::Plans => {
                let plans = guides.plans.as_ref().ok_or(TrainError::NoPlans)?;
                Games::Plans(PlanGames::new(&env, spec, config, seed, || {
                    plans(config.plans)
                })?)
            }
        })
    }

    /// Takes one action in every game and tells `store` of each state left behind: the game, the
    /// packed state, the action, and what it led to. Returns the episodes that finished.
    pub(crate) fn act<N: QNetwork>(
        &mut self,
        policy: &mut EpsilonGreedy<'_, N>,
        store: impl FnMut(usize, Board, Begins, &TimeStep<'_>),
    ) -> Vec<EpisodeStats> {
        match self {
            Games::Moves(games) => games.act(policy, store),
            Games::Afterstates(games) => games.act(policy, store),
            Games::Plans(games) => games.act(policy, store),
        }
    }

    /// The states of all games.
    pub(crate) fn snapshots(&self) -> Snapshots {
        match self {
            Games::Moves(games) => Snapshots::Moves(games.snapshots()),
            Games::Afterstates(games) => Snapshots::Afterstates(games.snapshots()),
            Games::Plans(games) => Snapshots::Plans(games.snapshots()),
        }
    }

    /// The last packed states that are remembered.
    pub(crate) fn packed(&self) -> Vec<&[u8]> {
        match self {
            Games::Moves(_) => Vec::new(),
            Games::Afterstates(games) => games.packed().collect(),
            Games::Plans(games) => games.packed().collect(),
        }
    }

    /// Puts all games into the states of snapshots, as many as there are games. Fails in words.
    pub(crate) fn restore(&mut self, snapshots: Snapshots) -> Result<(), String> {
        match (self, snapshots) {
            (Games::Moves(games), Snapshots::Moves(snapshots)) => {
                games.restore(&snapshots).map_err(|error| error.to_string())
            }
            (Games::Afterstates(games), Snapshots::Afterstates(snapshots)) => {
                games.restore(snapshots).map_err(|error| error.to_string())
            }
            (Games::Plans(games), Snapshots::Plans(snapshots)) => {
                games.restore(snapshots).map_err(|error| error.to_string())
            }
            _ => Err("moves and plans are mixed up".to_owned()),
        }
    }
}

impl Snapshots {
    /// How many games there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            Snapshots::Moves(snapshots) => snapshots.len(),
            Snapshots::Afterstates(snapshots) => snapshots.len(),
            Snapshots::Plans(snapshots) => snapshots.len(),
        }
    }
}
