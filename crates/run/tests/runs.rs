//! Tests runs as a library user trains them: begun, interrupted, resumed, refused.

use hognose_agent::{Score, StoreError};
use hognose_eval::Summary;
use hognose_policies::Catalog;
use hognose_run::{
    DqnExperiment, Experiment, FinalGames, Manifest, Observer, Progress, Rates, Results, Round,
    Run, RunError, Selection, SelectionGames, Stop, newest_checkpoint, scalars,
};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

fn experiment() -> Experiment {
    let text = r#"
        seed = 3
        env.rules.board = "4x4"
        network = { hidden = [16] }
        [train]
        total_steps = 2048
        num_envs = 16
        batch_size = 32
        learning_starts = 256
        evaluation_games = 4
        evaluate_every = 512
        checkpoint_every = 512
        log_every = 128
        [evaluation]
        policies = ["random"]
        games = 5
    "#;
    Experiment::parse(text).unwrap()
}

fn dqn(experiment: Experiment) -> DqnExperiment {
    let Experiment::Dqn(experiment) = experiment else {
        panic!("one snake")
    };
    *experiment
}

/// Plays the final games of a run with its best weights.
fn play(run: &Run) -> Results {
    let FinalGames::Evaluation(games, policies) = run.final_games().unwrap() else {
        panic!("one snake")
    };
    assert_eq!((games.games, policies.len()), (5, 2));
    let player = || policies[1].player();
    let played = hognose_eval::evaluate(player, &games, |_| ControlFlow::Continue(())).unwrap();
    let summary = Summary::new(policies[1].name(), games.rules.board(), &played);
    Results::Games(Box::new(summary))
}

/// Stops after a number of rounds, and records what it received.
#[derive(Default)]
struct Heard {
    rounds_left: Option<usize>,
    started: Option<u64>,
    selected: Vec<u64>,
    fastest: f64,
}

impl Observer for Heard {
    fn started(&mut self, progress: &Progress) {
        self.started = Some(progress.step);
    }

    fn progress(&mut self, _progress: &Progress, rates: Rates) {
        self.fastest = rates.steps.max(self.fastest);
        if let Some(rounds) = &mut self.rounds_left {
            *rounds = rounds.saturating_sub(1);
        }
    }

    fn selected(&mut self, step: u64, round: Round, selection: &Selection) {
        let SelectionGames::Boards(boards) = &selection.games else {
            panic!("one snake")
        };
        assert!((0.0..=1.0).contains(&boards[0].win_rate));
        if round == Round::First {
            self.selected.push(step);
        }
    }

    fn warned(&mut self, warning: &str) {
        panic!("{warning}");
    }

    fn goes_on(&self) -> bool {
        self.rounds_left != Some(0)
    }
}

/// Returns an experiment with two snakes on a board so small that training takes a second.
fn duel_experiment() -> Experiment {
    let text = r#"
        network.hidden = [8]
        [duel]
        board = "4x4"
        first = { column = 0, row = 1, heading = "up", length = 3 }
        second = { column = 3, row = 2, heading = "down", length = 3 }
        head_on = "longer-wins"
        step_limit = 50
        [train]
        total_steps = 4096
        evaluate_every = 2048
        evaluation_pairs = 2
        anchors = ["greedy", "random"]
    "#;
    Experiment::parse(text).unwrap()
}

