//! A step of environments whose observations nobody reads.

use hognose_env::{Batch, Signal, VectorEnv};

/// Steps every environment, and writes its reward and signal.
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
        .expect("ended environments were restarted");
}
