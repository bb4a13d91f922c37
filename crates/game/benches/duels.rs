//! Benchmarks steps and undone steps of duels: random legal moves of snakes of up to a dozen cells.
//!
//! `cargo bench -p hognose-game`

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hognose_game::Direction;
use hognose_game::duel::{Duel, DuelPosition, DuelRules, Seat};
use hognose_game::rng::{self, Purpose};
use std::time::Instant;

/// Returns positions of some games while both snakes are short, with a joint move for each.
fn positions() -> Vec<(DuelPosition, [Direction; 2])> {
    let mut positions = Vec::new();
    for seed in 0..20 {
        let mut choices = rng::keyed(seed, Purpose::new("bench"), 0);
        let mut duel = Duel::new(DuelRules::ai_snakes_2021(), seed);
        for _ in 0..200 {
            let position = duel.position();
            let moves = Seat::BOTH.map(|seat| {
                let legal: Vec<Direction> = position.legal_moves(seat).iter().collect();
                let nth = rng::below(&mut choices, legal.len().max(1) as u64) as usize;
                legal.get(nth).copied().unwrap_or(Direction::Up)
            });
            if position.outcome().is_some()
                || Seat::BOTH
                    .iter()
                    .any(|&seat| position.snake(seat).len() > 12)
            {
                break;
            }
            positions.push((position.clone(), moves));
            duel.step(moves);
        }
    }
    positions
}

fn duels(criterion: &mut Criterion) {
    let mut positions = positions();
    let mut group = criterion.benchmark_group("duels");
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("step, undo", |bencher| {
        bencher.iter(|| {
            for (position, moves) in &mut positions {
                std::hint::black_box(position.step(*moves));
                position.undo();
            }
        });
    });
    // Undoing the steps is not timed.
    group.bench_function("step", |bencher| {
        bencher.iter_custom(|rounds| {
            (0..rounds)
                .map(|_| {
                    let started = Instant::now();
                    for (position, moves) in &mut positions {
                        std::hint::black_box(position.step(*moves));
                    }
                    let spent = started.elapsed();
                    for (position, _) in &mut positions {
                        position.undo();
                    }
                    spent
                })
                .sum()
        });
    });
    group.finish();
}

criterion_group!(benches, duels);
criterion_main!(benches);