/// Returns the bytes of the best weights and of the newest checkpoint.
fn bytes(folder: &Path) -> [Vec<u8>; 2] {
    let mut checkpoints: Vec<_> = fs::read_dir(folder.join("checkpoints"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    checkpoints.sort();
    [
        folder.join("policy.safetensors"),
        checkpoints.pop().unwrap(),
    ]
    .map(|path| fs::read(path).unwrap())
}

#[test]
fn an_interrupted_run_ends_in_the_same_bytes_and_curves() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, broken] = ["whole", "broken"].map(|name| folder.path().join(name));
    let run = Run::begin(experiment(), &whole).unwrap();
    let mut heard = Heard::default();
    assert_eq!(run.train(&mut heard).unwrap(), Stop::Finished);
    assert_eq!(
        (heard.started, heard.selected),
        (Some(0), vec![512, 1024, 1536, 2048])
    );
    assert!(heard.fastest > 0.0);

    let mut run = Run::begin(experiment(), &broken).unwrap();
    for (rounds, threads) in [(3, 1), (50, 2)] {
        run.threads = threads;
        let mut heard = Heard {
            rounds_left: Some(rounds),
            ..Heard::default()
        };
        assert_eq!(run.train(&mut heard).unwrap(), Stop::Interrupted);
        run = Run::resume(&broken, &[]).unwrap();
    }
    assert_eq!(run.check().unwrap().step, 53 * 16);
    assert_eq!(run.train(&mut ()).unwrap(), Stop::Finished);
    assert!(bytes(&whole) == bytes(&broken));
    let curves = |folder: &Path| {
        let mut curves = scalars(folder).unwrap();
        curves.retain(|name, _| !name.starts_with("time/"));
        curves
    };
    assert_eq!(curves(&whole), curves(&broken));
    assert!(
        curves(&whole).contains_key("eval/win_rate")
            && scalars(&whole).unwrap().contains_key("time/fps")
    );

    assert!(!run.is_finished());
    run.note_results(Some(play(&run)), Some("again".to_owned()))
        .unwrap();
    let manifest = Manifest::read(&broken).unwrap();
    assert_eq!(
        (manifest.environment_steps, manifest.evaluation.as_deref()),
        (2048, Some("again"))
    );
    assert!(Run::resume(&broken, &[]).unwrap().is_finished());
}

#[test]
fn runs_with_starts_go_on_exactly_and_select_by_whole_games() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, broken] = ["whole", "broken"].map(|name| folder.path().join(name));
    let text = "env.start_share = 0.5
        env.rules.board = \"4x4\"
        env.starts = [
            { body = [[2, 0], [1, 0], [0, 0], [0, 1]], food = [3, 3] },
            { body = [[0, 0]], heading = \"down\" },
        ]";
    let with_starts = DqnExperiment {
        env: dqn(Experiment::parse(text).unwrap()).env,
        ..dqn(experiment())
    };
    let with_starts = Experiment::from(with_starts);
    assert_eq!(
        Experiment::parse(&with_starts.text().unwrap()).unwrap(),
        with_starts
    );

    assert_eq!(
        Run::begin(with_starts.clone(), &whole)
            .unwrap()
            .train(&mut ())
            .unwrap(),
        Stop::Finished
    );
    let run = Run::begin(with_starts.clone(), &broken).unwrap();
    let mut heard = Heard {
        rounds_left: Some(20),
        ..Heard::default()
    };
    assert_eq!(run.train(&mut heard).unwrap(), Stop::Interrupted);
    let run = Run::resume(&broken, &[]).unwrap();
    assert_eq!(
        run.experiment,
        with_starts
            .clone()
            .with_all(&["train.schedule_steps=2048".to_owned()])
            .unwrap()
    );
    assert_eq!(run.train(&mut ()).unwrap(), Stop::Finished);
    assert!(bytes(&whole) == bytes(&broken));
    drop(run);
    let other = Run::resume(&broken, &["env.start_share=1.0".to_owned()]);
    let other = other
        .and_then(|run| run.train(&mut ()))
        .unwrap_err()
        .to_string();
    assert!(other.contains("env.start_share"), "{other}");

    let plain = folder.path().join("plain");
    Run::begin(experiment(), &plain)
        .unwrap()
        .train(&mut ())
        .unwrap();
    assert!(bytes(&whole) != bytes(&plain));
    // The same agent plays the same selection games, wherever training began.
    let agent = dqn(experiment()).trainer("cpu").unwrap().agent();
    let selected = |experiment: &Experiment| {
        let experiment = dqn(experiment.clone());
        let selection = experiment
            .select(&agent, Round::First, 1, &|| ControlFlow::Continue(()))
            .unwrap();
        let SelectionGames::Boards(mut boards) = selection.expect("they are played").games else {
            panic!("one snake")
        };
        for board in &mut boards {
            board.decisions_per_second = 0.0;
        }
        boards
    };
    assert_eq!(selected(&with_starts), selected(&experiment()));
}

