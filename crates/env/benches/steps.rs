//! Environment steps: 12x12, 1024 environments, random allowed actions, resets included.
//!
//! `cargo bench -p hognose-env`

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use hognose_env::{Batch, Buffers, Element, EnvConfig, Observation, VectorEnv};
use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Board, Rules};

const ENVS: usize = 1024;

/// A random allowed action for every environment.
fn choose(masks: &[bool], count: usize, draws: &mut Generator, actions: &mut [u8]) {
    for (mask, action) in masks.chunks_exact(count).zip(actions) {
        let allowed = mask.iter().filter(|&&allowed| allowed).count();
        let nth = rng::below(draws, allowed as u64) as usize;
        *action = (0..count as u8).filter(|&action| mask[usize::from(action)]).nth(nth).expect("allowed > nth");
    }
}

fn bench<T: Element>(criterion: &mut Criterion, name: &str, observation: Option<Observation>) {
    let mut group = criterion.benchmark_group("env_steps");
    group.throughput(Throughput::Elements(ENVS as u64)).sample_size(20);
    for threads in [1, 2] {
        let rules = Rules::new(Board::new(12, 12).expect("12x12 is a board"));
        let config = EnvConfig { observation: observation.unwrap_or_default(), ..EnvConfig::new(rules) };
        let env = VectorEnv::new(config, ENVS, 0).expect("the configuration is valid");
        let mut env = env.with_threads(threads).expect("threads can be started");
        let mut buffers = Buffers::<T>::new(&env);
        let (mut draws, mut actions) = (rng::keyed(0, Purpose::new("bench"), 0), vec![0; ENVS]);
        env.observe(&mut buffers.batch()).expect("the buffers fit");
        group.bench_function(BenchmarkId::new(name, format!("{threads} threads")), |bencher| {
            bencher.iter(|| {
                choose(&buffers.masks, env.num_actions(), &mut draws, &mut actions);
                let batch = buffers.batch();
                let mut batch = if observation.is_some() {
                    batch
                } else {
                    Batch { observations: &mut [], final_observations: &mut [], ..batch }
                };
                env.step(&actions, &mut batch).expect("the actions are valid");
            });
        });
    }
}

fn benches(criterion: &mut Criterion) {
    bench::<u8>(criterion, "mask only", None);
    bench::<u8>(criterion, "planes u8", Some(Observation::Planes));
    bench::<f32>(criterion, "planes f32", Some(Observation::Planes));
    bench::<u8>(criterion, "egocentric u8", Some(Observation::Egocentric));
    bench::<f32>(criterion, "egocentric f32", Some(Observation::Egocentric));
    bench::<f32>(criterion, "features f32", Some(Observation::Features));
}

criterion_group!(steps, benches);
criterion_main!(steps);
