//! Epsilon-greedy steps of environments whose observations are not needed.

use crate::epsilon_greedy::EpsilonGreedy;
use crate::network::QNetwork;
use hognose_env::{Batch, Signal, VectorEnv};

/// Returns an epsilon-greedy action for every environment, given the Q-values of its actions.
pub(super) fn choose<N: QNetwork>(
    policy: &mut EpsilonGreedy<'_, N>,
    env: &mut VectorEnv,
    q: &[f32],
) -> Vec<u8> {
    let kind = env.config().action;
    q.chunks_exact(kind.count())
        .enumerate()
        .map(|(i, q)| policy.action(q, env.action_bits(i), kind).0)
        .collect()
}

/// Steps every environment and writes its reward and signal.
pub(super) fn step(
    env: &mut VectorEnv,
    actions: &[u8],
    rewards: &mut [f32],
    signals: &mut [Signal],
) {
    let mut batch = Batch::<f32> {
        observations: &mut [],
        kept: false,
        final_observations: &mut [],
        rewards,
        signals,
        masks: &mut [],
        final_masks: &mut [],
    };
    env.step(actions, &mut batch)
        .expect("ended environments have been restarted");
}