#[test]
fn starts_that_can_not_be_are_named() {
    let error = |starts: &str| {
        let changed = experiment()
            .with(&format!("env.starts={starts}"))
            .and_then(|experiment| dqn(experiment).trainer("cpu"));
        changed.err().expect("it is refused").to_string()
    };
    let ends = |starts: &str, end: &str| {
        let error = error(starts);
        assert!(error.ends_with(end), "{error}");
    };
    ends(
        "[{ body = [[0, 0], [0, 1]] }, { body = [[4, 0]] }]",
        "position 2 of starts: (4, 0) is not on the board 4x4",
    );
    ends(
        "[{ body = [[0, 0], [1, 1]] }]",
        "position 1 of starts: body cells (0, 0) and (1, 1) are not neighbors",
    );
    ends(
        "[{ body = [[0, 0], [0, 1], [3, 3]] }]",
        "body cells (0, 1) and (3, 3) are not neighbors",
    );
    ends(
        "[{ body = [[0, 0]] }]",
        "a body of one cell needs a heading: up, right, down or left",
    );
    ends("[{ body = [] }]", "position 1 of starts: the body is empty");
    ends(
        "[{ body = [[0, 0], [0, 1]], food = [0, 1] }]",
        "position 1 of starts: (0, 1) is occupied twice",
    );
    ends(
        "[{ board = \"5x5\", body = [[0, 0], [0, 1]] }]",
        "position 1 of starts: no episode is played on its board 5x5",
    );
    assert!(error("[{ body = [[0, 0], [0, 1]], tail = 3 }]").contains("unknown field `tail`"));
    assert!(error("[{ food = [0, 1] }]").contains("missing field `body`"));
    let share = dqn(experiment().with("env.start_share=1.5").unwrap())
        .trainer("cpu")
        .err()
        .unwrap()
        .to_string();
    assert!(
        share.ends_with("start_share must be from 0 to 1, got 1.5"),
        "{share}"
    );
    let plans = [
        "train.actions=plans",
        "train.discount=1.0",
        "env.starts=[{ body = [[0, 0], [0, 1]] }]",
    ];
    let plans = dqn(experiment().with_all(&plans.map(str::to_owned)).unwrap())
        .trainer("cpu")
        .err()
        .unwrap()
        .to_string();
    assert!(
        plans.ends_with("env.starts must be empty if train.actions is \"plans\", got 1 positions"),
        "{plans}"
    );
}

#[test]
fn a_run_that_is_trained_again_goes_on_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let run = Run::begin(experiment(), &folder.path().join("run")).unwrap();
    assert!(!run.is_resumed());
    let mut heard = Heard {
        rounds_left: Some(40),
        ..Heard::default()
    };
    assert_eq!(run.train(&mut heard).unwrap(), Stop::Interrupted);
    assert!(run.is_resumed());
    let mut heard = Heard::default();
    assert_eq!(run.train(&mut heard).unwrap(), Stop::Finished);
    assert_eq!(
        (heard.started, heard.selected),
        (Some(640), vec![1024, 1536, 2048])
    );

    let manifest = run.folder().join("manifest.json");
    fs::write(&manifest, "{}").unwrap();
    let error = run.note_results(None, None).unwrap_err().to_string();
    assert!(error.contains("manifest.json: missing field"), "{error}");
    assert_eq!(fs::read_to_string(&manifest).unwrap(), "{}");
}

