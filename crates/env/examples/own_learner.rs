//! A custom learner on `VectorEnv`, without hognose's agent: Q-learning with a linear function of
//! the features.
//!
//! `cargo run --release -p hognose-env --example own_learner`

use hognose_env::{Buffers, EnvConfig, Observation, VectorEnv};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Board, Rules};

const STEPS: usize = 600;
const ENVS: usize = 16;
const DISCOUNT: f32 = 0.9;
const LEARNING_RATE: f32 = 0.01;
const EPSILON_PERCENT: u64 = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = EnvConfig {
        observation: Observation::Features,
        ..EnvConfig::new(Rules::new(Board::new(8, 8)?))
    };
    let mut env = VectorEnv::new(config, ENVS, 7)?;
    let values = env.space().len();
    let actions = env.num_actions();
    let mut buffers = Buffers::<f32>::new(&env);
    let mut weights = vec![0.0f32; actions * values];
    let mut draws = rng::keyed(7, Purpose::new("exploration"), 0);
    let mut lengths = Vec::new();
    env.reset(&mut buffers.batch())?;
    for _ in 0..STEPS {
        let before = buffers.clone();
        let chosen: Vec<u8> = (0..ENVS)
            .map(|i| {
                let mask = &before.masks[i * actions..][..actions];
                if rng::below(&mut draws, 100) < EPSILON_PERCENT {
                    let allowed: Vec<usize> = (0..actions).filter(|&action| mask[action]).collect();
                    allowed[rng::below(&mut draws, allowed.len() as u64) as usize] as u8
                } else {
                    best(&weights, &before.observations[i * values..][..values], mask).0 as u8
                }
            })
            .collect();
        env.step(&chosen, &mut buffers.batch())?;
        for i in 0..ENVS {
            let signal = buffers.signals[i];
            // A truncated episode keeps the value of its last state; only termination sets it to 0.
            let (next, mask) = if signal.ended() {
                lengths.extend(env.last_episode(i).map(|episode| episode.length));
                (&buffers.final_observations, &buffers.final_masks)
            } else {
                (&buffers.observations, &buffers.masks)
            };
            let future = best(
                &weights,
                &next[i * values..][..values],
                &mask[i * actions..][..actions],
            )
            .1;
            let target = buffers.rewards[i]
                + if signal.terminated() {
                    0.0
                } else {
                    DISCOUNT * future
                };
            let observation = &before.observations[i * values..][..values];
            let row = &mut weights[usize::from(chosen[i]) * values..][..values];
            let error = target - dot(row, observation);
            row.iter_mut()
                .zip(observation)
                .for_each(|(weight, x)| *weight += LEARNING_RATE * error * x);
        }
    }
    let mean = |lengths: &[usize]| lengths.iter().sum::<usize>() as f64 / lengths.len() as f64;
    let (early, late) = lengths.split_at(lengths.len() / 2);
    println!(
        "{} episodes: mean length {:.1} in the first half, {:.1} in the second",
        lengths.len(),
        mean(early),
        mean(late)
    );
    Ok(())
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns the allowed action with the highest value, and that value.
fn best(weights: &[f32], observation: &[f32], mask: &[bool]) -> (usize, f32) {
    let values = weights
        .chunks(observation.len())
        .map(|row| dot(row, observation))
        .enumerate();
    let allowed = values.filter(|(action, _)| mask[*action]);
    allowed
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .expect("a mask is never empty")
}
