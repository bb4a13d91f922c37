//! Tests training as a whole: exact resuming, independence of threads, custom networks, rejected
//! files.

use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Device, Tensor};
use hognose_agent::{
    Actions, Agent, AgentSpec, Bootstrap, LearningRate, MakePlans, Metric, MoveAgent,
    NetworkConfig, PlanSearch, QNetwork, ReplayConfig, Solvers, Stage, TargetSync, TrainConfig,
    TrainError, Trainer, Training, Values, load_policy, load_policy_with, load_weights,
    save_policy, weights,
};
use hognose_env::{ActionKind, EnvConfig, Mask, Observation, Reward, StartPosition};
use hognose_game::rng::{Purpose, keyed};
use hognose_game::{
    Allowed, BatchPolicy, Board, Choice, Direction, Game, MakePolicy, MoveFilter, Position, Rules,
    Status, Unsupported,
};
use hognose_solvers::{CertifiedPlans, SafeMoves};
use hognose_store::{Contents, parse, write};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The points of each curve, by its name and environment step.
type Points = BTreeMap<(&'static str, u64), f64>;

/// Trains for at most `rounds` rounds and draws curves as a run does. Then saves the checkpoint and
/// the policy to a folder.
fn train<N: QNetwork>(
    trainer: &mut Trainer<N>,
    rounds: usize,
    folder: &Path,
) -> Result<Points, TrainError> {
    let mut points = Points::new();
    for _ in 0..rounds {
        if trainer.finished() {
            break;
        }
        trainer.round()?;
        let log_every = trainer.config().log_every;
        let progress = trainer.progress();
        let step = progress.step;
        if progress.has_come_round(progress.logged_at, log_every) {
            let curves = trainer.curves();
            let (_, values) = curves.histogram.unwrap_or((Metric::QValues, Vec::new()));
            assert!(values.iter().all(|value| value.is_finite()));
            points.extend(
                curves
                    .points
                    .into_iter()
                    .map(|(metric, value)| ((metric.name(), step), value)),
            );
        }
    }
    trainer.check()?;
    trainer.save(&folder.join(CHECKPOINT))?;
    trainer.save_agent(&folder.join(POLICY))?;
    Ok(points)
}

const CHECKPOINT: &str = "checkpoint.safetensors";
const POLICY: &str = "policy.safetensors";

fn plans() -> MakePlans {
    Arc::new(|search| {
        Box::new(CertifiedPlans::new(search.effort).with_alternatives(search.margin, search.most))
    })
}

fn solvers() -> Solvers {
    Solvers {
        safe_moves: Some(SafeMoves::maker()),
        plans: Some(plans()),
    }
}

fn small(prioritized: bool) -> (TrainConfig, EnvConfig, NetworkConfig) {
    let replay = if prioritized {
        ReplayConfig {
            capacity: 300,
            priority_exponent: 0.6,
            importance_exponent: 0.4,
        }
    } else {
        ReplayConfig {
            capacity: 300,
            ..ReplayConfig::default()
        }
    };
    let config = TrainConfig {
        total_steps: 720,
        num_envs: 8,
        steps_per_gradient_step: 2,
        learning_starts: 64,
        batch_size: 32,
        target: if prioritized {
            TargetSync::Polyak { tau: 0.01 }
        } else {
            TargetSync::Hard { every: 7 }
        },
        average_decay: if prioritized { 0.0 } else { 0.9 },
        replay,
        evaluate_every: 160,
        checkpoint_every: 200,
        log_every: 48,
        ..TrainConfig::default()
    };
    let rules = Rules::new(Board::new(4, 4).unwrap());
    let env = EnvConfig {
        starvation: Some(20),
        reward: Reward {
            shaping: 0.3,
            ..Reward::default()
        },
        ..EnvConfig::new(rules)
    };
    (
        config,
        env,
        NetworkConfig {
            hidden: vec![16, 8],
            ..NetworkConfig::default()
        },
    )
}

type Setup = (TrainConfig, EnvConfig, NetworkConfig);

fn without_threads((config, env, network): &Setup) -> Trainer<hognose_agent::Network> {
    let device = Device::flex();
    let spec = AgentSpec::new(env, config);
    let built = network
        .build(spec.inputs(), spec.outputs(), 3, &device)
        .unwrap();
    let description = serde_json::to_value(network).unwrap();
    Trainer::new(
        config.clone(),
        env.clone(),
        &solvers(),
        built,
        description,
        3,
        &device,
    )
    .unwrap()
}

fn trainer(setup: &Setup, threads: usize) -> Trainer<hognose_agent::Network> {
    without_threads(setup).with_threads(threads).unwrap()
}

fn files(run: &Path) -> (Vec<u8>, Vec<u8>) {
    (
        fs::read(run.join(CHECKPOINT)).unwrap(),
        fs::read(run.join(POLICY)).unwrap(),
    )
}

/// Returns a setup in which each episode draws one of several boards.
fn on_boards((config, env, network): Setup) -> Setup {
    let boards = vec!["3x3..4x4".parse().unwrap(), "5x5".parse().unwrap()];
    let held_out = vec!["3x4".parse().unwrap()];
    let reward = Reward {
        shaping: 0.0,
        ..env.reward
    };
    (
        config,
        EnvConfig {
            boards,
            held_out,
            observation: Observation::Centered,
            reward,
            ..env
        },
        network,
    )
}

/// Returns a setup that begins on 3x3, and then with starts on 4x4.
fn in_stages((config, env, network): Setup) -> Setup {
    let start = StartPosition {
        board: Some("4x4".parse().unwrap()),
        body: vec![[1, 1], [1, 2]],
        heading: None,
        food: None,
    };
    let small = Stage {
        until: 200,
        boards: Some(vec!["3x3".parse().unwrap()]),
        starvation: Some(7),
        ..Stage::default()
    };
    let started = Stage {
        until: 400,
        starts: Some(vec![start]),
        start_share: Some(0.9),
        time_limit: Some(40),
        ..Stage::default()
    };
    let config = TrainConfig {
        stages: vec![small, started],
        ..config
    };
    (config, env, network)
}

#[test]
fn an_interrupted_run_ends_in_the_same_bytes() {
    let safe = |(config, env, network)| {
        (
            config,
            EnvConfig {
                mask: Mask::Safe,
                ..env
            },
            network,
        )
    };
    let afterstates = |(config, env, network)| {
        let config = TrainConfig {
            values: Values::Afterstates,
            ..config
        };
        (
            config,
            EnvConfig {
                reward: Reward::default(),
                ..env
            },
            network,
        )
    };
    let bootstrap = |bootstrap, (config, env, network)| {
        (
            TrainConfig {
                bootstrap,
                ..config
            },
            env,
            network,
        )
    };
    let plans = |(config, env, network)| {
        (
            TrainConfig {
                actions: Actions::Plans,
                discount: 1.0,
                ..config
            },
            env,
            network,
        )
    };
    for (name, setup) in [
        ("uniform", small(false)),
        ("prioritized", small(true)),
        ("safe", safe(small(false))),
        ("Q-learning", bootstrap(Bootstrap::Max, small(false))),
        ("afterstates", afterstates(small(false))),
        (
            "Q-learning of afterstates",
            bootstrap(Bootstrap::Max, afterstates(small(false))),
        ),
        (
            "Sarsa of afterstates",
            bootstrap(Bootstrap::Taken, afterstates(small(true))),
        ),
        ("safe afterstates", safe(afterstates(small(true)))),
        ("plans", plans(small(false))),
        (
            "Q-learning of plans",
            bootstrap(Bootstrap::Max, plans(small(true))),
        ),
        (
            "Sarsa of plans",
            bootstrap(Bootstrap::Taken, plans(small(false))),
        ),
        ("boards", on_boards(small(true))),
        ("afterstates on boards", on_boards(afterstates(small(true)))),
        (
            "safe afterstates on boards",
            on_boards(safe(afterstates(small(false)))),
        ),
        ("plans on boards", on_boards(plans(small(false)))),
        ("stages", in_stages(on_boards(small(true)))),
        (
            "safe afterstates in stages",
            in_stages(on_boards(safe(afterstates(small(false))))),
        ),
    ] {
        let whole = tempfile::tempdir().unwrap();
        let reference = train(&mut trainer(&setup, 1), usize::MAX, whole.path()).unwrap();
        assert!(reference.keys().any(|(name, _)| *name == "train/loss"));

        // Interrupted before and after learning starts.
        let run = tempfile::tempdir().unwrap();
        let mut points = Points::new();
        let mut resumed = trainer(&setup, 1);
        for rounds in [2, 9, 1, 13, usize::MAX] {
            points.extend(train(&mut resumed, rounds, run.path()).unwrap());
            resumed = trainer(&setup, 1);
            resumed.restore(&run.path().join(CHECKPOINT)).unwrap();
        }
        assert!(files(run.path()) == files(whole.path()), "{name}");
        assert_eq!(points, reference);
    }
}

#[test]
fn threads_change_nothing() {
    for setup in [small(true), on_boards(small(true))] {
        let mut of_threads = Vec::new();
        for threads in [None, Some(1), Some(2)] {
            let run = tempfile::tempdir().unwrap();
            let mut trainer = threads.map_or_else(
                || without_threads(&setup),
                |threads| trainer(&setup, threads),
            );
            train(&mut trainer, usize::MAX, run.path()).unwrap();
            of_threads.push(files(run.path()));
        }
        assert!(of_threads.iter().all(|files| *files == of_threads[0]));
    }
}

#[test]
fn agents_play_the_boards_between_those_that_they_were_trained_on() {
    let values = |values| {
        let (config, env, network) = on_boards(small(false));
        (TrainConfig { values, ..config }, env, network)
    };
    for setup in [values(Values::Actions), values(Values::Afterstates)] {
        let run = tempfile::tempdir().unwrap();
        train(&mut trainer(&setup, 1), usize::MAX, run.path()).unwrap();
        let agent = load_policy(run.path(), &Device::flex()).unwrap();
        assert_eq!(agent.spec().range().to_string(), "3x3..5x5");
        let Agent::Moves(agent) = agent else {
            panic!("actions are moves")
        };
        let refusal = |board: &str| {
            agent
                .check(Game::new(Rules::new(board.parse().unwrap()), 0).position())
                .err()
        };
        for board in ["3x3", "3x4", "4x3", "5x4", "5x5"] {
            assert_eq!(refusal(board), None);
        }
        let refused = |board: &str| {
            Some(Unsupported(format!(
                "the agent was trained on 3x3..5x5 and can't play {board}"
            )))
        };
        for board in ["6x5", "2x4", "4x4-torus"] {
            assert_eq!(refusal(board), refused(board));
        }
        // Games on different boards, side by side and alone.
        let games = ["3x4", "5x5", "4x4", "5x3"]
            .map(|board| Game::new(Rules::new(board.parse().unwrap()), 1));
        let positions = games.each_ref().map(Game::position);
        let legal = positions.map(|position| Allowed::from(position.legal_moves()));
        let together = agent.q_values(&positions, &legal);
        let alone = positions
            .iter()
            .zip(&legal)
            .map(|(&position, &legal)| agent.q_values(&[position], &[legal]));
        assert_eq!(together, alone.flatten().collect::<Vec<f32>>());
    }
}

#[test]
fn what_can_not_be_trained_on_several_boards_is_refused() {
    let (config, env, network) = on_boards(small(false));
    let refusal = |config: &TrainConfig, env: &EnvConfig| {
        let spec = AgentSpec::new(env, config);
        let device = Device::flex();
        let built = network
            .build(spec.inputs(), spec.outputs(), 3, &device)
            .unwrap();
        let null = serde_json::Value::Null;
        Trainer::new(
            config.clone(),
            env.clone(),
            &solvers(),
            built,
            null,
            3,
            &device,
        )
        .err()
        .unwrap()
        .to_string()
    };
    let shaped = EnvConfig {
        reward: Reward {
            shaping: 0.5,
            ..env.reward
        },
        ..env.clone()
    };
    let expected = "env.reward.shaping must be 0 if env.boards is set, got 0.5";
    assert_eq!(refusal(&config, &shaped), expected);
    let egocentric = EnvConfig {
        observation: Observation::Egocentric,
        ..env
    };
    assert!(
        refusal(&config, &egocentric).starts_with("observation must have one shape for all boards")
    );
}

/// Episodes that begin after the first stage draw their boards as configured, those before do not.
#[test]
fn a_stage_ends_at_its_step() {
    let mut trainer = without_threads(&in_stages(on_boards(small(false))));
    let mut areas = Vec::new();
    while !trainer.finished() {
        trainer.round().unwrap();
        if let Some(last) = trainer.transitions().checked_sub(1) {
            let position = trainer.position_of(last as u64);
            areas.extend(position.map(|position| (trainer.step(), position.board().area())));
        }
    }
    let early: Vec<_> = areas.iter().filter(|(step, _)| *step <= 200).collect();
    assert!(
        early.len() > 5 && early.iter().all(|(_, area)| *area == 9),
        "{areas:?}"
    );
    assert!(areas.iter().any(|(_, area)| *area > 9), "{areas:?}");
}

#[test]
fn stages_that_can_not_be_played_are_refused() {
    let (config, env, network) = in_stages(on_boards(small(false)));
    let refusal = |config: TrainConfig| {
        let spec = AgentSpec::new(&env, &config);
        let device = Device::flex();
        let built = network.build(spec.inputs(), spec.outputs(), 3, &device);
        let null = serde_json::Value::Null;
        Trainer::new(
            config,
            env.clone(),
            &solvers(),
            built.unwrap(),
            null,
            3,
            &device,
        )
        .err()
        .unwrap()
        .to_string()
    };
    let with = |stages| TrainConfig {
        stages,
        ..config.clone()
    };
    let [first, second] = &config.stages[..] else {
        unreachable!()
    };
    let swapped = refusal(with(vec![second.clone(), first.clone()]));
    let expected = "above 0, and above that of the stage before";
    assert_eq!(
        swapped,
        format!("train.stages.until must be {expected}, got 200")
    );
    let elsewhere = Stage {
        boards: Some(vec!["3x3".parse().unwrap(), "6x6".parse().unwrap()]),
        ..first.clone()
    };
    assert_eq!(
        refusal(with(vec![elsewhere])),
        "train.stages.boards must be among env.boards, got 6x6"
    );
    let starved = Stage {
        starvation: Some(0),
        ..first.clone()
    };
    assert!(refusal(with(vec![starved])).contains("starvation"));
    let plans = TrainConfig {
        actions: Actions::Plans,
        discount: 1.0,
        ..config.clone()
    };
    assert_eq!(
        refusal(plans),
        "train.stages must be empty if train.actions is \"plans\", got 2 stages"
    );
}

/// A longer run keeps the schedules of the shorter one, as if both had been planned that way from
/// the start.
#[test]
fn a_run_that_is_made_longer_keeps_its_schedules() {
    let (config, env, network) = small(false);
    let config = TrainConfig {
        total_steps: 640,
        ..config
    };
    let longer = TrainConfig {
        total_steps: 1000,
        ..config.clone()
    };
    let setup = |config: &TrainConfig| (config.clone(), env.clone(), network.clone());
    let planned = tempfile::tempdir().unwrap();
    let of_640 = TrainConfig {
        schedule_steps: Some(640),
        ..longer.clone()
    };
    let reference = train(&mut trainer(&setup(&of_640), 1), usize::MAX, planned.path()).unwrap();
    assert_eq!(reference[&("train/learning_rate", 672)], 2e-5);
    assert!((reference[&("rollout/exploration_rate", 672)] - 0.001).abs() < 1e-12);

    let run = tempfile::tempdir().unwrap();
    train(&mut trainer(&setup(&config), 1), usize::MAX, run.path()).unwrap();
    let mut resumed = trainer(&setup(&longer), 1);
    resumed.restore(&run.path().join(CHECKPOINT)).unwrap();
    train(&mut resumed, usize::MAX, run.path()).unwrap();
    assert!(files(run.path()) == files(planned.path()));
}

#[test]
fn learning_waits_for_something_to_learn_from() {
    for learning_starts in [0, 1, 20] {
        let (config, env, network) = small(true);
        let config = TrainConfig {
            learning_starts,
            n_step: 15,
            total_steps: 400,
            ..config
        };
        let mut trainer = trainer(&(config, env, network), 1);
        while !trainer.finished() {
            trainer.round().unwrap();
        }
        assert!(trainer.gradient_steps() > 10);
    }
}

#[test]
fn training_that_diverges_stops_and_can_go_on_from_its_checkpoint() {
    for setup in [small(true), small(false)] {
        let (config, env, network) = &setup;
        let run = tempfile::tempdir().unwrap();
        train(&mut trainer(&setup, 1), 6, run.path()).unwrap();
        let checkpoint = run.path().join(CHECKPOINT);

        let rate = LearningRate {
            start: 1e25,
            end: 1e25,
        };
        let steep = TrainConfig {
            learning_rate: rate,
            ..config.clone()
        };
        let mut resumed = trainer(&(steep, env.clone(), network.clone()), 1);
        resumed.restore(&checkpoint).unwrap();
        // Detected before anything is written with such weights.
        resumed.round().unwrap();
        let error = resumed.check().unwrap_err().to_string();
        let expected = "training diverged at environment step 112, gradient step 3: \
                        expected finite weights, got a loss of ";
        assert!(error.starts_with(expected), "{error}");
        assert!(resumed.round().is_err());

        let gentle = TrainConfig {
            learning_rate: LearningRate {
                start: 1e-4,
                end: 1e-5,
            },
            ..config.clone()
        };
        let mut resumed = trainer(&(gentle, env.clone(), network.clone()), 1);
        resumed.restore(&checkpoint).unwrap();
        train(&mut resumed, usize::MAX, run.path()).unwrap();
        assert!(resumed.finished());
    }
}

/// With the safe mask, or when choosing among plans, winning must be certain from every start.
#[test]
fn rules_that_the_solvers_refuse_are_not_trained() {
    let (config, env, network) = small(false);
    let device = Device::flex();
    let error = |config: TrainConfig, env: EnvConfig| {
        let spec = AgentSpec::new(&env, &config);
        let built = network
            .build(spec.inputs(), spec.outputs(), 3, &device)
            .unwrap();
        let trainer = Trainer::new(
            config,
            env,
            &solvers(),
            built,
            serde_json::Value::Null,
            3,
            &device,
        );
        trainer.err().expect("it is refused").to_string()
    };
    let hard = EnvConfig {
        rules: env.rules.with_tail_entry(false),
        ..env.clone()
    };
    let plans = TrainConfig {
        actions: Actions::Plans,
        discount: 1.0,
        ..config.clone()
    };
    let masked = error(
        config.clone(),
        EnvConfig {
            mask: Mask::Safe,
            ..hard.clone()
        },
    );
    assert!(
        masked.starts_with("mask \"safe\" can't be kept from the start column 0 row 0"),
        "{masked}"
    );
    let refusal = error(plans, hard);
    assert!(masked.ends_with(&refusal), "{masked}; {refusal}");
    // The second of two starts: the head is in the first row, and the body separates it from the rest.
    let start = |text: &str| serde_json::from_str::<StartPosition>(text).unwrap();
    let starts = vec![
        start(r#"{"body": [[1, 0], [0, 0]]}"#),
        start(r#"{"body": [[0, 0], [0, 1], [1, 1], [2, 1], [3, 1], [3, 2], [2, 2], [1, 2]]}"#),
    ];
    let mask = Mask::Safe;
    let error = error(
        config,
        EnvConfig {
            mask,
            starts,
            ..env
        },
    );
    assert!(error.contains("no cycle of 4x4 was found"), "{error}");
}

#[test]
fn a_run_may_go_on_longer_but_not_otherwise() {
    let (config, env, network) = small(false);
    let run = tempfile::tempdir().unwrap();
    let setup = (config.clone(), env.clone(), network.clone());
    train(&mut trainer(&setup, 1), usize::MAX, run.path()).unwrap();
    let checkpoint = run.path().join(CHECKPOINT);
    let longer = TrainConfig {
        total_steps: 1000,
        keep_checkpoints: 1,
        ..config.clone()
    };
    let mut resumed = trainer(&(longer, env.clone(), network.clone()), 1);
    resumed.restore(&checkpoint).unwrap();
    assert_eq!(
        (resumed.step(), resumed.gradient_steps()),
        (720, (720 - 64) / 16)
    );
    assert!(
        trainer(&(config.clone(), env.clone(), network.clone()), 1)
            .with_threads(0)
            .is_err()
    );
    train(&mut resumed, usize::MAX, run.path()).unwrap();
    assert!(resumed.step() >= 1000);

    let refused = |config: &TrainConfig, env: &EnvConfig, network: &NetworkConfig| {
        let mut trainer = trainer(&(config.clone(), env.clone(), network.clone()), 1);
        trainer.restore(&checkpoint).unwrap_err().to_string()
    };
    let board = EnvConfig {
        rules: Rules::new(Board::new(5, 4).unwrap()),
        ..env.clone()
    };
    assert!(
        refused(&config, &board, &network)
            .ends_with("env.rules.board is \"4x4\", expected \"5x4\"")
    );
    let features = EnvConfig {
        observation: Observation::Features,
        ..env.clone()
    };
    assert!(
        refused(&config, &features, &network)
            .ends_with("env.observation is \"egocentric\", expected \"features\"")
    );
    let batch = TrainConfig {
        batch_size: 16,
        ..config.clone()
    };
    assert!(refused(&batch, &env, &network).ends_with("train.batch_size is 32, expected 16"));
    let wider = NetworkConfig {
        hidden: vec![17, 8],
        ..NetworkConfig::default()
    };
    assert!(refused(&config, &env, &wider).contains("the shape of the network's"));
}

#[test]
fn damaged_files_are_refused() {
    let setup = small(false);
    let run = tempfile::tempdir().unwrap();
    train(&mut trainer(&setup, 1), usize::MAX, run.path()).unwrap();
    let policy = run.path().join("policy.safetensors");
    let whole = fs::read(&policy).unwrap();
    assert!(load_policy(run.path(), &Device::flex()).is_ok());
    let refused = |bytes: &[u8]| {
        fs::write(&policy, bytes).unwrap();
        load_policy(&policy, &Device::flex())
            .unwrap_err()
            .to_string()
    };
    for length in [0, 5, 100, whole.len() / 2, whole.len() - 1] {
        assert!(refused(&whole[..length]).contains("not a complete hognose file"));
    }
    for place in [20, whole.len() / 2, whole.len() - 1] {
        let mut flipped = whole.clone();
        flipped[place] ^= 4;
        assert!(refused(&flipped).contains("not a complete hognose file"));
    }
    let checkpoint = run.path().join(CHECKPOINT);
    assert!(refused(&fs::read(&checkpoint).unwrap()).contains("a checkpoint, not a policy"));

    let Contents { state, arrays } = parse::<serde_json::Value>(&whole, &policy).unwrap();
    let old = arrays
        .into_iter()
        .map(|(name, array)| (name.replace("policy.", "policy.Mlp."), array))
        .collect();
    write(&policy, &state, &old).unwrap();
    let error = load_policy(&policy, &Device::flex())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("is an older version's, expected this one's: train the agent again"),
        "{error}"
    );

    fs::write(&checkpoint, &whole).unwrap();
    let error = trainer(&setup, 1)
        .restore(&checkpoint)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("the kind of file is \"policy\", expected \"checkpoint\""),
        "{error}"
    );
}

/// A network that this crate does not know.
#[derive(Module, Debug)]
struct Own {
    layer: Linear,
}

impl QNetwork for Own {
    fn q_values(&self, observations: Tensor<2>) -> Tensor<2> {
        self.layer.forward(observations)
    }
}

/// A custom module is trained, saved and loaded again, and training starts from the saved weights.
#[test]
fn a_module_of_ones_own_trains_unchanged() {
    let (config, env, _) = small(false);
    let device = Device::flex();
    let env = EnvConfig {
        observation: Observation::Features,
        action: ActionKind::Absolute,
        ..env
    };
    let spec = AgentSpec::new(&env, &config);
    let build = |outputs: usize| Own {
        layer: LinearConfig::new(spec.inputs().len(), outputs).init(&Device::flex()),
    };
    let description = serde_json::json!({ "outputs": 4 });
    let new = |network| {
        Trainer::new(
            config.clone(),
            env.clone(),
            &solvers(),
            network,
            description.clone(),
            0,
            &device,
        )
        .unwrap()
    };
    let mut trainer = new(build(4));
    let run = tempfile::tempdir().unwrap();
    train(&mut trainer, usize::MAX, run.path()).unwrap();

    let outputs = |_: &AgentSpec, description: serde_json::Value| {
        let outputs = description["outputs"]
            .as_u64()
            .ok_or("expected a number of outputs")?;
        Ok(build(outputs as usize))
    };
    let path = run.path().join("last.safetensors");
    save_policy(&path, &trainer.agent(), &description).unwrap();
    assert_eq!(fs::read(&path).unwrap(), trainer.policy().unwrap());
    let loaded = load_policy_with(&path, &device, outputs).unwrap();
    let game = Game::new(env.rules, 0);
    let q_values = |agent: &Agent<Own>| {
        of_moves(agent).q_values(&[game.position()], &[game.position().legal_moves().into()])
    };
    assert_eq!(q_values(&loaded), q_values(&trainer.agent()));
    assert_ne!(q_values(&loaded), q_values(&new(build(4)).agent()));
    let error = load_policy(&path, &device).unwrap_err().to_string();
    assert!(error.contains("not a complete hognose file"), "{error}");

    let begun = new(load_weights(&path, &spec, build(4)).unwrap());
    assert_eq!(q_values(&begun.agent()), q_values(&loaded));
    assert_eq!(begun.step(), 0);
    let refused = |spec: &AgentSpec, network: Own| {
        load_weights(&path, spec, network).unwrap_err().to_string()
    };
    let error = refused(&spec, build(3));
    assert!(
        error.ends_with("the shape of the network's layer.weight is [24, 4], expected [24, 3]"),
        "{error}"
    );
    let planes = AgentSpec {
        observation: Observation::Planes,
        ..spec
    };
    assert!(
        refused(&planes, build(4))
            .ends_with("the observation is \"features\", expected \"planes\"")
    );
    let values = AgentSpec {
        afterstates: Some(Reward::default()),
        ..spec
    };
    let error = refused(&values, build(1));
    assert!(
        error.ends_with("what is valued is \"actions\", expected \"what moves lead to\""),
        "{error}"
    );
    let turns = AgentSpec {
        action: ActionKind::Relative,
        ..spec
    };
    assert!(
        refused(&turns, build(3))
            .ends_with("the kind of actions is \"absolute\", expected \"relative\"")
    );
}

#[test]
fn training_starts_from_given_weights() {
    let setup = small(false);
    let (config, env, network) = &setup;
    let run = tempfile::tempdir().unwrap();
    train(&mut trainer(&setup, 1), usize::MAX, run.path()).unwrap();
    let device = Device::flex();
    let spec = AgentSpec::new(env, config);
    let load = |network: &NetworkConfig| {
        load_weights(
            run.path(),
            &spec,
            network
                .build(spec.inputs(), spec.outputs(), 8, &device)
                .unwrap(),
        )
    };
    let begun = Trainer::new(
        config.clone(),
        env.clone(),
        &solvers(),
        load(network).unwrap(),
        serde_json::to_value(network).unwrap(),
        8,
        &device,
    );
    let again = run.path().join("again.safetensors");
    save_policy(
        &again,
        &begun.unwrap().agent(),
        &serde_json::to_value(network).unwrap(),
    )
    .unwrap();
    assert!(fs::read(again).unwrap() == fs::read(run.path().join("policy.safetensors")).unwrap());
    let error = |hidden: &[usize]| {
        load(&NetworkConfig {
            hidden: hidden.to_vec(),
            ..NetworkConfig::default()
        })
        .unwrap_err()
        .to_string()
    };
    let wider = error(&[16, 9]);
    assert!(
        wider.ends_with("the network's hidden.1.weight is [16, 8], expected [16, 9]"),
        "{wider}"
    );
    let deeper = error(&[16, 8, 8]);
    assert!(
        deeper.ends_with("the network's hidden.2.weight is missing, expected [8, 8]"),
        "{deeper}"
    );
    let shallower = error(&[16]);
    assert!(
        shallower.ends_with("the network's value.weight is [8, 1], expected [16, 1]"),
        "{shallower}"
    );
}

fn of_moves<N: QNetwork>(agent: &Agent<N>) -> &MoveAgent<N> {
    let Agent::Moves(agent) = agent else {
        panic!("it chooses among plans")
    };
    agent
}

fn choices(
    agent: &MoveAgent<impl QNetwork>,
    positions: &[&Position],
    allowed: &[Allowed],
) -> Vec<Choice> {
    let mut choices = vec![
        Choice {
            direction: Direction::Up,
            forbidden: false
        };
        positions.len()
    ];
    agent.act_all(positions, allowed, &mut choices);
    choices
}

/// What a trainer and an agent show of themselves is what they compute with.
#[test]
fn training_can_be_looked_into() {
    let (config, env, network) = small(true);
    let config = TrainConfig {
        values: Values::Afterstates,
        ..config
    };
    let env = EnvConfig {
        reward: Reward::default(),
        ..env
    };
    let mut trainer = without_threads(&(config, env.clone(), network));
    assert_eq!((trainer.transitions(), trainer.position_of(0)), (0, None));
    while trainer.gradient_steps() < 20 {
        trainer.round().unwrap();
    }
    assert_eq!(trainer.transitions(), 300);
    let learned = trainer.gradient_step().unwrap().clone();
    let errors = learned.q_values.iter().zip(&learned.targets);
    let errors: Vec<f32> = errors.map(|(q, target)| (q - target).abs()).collect();
    assert_eq!(errors, learned.td_abs);
    let positions = learned.transitions.iter();
    let positions: Vec<Position> = positions
        .filter_map(|&transition| trainer.position_of(transition))
        .collect();
    assert!(positions.len() > 16, "{} of 32 are kept", positions.len());

    let agent = trainer.agent();
    let agent = of_moves(&agent);
    let bias = weights(agent.network())["value.bias"].1[0];
    let reward = trainer.env().reward;
    let mut looked = 0;
    for position in positions
        .iter()
        .filter(|position| position.status() == Status::Ongoing)
    {
        let allowed = Allowed::from(position.legal_moves());
        let q_values = agent.q_values(&[position], &[allowed]);
        let explore = |epsilon| {
            let draws = keyed(0, Purpose::new("test"), 0);
            agent.explore(position, &allowed, &q_values, epsilon, draws)
        };
        let best = choices(agent, &[position], &[allowed])[0].direction;
        assert_eq!(explore(0.0), (best, false));
        let (direction, random) = explore(1.0);
        assert!(random && allowed.moves.contains(direction));
        for (action, insight) in agent.insights(position, &allowed).into_iter().enumerate() {
            let Some(insight) = insight else { continue };
            assert_eq!(insight.input.len(), agent.spec().inputs().len());
            let units: Vec<usize> = insight.hidden.iter().map(Vec::len).collect();
            assert_eq!((units, insight.terms.len()), (vec![16, 8], 8));
            let direction = env.action.direction(action as u8, position.heading());
            let mut after = position.clone();
            let event = after.step(direction);
            let paid = reward.of(reward.potential(position), event, &after);
            let value = insight.terms.iter().sum::<f32>() + bias;
            assert!((paid + reward.discount * value - q_values[action]).abs() < 1e-5);
            looked += 1;
        }
    }
    assert!(looked > 16, "{looked} values");
}

#[test]
fn a_move_does_not_depend_on_the_games_beside_it() {
    let (_, env, _) = small(false);
    let device = Device::flex();
    let spec = AgentSpec {
        board: env.rules.board(),
        boards: None,
        observation: env.observation,
        action: env.action,
        mask: env.mask,
        plans: None,
        afterstates: None,
        both_images: false,
    };
    let built = NetworkConfig::default()
        .build(env.observation.space(spec.board), 3, 0, &device)
        .unwrap();
    let agent = Agent::new(spec, built, device);
    let agent = of_moves(&agent);
    let games: Vec<Game> = (0..150).map(|seed| Game::new(env.rules, seed)).collect();
    let positions: Vec<_> = games.iter().map(Game::position).collect();
    let legal: Vec<Allowed> = positions
        .iter()
        .map(|position| position.legal_moves().into())
        .collect();
    let together = agent.q_values(&positions, &legal);
    let alone = positions
        .iter()
        .zip(&legal)
        .flat_map(|(position, &legal)| agent.q_values(&[position], &[legal]));
    assert_eq!(together, alone.collect::<Vec<f32>>());
    let choices = choices(agent, &positions, &legal);
    assert!(
        choices
            .iter()
            .zip(&legal)
            .all(|(choice, legal)| legal.moves.contains(choice.direction) && !choice.forbidden)
    );
    // If its choice is forbidden, it plays another legal move and reports that.
    for ((&position, &legal), choice) in positions.iter().zip(&legal).zip(&choices) {
        let others = legal.moves.without(
            [choice.direction, position.heading().opposite()]
                .into_iter()
                .collect(),
        );
        if !others.is_empty() {
            let [forced] = self::choices(agent, &[position], &[others.into()])[..] else {
                panic!("one choice")
            };
            assert!(others.contains(forced.direction) && forced.forbidden);
        }
    }
}

/// Values are means over a position and its mirror image, for every kind of action.
#[test]
fn by_both_images_values_are_means_and_mirrored_themselves() {
    for (action, afterstates) in [
        (ActionKind::Relative, None),
        (ActionKind::Absolute, None),
        (ActionKind::Relative, Some(Reward::default())),
    ] {
        let (_, env, _) = small(false);
        let spec = AgentSpec {
            action,
            afterstates,
            ..AgentSpec::new(&env, &TrainConfig::default())
        };
        let network = NetworkConfig {
            hidden: vec![8],
            ..NetworkConfig::default()
        };
        let agent = |both_images| {
            let spec = AgentSpec {
                both_images,
                ..spec
            };
            let device = Device::flex();
            Agent::new(
                spec,
                network
                    .build(spec.inputs(), spec.outputs(), 1, &device)
                    .unwrap(),
                device,
            )
        };
        let once = agent(false);
        let both = agent(true);
        for seed in 0..20 {
            let game = Game::new(env.rules, seed);
            let position = game.position();
            let image = game.position().mirrored();
            let values = |agent: &Agent<_>, position: &Position| {
                of_moves(agent).q_values(&[position], &[position.legal_moves().into()])
            };
            let mirrored = |values: Vec<f32>| -> Vec<f32> {
                (0..values.len())
                    .map(|index| values[usize::from(action.mirrored(index as u8))])
                    .collect()
            };
            let here = values(&once, position);
            let there = mirrored(values(&once, &image));
            let got = values(&both, position);
            for ((got, here), there) in got.iter().zip(here).zip(there) {
                assert!((got - (here + there) / 2.0).abs() < 1e-6);
            }
            assert_eq!(got, mirrored(values(&both, &image)));
        }
    }
}

/// Returns an untrained agent, whose choices are arbitrary.
fn untrained(
    board: Board,
    seed: u64,
    mask: Mask,
    plans: Option<PlanSearch>,
) -> Agent<hognose_agent::Network> {
    let env = EnvConfig::new(Rules::new(board));
    let observation = env.observation;
    let action = env.action;
    let spec = AgentSpec {
        board,
        boards: None,
        observation,
        action,
        mask,
        plans,
        afterstates: None,
        both_images: false,
    };
    let network = NetworkConfig {
        hidden: vec![8],
        ..NetworkConfig::default()
    };
    let device = Device::flex();
    Agent::new(
        spec,
        network
            .build(spec.inputs(), spec.outputs(), seed, &device)
            .unwrap(),
        device,
    )
}

#[test]
fn no_weights_lose_under_the_mask_of_safe_moves_or_among_plans() {
    for board in ["2x2", "2x5", "3x3", "4x4", "5x4", "5x5", "7x3", "6x6"] {
        let rules = Rules::new(board.parse().unwrap());
        let search = PlanSearch {
            effort: 5,
            ..PlanSearch::default()
        };
        for seed in 0..3 {
            let masked = untrained(rules.board(), seed, Mask::Safe, None);
            let mut filter = SafeMoves::default();
            let mut game = Game::new(rules, seed);
            filter.reset(game.position()).unwrap();
            while game.position().status() == Status::Ongoing {
                let allowed = filter.allowed(game.position());
                let [choice] = choices(of_moves(&masked), &[game.position()], &[allowed])[..]
                else {
                    panic!("one choice")
                };
                filter.commit(choice.direction);
                game.step(choice.direction);
            }
            assert_eq!(game.position().status(), Status::Won, "{board}, mask");

            let planning = untrained(rules.board(), seed, Mask::Legal, Some(search));
            let Agent::Plans(planning) = planning else {
                panic!("it chooses moves")
            };
            let mut game = Game::new(rules, seed);
            let mut player = planning.maker(plans()).make(game.position(), seed).unwrap();
            while game.position().status() == Status::Ongoing {
                game.step(player.act(game.position()));
            }
            assert_eq!(game.position().status(), Status::Won, "{board}, plans");
        }
    }
}

/// On 3x3, a few thousand steps are enough to play far better than random (mean length 4.0).
#[test]
fn it_learns() {
    let rules = Rules::new(Board::new(3, 3).unwrap());
    let env = EnvConfig {
        starvation: Some(18),
        ..EnvConfig::new(rules)
    };
    let config = TrainConfig {
        total_steps: 32_000,
        num_envs: 32,
        learning_starts: 1000,
        batch_size: 64,
        n_step: 3,
        discount: 0.95,
        target: TargetSync::Hard { every: 100 },
        replay: ReplayConfig {
            capacity: 10_000,
            ..ReplayConfig::default()
        },
        ..TrainConfig::default()
    };
    let mut trainer = trainer(
        &(
            config,
            env,
            NetworkConfig {
                hidden: vec![64],
                ..NetworkConfig::default()
            },
        ),
        1,
    );
    while !trainer.finished() {
        trainer.round().unwrap();
    }
    let agent = trainer.agent();
    let mut games: Vec<Game> = (0..100).map(|seed| Game::new(rules, seed)).collect();
    for _ in 0..100 {
        let positions: Vec<_> = games.iter().map(Game::position).collect();
        let legal: Vec<Allowed> = positions
            .iter()
            .map(|position| position.legal_moves().into())
            .collect();
        for (choice, game) in choices(of_moves(&agent), &positions, &legal)
            .into_iter()
            .zip(&mut games)
        {
            game.step(choice.direction);
        }
    }
    let won = games
        .iter()
        .filter(|game| game.position().status() == Status::Won)
        .count();
    assert!(won >= 60, "won {won} of 100");
}
