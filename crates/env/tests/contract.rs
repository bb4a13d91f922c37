//! Checks the contract with every observation, action kind and kind of rules, and compares the fast
//! encoders with slow definitions.

mod slow;

use hognose_env::{
    ActionKind, Autoreset, Batch, Buffers, Encoder, EnvConfig, EnvError, Mask, Observation, Reward,
    RewardFunction, Signal, Snapshot, StartPosition, VectorEnv, contract,
};
use hognose_game::rng::{self, Purpose};
use hognose_game::{
    Allowed, Board, Cell, Direction, Event, Game, LegalMoves, MakeFilter, MoveFilter, Position,
    Rules, Sight, Start, Turn, Unsupported,
};
use proptest::prelude::*;
use std::sync::Arc;

#[test]
fn every_preset_keeps_the_contract() {
    let board = |text: &str| Rules::new(text.parse::<Board>().unwrap());
    let rules = [
        board("6x6"),
        board("2x2"),
        board("7x4").with_tail_entry(false),
        board("5x6-torus").with_foods(3).unwrap(),
        board("8x5")
            .with_start(Start::Random {
                length: 3,
                margin: 1,
            })
            .unwrap(),
    ];
    for rules in rules {
        for (name, observation) in Observation::ALL {
            for action in [ActionKind::Absolute, ActionKind::Relative] {
                let config = EnvConfig {
                    observation,
                    action,
                    time_limit: Some(60),
                    starvation: Some(25),
                    reward: Reward {
                        shaping: 0.5,
                        step: -0.01,
                        ..Reward::default()
                    },
                    ..EnvConfig::new(rules)
                };
                let make = |autoreset, n, seed, threads| {
                    let config = EnvConfig {
                        autoreset,
                        ..config.clone()
                    };
                    VectorEnv::new(config, n, seed)
                        .unwrap()
                        .with_threads(threads)
                        .unwrap()
                };
                contract::check(make, 200)
                    .unwrap_or_else(|broken| panic!("{name} {action:?}: {broken}"));
            }
        }
    }
    let config = EnvConfig::new(board("6x6"));
    let filtered = |autoreset, n, seed, threads| {
        let config = EnvConfig {
            autoreset,
            ..config.clone()
        };
        VectorEnv::filtered(config, n, seed, LegalMoves::maker())
            .unwrap()
            .with_threads(threads)
            .unwrap()
    };
    contract::check(filtered, 200).unwrap();
    let planes = |autoreset, n, seed, threads| {
        let config = EnvConfig {
            autoreset,
            observation: Observation::Planes,
            ..config.clone()
        };
        VectorEnv::filtered(config, n, seed, LegalMoves::maker())
            .unwrap()
            .with_threads(threads)
            .unwrap()
    };
    contract::check(planes, 200).unwrap();
    let paid = |autoreset, n, seed, threads| {
        let config = EnvConfig {
            autoreset,
            ..config.clone()
        };
        VectorEnv::new(config, n, seed)
            .unwrap()
            .with_reward(Closer)
            .with_threads(threads)
            .unwrap()
    };
    contract::check(paid, 200).unwrap();
}

#[test]
fn forks_are_copies_with_their_own_futures_if_reseeded() {
    let mut env = VectorEnv::new(EnvConfig::new(Rules::new("6x6".parse().unwrap())), 4, 3).unwrap();
    let mut buffers = Buffers::<f32>::new(&env);
    for _ in 0..5 {
        let first_allowed = |mask: &[bool]| mask.iter().position(|&allowed| allowed).unwrap() as u8;
        env.observe(&mut buffers.batch()).unwrap();
        let actions: Vec<u8> = buffers.masks.chunks(3).map(first_allowed).collect();
        env.step(&actions, &mut buffers.batch()).unwrap();
    }
    env.fork(0, &[1], None);
    env.fork(0, &[2, 3], Some(9));
    assert_eq!(env.snapshot(1), env.snapshot(0));
    assert_ne!(env.snapshot(2), env.snapshot(3));
    for copy in 1..4 {
        assert_eq!(env.position(copy), env.position(0));
        assert_eq!(env.episode_steps(copy), env.episode_steps(0));
    }
}

/// Episodes draw their boards, with lean games and with whole ones.
fn of_several_boards() -> EnvConfig {
    let boards = ["3x3..5x5", "6x9", "6x9"]
        .map(|range| range.parse().unwrap())
        .to_vec();
    let held_out = vec!["4x5".parse().unwrap()];
    let rules = Rules::new("6x6".parse().unwrap());
    let observation = Observation::Centered;
    EnvConfig {
        boards,
        held_out,
        observation,
        time_limit: Some(80),
        starvation: Some(36),
        ..EnvConfig::new(rules)
    }
}

#[test]
fn environments_on_several_boards_keep_the_contract() {
    for filtered in [false, true] {
        let make = |autoreset, n, seed, threads| {
            let config = EnvConfig {
                autoreset,
                ..of_several_boards()
            };
            let env = match filtered {
                true => VectorEnv::filtered(config, n, seed, LegalMoves::maker()),
                false => VectorEnv::new(config, n, seed),
            };
            env.unwrap().with_threads(threads).unwrap()
        };
        contract::check(make, 300).unwrap();
    }
}

#[test]
fn lean_games_on_several_boards_look_like_whole_games() {
    let mut lean = VectorEnv::new(of_several_boards(), 20, 3).unwrap();
    let mut whole = VectorEnv::filtered(of_several_boards(), 20, 3, LegalMoves::maker()).unwrap();
    let [mut seen, mut expected] = [Buffers::<u8>::new(&lean), Buffers::new(&whole)];
    let mut draws = rng::keyed(5, Purpose::new("test"), 0);
    for _ in 0..300 {
        let actions = [0; 20].map(|_: u8| rng::below(&mut draws, 3) as u8);
        lean.step(&actions, &mut seen.batch()).unwrap();
        whole.step(&actions, &mut expected.batch()).unwrap();
        assert!(seen == expected);
    }
    assert!((0..20).all(|i| lean.snapshot(i) == whole.snapshot(i)));
}

