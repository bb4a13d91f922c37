//! Benchmarks of the searches, in joint positions per second from opening positions, and of the
//! reach of both snakes.
//!
//! `cargo bench -p hognose-duel`

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use hognose_duel::{DuelEncoder, Features, Reach, ValueNetwork};
use hognose_game::duel::{Bot, Duel, DuelPosition, DuelRules, MakeBot, Seat};
use hognose_policies::Catalog;

/// Returns positions of games between `greedy` bots, from these steps.
fn positions(steps: std::ops::Range<u32>) -> Vec<DuelPosition> {
    let greedy = Catalog::default().bot("greedy").expect("greedy is a bot");
    let mut positions = Vec::new();
    for seed in 0..20 {
        let mut duel = Duel::new(DuelRules::ai_snakes_2021(), seed);
        let mut bots = Seat::BOTH.map(|seat| {
            greedy
                .make(duel.position(), seat, seed)
                .expect("it plays by all rules")
        });
        while duel.position().outcome().is_none() && duel.position().steps() < steps.end {
            if duel.position().steps() >= steps.start {
                positions.push(duel.position().clone());
            }
            let moves = [bots[0].act(duel.position()), bots[1].act(duel.position())];
            duel.step(moves);
        }
    }
    positions
}

fn reach(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reach");
    for (name, steps) in [("opening", 0..10), ("later", 30..60)] {
        let positions = positions(steps);
        let mut reach = Reach::new(positions[0].board());
        group.throughput(Throughput::Elements(positions.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for position in &positions {
                    reach.look(position);
                    std::hint::black_box(reach.nearer(Seat::First));
                }
            });
        });
    }
    group.finish();
}

fn searches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("joint positions");
    group.sample_size(10);
    let positions: Vec<DuelPosition> = positions(0..10).into_iter().step_by(10).collect();
    for name in ["hognose:6", "nega:6", "adder:6"] {
        let bot = Catalog::default().bot(name).expect("a bot of the catalog");
        let make = || {
            positions.iter().map(|position| {
                bot.make(position, Seat::First, 0)
                    .expect("it plays by these rules")
            })
        };
        let think = |players: &mut Vec<Box<dyn Bot>>| {
            let mut nodes = 0;
            for (player, position) in players.iter_mut().zip(&positions) {
                std::hint::black_box(player.act(position));
                nodes += player.thought().nodes;
            }
            nodes
        };
        group.throughput(Throughput::Elements(think(&mut make().collect())));
        group.bench_function(name, |bencher| {
            bencher.iter_batched_ref(|| make().collect(), think, BatchSize::PerIteration);
        });
    }
    group.finish();
}

/// Benchmarks a learned value: encoding a position, and the network.
fn learned(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("learned value");
    let positions = positions(0..60);
    let features = Features::new(*positions[0].rules()).expect("it sees these rules");
    let sizes = features.sizes();
    let layer = |inputs: usize, units: usize| {
        let weight = |place: usize| ((place * 7919) % 101) as f32 / 1000.0 - 0.05;
        ((0..inputs * units).map(weight).collect(), vec![0.0; units])
    };
    let network = ValueNetwork::new(
        sizes,
        vec![layer(sizes.record(), 64), layer(64, 32), layer(32, 1)],
    );
    let network = network.expect("sizes fit");
    let mut record = vec![0; sizes.record()];
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("features", |bencher| {
        bencher.iter(|| {
            positions
                .iter()
                .for_each(|position| features.encode(position, &mut record))
        });
    });
    let records: Vec<Vec<u8>> = positions
        .iter()
        .map(|position| {
            features.encode(position, &mut record);
            record.clone()
        })
        .collect();
    group.bench_function("network", |bencher| {
        bencher.iter(|| {
            records
                .iter()
                .map(|record| network.value(record))
                .sum::<f32>()
        });
    });
    group.finish();
}

criterion_group!(benches, reach, searches, learned);
criterion_main!(benches);
