//! Games stepped move by move, whose network has a Q-value for each action.

use super::step::{choose, step};
use crate::epsilon_greedy::EpsilonGreedy;
use crate::n_step::{Begins, TimeStep};
use crate::network::QNetwork;
use crate::network_view::NetworkView;
use crate::packing::Packer;
use hognose_env::{Buffers, EnvError, EpisodeStats, Snapshot, VectorEnv};
use hognose_game::{Board, Rules};

/// Environments stepped move by move, whose transitions lead from position to position.
pub(crate) struct MoveEnvs {
    pub(super) env: VectorEnv,
    buffers: Buffers<f32>,
    packer: Packer,
    /// The current state of each environment, packed, if known from the last step.
    packed: Vec<Option<Vec<u8>>>,
}

impl MoveEnvs {
    pub(crate) fn new(env: VectorEnv, rules: &[Rules]) -> MoveEnvs {
        let packer = Packer::new(rules);
        let packed = vec![None; env.num_envs()];
        MoveEnvs {
            buffers: Buffers::new(&env),
            packer,
            packed,
            env,
        }
    }

    /// Steps every environment and passes each position left behind to `store`. Returns the
    /// episodes that finished.
    pub(crate) fn act<N: QNetwork>(
        &mut self,
        policy: &mut EpsilonGreedy<'_, N>,
        mut store: impl FnMut(usize, Board, Begins, &TimeStep<'_>),
    ) -> Vec<EpisodeStats> {
        let envs = self.env.num_envs();
        self.env
            .observe(&mut self.buffers.batch())
            .expect("the buffers are made for this environment");
        let q = policy.outputs(self.buffers.observations.clone(), envs);
        let actions = choose(policy, &mut self.env, &q);
        let states: Vec<Vec<u8>> = (0..envs)
            .map(|env| self.packed[env].take().unwrap_or_else(|| self.pack(env)))
            .collect();
        step(
            &mut self.env,
            &actions,
            &mut self.buffers.rewards,
            &mut self.buffers.signals,
        );
        let mut finished = Vec::new();
        for (env, state) in states.into_iter().enumerate() {
            let signal = self.buffers.signals[env];
            let lost = self.env.action_bits(env) == 0;
            let next_state = self.pack(env);
            let outcome = TimeStep {
                reward: self.buffers.rewards[env],
                terminated: signal.terminated(),
                ended: signal.ended(),
                next_state: &next_state,
                lost: lost.then(|| self.env.config().reward.losing(&*self.env.position(env))),
            };
            store(
                env,
                self.env.position(env).board(),
                Begins::Position(state, actions[env]),
                &outcome,
            );
            if signal.ended() {
                finished.extend(self.env.last_episode(env));
                self.env.restart(env);
            } else {
                self.packed[env] = Some(next_state);
            }
        }
        finished
    }

    fn pack(&mut self, env: usize) -> Vec<u8> {
        let allowed = self.env.allowed(env).moves;
        self.packer
            .packed(&NetworkView::new(&self.env.position(env), allowed))
    }

    pub(crate) fn snapshots(&self) -> Vec<Snapshot> {
        (0..self.env.num_envs())
            .map(|env| self.env.snapshot(env))
            .collect()
    }

    /// Restores all environments from snapshots, one per environment.
    pub(crate) fn restore(&mut self, snapshots: &[Snapshot]) -> Result<(), EnvError> {
        self.packed.fill(None);
        snapshots
            .iter()
            .enumerate()
            .try_for_each(|(env, snapshot)| self.env.restore(env, snapshot))
    }
}
