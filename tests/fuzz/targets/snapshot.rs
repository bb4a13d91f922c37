//! Snapshots of environments: JSON. An environment that restores one can be stepped, and returns
//! the same snapshot.

#![no_main]

use hognose_env::{Buffers, EnvConfig, Mask, Snapshot, VectorEnv};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let Ok(snapshot) = serde_json::from_slice::<Snapshot>(text) else {
        return;
    };
    for mask in [Mask::Legal, Mask::Safe] {
        let config = EnvConfig {
            mask,
            ..EnvConfig::new(snapshot.game().position().rules())
        };
        if config.rules.board().area() > 64 {
            return;
        }
        // Safe moves may refuse the rules.
        let Ok(mut env) = VectorEnv::filtered(config, 1, 0, hognose_policies::safe_moves()) else {
            continue;
        };
        let mut buffers = Buffers::<f32>::new(&env);
        env.reset(&mut buffers.batch()).unwrap();
        let before = env.snapshot(0);
        if env.restore(0, &snapshot).is_err() {
            assert_eq!(env.snapshot(0), before);
            continue;
        }
        assert_eq!(env.snapshot(0).game(), snapshot.game());
        for step in 0..4 {
            env.observe(&mut buffers.batch()).unwrap();
            let bits = env.action_bits(0);
            let allowed: Vec<u8> = (0..env.num_actions() as u8)
                .filter(|action| bits >> action & 1 == 1)
                .collect();
            let action = if allowed.is_empty() {
                0
            } else {
                allowed[step % allowed.len()]
            };
            if env.step(&[action], &mut buffers.batch()).is_err() {
                break;
            }
        }
    }
});
