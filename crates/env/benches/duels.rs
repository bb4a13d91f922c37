//! Benchmarks steps of duels by observation, both seats on one thread: random allowed actions,
//! including resets. A step of both seats counts as one. It measures CPU time, so that other load
//! on the machine changes little.
//!
//! `cargo bench -p hognose-env --bench duels`

mod actions;

use actions::choose;
use cpu_time::ThreadTime;
use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use hognose_env::{ActionKind, Batch, Buffers, DuelEnvConfig, DuelVectorEnv, Element, Observation};
use hognose_game::duel::DuelRules;
use hognose_game::rng::{self, Purpose};
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

/// Steps both seats of `duels` duels on one thread.
fn bench<T: Element>(
    group: &mut BenchmarkGroup<'_, CpuTime>,
    name: &str,
    duels: usize,
    observation: Option<Observation>,
) {
    let config = DuelEnvConfig {
        observation: observation.unwrap_or(Observation::Planes),
        action: ActionKind::Absolute,
        ..DuelEnvConfig::new(DuelRules::ai_snakes_2021())
    };
    let mut env = DuelVectorEnv::new(config, duels, 0).expect("the configuration is valid");
    let mut buffers = Buffers::<T>::for_duels(&env);
    env.observe(&mut buffers.batch()).expect("the buffers fit");
    let mut draws = rng::keyed(0, Purpose::new("bench"), 0);
    let mut actions = vec![0; env.num_rows()];
    group.throughput(Throughput::Elements(duels as u64));
    group.bench_function(BenchmarkId::new(name, duels), |bencher| {
        bencher.iter(|| {
            choose(&buffers.masks, &mut draws, &mut actions);
            let batch = Batch {
                kept: true,
                ..buffers.batch()
            };
            let mut batch = match observation {
                Some(_) => batch,
                None => Batch {
                    observations: &mut [],
                    final_observations: &mut [],
                    ..batch
                },
            };
            env.step(&actions, &mut batch)
                .expect("the actions are valid");
        });
    });
}

fn environments(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("environments");
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    for duels in [64, 256, 1024] {
        bench::<u8>(&mut group, "mask only", duels, None);
        bench::<u8>(&mut group, "planes u8", duels, Some(Observation::Planes));
        bench::<f32>(&mut group, "planes f32", duels, Some(Observation::Planes));
    }
    bench::<u8>(&mut group, "window u8", 256, Some(Observation::Window));
    bench::<u8>(
        &mut group,
        "egocentric u8",
        256,
        Some(Observation::Egocentric),
    );
    bench::<f32>(&mut group, "features f32", 256, Some(Observation::Features));
}

criterion_group! {
    name = duels;
    config = Criterion::default().with_measurement(CpuTime);
    targets = environments
}
criterion_main!(duels);