#[test]
fn runs_that_do_not_fit_are_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let error = Run::resume(&path, &[]).unwrap_err().to_string();
    assert!(error.ends_with("no checkpoint in this folder"), "{error}");
    let wrong = |setting: &str| {
        let run = Run::begin(experiment().with(setting).unwrap(), &path).unwrap();
        run.check().expect_err("it is refused").to_string()
    };
    assert_eq!(
        wrong("evaluation.games=0"),
        "evaluation.games must be at least 1 and at most 16777216, got 0"
    );
    assert_eq!(
        wrong("train.batch_size=0"),
        "train.batch_size must be at least 1, got 0"
    );
    assert!(wrong("evaluation.policies=[\"no\"]").starts_with("unknown policy"));
    assert!(wrong("init=/no/such/file").starts_with("/no/such/file: "));
    let elsewhere = wrong("env.boards=[\"5x5..6x6\"]");
    assert!(
        elsewhere.ends_with("expected one of 5x5..6x6, got 4x4"),
        "{elsewhere}"
    );
    let begin = |seed| Run::begin(experiment().with_seed(seed), &path);
    assert!(begin(i64::MAX as u64).is_ok());
    let error = begin(1 << 63).unwrap_err().to_string();
    assert_eq!(
        error,
        "seed must be in 0..=9223372036854775807, got 9223372036854775808"
    );
    assert!(!path.exists());
    let unknown = experiment()
        .with("train.batch_sice=3")
        .unwrap_err()
        .to_string();
    assert!(
        unknown.starts_with("train.batch_sice=3: ") && unknown.contains("batch_size"),
        "{unknown}"
    );

    let run = Run::begin(experiment().with("train.total_steps=512").unwrap(), &path).unwrap();
    run.train(&mut ()).unwrap();
    assert!(matches!(
        Run::begin(experiment(), &path),
        Err(RunError::Taken(_))
    ));
    let steeper = experiment().with("train.learning_rate.start=0.05").unwrap();
    let error = Run::begin_or_resume(steeper, &path)
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("train.learning_rate.start is 0.0005, expected 0.05"),
        "{error}"
    );

    drop(run);

    let longer = Run::resume(&path, &["train.total_steps=1024".to_owned()]).unwrap();
    let other = fs::File::create(path.join(".lock")).unwrap();
    other.lock().unwrap();
    let before = bytes(&path);
    assert!(matches!(longer.train(&mut ()), Err(RunError::Busy(_))));
    assert_eq!(bytes(&path), before);
    // What another run may be writing is not read.
    let newest = newest_checkpoint(&path).unwrap();
    fs::write(&newest, "half").unwrap();
    assert!(matches!(longer.train(&mut ()), Err(RunError::Busy(_))));
    fs::write(&newest, &before[1]).unwrap();
    drop(other);
    assert!(matches!(longer.train(&mut ()), Ok(Stop::Finished)));
}

#[test]
fn a_folder_is_held_until_the_results_are_noted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let run = Run::begin(experiment().with("train.total_steps=512").unwrap(), &path).unwrap();
    assert_eq!(run.train(&mut ()).unwrap(), Stop::Finished);
    let longer = || Run::resume(&path, &["train.total_steps=1024".to_owned()]).unwrap();
    assert!(matches!(longer().train(&mut ()), Err(RunError::Busy(_))));
    // The run's own final games may be interrupted and begin again.
    assert_eq!(run.train(&mut ()).unwrap(), Stop::Finished);
    assert!(matches!(longer().train(&mut ()), Err(RunError::Busy(_))));
    run.note_results(None, None).unwrap();
    assert_eq!(longer().train(&mut ()).unwrap(), Stop::Finished);

    // An interrupted run holds no lock.
    let path = folder.path().join("interrupted");
    let run = Run::begin(experiment(), &path).unwrap();
    let mut heard = Heard {
        rounds_left: Some(20),
        ..Heard::default()
    };
    assert_eq!(run.train(&mut heard).unwrap(), Stop::Interrupted);
    assert_eq!(
        Run::resume(&path, &[]).unwrap().train(&mut ()).unwrap(),
        Stop::Finished
    );
}

