//! Tests of self-play training: exact resuming, independence of threads, and learned values.

use hognose_agent::{LearningRate, Training, device};
use hognose_duel::{DuelEncoder, Features};
use hognose_game::Board;
use hognose_game::duel::{Duel, DuelRules};
use hognose_policies::Catalog;
use hognose_selfplay::{Opponents, SelfplayConfig, SelfplayTrainer, ValueMlp, ValueModule};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Trains for at most `rounds` rounds, then writes the checkpoint and the policy to a folder.
/// Returns the names of the curves.
fn train(
    trainer: &mut SelfplayTrainer<ValueMlp>,
    rounds: usize,
    folder: &Path,
) -> BTreeSet<&'static str> {
    let mut names = BTreeSet::new();
    for _ in 0..rounds {
        let config = trainer.config();
        let total_steps = config.total_steps;
        let log_every = config.log_every;
        if trainer.progress().step >= total_steps {
            break;
        }
        trainer.round().unwrap();
        let progress = trainer.progress();
        if progress.has_come_round(progress.logged_at, log_every) {
            let curves = trainer.curves();
            names.extend(curves.points.iter().map(|(metric, _)| metric.name()));
            let (_, values) = curves.histogram.unwrap();
            assert!(values.iter().all(|value| (-1.0..=1.0).contains(value)));
        }
    }
    trainer.save(&folder.join(CHECKPOINT)).unwrap();
    trainer.save_agent(&folder.join(POLICY)).unwrap();
    names
}

const CHECKPOINT: &str = "checkpoint.safetensors";
const POLICY: &str = "policy.safetensors";

fn config() -> SelfplayConfig {
    SelfplayConfig {
        total_steps: 2048,
        num_envs: 8,
        steps_per_gradient_step: 4,
        learning_starts: 256,
        batch_size: 32,
        positions_per_game: 10,
        capacity: 300,
        opponents: Opponents {
            older: 0.3,
            older_every: 500,
            scripted: 0.3,
            bots: ["adder:1", "greedy"].map(str::to_owned).to_vec(),
        },
        average_decay: 0.9,
        learning_rate: LearningRate {
            start: 1e-2,
            end: 1e-3,
        },
        evaluate_every: 400,
        checkpoint_every: 600,
        log_every: 200,
        ..SelfplayConfig::default()
    }
}

fn rules() -> DuelRules {
    DuelRules::ai_snakes_2021()
        .on(Board::new(6, 6).unwrap())
        .unwrap()
        .with_step_limit(60)
        .unwrap()
}

fn trainer(config: SelfplayConfig, threads: usize) -> SelfplayTrainer<ValueMlp> {
    let encoder = Features::new(rules()).unwrap();
    let device = device("cpu").unwrap();
    let network = ValueMlp::new(encoder.sizes(), &[16], 3, &device).unwrap();
    let bots = Catalog::default().bots(&config.opponents.bots).unwrap();
    let bots = bots.iter().map(|bot| bot.maker()).collect();
    let trainer = SelfplayTrainer::new(
        config,
        rules(),
        Arc::new(encoder),
        bots,
        network,
        3,
        &device,
    )
    .unwrap();
    trainer.with_threads(threads).unwrap()
}

fn files(run: &Path) -> [Vec<u8>; 2] {
    [CHECKPOINT, POLICY].map(|name| fs::read(run.join(name)).unwrap())
}

#[test]
fn an_interrupted_run_ends_in_the_same_bytes_on_any_number_of_threads() {
    let whole = tempfile::tempdir().unwrap();
    let names = train(&mut trainer(config(), 1), usize::MAX, whole.path());
    for name in [
        "train/loss",
        "rollout/draws",
        "rollout/score_against_older",
        "rollout/score_against_bots",
    ] {
        assert!(names.contains(name), "{name}");
    }
    let parts = tempfile::tempdir().unwrap();
    let checkpoint = parts.path().join(CHECKPOINT);
    let mut stops = 0;
    loop {
        let mut trainer = trainer(config(), 1 + stops % 2);
        if checkpoint.exists() {
            trainer.restore(&checkpoint).unwrap();
        }
        if trainer.progress().step >= config().total_steps {
            break;
        }
        train(&mut trainer, 17, parts.path());
        stops += 1;
    }
    assert!(stops > 2);
    assert!(files(whole.path()) == files(parts.path()));
}

