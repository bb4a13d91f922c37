//! Benchmarks training rounds of the quickstart (6x6, batch size 512). Each round is one gradient
//! step and 128 environment steps.
//!
//! `cargo bench -p hognose-agent`; elements are transitions.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use hognose_agent::{NetworkConfig, Solvers, TrainConfig, Trainer, device};
use hognose_env::EnvConfig;
use hognose_game::{Board, Rules};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn rounds(criterion: &mut Criterion) {
    let config = TrainConfig {
        learning_starts: 5000,
        ..TrainConfig::default()
    };
    let mut group = criterion.benchmark_group("training");
    group
        .throughput(Throughput::Elements(config.batch_size as u64))
        .sample_size(10);
    for threads in [1, 2] {
        let env = EnvConfig::new(Rules::new(Board::new(6, 6).expect("6x6 is a board")));
        let solvers = Solvers::default();
        let device = device("cpu").expect("the cpu device always exists");
        let space = env.observation.space(env.rules.board());
        let network = NetworkConfig::default()
            .build(space, env.action.count(), 0, &device)
            .expect("the network configuration is valid");
        let trainer = Trainer::new(
            config.clone(),
            env,
            &solvers,
            network,
            serde_json::Value::Null,
            0,
            &device,
        );
        let trainer = trainer.and_then(|trainer| trainer.with_threads(threads));
        let mut trainer = trainer.expect("the configuration is valid");
        while trainer.gradient_step().is_none() {
            trainer.round().expect("training does not diverge");
        }
        group.bench_function(
            BenchmarkId::new("round", format!("{threads} threads")),
            |bencher| {
                bencher.iter(|| trainer.round());
            },
        );
    }
}

criterion_group!(training, rounds);
criterion_main!(training);