/// Checkpoints take most of a run's space, so users may delete them.
#[test]
fn agents_and_results_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let short = experiment().with("train.total_steps=1024").unwrap();
    let other = short.clone().with_seed(7);
    let run = Run::begin(short.clone(), &path).unwrap();
    run.train(&mut ()).unwrap();
    let policy = fs::read(path.join("policy.safetensors")).unwrap();
    fs::remove_dir_all(path.join("checkpoints")).unwrap();
    drop(run);

    // Another experiment would replace the weights; the same one reproduces them.
    for refused in [
        Run::begin(other.clone(), &path),
        Run::begin_or_resume(other.clone(), &path),
    ] {
        assert!(matches!(refused, Err(RunError::Agent(_))), "{refused:?}");
    }
    let run = Run::begin(short.clone(), &path).unwrap();
    assert_eq!(run.train(&mut ()).unwrap(), Stop::Finished);
    assert!(fs::read(path.join("policy.safetensors")).unwrap() == policy);

    // Results belong to games that were played.
    run.note_results(Some(play(&run)), None).unwrap();
    fs::remove_dir_all(path.join("checkpoints")).unwrap();
    assert!(matches!(
        Run::begin(short.clone(), &path),
        Err(RunError::Agent(_))
    ));
    assert!(matches!(
        Run::begin_or_resume(other.clone(), &path),
        Err(RunError::Agent(_))
    ));
    let finished = Run::begin_or_resume(short.clone(), &path).unwrap();
    assert!(finished.is_finished() && matches!(finished.train(&mut ()), Err(RunError::Agent(_))));
    fs::remove_file(path.join("policy.safetensors")).unwrap();
    assert!(matches!(
        Run::begin(other.clone(), &path),
        Err(RunError::Agent(_))
    ));
    // Nobody knows what this file contained.
    fs::write(path.join("manifest.json"), "half of a mani").unwrap();
    assert!(matches!(Run::begin(short, &path), Err(RunError::Agent(_))));
    fs::remove_file(path.join("manifest.json")).unwrap();
    assert!(Run::begin(other, &path).is_ok());
}

#[test]
fn a_run_goes_on_with_its_best_weights_and_its_manifest_alone() {
    let folder = tempfile::tempdir().unwrap();
    let snake = folder.path().join("snake");
    Run::begin(experiment().with("train.total_steps=512").unwrap(), &snake)
        .unwrap()
        .train(&mut ())
        .unwrap();
    let duel = folder.path().join("duel");
    Run::begin(duel_experiment(), &duel)
        .unwrap()
        .train(&mut ())
        .unwrap();
    let error = |folder: &Path| {
        Run::resume(folder, &[])
            .unwrap()
            .train(&mut ())
            .unwrap_err()
    };
    let best = |path: &Path| {
        fs::read_dir(path.join("candidates"))
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path()
    };
    for (path, other) in [(&snake, &duel), (&duel, &snake)] {
        let policy = best(path);
        let whole = fs::read(&policy).unwrap();
        let before = bytes(path);
        fs::remove_file(&policy).unwrap();
        assert!(matches!(
            error(path),
            RunError::BestWeights(StoreError::Io { .. })
        ));
        fs::write(&policy, &whole[..whole.len() / 2]).unwrap();
        assert!(matches!(
            error(path),
            RunError::BestWeights(StoreError::Corrupt { .. })
        ));
        fs::copy(other.join("policy.safetensors"), &policy).unwrap();
        assert!(matches!(
            error(path),
            RunError::BestWeights(StoreError::Corrupt { .. })
        ));
        fs::write(&policy, whole).unwrap();

        let manifest = path.join("manifest.json");
        let written = fs::read_to_string(&manifest).unwrap();
        for broken in ["{}", &written[..written.len() / 2]] {
            fs::write(&manifest, broken).unwrap();
            let error = error(path).to_string();
            assert!(
                error.contains("manifest.json: ") && error.contains("the command that began it"),
                "{error}"
            );
            assert_eq!(fs::read_to_string(&manifest).unwrap(), broken);
        }
        fs::remove_file(&manifest).unwrap();
        assert!(matches!(error(path), RunError::Manifest(_)));
        // Results of another version are not needed.
        fs::write(
            &manifest,
            written.replace("\"results\": null", "\"results\": { \"score\": true }"),
        )
        .unwrap();
        assert!(bytes(path) == before);
    }
    let wider = folder.path().join("wider");
    let experiment = experiment().with_all(&[
        "train.total_steps=512".to_owned(),
        "network.hidden=[17]".to_owned(),
    ]);
    Run::begin(experiment.unwrap(), &wider)
        .unwrap()
        .train(&mut ())
        .unwrap();
    fs::copy(wider.join("policy.safetensors"), best(&snake)).unwrap();
    assert!(matches!(
        error(&snake),
        RunError::BestWeights(StoreError::Mismatch { .. })
    ));
    Run::resume(&duel, &[]).unwrap().train(&mut ()).unwrap();
}

