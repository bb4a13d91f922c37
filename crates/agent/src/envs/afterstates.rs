//! Games stepped move by move, whose network values the position after each move.

use super::step::{choose, step};
use crate::afterstates::AfterMove;
use crate::config::TrainConfig;
use crate::epsilon_greedy::EpsilonGreedy;
use crate::n_step::{Begins, TimeStep};
use crate::network::QNetwork;
use crate::network_view::Inputs;
use crate::packing::Packer;
use crate::spec::AgentSpec;
use hognose_env::{EnvError, EpisodeStats, Signal, Snapshot, VectorEnv};
use hognose_game::{Board, Rules};

/// Environments stepped move by move. Transitions lead from an afterstate either to a later
/// position, whose best move is searched for when a batch is drawn (Q-learning), or to the next
/// afterstate on the path taken (Sarsa).
pub(crate) struct AfterstateEnvs {
    pub(super) env: VectorEnv,
    spec: AgentSpec,
    inputs: Inputs,
    packer: Packer,
    /// Packs the positions that transitions lead to; `None` for Sarsa.
    positions: Option<Packer>,
    /// The last afterstate of each episode, packed; only for Sarsa.
    previous: Vec<Option<Vec<u8>>>,
}

/// An environment, and for Sarsa the last afterstate of its episode, packed.
pub(crate) type AfterstateSnapshot = (Snapshot, Option<Vec<u8>>);

impl AfterstateEnvs {
    pub(crate) fn new(
        env: VectorEnv,
        rules: &[Rules],
        spec: &AgentSpec,
        config: &TrainConfig,
    ) -> AfterstateEnvs {
        AfterstateEnvs {
            inputs: Inputs::new(spec),
            packer: Packer::of(spec, rules),
            positions: Packer::of_positions(spec, rules, config),
            spec: *spec,
            previous: vec![None; env.num_envs()],
            env,
        }
    }

    /// Steps every environment and passes each step to `store`. Returns the episodes that finished.
    pub(crate) fn act<N: QNetwork>(
        &mut self,
        policy: &mut EpsilonGreedy<'_, N>,
        mut store: impl FnMut(usize, Board, Begins, &TimeStep<'_>),
    ) -> Vec<EpisodeStats> {
        let envs = self.env.num_envs();
        let kind = self.env.config().action;
        let mut afters = Vec::with_capacity(envs * kind.count());
        for env in 0..envs {
            let allowed = self.env.allowed(env);
            afters.extend(AfterMove::of_all(
                &self.env.position(env),
                &allowed,
                self.spec,
            ));
        }
        let open = AfterMove::open(&afters);
        let mut worth = policy
            .outputs(self.inputs.rows(&open), open.len())
            .into_iter();
        let q: Vec<f32> = afters
            .iter()
            .map(|after| after.branch.q_value(&mut worth))
            .collect();
        let actions = choose(policy, &mut self.env, &q);
        let mut rewards = vec![0.0; envs];
        let mut signals = vec![Signal::Running; envs];
        step(&mut self.env, &actions, &mut rewards, &mut signals);
        let mut finished = Vec::new();
        for (env, afters) in afters.chunks_exact(kind.count()).enumerate() {
            let after = &afters[usize::from(actions[env])];
            let packed = self.packer.packed(&after.view());
            let ended = signals[env].ended();
            let terminated = signals[env].terminated();
            let reward = rewards[env];
            if let Some(positions) = &self.positions {
                let allowed = self.env.allowed(env);
                let position = self.env.position(env);
                let lost = allowed
                    .moves
                    .is_empty()
                    .then(|| self.env.config().reward.losing(&*position));
                let next_state = &positions.packed_position(&position, &allowed)[..];
                let begins = if after.branch.known.is_none() {
                    Begins::Afterstate(packed)
                } else {
                    Begins::Nowhere
                };
                let outcome = TimeStep {
                    reward,
                    terminated,
                    ended,
                    next_state,
                    lost,
                };
                store(env, position.board(), begins, &outcome);
            } else {
                if let Some(previous) = self.previous[env].take() {
                    let outcome = TimeStep {
                        reward,
                        terminated,
                        ended,
                        next_state: &packed,
                        lost: after.branch.known,
                    };
                    store(
                        env,
                        self.env.position(env).board(),
                        Begins::Position(previous, 0),
                        &outcome,
                    );
                }
                self.previous[env] = (!ended).then_some(packed);
            }
            if ended {
                finished.extend(self.env.last_episode(env));
                self.env.restart(env);
            }
        }
        finished
    }

    /// Returns the last afterstates, packed.
    pub(crate) fn packed(&self) -> impl Iterator<Item = &[u8]> {
        self.previous.iter().flatten().map(Vec::as_slice)
    }

    pub(crate) fn snapshots(&self) -> Vec<AfterstateSnapshot> {
        self.previous
            .iter()
            .enumerate()
            .map(|(env, previous)| (self.env.snapshot(env), previous.clone()))
            .collect()
    }

    /// Restores all environments from snapshots, one per environment.
    pub(crate) fn restore(&mut self, snapshots: Vec<AfterstateSnapshot>) -> Result<(), EnvError> {
        for (env, (snapshot, previous)) in snapshots.into_iter().enumerate() {
            self.env.restore(env, &snapshot)?;
            self.previous[env] = previous;
        }
        Ok(())
    }
}
