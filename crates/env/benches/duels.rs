//! Steps of duels by observation, both seats on one thread: random allowed actions, resets included. A step of both
//! seats counts as one. CPU time is measured, so that a machine that does other things, too, gives about the same.
//!
//! `cargo bench -p hognose-env --bench duels`

use cpu_time::ThreadTime;
use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use hognose_env::{ActionKind, Batch, Buffers, DuelEnvConfig, DuelVectorEnv, Element, Observation};
use hognose_game::duel::DuelRules;
use hognose_game::rng::{self, Generator, Purpose};
use std::time::Duration;

/// The CPU time of this thread.
struct CpuTime;

impl Measurement for CpuTime {
    type Intermediate = ThreadTime;
    type Value = Duration;

    fn start(&self) -> ThreadTime {
        ThreadTime::now()
    }

    fn end(&self, start: ThreadTime) -> Duration {
        start.elapsed()
    }

    fn add(&self, a: &Duration, b: &Duration) -> Duration {
        *a + *b
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, time: &Duration) -> f64 {
        time.as_nanos() as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

/// A random allowed action of four for every row.
fn choose(masks: &[bool], draws: &mut Generator, actions: &mut [u8]) {
    for (mask, action) in masks.as_chunks::<4>().0.iter().zip(actions) {
        let bits = u32::from_le_bytes(mask.map(u8::from)).wrapping_mul(0x0102_0408) >> 24;
        let mut left = bits & 15;
        for _ in 0..rng::below(draws, left.count_ones().into()) {
            left &= left - 1;
        }
        *action = left.trailing_zeros() as u8;
    }
}

/// Steps both seats of 1,024 duels on one thread.
fn bench<T: Element>(group: &mut BenchmarkGroup<'_, CpuTime>, name: &str, observation: Option<Observation>) {
    let config = DuelEnvConfig {
        observation: observation.unwrap_or(Observation::Planes),
        action: ActionKind::Absolute,
        ..DuelEnvConfig::new(DuelRules::ai_snakes_2021())
    };
    let mut env = DuelVectorEnv::new(config, 1024, 0).expect("the configuration is valid");
    let mut buffers = Buffers::<T>::for_duels(&env);
    env.observe(&mut buffers.batch()).expect("the buffers fit");
    let mut draws = rng::keyed(0, Purpose::new("bench"), 0);
    let mut actions = vec![0; env.num_rows()];
    group.throughput(Throughput::Elements(1024));
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            choose(&buffers.masks, &mut draws, &mut actions);
            let batch = Batch { kept: true, ..buffers.batch() };
            let mut batch = match observation {
                Some(_) => batch,
                None => Batch { observations: &mut [], final_observations: &mut [], ..batch },
            };
            env.step(&actions, &mut batch).expect("the actions are valid");
        });
    });
}

fn environments(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("environments");
    group.sample_size(20).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    bench::<u8>(&mut group, "mask only", None);
    bench::<u8>(&mut group, "planes u8", Some(Observation::Planes));
    bench::<f32>(&mut group, "planes f32", Some(Observation::Planes));
    bench::<u8>(&mut group, "window u8", Some(Observation::Window));
    bench::<u8>(&mut group, "egocentric u8", Some(Observation::Egocentric));
    bench::<f32>(&mut group, "features f32", Some(Observation::Features));
}

criterion_group! {
    name = duels;
    config = Criterion::default().with_measurement(CpuTime);
    targets = environments
}
criterion_main!(duels);