#[test]
fn each_episode_draws_its_board() {
    let mut env = VectorEnv::new(of_several_boards(), 3000, 0).unwrap();
    let whole = VectorEnv::filtered(of_several_boards(), 3000, 0, LegalMoves::maker()).unwrap();
    let boards = ["3x3", "4x3", "5x3", "3x4", "4x4", "3x5", "5x5", "6x9"]
        .map(|board| board.parse::<Board>().unwrap());
    assert_eq!(
        env.rules()
            .iter()
            .map(|rules| rules.board())
            .collect::<Vec<_>>(),
        boards
    );
    for episode in 0..2 {
        let mut counts = [0; 8];
        for i in 0..3000 {
            let board = env.position(i).board();
            counts[boards
                .iter()
                .position(|&other| other == board)
                .expect("a listed board")] += 1;
            if episode == 0 {
                assert_eq!(env.snapshot(i), whole.snapshot(i));
            }
        }
        for (count, board) in counts.into_iter().zip(boards) {
            // 6x9 is listed twice.
            let expected = if board.area() == 54 { 2.0 } else { 1.0 } * 3000.0 / 9.0;
            assert!(
                (f64::from(count) - expected).abs() < 5.0 * expected.sqrt(),
                "{board}: {count}"
            );
        }
        (0..3000).for_each(|i| env.restart(i));
    }
    // Episodes can't begin on a held-out board, but on any listed one.
    let other = Position::new(
        Rules::new("4x5".parse().unwrap()),
        Direction::Up,
        [Cell(0)],
        [],
    )
    .unwrap();
    assert!(matches!(
        env.restart_from(0, other),
        Err(EnvError::OtherRules { .. })
    ));
    let larger = Position::new(
        Rules::new("6x9".parse().unwrap()),
        Direction::Up,
        [Cell(50)],
        [],
    )
    .unwrap();
    env.restart_from(0, larger).unwrap();
    assert_eq!(env.position(0).board(), boards[7]);
    let twice = EnvConfig {
        held_out: vec!["4x5".parse().unwrap(), "5x4".parse().unwrap()],
        ..env.config().clone()
    };
    assert_eq!(twice.held_out_boards().count(), 2);
    let held_out: Vec<String> = env
        .config()
        .held_out_boards()
        .map(|board| board.to_string())
        .collect();
    assert_eq!(
        (held_out.as_slice(), env.config().range().to_string()),
        (
            &["4x5", "5x4"].map(str::to_owned)[..],
            "3x3..9x9".to_owned()
        )
    );
}

