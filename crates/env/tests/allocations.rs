//! Steps allocate nothing: the buffers are the caller's, and same-step autoreset reuses games.

use hognose_env::{Buffers, DuelEnvConfig, DuelVectorEnv, EnvConfig, Observation, VectorEnv};
use hognose_game::Rules;
use hognose_game::duel::DuelRules;

#[test]
fn steps_allocate_nothing() {
    for (name, observation) in Observation::ALL {
        let config = EnvConfig {
            observation,
            ..EnvConfig::new(Rules::new("6x6".parse().unwrap()))
        };
        let mut env = VectorEnv::new(config, 16, 0).unwrap();
        let mut buffers = Buffers::<u8>::new(&env);
        env.reset(&mut buffers.batch()).unwrap();
        let counted = allocation_counter::measure(|| {
            for step in 0..500 {
                let actions = [step % 3; 16].map(|action| action as u8);
                env.step(&actions, &mut buffers.batch()).unwrap();
            }
        });
        assert!(env.last_episode(0).is_some(), "episodes must end and begin");
        assert_eq!(counted.count_total, 0, "{name}");
    }
}

#[test]
fn steps_of_duels_allocate_nothing() {
    for (name, observation) in Observation::ALL {
        let rules = DuelRules::ai_snakes_2021()
            .on("7x7".parse().unwrap())
            .unwrap();
        let config = DuelEnvConfig {
            observation,
            ..DuelEnvConfig::new(rules)
        };
        let mut env = DuelVectorEnv::new(config, 8, 0).unwrap();
        let mut buffers = Buffers::<u8>::for_duels(&env);
        let mut steps = |count: u32| {
            for step in 0..count {
                let actions =
                    std::array::from_fn::<u8, 16, _>(|row| ((step as usize + row / 3) % 3) as u8);
                env.step(&actions, &mut buffers.batch()).unwrap();
            }
        };
        // The memory for removed foods of a duel grows once.
        steps(100);
        let counted = allocation_counter::measure(|| steps(500));
        assert!(env.last_episode(0).is_some(), "episodes must end and begin");
        assert_eq!(counted.count_total, 0, "{name}");
    }
}