/// Records how long snakes were in selection games, with those of the last round kept apart.
#[derive(Default)]
struct Lengths {
    first: Vec<(u64, f64)>,
    last: Vec<(u64, f64)>,
}

impl Observer for Lengths {
    fn selected(&mut self, step: u64, round: Round, selection: &Selection) {
        let Score::Games { mean_length, .. } = selection.score else {
            panic!("one snake")
        };
        match round {
            Round::First => self.first.push((step, mean_length)),
            Round::Last => self.last.push((step, mean_length)),
        }
    }
}

/// The best three of five play other games, and the policy is the best of them.
#[test]
fn the_best_weights_are_chosen_by_other_games() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let settings = ["train.total_steps=2560", "train.evaluate_every=512"].map(str::to_owned);
    let experiment = experiment().with_all(&settings).unwrap();
    let mut heard = Lengths::default();
    Run::begin(experiment, &path)
        .unwrap()
        .train(&mut heard)
        .unwrap();
    let Lengths {
        mut first,
        mut last,
    } = heard;
    assert_eq!(first.len(), 5);
    // No game is won this early: longer snakes are better.
    let by_length = |one: &(u64, f64), other: &(u64, f64)| other.1.total_cmp(&one.1);
    first.sort_by(by_length);
    let steps = |heard: &[(u64, f64)]| heard.iter().map(|(step, _)| *step).collect::<Vec<_>>();
    assert_eq!(steps(&last), steps(&first[..3]));
    last.sort_by(by_length);
    let chosen = path.join(format!("candidates/step-{:012}.safetensors", last[0].0));
    assert!(fs::read(chosen).unwrap() == fs::read(path.join("policy.safetensors")).unwrap());
    assert_eq!(fs::read_dir(path.join("candidates")).unwrap().count(), 3);
}

/// Moves the folder away after a number of rounds.
#[cfg(unix)]
struct Moves<'a> {
    rounds_left: usize,
    from: &'a Path,
    to: &'a Path,
}

#[cfg(unix)]
impl Observer for Moves<'_> {
    fn progress(&mut self, _progress: &Progress, _rates: Rates) {
        self.rounds_left = self.rounds_left.wrapping_sub(1);
        if self.rounds_left == 0 {
            fs::rename(self.from, self.to).unwrap();
        }
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_moved_away_is_not_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, from, to] = ["whole", "from", "to"].map(|name| folder.path().join(name));
    Run::begin(experiment(), &whole)
        .unwrap()
        .train(&mut ())
        .unwrap();
    // Before the first checkpoint, and before the second.
    for rounds_left in [1, 40] {
        let run = Run::begin(experiment(), &from).unwrap();
        let error = run
            .train(&mut Moves {
                rounds_left,
                from: &from,
                to: &to,
            })
            .unwrap_err()
            .to_string();
        assert!(error.contains("from") && !from.exists(), "{error}");
        if rounds_left == 40 {
            assert_eq!(
                Run::resume(&to, &[]).unwrap().train(&mut ()).unwrap(),
                Stop::Finished
            );
            assert!(bytes(&to) == bytes(&whole));
        }
        fs::remove_dir_all(&to).unwrap();
    }
}

/// Records the results of selection games, and how they are reported afterwards.
#[derive(Default)]
struct Scores {
    selected: Vec<(u64, Selection)>,
    reported: Option<Score>,
}

impl Observer for Scores {
    fn progress(&mut self, progress: &Progress, _rates: Rates) {
        let known = self.selected.last().map(|(_, selection)| selection.score);
        assert_eq!(progress.score, known);
        self.reported = progress.score.or(self.reported);
    }

    fn selected(&mut self, step: u64, round: Round, selection: &Selection) {
        if round == Round::First {
            self.selected.push((step, selection.clone()));
        }
    }
}