#[test]
fn checkpoints_of_other_runs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut short = trainer(
        SelfplayConfig {
            total_steps: 320,
            ..config()
        },
        1,
    );
    train(&mut short, usize::MAX, folder.path());
    let checkpoint = folder.path().join(CHECKPOINT);
    let refusal = |config| {
        trainer(config, 1)
            .restore(&checkpoint)
            .unwrap_err()
            .to_string()
    };
    let other = refusal(SelfplayConfig {
        lambda: 0.5,
        ..config()
    });
    assert!(
        other.ends_with("train.lambda is 0.98, expected 0.5"),
        "{other}"
    );
    // A run may be extended; it keeps the schedule that it started with.
    let mut longer = trainer(config(), 1);
    longer.restore(&checkpoint).unwrap();
    assert_eq!(longer.progress().step, 320);
    assert_eq!(longer.config().schedule(), 320);
}

/// The plain network has the same values as burn's.
#[test]
fn plain_values_match_burn() {
    use burn::tensor::{Tensor, TensorData};
    let rules = DuelRules::ai_snakes_2020();
    let device = device("cpu").unwrap();
    let encoder = Features::new(rules).unwrap();
    let sizes = encoder.sizes();
    let network = ValueMlp::new(sizes, &[24, 40], 5, &device).unwrap();
    let plain = network.plain(sizes).unwrap();
    let mut record = vec![0; sizes.record()];
    for seed in 0..50 {
        encoder.encode(Duel::new(rules, seed).position(), &mut record);
        // Make the start asymmetric.
        record[seed as usize] ^= 0x5a;
        let halves = hognose_game::duel::Seat::BOTH.map(|seat| {
            let view: Vec<f32> = sizes
                .view(&record, seat)
                .into_iter()
                .flatten()
                .map(|&input| hognose_duel::as_share(input))
                .collect();
            let view = TensorData::new(view, [1, sizes.record()]);
            network
                .halves(Tensor::from_data(view, &device))
                .into_data()
                .try_into_vec::<f32>()
                .unwrap()[0]
        });
        let logit = plain.logit(&record);
        assert!(
            (logit - (halves[0] - halves[1])).abs() < 1e-5,
            "{logit} {halves:?}"
        );
    }
}

/// On a small board, where the longer snake wins soon, the network learns the value of length
/// within seconds.
#[test]
fn it_learns_that_longer_is_better() {
    let config = SelfplayConfig {
        total_steps: 16_384,
        opponents: Opponents::default(),
        ..config()
    };
    let config = SelfplayConfig {
        opponents: Opponents {
            older: 0.0,
            scripted: 0.0,
            ..config.opponents
        },
        capacity: 5000,
        evaluate_every: 100_000,
        ..config
    };
    let mut trainer = trainer(config, 2);
    let mut losses = Vec::new();
    let total_steps = trainer.config().total_steps;
    while trainer.progress().step < total_steps {
        trainer.round().unwrap();
        losses.extend(trainer.progress().loss);
    }
    let mean = |losses: &[f64]| losses.iter().sum::<f64>() / losses.len() as f64;
    let early = mean(&losses[..20]);
    let late = mean(&losses[losses.len() - 100..]);
    assert!(late < early - 0.02, "{early} {late}");
}

#[test]
fn bots_that_read_a_clock_are_refused() {
    let mut config = config();
    config.opponents.bots = vec!["adder:1ms".to_owned()];
    let encoder = Features::new(rules()).unwrap();
    let device = device("cpu").unwrap();
    let network = ValueMlp::new(encoder.sizes(), &[16], 3, &device).unwrap();
    let bots = Catalog::default()
        .bots(&config.opponents.bots)
        .unwrap()
        .iter()
        .map(|bot| bot.maker())
        .collect();
    let refused = SelfplayTrainer::new(
        config,
        rules(),
        Arc::new(encoder),
        bots,
        network,
        3,
        &device,
    );
    assert!(
        refused
            .err()
            .unwrap()
            .to_string()
            .contains("must not depend on a clock")
    );
}
