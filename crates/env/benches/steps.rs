//! Benchmarks environment steps by observation, board, number of environments and threads: random
//! allowed actions, including resets. For comparison, it measures the limits: choosing actions, and
//! filling as much memory as a step's observations take.
//!
//! `cargo bench -p hognose-env`, or a single group: `cargo bench -p hognose-env -- observations`

mod actions;

use actions::choose;
use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use hognose_env::{ActionKind, Batch, Buffers, Element, EnvConfig, Observation, VectorEnv};
use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Board, Rules};
use std::time::Duration;

struct Bench<T> {
    env: VectorEnv,
    buffers: Buffers<T>,
    /// Whether observations are written.
    seen: bool,
    draws: Generator,
    actions: Vec<u8>,
}

impl<T: Element> Bench<T> {
    fn new(side: u8, n: usize, threads: usize, observation: Option<Observation>) -> Bench<T> {
        let rules = Rules::new(Board::new(side, side).expect("a valid board"));
        let action = ActionKind::Absolute;
        let seen = observation.is_some();
        let observation = observation.unwrap_or(Observation::Planes);
        let config = EnvConfig {
            observation,
            action,
            ..EnvConfig::new(rules)
        };
        let env = VectorEnv::new(config, n, 0).expect("the configuration is valid");
        let mut env = env.with_threads(threads).expect("threads can be started");
        let mut buffers = Buffers::new(&env);
        env.observe(&mut buffers.batch()).expect("the buffers fit");
        Bench {
            env,
            buffers,
            seen,
            draws: rng::keyed(0, Purpose::new("bench"), 0),
            actions: vec![0; n],
        }
    }

    fn step(&mut self) {
        choose(&self.buffers.masks, &mut self.draws, &mut self.actions);
        let batch = Batch {
            kept: true,
            ..self.buffers.batch()
        };
        let mut batch = match self.seen {
            true => batch,
            false => Batch {
                observations: &mut [],
                final_observations: &mut [],
                ..batch
            },
        };
        self.env
            .step(&self.actions, &mut batch)
            .expect("the actions are valid");
    }
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    group
}

fn bench<T: Element>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    id: BenchmarkId,
    mut bench: Bench<T>,
) {
    group.throughput(Throughput::Elements(bench.actions.len() as u64));
    group.bench_function(id, |bencher| bencher.iter(|| bench.step()));
}

fn observations(criterion: &mut Criterion) {
    let mut group = group(criterion, "observations");
    for threads in [1, 2] {
        let id = |name: &str| BenchmarkId::new(name, format!("{threads} threads"));
        let seen = |observation| Bench::<u8>::new(12, 1024, threads, Some(observation));
        let seen_as_f32 = |observation| Bench::<f32>::new(12, 1024, threads, Some(observation));
        bench(
            &mut group,
            id("mask only"),
            Bench::<u8>::new(12, 1024, threads, None),
        );
        bench(&mut group, id("planes u8"), seen(Observation::Planes));
        bench(
            &mut group,
            id("planes f32"),
            seen_as_f32(Observation::Planes),
        );
        bench(&mut group, id("window u8"), seen(Observation::Window));
        bench(
            &mut group,
            id("egocentric u8"),
            seen(Observation::Egocentric),
        );
        bench(
            &mut group,
            id("egocentric f32"),
            seen_as_f32(Observation::Egocentric),
        );
        bench(
            &mut group,
            id("features f32"),
            seen_as_f32(Observation::Features),
        );
    }
}

fn limits(criterion: &mut Criterion) {
    let mut group = group(criterion, "limits");
    let mut chooser = Bench::<u8>::new(12, 1024, 1, None);
    group.throughput(Throughput::Elements(1024));
    group.bench_function("choosing actions", |bencher| {
        bencher.iter(|| {
            choose(
                &chooser.buffers.masks,
                &mut chooser.draws,
                &mut chooser.actions,
            )
        });
    });
    let board = Board::new(12, 12).expect("a valid board");
    let filled = [
        ("planes u8", Observation::Planes.space(board).len()),
        ("planes f32", 4 * Observation::Planes.space(board).len()),
        ("window u8", Observation::Window.space(board).len()),
    ];
    for (name, bytes) in filled {
        let mut memory = vec![0u8; 1024 * bytes];
        let mut value = 0u8;
        group.bench_function(BenchmarkId::new("filling", name), |bencher| {
            bencher.iter(|| {
                value = value.wrapping_add(1);
                memory.fill(value);
            });
        });
    }
}

fn boards(criterion: &mut Criterion) {
    let mut group = group(criterion, "boards");
    for side in [6, 8, 10, 12, 16, 24, 32, 48, 64] {
        let id = |name: &str| BenchmarkId::new(name, format!("{side}x{side}"));
        bench(
            &mut group,
            id("mask only"),
            Bench::<u8>::new(side, 1024, 1, None),
        );
        bench(
            &mut group,
            id("planes u8"),
            Bench::<u8>::new(side, 1024, 1, Some(Observation::Planes)),
        );
        bench(
            &mut group,
            id("window u8"),
            Bench::<u8>::new(side, 1024, 1, Some(Observation::Window)),
        );
    }
}

fn numbers(criterion: &mut Criterion) {
    let mut group = group(criterion, "num_envs");
    for n in [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536] {
        for threads in [1, 2] {
            let id = |name: &str| BenchmarkId::new(format!("{name} {threads} threads"), n);
            bench(
                &mut group,
                id("mask only"),
                Bench::<u8>::new(12, n, threads, None),
            );
            bench(
                &mut group,
                id("planes u8"),
                Bench::<u8>::new(12, n, threads, Some(Observation::Planes)),
            );
        }
    }
}

criterion_group!(steps, observations, limits, boards, numbers);
criterion_main!(steps);