/// On 2x2 any snake wins sometimes; on 6x6 no untrained snake does, so the geometric mean would be
/// 0.
#[test]
fn over_several_boards_the_mean_share_of_games_won_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let settings = [
        "env.observation=centered",
        "env.boards=[\"2x2\",\"6x6\"]",
        "env.rules.board=6x6",
    ];
    let experiment = experiment().with_all(&settings.map(str::to_owned)).unwrap();
    let path = folder.path().join("run");
    let mut heard = Scores::default();
    Run::begin(experiment, &path)
        .unwrap()
        .train(&mut heard)
        .unwrap();
    let curve = &scalars(&path).unwrap()["eval/win_rate"];
    assert_eq!((curve.len(), heard.selected.len()), (4, 4));
    for (step, selection) in &heard.selected {
        let (Score::Games { win_rate, .. }, SelectionGames::Boards(boards)) =
            (selection.score, &selection.games)
        else {
            panic!("one snake")
        };
        let [small, large] = &boards[..] else {
            panic!("{boards:?}")
        };
        let mean = (small.win_rate + large.win_rate) / 2.0;
        assert!(
            small.win_rate > 0.0 && large.win_rate == 0.0 && win_rate == mean,
            "{selection:?}"
        );
        assert!((curve[step] - mean).abs() < 1e-6);
    }
    assert!(heard.reported.is_some());
}

#[test]
fn settings_are_one_line_and_name_the_key_that_was_set() {
    let two = experiment()
        .with("seed=5\ntrain.n_step=99")
        .unwrap_err()
        .to_string();
    assert!(two.contains("expected u64"), "{two}");
    assert_eq!(
        dqn(experiment()
            .with("evaluation.policies=[\n\"greedy\",\n]")
            .unwrap())
        .evaluation
        .policies,
        ["greedy"]
    );
    let rate = experiment().with("train.learning_rate=0.001").unwrap_err();
    assert!(
        rate.to_string()
            .starts_with("train.learning_rate=0.001: expected a table such as { "),
        "{rate}"
    );

    let folder = tempfile::tempdir().unwrap();
    Run::begin(
        experiment().with("train.total_steps=512").unwrap(),
        folder.path(),
    )
    .unwrap()
    .train(&mut ())
    .unwrap();
    let run = Run::resume(folder.path(), &["train.discount=0.9".to_owned()]).unwrap();
    let error = run.check().unwrap_err().to_string();
    assert!(
        error.ends_with("train.discount is 0.985, expected 0.9"),
        "{error}"
    );
}

#[test]
fn the_number_of_duels_is_limited() {
    let error = |setting: &str| {
        let experiment = duel_experiment().with(setting).unwrap();
        experiment
            .check(&Catalog::default())
            .unwrap_err()
            .to_string()
    };
    let games = error("evaluation.games=16_777_216");
    assert_eq!(
        games,
        "evaluation.games: expected at most 16777216 duels in total, got 167772160"
    );
    let pairs = error("train.evaluation_pairs=8_388_609");
    assert_eq!(
        pairs,
        "train.evaluation_pairs: expected at most 16777216 duels in total, got 16777218"
    );
    assert!(
        error("train.evaluation_pairs=9223372036854775807").starts_with("train.evaluation_pairs: ")
    );
}

#[cfg(unix)]
#[test]
fn folder_names_must_be_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(std::ffi::OsStr::from_bytes(b"run\xff"));
    for refused in [
        Run::begin(experiment(), &path),
        Run::begin_or_resume(experiment(), &path),
    ] {
        let error = refused.unwrap_err().to_string();
        assert!(
            error.starts_with("expected a folder whose name is UTF-8")
                && error.contains("run\\xFF"),
            "{error}"
        );
    }
    assert!(!path.exists());
}

