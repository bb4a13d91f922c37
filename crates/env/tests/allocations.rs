//! Stepping allocates nothing: buffers are the caller's, and same-step autoreset reuses the games.

use hognose_env::{Buffers, EnvConfig, Observation, VectorEnv};
use hognose_game::Rules;

#[test]
fn steps_allocate_nothing() {
    for (name, observation) in Observation::ALL {
        let config = EnvConfig { observation, ..EnvConfig::new(Rules::new("6x6".parse().unwrap())) };
        let mut env = VectorEnv::new(config, 16, 0).unwrap();
        let mut buffers = Buffers::<u8>::new(&env);
        env.reset(&mut buffers.batch()).unwrap();
        let counted = allocation_counter::measure(|| {
            for step in 0..500 {
                let actions = [step % 3; 16].map(|action| action as u8);
                env.step(&actions, &mut buffers.batch()).unwrap();
            }
        });
        assert!(env.last_episode(0).is_some(), "episodes ended and began");
        assert_eq!(counted.count_total, 0, "{name}");
    }
}