#[test]
fn contradictory_boards_are_rejected() {
    let error = |boards: &str, rest: &str| {
        let text = format!(r#"{{"rules":{{"board":"6x6"}},"boards":{boards}{rest}}}"#);
        let config = serde_json::from_str::<EnvConfig>(&text).map_err(|error| error.to_string());
        let env = config
            .and_then(|config| VectorEnv::new(config, 1, 0).map_err(|error| error.to_string()));
        env.expect_err("an error")
    };
    let centered = r#","observation":"centered""#;
    assert!(error(r#"["4x4..3x3"]"#, "").starts_with("expected a smaller and a larger board"));
    assert!(
        error(r#"["4x4", "5x5"]"#, "")
            .starts_with("observation must have one shape for all boards, such as \"centered\"")
    );
    assert!(error(r#"["4x4-torus"]"#, centered).ends_with("got 4x4-torus"));
    let both = format!(r#","held_out":["5x4"]{centered}"#);
    assert_eq!(
        error(r#"["4x5"]"#, &both),
        "boards must list from 1 to 1024 boards that are not held out, got 0"
    );
    assert!(error(r#"["2x2..60x60"]"#, centered).ends_with("got more than 1024"));
    assert!(error("[]", r#","held_out":["5x4"]"#).starts_with("held_out excludes boards from"));
    let beyond = format!(r#","held_out":["5x4","4x6"]{centered}"#);
    assert_eq!(
        error(r#"["4x4", "5x5"]"#, &beyond),
        "held_out must list boards in 4x4..5x5, the range of boards, got 4x6"
    );
    let short = format!(
        r#","held_out":["2x2"]{centered},"rules":{{"board":"6x6","start":{{"length":3}}}}"#
    );
    let text = format!(r#"{{"boards":["2x2","6x6"]{short}}}"#);
    let config: EnvConfig = serde_json::from_str(&text).unwrap();
    assert!(
        VectorEnv::new(config, 1, 0)
            .unwrap_err()
            .to_string()
            .starts_with("the start does not fit on 2x2")
    );
    let small = r#","observation":"centered","rules":{"board":"6x6","start":{"length":5}}"#;
    let text = format!(r#"{{"boards":["4x4"]{small}}}"#);
    let config: EnvConfig = serde_json::from_str(&text).unwrap();
    assert!(
        VectorEnv::new(config, 1, 0)
            .unwrap_err()
            .to_string()
            .starts_with("the start does not fit on 4x4")
    );
    let config = of_several_boards();
    assert_eq!(
        serde_json::from_str::<EnvConfig>(&serde_json::to_string(&config).unwrap()).unwrap(),
        config
    );
}

/// A custom reward for each cell nearer to the food.
struct Closer;

impl RewardFunction for Closer {
    /// The distance to the food before the step.
    type Before = i32;

    fn before(&self, game: impl Sight) -> i32 {
        game.foods()
            .map(|food| game.board().distance(game.head(), food) as i32)
            .min()
            .unwrap_or(0)
    }

    fn reward(&self, before: i32, event: Event, after: impl Sight) -> f32 {
        match event {
            Event::Moved => (before - self.before(after)) as f32,
            Event::Ate | Event::Won => 10.0,
            Event::Lost(_) => -10.0,
        }
    }
}

#[test]
fn a_custom_reward_sees_the_game_before_and_after_a_step() {
    let rules = Rules::new(Board::new(6, 6).unwrap());
    let config = EnvConfig {
        action: ActionKind::Absolute,
        ..EnvConfig::new(rules)
    };
    // Lean games and whole ones.
    let lean = VectorEnv::new(config.clone(), 2, 3)
        .unwrap()
        .with_reward(Closer);
    let whole = VectorEnv::filtered(config, 2, 3, LegalMoves::maker())
        .unwrap()
        .with_reward(Closer);
    for mut env in [lean, whole] {
        let mut buffers = Buffers::<f32>::new(&env);
        let mut draws = rng::keyed(1, Purpose::new("test"), 0);
        let mut paid = 0;
        for _ in 0..500 {
            let before = [0, 1].map(|i| env.position(i).into_owned());
            let actions = [0; 2].map(|_: u8| rng::below(&mut draws, 4) as u8);
            env.step(&actions, &mut buffers.batch()).unwrap();
            for i in 0..2 {
                let mut after = before[i].clone();
                let event = after.step(Direction::from_index(actions[i].into()));
                let expected = Closer.reward(Closer.before(&before[i]), event, &after);
                assert_eq!(buffers.rewards[i], expected);
                paid += u32::from(expected == 10.0);
            }
        }
        assert!(paid > 0);
    }
}

/// Very large boards use whole games, with or without a filter; their planes are updated, too.
#[test]
fn planes_of_very_large_boards_are_updated() {
    let rules = Rules::new(Board::new(130, 130).unwrap());
    let config = EnvConfig {
        observation: Observation::Planes,
        ..EnvConfig::new(rules)
    };
    let mut keeper = VectorEnv::new(config.clone(), 2, 5).unwrap();
    let mut fresh = VectorEnv::new(config, 2, 5).unwrap();
    let [mut kept, mut expected] = [Buffers::<u8>::new(&keeper), Buffers::new(&fresh)];
    let mut draws = rng::keyed(5, Purpose::new("test"), 0);
    for _ in 0..200 {
        let actions = [0; 2].map(|_: u8| rng::below(&mut draws, 3) as u8);
        keeper
            .step(
                &actions,
                &mut Batch {
                    kept: true,
                    ..kept.batch()
                },
            )
            .unwrap();
        fresh.step(&actions, &mut expected.batch()).unwrap();
        assert!(kept == expected);
    }
}

/// Rewards each food with 1, and skips moves, although it would reward them.
struct FoodAlone;

impl RewardFunction for FoodAlone {
    type Before = ();

    fn before(&self, _: impl Sight) {}

    fn reward(&self, (): (), event: Event, _: impl Sight) -> f32 {
        if event == Event::Moved { 100.0 } else { 1.0 }
    }

    fn looks_at_every_step(&self) -> bool {
        false
    }
}

#[test]
fn a_reward_that_does_not_look_at_moves_pays_nothing_for_them() {
    let rules = Rules::new(Board::new(6, 6).unwrap());
    let config = EnvConfig {
        time_limit: Some(7),
        ..EnvConfig::new(rules)
    };
    let mut env = VectorEnv::new(config, 4, 1).unwrap().with_reward(FoodAlone);
    let mut buffers = Buffers::<u8>::new(&env);
    let mut truncated = 0;
    for step in 0..100 {
        env.step(&[step % 3; 4], &mut buffers.batch()).unwrap();
        truncated += buffers
            .signals
            .iter()
            .filter(|signal| signal.truncated())
            .count();
        assert!(
            buffers
                .rewards
                .iter()
                .all(|reward| [0.0, 1.0].contains(reward)),
            "{:?}",
            buffers.rewards
        );
    }
    assert!(truncated > 0);
}

#[test]
fn starvation_has_a_reward_and_the_time_limit_has_none() {
    let reward = Reward {
        starvation: -4.0,
        step: -0.5,
        ..Reward::default()
    };
    for (time_limit, starvation, last) in [
        (None, Some(7), -4.5),
        (Some(7), None, -0.5),
        (Some(7), Some(7), -0.5),
    ] {
        let rules = Rules::new("6x6-torus".parse().unwrap());
        let config = EnvConfig {
            action: ActionKind::Absolute,
            time_limit,
            starvation,
            reward,
            ..EnvConfig::new(rules)
        };
        let mut env = VectorEnv::new(config, 4, 1).unwrap();
        let mut buffers = Buffers::<u8>::new(&env);
        let mut cut_off = 0;
        for _ in 0..100 {
            env.step(&[0; 4], &mut buffers.batch()).unwrap();
            for (reward, signal) in buffers.rewards.iter().zip(&buffers.signals) {
                match signal {
                    Signal::Truncated(_) => {
                        cut_off += 1;
                        assert!([last, last + 1.0].contains(reward), "{reward}");
                    }
                    _ => assert!([-0.5, 0.5, -1.5].contains(reward), "{reward}"),
                }
            }
        }
        assert!(cut_off > 0);
    }
}

#[test]
fn snapshots_have_a_format_version() {
    let env = VectorEnv::new(EnvConfig::new(Rules::new(Board::new(4, 4).unwrap())), 1, 0).unwrap();
    let mut text = serde_json::to_value(env.snapshot(0)).unwrap();
    assert_eq!(text["version"], 1);
    let read = |text: &serde_json::Value| serde_json::from_value::<Snapshot>(text.clone());
    assert_eq!(read(&text).unwrap(), env.snapshot(0));
    text["version"] = 2.into();
    assert_eq!(
        read(&text).unwrap_err().to_string(),
        "expected a snapshot of version 1, got version 2"
    );
    text.as_object_mut().unwrap().remove("version");
    assert_eq!(read(&text).unwrap(), env.snapshot(0));
}

/// Without a filter, lean games are used: they look like whole games.
#[test]
fn lean_games_look_like_whole_games() {
    for text in ["2x2", "6x5", "7x9-torus", "16x16", "40x30", "64x64"] {
        let rules = Rules::new(text.parse().unwrap()).with_foods(2).unwrap();
        for (_, observation) in Observation::ALL {
            let reward = Reward {
                shaping: 0.5,
                ..Reward::default()
            };
            let config = EnvConfig {
                observation,
                reward,
                starvation: Some(50),
                ..EnvConfig::new(rules)
            };
            let mut lean = VectorEnv::new(config.clone(), 3, 5).unwrap();
            let mut whole = VectorEnv::filtered(config, 3, 5, LegalMoves::maker()).unwrap();
            let [mut seen, mut expected] = [Buffers::<u8>::new(&lean), Buffers::new(&whole)];
            let mut draws = rng::keyed(5, Purpose::new("test"), 0);
            // Searches take long.
            let searches = !matches!(observation, Observation::Planes | Observation::Window);
            for _ in 0..if searches && rules.board().area() > 256 {
                20
            } else {
                300
            } {
                let actions = [0; 3].map(|_: u8| rng::below(&mut draws, 3) as u8);
                lean.step(
                    &actions,
                    &mut Batch {
                        kept: true,
                        ..seen.batch()
                    },
                )
                .unwrap();
                whole.step(&actions, &mut expected.batch()).unwrap();
                assert!(seen == expected, "{text} {observation:?}");
            }
            let snapshots = |env: &VectorEnv| [0, 1, 2].map(|i| env.snapshot(i));
            assert_eq!(snapshots(&lean), snapshots(&whole));
        }
    }
}

#[test]
fn episodes_start_from_given_positions() {
    let rules = Rules::new(Board::new(4, 4).unwrap());
    let start = Position::new(rules, Direction::Right, [2, 1, 0].map(Cell), []).unwrap();
    let env = VectorEnv::new(EnvConfig::new(rules), 1000, 0)
        .unwrap()
        .with_starts(vec![start.clone()], 0.3)
        .unwrap();
    let given = (0..1000)
        .filter(|&i| env.position(i).body().eq(start.body()))
        .count();
    assert!((240..360).contains(&given), "{given}");
    let listed = StartPosition {
        board: None,
        body: vec![[2, 0], [1, 0], [0, 0]],
        heading: None,
        food: None,
    };
    let config = EnvConfig {
        starts: vec![listed],
        start_share: 0.3,
        ..EnvConfig::new(rules)
    };
    let of_file = VectorEnv::new(config, 1000, 0).unwrap();
    assert!((0..1000).all(|i| of_file.snapshot(i) == env.snapshot(i)));
    let other = Position::new(
        Rules::new(Board::new(5, 4).unwrap()),
        Direction::Up,
        [Cell(0)],
        [],
    )
    .unwrap();
    assert!(
        VectorEnv::new(EnvConfig::new(rules), 1, 0)
            .unwrap()
            .with_starts(vec![other], 1.0)
            .is_err()
    );
    assert!(
        VectorEnv::new(EnvConfig::new(rules), 1, 0)
            .unwrap()
            .with_starts(vec![start], 1.5)
            .is_err()
    );
}

/// Rejects games with the head in the first cell, and states that are not its own.
struct AwayFromTheCorner;

impl MoveFilter for AwayFromTheCorner {
    fn reset(&mut self, position: &Position) -> Result<(), Unsupported> {
        if position.head() == Cell(0) {
            Err(Unsupported("the corner is not safe".into()))
        } else {
            Ok(())
        }
    }

    fn allowed(&mut self, position: &Position) -> Allowed {
        position.legal_moves().into()
    }

    fn commit(&mut self, _: Direction) {}

    fn state(&self) -> Vec<u16> {
        vec![7]
    }

    fn restore(&mut self, _: &Position, state: &[u16]) -> Result<(), Unsupported> {
        if state == [7] {
            Ok(())
        } else {
            Err(Unsupported(format!("expected [7], got {state:?}")))
        }
    }
}

#[test]
fn games_that_a_filter_rejects_do_not_begin() {
    let make: MakeFilter = Arc::new(|| Box::new(AwayFromTheCorner));
    let rules = Rules::new(Board::new(4, 4).unwrap());
    let config = |rules| EnvConfig {
        mask: Mask::Safe,
        ..EnvConfig::new(rules)
    };
    assert_eq!(
        VectorEnv::new(config(rules), 1, 0).unwrap_err(),
        EnvError::NoFilter
    );
    let error = VectorEnv::filtered(config(rules), 1, 0, make.clone())
        .unwrap_err()
        .to_string();
    let start = "column 0 row 0 heading up length 1";
    assert_eq!(
        error,
        format!("mask \"safe\" can't be kept from the start {start}: the corner is not safe")
    );
    let inside = rules
        .with_start(Start::Random {
            length: 1,
            margin: 1,
        })
        .unwrap();
    let env = || VectorEnv::filtered(config(inside), 2, 0, make.clone()).unwrap();
    let corner = Position::new(inside, Direction::Up, [Cell(0)], []).unwrap();
    let error = env()
        .with_starts(vec![corner.clone()], 1.0)
        .unwrap_err()
        .to_string();
    assert!(error.contains(start), "{error}");
    assert!(env().restart_from(0, corner).is_err());
}

/// With same-step autoreset, such an environment would be stuck forever.
#[test]
fn episodes_do_not_begin_at_finished_games() {
    let rules = Rules::new(Board::new(2, 2).unwrap());
    let won = Position::new(rules, Direction::Left, [2, 3, 1, 0].map(Cell), []).unwrap();
    let mut lost = Position::new(rules, Direction::Right, [Cell(1)], []).unwrap();
    lost.step(Direction::Right);
    for finished in [won, lost] {
        let env = || VectorEnv::new(EnvConfig::new(rules), 1, 0).unwrap();
        let expected = EnvError::Finished(finished.status());
        assert_eq!(
            env().with_starts(vec![finished.clone()], 1.0).unwrap_err(),
            expected
        );
        let mut restarted = env();
        let before = restarted.snapshot(0);
        assert_eq!(restarted.restart_from(0, finished).unwrap_err(), expected);
        assert_eq!(restarted.snapshot(0), before);
    }
}

#[test]
fn a_restore_that_fails_changes_nothing() {
    let rules = Rules::new(Board::new(4, 4).unwrap());
    let away: MakeFilter = Arc::new(|| Box::new(AwayFromTheCorner));
    let inside = rules
        .with_start(Start::Random {
            length: 1,
            margin: 1,
        })
        .unwrap();
    let config = |observation| EnvConfig {
        observation,
        ..EnvConfig::new(inside)
    };
    // Two lean games, and two kinds of filters.
    let envs = || {
        [
            VectorEnv::new(config(Observation::Egocentric), 1, 0).unwrap(),
            VectorEnv::new(config(Observation::Planes), 1, 0).unwrap(),
            VectorEnv::filtered(config(Observation::Planes), 1, 0, LegalMoves::maker()).unwrap(),
            VectorEnv::filtered(config(Observation::Planes), 1, 0, away.clone()).unwrap(),
        ]
    };
    let moved = envs().map(|mut env| {
        let mut buffers = Buffers::<u8>::new(&env);
        env.step(&[1], &mut buffers.batch()).unwrap();
        env.snapshot(0)
    });
    for (index, mut env) in envs().into_iter().enumerate() {
        for (other, snapshot) in moved.iter().enumerate() {
            let before = env.snapshot(0);
            if (index < 3) == (other < 3) {
                env.restore(0, snapshot).unwrap();
                assert_eq!(env.snapshot(0), *snapshot);
                env.restore(0, &before).unwrap();
            } else {
                assert!(
                    matches!(env.restore(0, snapshot), Err(EnvError::Filter(_))),
                    "{index} {other}"
                );
            }
            assert_eq!(env.snapshot(0), before);
        }
    }
}

/// The default is the same for files and programs.
#[test]
fn starvation_is_4_x_area_unless_a_file_sets_it() {
    let rules = Rules::new(Board::new(5, 4).unwrap());
    let read = |starvation: &str| {
        let text = format!(r#"{{"rules":{{"board":"5x4"}}{starvation}}}"#);
        serde_json::from_str::<EnvConfig>(&text)
    };
    assert_eq!(read("").unwrap(), EnvConfig::new(rules));
    for (text, starvation) in [
        ("80", Some(80)),
        ("7", Some(7)),
        (r#""none""#, None),
        ("null", None),
    ] {
        let config = read(&format!(r#","starvation":{text}"#)).unwrap();
        assert_eq!(
            config,
            EnvConfig {
                starvation,
                ..EnvConfig::new(rules)
            }
        );
        assert_eq!(
            serde_json::from_str::<EnvConfig>(&serde_json::to_string(&config).unwrap()).unwrap(),
            config
        );
    }
    for text in [r#""never""#, "-1", "1.5", "4294967296"] {
        let error = read(&format!(r#","starvation":{text}"#))
            .unwrap_err()
            .to_string();
        assert!(error.contains("steps"), "{error}");
    }
}

#[test]
fn invalid_configurations_are_rejected() {
    let config = EnvConfig::new(Rules::new(Board::new(4, 4).unwrap()));
    let with = |change: &dyn Fn(&mut EnvConfig)| {
        let mut config = config.clone();
        change(&mut config);
        VectorEnv::new(config, 1, 0).unwrap_err().to_string()
    };
    assert_eq!(
        with(&|config| config.time_limit = Some(0)),
        "time_limit must be at least 1 step, got 0"
    );
    assert_eq!(
        with(&|config| config.reward.food = f32::NAN),
        "reward.food must be finite, got NaN"
    );
    assert_eq!(
        with(&|config| config.reward.discount = 1.5),
        "reward.discount must be from 0 to 1, got 1.5"
    );
    assert!(VectorEnv::new(config.clone(), 0, 0).is_err());
    assert!(
        VectorEnv::new(config, 1, 0)
            .unwrap()
            .with_threads(0)
            .is_err()
    );
}

/// Returns a position after some random moves.
fn random_position(rules: Rules, seed: u64, moves: u32) -> Position {
    let mut draws = rng::keyed(seed, Purpose::new("test"), 0);
    let mut game = Game::new(rules, seed);
    for _ in 0..moves {
        let legal: Vec<Direction> = game.position().legal_moves().iter().collect();
        if legal.is_empty() {
            break;
        }
        // Half of the moves go toward the food, so that snakes get long.
        let toward = legal.iter().copied().min_by_key(|&direction| {
            let cell = rules
                .board()
                .neighbor(game.position().head(), direction)
                .unwrap();
            game.position()
                .foods()
                .first()
                .map_or(0, |&food| rules.board().distance(cell, food))
        });
        let direction = match rng::below(&mut draws, 2) {
            0 => toward.unwrap(),
            _ => legal[rng::below(&mut draws, legal.len() as u64) as usize],
        };
        game.step(direction);
    }
    game.position().clone()
}

/// Returns the steps until a cell is free, by moving the tail one cell at a time.
fn slow_countdown(position: &Position, cell: Cell) -> usize {
    position
        .body()
        .rev()
        .position(|body| body == cell)
        .map_or(0, |from_tail| from_tail + 1)
}

/// Returns the least step in which each cell is entered after a first move, by repeated relaxation
/// in time order. Paths that have eaten meet a body that has waited a step, and only enter cells
/// that no hungry path has entered by then.
fn slow_arrival(position: &Position, first: Direction) -> Vec<Option<usize>> {
    let board = position.board();
    let late = usize::from(!position.rules().tail_entry());
    let mut arrival = [vec![None; board.area()], vec![None; board.area()]];
    if !position.legal_moves().contains(first) {
        return arrival[0].clone();
    }
    let first = board.neighbor(position.head(), first).unwrap();
    arrival[usize::from(position.foods().contains(&first))][first.index()] = Some(1);
    for step in 1..=2 * board.area() {
        for fed in [0, 1] {
            for cell in board
                .cells()
                .filter(|cell| arrival[fed][cell.index()] == Some(step))
                .collect::<Vec<_>>()
            {
                for (_, neighbor) in board.neighbors(cell) {
                    let countdown = slow_countdown(position, neighbor);
                    let open = countdown == 0 || countdown + late + fed <= step + 1;
                    let layer = fed.max(usize::from(position.foods().contains(&neighbor)));
                    let known = arrival[layer][neighbor.index()].is_some();
                    let needless = fed == 1 && arrival[0][neighbor.index()].is_some();
                    if open && !known && !needless {
                        arrival[layer][neighbor.index()] = Some(step + 1);
                    }
                }
            }
        }
    }
    let [hungry, fed] = arrival;
    hungry
        .into_iter()
        .zip(fed)
        .map(|(hungry, fed)| [hungry, fed].into_iter().flatten().min())
        .collect()
}

/// Returns the egocentric observation as documented, one cell of the window at a time.
fn slow_egocentric(position: &Position) -> Vec<f32> {
    let board = position.board();
    let side = board.longer_side() as i32;
    let area = board.area() as f32;
    let heading = position.heading();
    let step = |direction: Direction| [(0, -1), (1, 0), (0, 1), (-1, 0)][direction.index()];
    let ahead = step(heading);
    let right = step(heading.turned(Turn::Right));
    let arrivals = Turn::ALL.map(|turn| slow_arrival(position, heading.turned(turn)));
    let mut planes = vec![Vec::new(); 6];
    for row in 0..2 * side - 1 {
        for column in 0..2 * side - 1 {
            let a = side - 1 - row;
            let r = column - (side - 1);
            let mut x = board.column(position.head()) as i32 + a * ahead.0 + r * right.0;
            let mut y = board.row(position.head()) as i32 + a * ahead.1 + r * right.1;
            if board.is_torus() {
                (x, y) = (
                    x.rem_euclid(board.width() as i32),
                    y.rem_euclid(board.height() as i32),
                );
            }
            let inside = x >= 0 && y >= 0 && x < board.width() as i32 && y < board.height() as i32;
            let mut values = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
            if inside {
                let cell = board.cell(x as usize, y as usize);
                let countdown = slow_countdown(position, cell);
                let distance = board.distance(position.head(), cell);
                let arrival = arrivals
                    .iter()
                    .filter_map(|arrival| arrival[cell.index()])
                    .min();
                values = [
                    0.0,
                    countdown as f32 / area,
                    f32::from(countdown > distance),
                    f32::from(position.foods().contains(&cell)),
                    f32::from(arrival.is_some()),
                    arrival.map_or(0.0, |step| step as f32 / area),
                ];
            }
            planes
                .iter_mut()
                .zip(values)
                .for_each(|(plane, value)| plane.push(value));
        }
    }
    let mut out = planes.concat();
    out.push(position.len() as f32 / area);
    out.extend(
        Turn::ALL.map(|turn| f32::from(position.legal_moves().contains(heading.turned(turn)))),
    );
    let distance = |food: &Cell| board.distance(position.head(), *food);
    let nearest = position
        .foods()
        .iter()
        .copied()
        .min_by_key(|food| distance(food));
    let (dx, dy) = nearest.map_or((0, 0), |food| board.offset(position.head(), food));
    let along = |axis: (i32, i32)| dx * axis.0 + dy * axis.1;
    let sides = [along(ahead), along(right), -along(ahead), -along(right)];
    out.extend(sides.map(|distance| distance.max(0) as f32 / side as f32));
    for arrival in &arrivals {
        let reached = |cell: Cell| arrival[cell.index()];
        let free = board
            .cells()
            .filter(|&cell| slow_countdown(position, cell) == 0);
        let share = free.filter(|&cell| reached(cell).is_some()).count() as f32;
        let food = position
            .foods()
            .iter()
            .filter_map(|&food| reached(food))
            .min();
        out.push(share / (board.area() - position.len()).max(1) as f32);
        out.push(food.map_or(0.0, |steps| 1.0 / steps as f32));
        out.push(food.map_or(1.0, |steps| steps as f32 / area));
        out.push(f32::from(reached(position.tail()).is_some()));
    }
    out
}

/// Returns the observation `centered` as documented, one entry of the window at a time.
fn slow_centered(position: &Position) -> Vec<f32> {
    let board = position.board();
    let heading = position.heading();
    let head = position.head();
    let soft = |number: usize, half: f32| number as f32 / (number as f32 + half);
    let step = |direction: Direction| [(0, -1), (1, 0), (0, 1), (-1, 0)][direction.index()];
    let ahead = step(heading);
    let right = step(heading.turned(Turn::Right));
    let along = |cell: Cell, axis: (i32, i32)| {
        let (x, y) = board.offset(head, cell);
        x * axis.0 + y * axis.1
    };
    // The distances in columns or rows that share an entry.
    let shared = |place: i32| match place.abs() {
        11 => 11..=i32::MAX,
        near => near..=near,
    };
    let lies_in = |offset: i32, place: i32| {
        offset.signum() == place.signum() && shared(place).contains(&offset.abs())
    };
    let arrivals = Turn::ALL.map(|turn| slow_arrival(position, heading.turned(turn)));
    let arrival = |cell: Cell| {
        arrivals
            .iter()
            .filter_map(|arrival| arrival[cell.index()])
            .min()
    };
    let mut planes = vec![Vec::new(); 6];
    for row in (-11..=11).rev() {
        for column in -11..=11 {
            let here = |cell: &Cell| {
                lies_in(along(*cell, ahead), row) && lies_in(along(*cell, right), column)
            };
            let cells: Vec<Cell> = board.cells().filter(here).collect();
            let countdown = |&cell: &Cell| slow_countdown(position, cell);
            let blocked = |cell: &Cell| countdown(cell) > board.distance(head, *cell);
            let first = cells.iter().filter_map(|&cell| arrival(cell)).min();
            let values = [
                f32::from(cells.is_empty() && !board.is_torus()),
                soft(cells.iter().map(countdown).max().unwrap_or(0), 16.0),
                f32::from(cells.iter().any(blocked)),
                f32::from(cells.iter().any(|cell| position.foods().contains(cell))),
                f32::from(first.is_some()),
                soft(first.unwrap_or(0), 16.0),
            ];
            planes
                .iter_mut()
                .zip(values)
                .for_each(|(plane, value)| plane.push(value));
        }
    }
    // The scalars of `egocentric` have the same positions, counted from the end.
    let egocentric = slow_egocentric(position);
    let mut scalars = egocentric[egocentric.len() - 20..].to_vec();
    let nearest = position
        .foods()
        .iter()
        .copied()
        .min_by_key(|&food| board.distance(head, food));
    for (scalar, axis, sign) in [(4, ahead, 1), (5, right, 1), (6, ahead, -1), (7, right, -1)] {
        scalars[scalar] = soft(
            nearest.map_or(0, |food| sign * along(food, axis)).max(0) as usize,
            8.0,
        );
    }
    for (turn, arrival) in arrivals.iter().enumerate() {
        let food = position
            .foods()
            .iter()
            .filter_map(|&food| arrival[food.index()])
            .min();
        scalars[8 + 4 * turn + 2] = food.map_or(1.0, |steps| soft(steps, 16.0));
    }
    let odd = |number: usize| number % 2 == 1;
    let on_frequent = odd(board.area()) && !odd(board.column(head) + board.row(head));
    let food_is_odd = nearest.is_some_and(|food| odd(board.distance(head, food)));
    scalars.extend(
        [
            odd(board.area()),
            on_frequent,
            odd(position.len()),
            food_is_odd,
        ]
        .map(f32::from),
    );
    let is_covered = |cell| position.body().any(|part| part == cell);
    scalars.extend(slow::free_cells(board, is_covered, head, position.tail()));
    [planes.concat(), scalars].concat()
}

proptest! {
    #[test]
    fn centered_is_as_documented(
        width in 2u8..=13,
        height in 2u8..=13,
        torus: bool,
        foods in 1u16..=2,
        seed: u64,
        moves in 0u32..200,
    ) {
        let board = Board::new(width, height).unwrap();
        let board = if torus { board.torus() } else { board };
        let rules = Rules::new(board).with_foods(foods).unwrap();
        let position = random_position(rules, seed, moves);
        let mut encoder = Encoder::new(Observation::Centered, board);
        prop_assert_eq!(
            encoder.space(),
            Observation::Centered.space(Board::new(20, 3).unwrap())
        );
        let mut out = vec![f32::NAN; encoder.space().len()];
        encoder.encode(&position, position.legal_moves(), &mut out);
        prop_assert_eq!(out, slow_centered(&position));
    }

    #[test]
    fn egocentric_is_as_documented(
        width in 2u8..=6,
        height in 2u8..=6,
        torus: bool,
        tail_entry: bool,
        foods in 1u16..=2,
        seed: u64,
        moves in 0u32..120,
    ) {
        let board = Board::new(width, height).unwrap();
        let board = if torus { board.torus() } else { board };
        let rules = Rules::new(board)
            .with_tail_entry(tail_entry)
            .with_foods(foods)
            .unwrap();
        let position = random_position(rules, seed, moves);
        let mut encoder = Encoder::new(Observation::Egocentric, board);
        let mut out = vec![f32::NAN; encoder.space().len()];
        encoder.encode(&position, position.legal_moves(), &mut out);
        let expected = slow_egocentric(&position);
        prop_assert_eq!(&out, &expected);

        let mut encoder = Encoder::new(Observation::Window, board);
        let [_, side, _] = encoder.space().planes;
        let (planes, scalars) = expected.split_at(6 * side * side);
        let mut out = vec![f32::NAN; encoder.space().len()];
        encoder.encode(&position, position.legal_moves(), &mut out);
        prop_assert_eq!(out, [&planes[..4 * side * side], &scalars[..8]].concat());
    }

    /// Mirroring an action agrees with mirroring the board.
    #[test]
    fn mirrored_actions(heading in 0usize..4, action in 0u8..4) {
        let mirror = |direction: Direction| {
            if direction.index() % 2 == 1 {
                direction.opposite()
            } else {
                direction
            }
        };
        let heading = Direction::from_index(heading);
        for kind in [ActionKind::Absolute, ActionKind::Relative] {
            if usize::from(action) < kind.count() {
                let direction = kind.direction(action, heading);
                prop_assert_eq!(
                    kind.direction(kind.mirrored(action), mirror(heading)),
                    mirror(direction)
                );
                prop_assert_eq!(kind.action(direction, heading), Some(action));
            }
        }
    }
}

/// The search uses sets of as many words as the board needs. Tests boards with every number of
/// words, wide ones and tori, with wandering snakes and with a snake that covers half the board in
/// rows.
#[test]
fn egocentric_on_boards_of_every_size() {
    let boards = [
        "9x7",
        "9x9-torus",
        "12x12",
        "15x15",
        "3x60",
        "20x20",
        "20x20-torus",
        "30x30",
        "40x40",
        "66x64",
        "255x2",
        "255x3-torus",
    ];
    for text in boards {
        let board: Board = text.parse().unwrap();
        let rules = Rules::new(board);
        let rows = (0..board.height()).flat_map(|y| {
            let across = move |x| if y % 2 == 0 { x } else { board.width() - 1 - x };
            (0..board.width()).map(move |x| board.cell(across(x), y))
        });
        let path: Vec<Cell> = rows.take(board.area() / 2 + 1).collect();
        let (food, body) = path.split_last().unwrap();
        let heading = board
            .direction(body[body.len() - 2], body[body.len() - 1])
            .unwrap();
        let in_rows = Position::new(rules, heading, body.iter().rev().copied(), [*food]).unwrap();
        let mut encoder = Encoder::new(Observation::Egocentric, board);
        for position in [
            in_rows,
            random_position(rules, 1, 300),
            random_position(rules, 2, 600),
        ] {
            let mut out = vec![f32::NAN; encoder.space().len()];
            encoder.encode(&position, position.legal_moves(), &mut out);
            assert!(out == slow_egocentric(&position), "{position:?}");
        }
    }
}

/// The golden values of the other two observations in one position:
/// ```text
/// o o @ .      heading right, tail at column 0, row 1
/// o . . *
/// ```
#[test]
fn golden_planes_and_features() {
    let board = Board::new(4, 2).unwrap();
    let position = Position::new(
        Rules::new(board),
        Direction::Right,
        [2, 1, 0, 4].map(Cell),
        [Cell(7)],
    )
    .unwrap();
    let encode = |observation: Observation| {
        let mut out = vec![0.0f32; observation.space(board).len()];
        Encoder::new(observation, board).encode(&position, position.legal_moves(), &mut out);
        out
    };
    let planes = encode(Observation::Planes);
    assert_eq!(planes[..8], [0.25, 0.375, 0.5, 0.0, 0.125, 0.0, 0.0, 0.0]);
    let ones: Vec<usize> = (8..40).filter(|&place| planes[place] == 1.0).collect();
    assert_eq!(ones, [8 + 2, 16 + 4, 24 + 7, 32 + 3]);
    assert_eq!(planes[8..].iter().sum::<f32>(), 4.0);
    let features = encode(Observation::Features);
    assert_eq!(
        features[..12],
        [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.5]
    );
    // Left is the wall. Straight and right reach all four free cells, the food after 2 steps, and
    // the tail.
    assert_eq!(features[12..16], [0.0, 0.0, 1.0, 0.0]);
    assert_eq!(features[16..20], [1.0, 0.5, 0.25, 1.0]);
    assert_eq!(features[20..24], [1.0, 0.5, 0.25, 1.0]);
}

/// Environments take up a configuration with their next episodes, on boards of another size, and
/// end the current ones as they would have ended. Their snapshots go on alike anywhere.
#[test]
fn a_configuration_changes_between_episodes() {
    let small = EnvConfig {
        observation: Observation::Centered,
        starvation: Some(12),
        ..EnvConfig::new(Rules::new("4x4".parse().unwrap()))
    };
    let large = EnvConfig {
        starvation: Some(20),
        time_limit: Some(30),
        reward: Reward {
            food: 5.0,
            step: -0.25,
            shaping: 2.0,
            ..Reward::default()
        },
        ..small.clone()
    };
    let rules = Rules::new("9x9".parse().unwrap());
    let start = Start::Random {
        length: 3,
        margin: 1,
    };
    let large = EnvConfig {
        rules: rules.with_start(start).unwrap(),
        ..large
    };
    let n = 12;
    for (threads, filtered) in [(1, false), (2, false), (1, true)] {
        let make = |config: &EnvConfig| {
            let env = match filtered {
                true => VectorEnv::filtered(config.clone(), n, 7, LegalMoves::maker()),
                false => VectorEnv::new(config.clone(), n, 7),
            };
            env.unwrap().with_threads(threads).unwrap()
        };
        for (before, after) in [(&small, &large), (&large, &small)] {
            let mut env = make(before);
            let mut unchanged = make(before);
            let mut next = make(after);
            let [mut seen, mut expected] = [Buffers::<f32>::new(&env), Buffers::new(&env)];
            let mut draws = rng::keyed(3, Purpose::new("test"), 0);
            let mut act =
                || -> Vec<u8> { (0..n).map(|_| rng::below(&mut draws, 3) as u8).collect() };
            let mut episodes = vec![0; n];
            for _ in 0..3 {
                let actions = act();
                env.step(&actions, &mut seen.batch()).unwrap();
                unchanged.step(&actions, &mut expected.batch()).unwrap();
                for (i, signal) in seen.signals.iter().enumerate() {
                    episodes[i] += u32::from(signal.ended());
                }
            }
            env.configure(after.clone()).unwrap();
            assert_eq!(env.config(), after);
            let mut changed = vec![false; n];
            for _ in 0..60 {
                let mut copies = make(after);
                let mut elsewhere = make(before);
                for (i, &changed) in changed.iter().enumerate() {
                    let snapshot = serde_json::to_string(&env.snapshot(i)).unwrap();
                    assert_eq!(snapshot.contains("terms"), !changed);
                    let snapshot: Snapshot = serde_json::from_str(&snapshot).unwrap();
                    copies.restore(i, &snapshot).unwrap();
                    let restored = elsewhere.restore(i, &snapshot);
                    assert_eq!(restored.is_ok(), !changed);
                }
                let actions = act();
                env.step(&actions, &mut seen.batch()).unwrap();
                let mut copied = Buffers::<f32>::new(&copies);
                copies.step(&actions, &mut copied.batch()).unwrap();
                assert_eq!(
                    (&seen.rewards, &seen.signals),
                    (&copied.rewards, &copied.signals)
                );
                assert_eq!(seen.observations, copied.observations);
                unchanged.step(&actions, &mut expected.batch()).unwrap();
                for i in 0..n {
                    assert_eq!(env.snapshot(i), copies.snapshot(i));
                    if changed[i] {
                        continue;
                    }
                    assert_eq!(seen.rewards[i], expected.rewards[i]);
                    assert_eq!(seen.signals[i], expected.signals[i]);
                    assert_eq!(env.last_episode(i), unchanged.last_episode(i));
                    if seen.signals[i].ended() {
                        changed[i] = true;
                        (0..=episodes[i]).for_each(|_| next.restart(i));
                        assert_eq!(env.snapshot(i).game(), next.snapshot(i).game());
                    }
                }
            }
            assert!(changed.iter().all(|&changed| changed));
            let last = env.last_episode(0).unwrap();
            assert_eq!(last.board, after.rules.board());
        }
    }
}

#[test]
fn a_configuration_that_does_not_fit_changes_nothing() {
    let config = EnvConfig::new(Rules::new("6x6".parse().unwrap()));
    let mut env = VectorEnv::new(config.clone(), 2, 0)
        .unwrap()
        .with_reward(FoodAlone);
    let refused = [
        EnvConfig {
            observation: Observation::Features,
            ..config.clone()
        },
        EnvConfig {
            rules: Rules::new("7x6".parse().unwrap()),
            ..config.clone()
        },
        EnvConfig {
            action: ActionKind::Absolute,
            ..config.clone()
        },
        EnvConfig {
            mask: Mask::Safe,
            ..config.clone()
        },
        EnvConfig {
            autoreset: Autoreset::Disabled,
            ..config.clone()
        },
    ];
    for other in refused {
        let error = env.configure(other).unwrap_err();
        assert!(matches!(error, EnvError::Fixed { .. }), "{error}");
    }
    let share = EnvConfig {
        start_share: 2.0,
        ..config.clone()
    };
    assert!(matches!(env.configure(share), Err(EnvError::Config(_))));
    assert_eq!(env.config(), &config);
    // A custom reward stays.
    let paid = EnvConfig {
        reward: Reward {
            step: 9.0,
            ..Reward::default()
        },
        ..config
    };
    env.configure(paid).unwrap();
    let mut buffers = Buffers::<u8>::new(&env);
    for step in 0..200 {
        env.step(&[step % 3; 2], &mut buffers.batch()).unwrap();
        assert!(buffers.rewards.iter().all(|reward| *reward < 2.0));
    }
}