#[test]
fn starvation_by_default_goes_with_the_board() {
    let starvation = |settings: &[&str]| {
        let settings: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
        let experiment = Experiment::parse("env.rules.board = \"4x4\"").unwrap();
        dqn(experiment.with_all(&settings).unwrap()).env.starvation
    };
    assert_eq!(starvation(&["env.rules.board=5x6"]), Some(120));
    assert_eq!(
        starvation(&["env.starvation=30", "env.rules.board=5x6"]),
        Some(30)
    );
    assert_eq!(
        starvation(&["env.rules.board=5x6", "env.starvation=none"]),
        None
    );
}

#[test]
fn a_run_starts_from_given_weights_and_goes_on_without_them() {
    let folder = tempfile::tempdir().unwrap();
    let [teacher, pupil] = ["teacher", "pupil"].map(|name| folder.path().join(name));
    let run = Run::begin(
        experiment().with("train.total_steps=512").unwrap(),
        &teacher,
    )
    .unwrap();
    run.train(&mut ()).unwrap();

    let policy = teacher.join("policy.safetensors");
    let init = format!("init={}", policy.display());
    let begun = experiment().with_all(&["seed=8".to_owned(), init]).unwrap();
    let wider = dqn(begun.with("network.hidden=[17]").unwrap())
        .trainer("cpu")
        .err()
        .unwrap()
        .to_string();
    assert!(
        wider.ends_with("hidden.0.weight is [314, 16], expected [314, 17]"),
        "{wider}"
    );
    let other = dqn(begun.with("env.observation=planes").unwrap())
        .trainer("cpu")
        .err()
        .unwrap()
        .to_string();
    assert!(
        other.ends_with("the observation is \"egocentric\", expected \"planes\""),
        "{other}"
    );
    let larger = dqn(begun.with("env.rules.board=5x5").unwrap())
        .trainer("cpu")
        .err()
        .unwrap()
        .to_string();
    assert!(
        larger.contains("the board is 4x4, expected 5x5, where the shape of the network's hidden"),
        "{larger}"
    );
    let run = Run::begin(begun, &pupil).unwrap();
    let mut heard = Heard {
        rounds_left: Some(20),
        ..Heard::default()
    };
    assert_eq!(run.train(&mut heard).unwrap(), Stop::Interrupted);

    // The initial weights are no longer needed, but their path is remembered.
    fs::remove_file(&policy).unwrap();
    assert!(Experiment::of_run(&pupil, &[]).unwrap().init().is_some());
    let run = Run::resume(&pupil, &[]).unwrap();
    assert_eq!(run.train(&mut ()).unwrap(), Stop::Finished);
    let error = Run::resume(&pupil, &["init=elsewhere".to_owned()])
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("policy.safetensors, expected elsewhere"),
        "{error}"
    );
}

#[test]
fn duel_runs_report_the_score_against_each_anchor_and_a_rating() {
    let folder = tempfile::tempdir().unwrap();
    let run = Run::begin(duel_experiment(), &folder.path().join("run")).unwrap();
    assert_eq!(run.train(&mut ()).unwrap(), Stop::Finished);
    let curves = scalars(&folder.path().join("run")).unwrap();
    let [greedy, random] =
        ["greedy", "random"].map(|anchor| &curves[&format!("eval/score_against/{anchor}")]);
    assert_eq!(curves["eval/score"].len(), 2);
    for (step, score) in &curves["eval/score"] {
        assert!((score - (greedy[step] + random[step]) / 2.0).abs() < 1e-6);
    }
    assert!(curves["eval/rating"].keys().eq(curves["eval/score"].keys()));
}

#[test]
fn the_rating_of_an_agent_is_that_among_its_anchors() {
    let rating = |scores: &[f64]| {
        let against = scores.iter().map(|&score| (String::new(), score)).collect();
        let games = 200 * scores.len();
        let score = 0.5;
        hognose_run::DuelSummary {
            games,
            score,
            score_interval: None,
            draws: 0.0,
            against,
        }
        .rating()
    };
    assert!(rating(&[0.5, 0.5]).abs() < 1e-6);
    assert!((rating(&[0.9, 0.7]) + rating(&[0.1, 0.3])).abs() < 1e-6);
    // Ten of eleven points are 400; the game that counts as drawn lowers that slightly.
    assert!((rating(&[10.0 / 11.0; 3]) - 400.0).abs() < 10.0);
}
