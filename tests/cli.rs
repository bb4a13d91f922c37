//! Tests the `hognose` command as its users run it.

mod duels;
mod leaderboards;
mod pages;
mod reports;
#[cfg(unix)]
mod terminal;
mod tournaments;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn hognose(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hognose"));
    command
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn run(arguments: &[&str]) -> Output {
    hognose(arguments).output().unwrap()
}

/// Runs a command that must succeed, and returns its standard output.
fn succeed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command that must be refused with exit status 2, and returns its standard error.
fn refuse(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Writes a tiny experiment: a few hundred gradient steps on 4x4.
fn experiment(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("tiny.toml");
    fs::write(&path, include_str!("tiny.toml")).unwrap();
    path
}

fn checkpoints(run: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(run.join("checkpoints"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = entries
        .filter(|path| path.extension().is_some_and(|e| e == "safetensors"))
        .collect();
    paths.sort();
    paths
}

/// Waits until a condition holds or the process ends; panics after a minute.
fn wait_for(child: &mut Child, condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() && child.try_wait().unwrap().is_none() {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "waited for a minute"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[cfg(unix)]
fn interrupt(child: &Child) {
    let status = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(status.success());
}

#[test]
fn trains_evaluates_and_watches() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = experiment(&folder);
    let out = folder.path().join("run");
    let printed = succeed(&[
        "train",
        text(&experiment),
        "--out",
        text(&out),
        "--seed",
        "5",
    ]);
    for part in [
        "selection games",
        "| hamiltonian",
        "| greedy",
        "again: hognose evaluate --board 4x4",
    ] {
        assert!(printed.contains(part), "{part} is missing in {printed}");
    }
    assert!(
        fs::read_to_string(out.join("experiment.toml"))
            .unwrap()
            .contains("seed = 5")
    );
    assert_eq!(checkpoints(&out).len(), 2);

    let agent = format!("dqn:{}", out.display());
    let json = folder.path().join("table.json");
    let csv = folder.path().join("games.csv");
    let policies = format!("hamiltonian,{agent}");
    let evaluate = [
        "evaluate",
        "--board",
        "4x4",
        "--policies",
        &policies,
        "--games",
        "30",
        "--seed",
        "2",
    ];
    succeed(&[&evaluate[..], &["--json", text(&json), "--csv", text(&csv)]].concat());
    let table: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(
        (&table["board"], &table["seed"], &table["games"]),
        (&"4x4".into(), &2.into(), &30.into())
    );
    let first = &table["policies"][0];
    assert_eq!(
        (&first["name"], &first["wins"], &first["win_rate"]),
        (&"hamiltonian".into(), &30.into(), &1.0.into())
    );
    for key in [
        "mean_length",
        "mean_steps_won",
        "sd_steps_won",
        "decisions_per_second",
    ] {
        assert!(first[key].is_f64(), "{key} in {first}");
    }
    for key in ["win_rate_interval", "mean_steps_won_interval"] {
        assert_eq!(first[key].as_array().unwrap().len(), 2, "{key} in {first}");
    }
    let ends = &table["policies"][1]["ends"];
    let count = |end: &str| ends[end].as_u64().unwrap();
    assert_eq!(
        count("won") + count("wall") + count("body") + count("limit"),
        30
    );
    let rows = fs::read_to_string(&csv).unwrap();
    assert_eq!(rows.lines().count(), 61);

    // Game 3 of the table is the game that is watched, recorded and replayed.
    let steps = rows
        .lines()
        .find(|row| row.starts_with(&format!("{agent},3,")))
        .unwrap()
        .split(',')
        .nth(3)
        .unwrap();
    let which = [
        "--policy", &agent, "--board", "4x4", "--seed", "2", "--game", "3",
    ];
    let record = folder.path().join("game.txt");
    let recorded = succeed(&[&["record"], &which[..], &["--out", text(&record)]].concat());
    assert!(
        recorded.contains(&format!("after {steps} steps")),
        "{recorded} {steps}"
    );
    assert!(succeed(&["replay", text(&record)]).contains(&format!("after {steps} steps")));
    assert!(succeed(&[&["watch"], &which[..]].concat()).contains(&format!("after {steps} steps")));
    let changed = fs::read_to_string(&record)
        .unwrap()
        .replace("seed ", "seed 1");
    fs::write(&record, changed).unwrap();
    assert!(refuse(&["replay", text(&record)]).contains("game.txt"));

    assert!(refuse(&["train", text(&experiment), "--out", text(&out)]).contains("--resume"));
    assert!(
        refuse(&["watch", "--policy", &agent, "--board", "5x5"])
            .contains("trained on 4x4 and can't play 5x5")
    );
}

/// If winning is not certain from every start, the run does not begin.
#[test]
fn a_mask_that_cannot_be_kept_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = experiment(&folder);
    let out = folder.path().join("run");
    let train = [
        "train",
        text(&experiment),
        "--out",
        text(&out),
        "--set",
        "env.rules.tail_entry=false",
        "--set",
    ];
    for guide in [
        &["env.mask=safe"][..],
        &["train.actions=plans", "--set", "train.discount=1"],
    ] {
        let error = refuse(&[&train[..], guide].concat());
        assert!(error.contains("tail"), "{error}");
        assert!(!out.exists());
    }
}

#[test]
fn a_run_that_diverges_reports_how_to_continue() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = experiment(&folder);
    let out = folder.path().join("run");
    let train = ["train", text(&experiment), "--out", text(&out), "--set"];
    let output = run(&[&train[..], &["train.learning_rate.start=1e25"]].concat());
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.code() == Some(1)
            && error.contains("training diverged")
            && error.contains("no checkpoint was written yet"),
        "{error}"
    );
    assert!(!out.join("policy.safetensors").exists());

    succeed(&[&train[..], &["train.total_steps=4000"]].concat());
    let before = checkpoints(&out);
    let go_on = |rate: &str| {
        let rates = ["start", "end"].map(|which| format!("train.learning_rate.{which}={rate}"));
        let settings = [
            "--set",
            "train.total_steps=5000",
            "--set",
            &rates[0],
            "--set",
            &rates[1],
        ];
        run(&[&["train", "--resume", text(&out)], &settings[..]].concat())
    };
    let diverged = go_on("1e25");
    assert_eq!(diverged.status.code(), Some(1), "{diverged:?}");
    let error = String::from_utf8(diverged.stderr).unwrap();
    let lower = "--set train.learning_rate.start=1e24 --set train.learning_rate.end=1e24";
    let command = format!("`hognose train --resume {} {lower}`", out.display());
    assert!(
        error.contains(text(&before[1])) && error.contains(&command),
        "{error}"
    );
    assert_eq!(checkpoints(&out), before);
    assert!(go_on("1e-4").status.success());
}

#[test]
fn runs_keep_the_starvation_that_they_began_with() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = experiment(&folder);
    let out = folder.path().join("run");
    let short = [
        "--set",
        "train.total_steps=1000",
        "--set",
        "env.starvation=none",
    ];
    succeed(
        &[
            &["train", text(&experiment), "--out", text(&out)],
            &short[..],
        ]
        .concat(),
    );
    let file = out.join("experiment.toml");
    let written = fs::read_to_string(&file).unwrap();
    assert!(written.contains("starvation = \"none\""), "{written}");
    succeed(&[
        "train",
        "--resume",
        text(&out),
        "--set",
        "train.total_steps=1500",
    ]);
    let again = fs::read_to_string(&file).unwrap();
    assert_eq!(again.replace("1500", "1000"), written);
    let error = refuse(&[
        "train",
        "--resume",
        text(&out),
        "--set",
        "env.starvation=32",
    ]);
    assert!(
        error.contains("env.starvation is \"none\", expected 32"),
        "{error}"
    );
}

/// Several seeds in one call are separate runs, are resumed, and are drawn from their event files.
#[test]
fn seeds_are_trained_one_after_another_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = experiment(&folder);
    let out = folder.path().join("tiny");
    let arguments = [
        "train",
        text(&experiment),
        "--seed",
        "3",
        "--out",
        text(&out),
        "--seeds",
    ];
    let seeds = |rest: &'static [&str]| [&arguments[..], rest].concat();
    let first = succeed(&seeds(&["2"]));
    for part in [
        "| training seed",
        "| 3 ",
        "| 4 ",
        "| mean of 2",
        "worst: seed ",
    ] {
        assert!(first.contains(part), "{part} is missing in {first}");
    }
    let again = succeed(&seeds(&["3"]));
    assert_eq!(again.matches("is finished").count(), 2, "{again}");
    assert!(again.contains("| mean of 3"), "{again}");
    let longer = seeds(&["1", "--set", "train.total_steps=21_000"]);
    assert!(succeed(&longer).contains("resuming"));
    assert!(text(checkpoints(&out.join("seed3")).last().unwrap()).contains("021008"));
    let written = fs::read_to_string(out.join("seed3/experiment.toml")).unwrap();
    assert!(
        written.contains("total_steps = 21000") && written.contains("schedule_steps = 20000"),
        "{written}"
    );
    assert!(succeed(&longer).contains("is finished"));
    assert!(
        refuse(&seeds(&["2", "--set", "train.n_step=2"])).contains("train.n_step is 7, expected 2")
    );
    let steeper = refuse(&seeds(&["2", "--set", "train.learning_rate.start=0.05"]));
    assert!(
        steeper.contains("train.learning_rate.start is 0.0005, expected 0.05"),
        "{steeper}"
    );
    assert!(refuse(&seeds(&["0"])).contains("--seeds"));
    // A new run of the longer experiment would have longer schedules than the runs that have begun.
    let unlike = refuse(&seeds(&["4", "--set", "train.total_steps=21_000"]));
    let one = format!(
        "train.schedule_steps 20000 in {}",
        out.join("seed3").display()
    );
    let other = format!("21000 in {}", out.join("seed6").display());
    assert!(unlike.contains(&one) && unlike.contains(&other), "{unlike}");
    assert!(
        unlike.contains("`--set train.schedule_steps=20000`") && !out.join("seed6").exists(),
        "{unlike}"
    );

    let alone = folder.path().join("alone");
    succeed(&[
        "train",
        text(&experiment),
        "--seed",
        "4",
        "--out",
        text(&alone),
    ]);
    let policy = |run: &Path| fs::read(run.join("policy.safetensors")).unwrap();
    assert!(policy(&alone) == policy(&out.join("seed4")));
    let manifest = |run: &Path| -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(run.join("manifest.json")).unwrap()).unwrap()
    };
    let one = manifest(&alone);
    let other = manifest(&out.join("seed4"));
    for key in [
        "command",
        "version",
        "board",
        "seed",
        "environment_steps",
        "gradient_steps",
    ] {
        assert!(
            !one[key].is_null() && one[key] == other[key],
            "{key}: {one} {other}"
        );
    }
    assert_eq!(one["results"]["win_rate"], other["results"]["win_rate"]);
    assert!(
        one["cpu_seconds"].as_f64().unwrap() > 0.0 && one["wall_seconds"].as_f64().unwrap() > 0.0,
        "{one}"
    );

    let pictures = folder.path().join("pictures");
    succeed(&["curves", text(&out), text(&alone), "--out", text(&pictures)]);
    let picture = fs::read_to_string(pictures.join("mean-length.svg")).unwrap();
    assert!(
        picture.contains("tiny: n = 2") && picture.contains("alone: n = 1"),
        "{picture}"
    );
    assert!(refuse(&["curves", text(&pictures)]).contains("expected a run, or a folder with runs"));
    fs::copy(
        alone.join("experiment.toml"),
        pictures.join("experiment.toml"),
    )
    .unwrap();
    let none = folder.path().join("none");
    assert!(
        refuse(&["curves", text(&pictures), "--out", text(&none)])
            .contains("selection games, got none")
    );
    assert!(!none.exists());
}

/// The options for rules reach the games: from length s, following the cycle takes (A-s)(A-s+3)/4
/// steps on average.
#[test]
fn games_are_played_by_the_rules_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("table.json");
    let rules = [
        "--board",
        "6x6",
        "--start-at",
        "1,0,right",
        "--start-length",
        "2",
        "--no-tail-entry",
        "--foods",
        "1",
    ];
    let evaluate = [
        "evaluate",
        "--policies",
        "hamiltonian",
        "--games",
        "2000",
        "--json",
        text(&json),
    ];
    let printed = succeed(&[&evaluate[..], &rules].concat());
    assert!(
        printed.starts_with(
            "6x6, start column 1 row 0 heading right length 2, no tail entry, 2000 games"
        ),
        "{printed}"
    );
    let table: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    let mean = table["policies"][0]["mean_steps_won"].as_f64().unwrap();
    let exact = (36.0 - 2.0) * (36.0 - 2.0 + 3.0) / 4.0;
    assert!((mean - exact).abs() < 4.0, "{mean} {exact}");
    let record = folder.path().join("game.txt");
    succeed(
        &[
            &["record", "--policy", "hamiltonian", "--out", text(&record)],
            &rules[..],
        ]
        .concat(),
    );
    assert!(
        fs::read_to_string(&record)
            .unwrap()
            .contains("start column 1 row 0 heading right length 2")
    );
    succeed(&["replay", text(&record)]);
}

/// A document with a number that holds, one that does not, and one that can't be compared.
const DOCUMENT: &str = r#"
title = "A document"
games = 400

[[case]]
name = "cycle"
policy = "hamiltonian"
rules = { board = "4x4" }
published = [
    { place = "Table 1", what = "mean_steps_won", value = 67.5 },
    { place = "Table 2", what = "mean_steps_won", value = 75, n = 400, note = "a slip" },
]

[[case]]
name = "random"
policy = "random"
rules = { board = "6x6", start = { length = 1 } }
published = [{ place = "Table 3", what = "mean_steps_won", value = 1, n = 1 }]

[[claim]]
place = "Section 1"
says = "fewer steps"
case = "cycle"
reference = "random"
what = "mean_steps"
expect = "lower"

[[scan]]
place = "Section 2"
name = "thresholds"
policy = "modified-endgame"
rules = { board = "4x4" }
games = 50
what = "mean_steps_won"
values = [[8, 50.0]]
between = [4]
unit = 20
x = "length"
file = "thresholds"

[[statement]]
place = "Section 3"
says = "a sum"
value = "496"
formula = { sum = { from = 1, to = 32 } }

[[figure]]
place = "Figure 1"
title = "Steps"
what = "steps_won"
cases = ["cycle", "random"]
file = "figure-1"
"#;

#[test]
fn published_numbers_are_reproduced() {
    let folder = tempfile::tempdir().unwrap();
    let document = folder.path().join("document.toml");
    let out = folder.path().join("out");
    fs::write(&document, DOCUMENT).unwrap();
    let printed = succeed(&["reproduce", text(&document), "--out", text(&out)]);
    let verdict = |place: &str| {
        let row = printed
            .lines()
            .find(|line| line.contains(place))
            .unwrap_or_else(|| panic!("{place}: {printed}"));
        row.split('|').rev().nth(1).unwrap().trim().to_owned()
    };
    assert_eq!(verdict("Table 1"), "agrees");
    let wrong = verdict("Table 2");
    assert!(
        wrong.starts_with("differs by +") && wrong.ends_with(": a slip"),
        "{wrong}"
    );
    assert!(verdict("Table 3").starts_with("can't be compared"));
    assert_eq!(
        (verdict("Section 1").as_str(), verdict("Section 3").as_str()),
        ("holds", "does not hold")
    );
    assert!(printed.contains("528 (exact)"), "{printed}");
    let out = out.join("document");
    let results: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(out.join("results.json")).unwrap()).unwrap();
    let agrees: Vec<&serde_json::Value> = results["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["agrees"])
        .collect();
    assert_eq!(
        serde_json::json!(agrees),
        serde_json::json!([true, false, null, true, true, false])
    );
    for name in ["figure-1", "thresholds"] {
        assert!(
            fs::read_to_string(out.join(format!("{name}.svg")))
                .unwrap()
                .contains("games")
        );
        assert!(
            fs::read(out.join(format!("{name}.png")))
                .unwrap()
                .starts_with(b"\x89PNG")
        );
    }

    fs::write(
        &document,
        DOCUMENT.replace("reference = \"random\"", "reference = \"circle\""),
    )
    .unwrap();
    assert!(refuse(&["reproduce", text(&document)]).contains("there is no case \"circle\""));
    fs::write(&document, DOCUMENT.replace("unit = 20", "units = 20")).unwrap();
    assert!(refuse(&["reproduce", text(&document)]).contains("unknown field `units`"));
    let error = refuse(&["reproduce", "no-such-document"]);
    assert!(
        error.contains("expected a file or one of ai-snakes, ")
            && error.contains("got \"no-such-document\"")
    );
}

/// Embedded experiments, documents and agents, and defaults, work in an empty folder.
#[test]
fn the_binary_works_in_any_folder() {
    let folder = tempfile::tempdir().unwrap();
    let output = |arguments: &[&str]| {
        hognose(arguments)
            .current_dir(folder.path())
            .output()
            .unwrap()
    };
    let printed = |arguments: &[&str]| {
        let output = output(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(printed(&[]).contains("hognose watch"));
    let table = printed(&["evaluate", "--games", "2"]);
    for policy in [
        "10x10, 2 games",
        "certified",
        "dqn:every-board-plans",
        "killer",
        "shortcut",
        "greedy",
    ] {
        assert!(table.contains(policy), "{policy}: {table}");
    }
    // No cycle covers 5x5, so policies that need one are left out.
    let odd = printed(&["evaluate", "--games", "2", "--board", "5x5"]);
    assert!(
        odd.contains("| certified ") && odd.contains("| dqn:every-board-plans "),
        "{odd}"
    );
    assert!(
        !odd.contains("| killer ") && !odd.contains("| shortcut "),
        "{odd}"
    );
    assert!(printed(&["record"]).contains("10x10"));
    assert!(printed(&["record", "--policy", "dqn-safe:quickstart-6x6"]).contains("6x6"));
    // An agent for many boards plays the default one.
    assert!(printed(&["record", "--policy", "dqn:every-board-plans"]).contains("10x10"));
    printed(&["reproduce", "snek-ai", "--games", "1"]);
    let stops = [
        "--set",
        "train.total_steps=2000",
        "--set",
        "train.evaluation_games=1",
        "--set",
        "evaluation.games=1",
    ];
    printed(&[&["train", "quickstart"], &stops[..]].concat());
    assert!(
        folder
            .path()
            .join("runs/quickstart-seed0/policy.safetensors")
            .is_file()
    );

    let error = |arguments: &[&str]| {
        let output = output(arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let unknown = error(&["watch", "--policy", "dqn:8x8"]);
    assert!(
        unknown
            .contains("one of every-board-plans, quickstart-6x6, got \"8x8\"; other agents are in"),
        "{unknown}"
    );
    let unknown = error(&["train", "slowstart"]);
    assert!(
        unknown.contains("expected a file or one of ") && unknown.contains("quickstart"),
        "{unknown}"
    );
    // A file with the name of an agent takes precedence over the agent.
    fs::write(folder.path().join("every-board-plans"), "no agent").unwrap();
    assert!(error(&["record"]).contains("not a complete hognose file"));
}

/// Every embedded document is read and played; with so few games the verdicts mean nothing.
#[test]
fn shipped_documents_are_played() {
    let folder = tempfile::tempdir().unwrap();
    let printed = succeed(&[
        "reproduce",
        "all",
        "--games",
        "2",
        "--out",
        text(folder.path()),
    ]);
    for title in [
        "Slitherin Round",
        "Snek AI",
        "chuyangliu/snake",
        "Killer Devouring Snake",
    ] {
        assert!(printed.contains(title), "{printed}");
    }
}

#[test]
fn evaluations_are_drawn_and_policies_verified() {
    let folder = tempfile::tempdir().unwrap();
    let policies = "hamiltonian,modified-endgame:9,random";
    let plot = text(folder.path());
    succeed(&[
        "evaluate",
        "--board",
        "4x4",
        "--policies",
        policies,
        "--games",
        "50",
        "--plot",
        plot,
    ]);
    for name in [
        "steps-to-win",
        "steps-to-win-distribution",
        "lengths",
        "cost-by-length",
    ] {
        let svg = fs::read_to_string(folder.path().join(format!("{name}.svg"))).unwrap();
        assert!(
            svg.contains("modified-endgame:9") && svg.contains("4x4, 50 games of seed 0 each"),
            "{name}"
        );
        assert!(folder.path().join(format!("{name}.png")).exists());
    }
    let on_boards = ["--boards", "4x4,6x4", "--games", "5", "--plot", plot];
    succeed(&[&["evaluate", "--policies", "hamiltonian"], &on_boards[..]].concat());
    for name in ["steps-by-cells", "time-by-cells"] {
        let svg = fs::read_to_string(folder.path().join(format!("{name}.svg"))).unwrap();
        assert!(svg.contains("hamiltonian: cells^"), "{svg}");
    }
    let boards = [
        "--boards",
        "3x3,4x4..4x5",
        "--start-lengths",
        "1",
        "--games",
        "5",
    ];
    let printed = succeed(
        &[
            &["verify", "--policies", "hamiltonian,almighty-long"],
            &boards[..],
        ]
        .concat(),
    );
    let sampled = "from every start on 0";
    let expected = [
        format!("hamiltonian: won 10 of 10 games on 2 of 3 boards, {sampled}; refused 5 games"),
        format!("almighty-long: won 5 of 5 games on 1 of 3 boards, {sampled}; refused 10 games"),
    ];
    assert!(
        expected.iter().all(|line| printed.contains(line)),
        "{printed}"
    );
    assert!(
        refuse(&["verify", "--start-lengths", "0..3"])
            .contains("expected a length or lengths from 1 to 255")
    );
    assert!(
        refuse(&["evaluate", "--board", "4x4", "--policies", "bfs:3"])
            .contains("expected \"bfs\" alone")
    );
    assert!(refuse(&["play", "--board", "4x4"]).contains("play needs a terminal"));
    let watched = succeed(&[
        "watch", "--policy", "series", "--board", "4x4", "--fps", "1000",
    ]);
    assert!(
        watched.contains("series: step 0, length 1 of 16") && watched.contains("won after"),
        "{watched}"
    );
}

#[test]
fn positions_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let render = |out: &Path, step: &str| {
        let game = [
            "render", "--policy", "shortcut", "--board", "6x6", "--game", "3",
        ];
        run(&[&game[..], &["--out", text(out), "--step", step]].concat())
    };
    let printed = render(&file("start.svg"), "0");
    assert!(
        String::from_utf8(printed.stdout)
            .unwrap()
            .ends_with("start.svg: step 0, length 1 of 36\n")
    );
    let start = fs::read_to_string(file("start.svg")).unwrap();
    assert!(
        render(&file("later.svg"), "30").status.success()
            && render(&file("later.png"), "30").status.success()
    );
    assert_ne!(fs::read_to_string(file("later.svg")).unwrap(), start);
    assert!(fs::read(file("later.png")).unwrap().starts_with(b"\x89PNG"));
    let error = |out: &str, step: &str| String::from_utf8(render(&file(out), step).stderr).unwrap();
    assert!(error("later.pdf", "30").contains("expected a file that ends in .svg or .png, got "));
    assert!(error("none.svg", "9999").contains("expected a step of at most "));
    assert!(!file("none.svg").exists());
}

#[test]
fn games_become_animated_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let record = file("game.txt");
    let svg = file("game.svg");
    let game = ["--policy", "certified", "--board", "6x6", "--game", "3"];
    let recorded = succeed(&[&["record", "--out", &record], &game[..]].concat());
    let ending = recorded.strip_prefix(&record).unwrap();
    // A record does not contain the policy's plans.
    assert_eq!(
        succeed(&["render", &record, "--svg", &svg]),
        format!("{svg}{ending}")
    );
    let plain = fs::read_to_string(&svg).unwrap();
    assert!(
        plain.contains("<animate ")
            && !plain.contains("class=\"plan\"")
            && !plain.contains("<script")
    );
    // A policy that plays the game shows its plans.
    assert_eq!(
        succeed(&[&["render", "--svg", &svg], &game[..]].concat()),
        format!("{svg}{ending}")
    );
    let full = fs::read_to_string(&svg).unwrap();
    assert!(full.contains("class=\"plan\"") && full.contains("marker-mid"));
    succeed(&[&["render", "--svg", &svg, "--plain"], &game[..]].concat());
    assert_eq!(fs::read_to_string(&svg).unwrap(), plain);
    // Watching, even without a terminal, gives the same picture.
    let watched = succeed(&[&["watch", "--svg", &svg], &game[..]].concat());
    assert!(
        watched.contains(&format!("{svg}: ")) && watched.ends_with(&ending[2..]),
        "{watched}"
    );
    assert_eq!(fs::read_to_string(&svg).unwrap(), full);
    // The speed is the requested one.
    succeed(&["render", &record, "--svg", &svg, "--fps", "5"]);
    let slow = fs::read_to_string(&svg).unwrap();
    assert!(slow.len().abs_diff(plain.len()) < plain.len() / 5 && slow != plain);
    // A single position of a record.
    let out = file("position.png");
    assert!(
        succeed(&["render", &record, "--out", &out, "--step", "9"]).contains("step 9, length ")
    );

    let nothing = file("nothing.svg");
    let wrong = [
        (
            vec![
                "render",
                &record,
                "--svg",
                &nothing,
                "--policy",
                "certified",
            ],
            "cannot be used with",
        ),
        (
            vec!["render", &record, "--svg", &nothing, "--foods", "2"],
            "cannot be used with",
        ),
        (
            vec!["render", &record, "--svg", &nothing, "--step", "3"],
            "cannot be used with",
        ),
        (
            vec!["render", &record, "--svg", "game.png"],
            "expected a file that ends in .svg",
        ),
        (vec!["render", &record], "--svg <FILE>|--out <FILE>"),
        (
            vec!["render", "Cargo.toml", "--svg", &nothing],
            "Cargo.toml: line 1: expected \"hognose-record 1\", got ",
        ),
        (
            vec!["render", "no-such-file", "--svg", &nothing],
            "no-such-file",
        ),
        (
            vec!["render", &record, "--svg", "no/such/folder.svg"],
            "can't write no/such/folder.svg: ",
        ),
        (
            vec!["render", &record, "--svg", &nothing, "--fps", "0"],
            "expected 0.01 to 1000",
        ),
        (
            vec![
                "watch",
                "--policy",
                "certified",
                "--board",
                "4x4",
                "--svg",
                "no/such/folder.svg",
            ],
            "can't write no/such",
        ),
        (
            vec![
                "watch",
                "--policy",
                "certified",
                "--board",
                "4x4",
                "--svg",
                &nothing,
                "--loop",
            ],
            "cannot be used with",
        ),
    ];
    for (arguments, expected) in wrong {
        let error = refuse(&arguments);
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
    assert!(!Path::new(&nothing).exists());
}

#[test]
fn tables_are_solved_resumed_probed_and_played() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("4x4.table");
    let partial = folder.path().join("4x4.table.partial");
    let solve = [
        "tablebase",
        "solve",
        "--board",
        "4x4",
        "--out",
        text(&table),
    ];
    let printed = succeed(&solve);
    assert!(
        printed.contains("from a corner 42.00") && printed.contains("28,512 positions"),
        "{printed}"
    );
    assert!(!partial.exists());
    assert!(refuse(&solve).contains("already exists"));
    // Truncated in the middle of a section, the table is solved again from the previous section,
    // with identical bytes.
    let whole = fs::read(&table).unwrap();
    fs::write(&partial, &whole[..whole.len() / 2]).unwrap();
    fs::remove_file(&table).unwrap();
    let printed = succeed(&[&solve[..], &["--threads", "1"]].concat());
    assert!(printed.contains("continuing from length"), "{printed}");
    assert!(fs::read(&table).unwrap() == whole);

    let policies = format!("optimal,optimal:{},hamiltonian", table.display());
    let json = folder.path().join("table.json");
    let evaluate = [
        "evaluate",
        "--board",
        "4x4",
        "--policies",
        &policies,
        "--games",
        "200",
        "--regret",
    ];
    let printed = succeed(
        &[
            &evaluate[..],
            &["--regret-games", "10", "--json", text(&json)],
        ]
        .concat(),
    );
    assert!(
        printed.contains("| optimal ") && printed.contains("0 in 10 games"),
        "{printed}"
    );
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    let mean = |policy: usize| {
        report["policies"][policy]["mean_steps_won"]
            .as_f64()
            .unwrap()
    };
    assert_eq!((mean(0) < 45.0, mean(0)), (true, mean(1)));
    let regret = |policy: usize| {
        report["regrets"][policy]["steps_per_game"]
            .as_f64()
            .unwrap()
    };
    assert!(regret(0) < 1e-9 && regret(2) > 10.0);

    let record = folder.path().join("game.txt");
    succeed(&[
        "record",
        "--policy",
        "optimal",
        "--board",
        "4x4",
        "--out",
        text(&record),
    ]);
    let probed = succeed(&["tablebase", "probe", "--record", text(&record)]);
    assert!(probed.ends_with(
        "0.000000 expected steps were lost in sure positions, and a sure win 0 times\n"
    ));
    let position = [
        "tablebase",
        "probe",
        "--board",
        "4x4",
        "--body",
        "1,0;0,0",
        "--food",
        "3,3",
    ];
    assert!(succeed(&position).contains("up loses, right "));
    assert!(
        refuse(&[
            "tablebase",
            "probe",
            "--board",
            "4x4",
            "--body",
            "1,0",
            "--food",
            "4,4"
        ])
        .contains("COLUMN,ROW")
    );
    assert!(
        refuse(&["tablebase", "solve", "--board", "8x8", "--memory", "0.1"])
            .contains("8x8 has more than")
    );
    assert!(
        refuse(&["evaluate", "--board", "6x6", "--policies", "optimal"])
            .contains("6x6 needs a table")
    );
    fs::write(&table, &whole[..whole.len() - 1]).unwrap();
    assert!(refuse(&evaluate).contains("ends before the section of length 1"));
}

#[test]
fn small_duels_are_solved_and_bots_exploited() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("duels.json");
    let solve = [
        "tablebase",
        "duel",
        "--board",
        "3x3",
        "--redraw-after",
        "never",
        "--step-limit",
        "100",
    ];
    let printed = succeed(
        &[
            &solve[..],
            &["--bots", "random,sample,greedy", "--json", text(&json)],
        ]
        .concat(),
    );
    assert!(
        printed.contains("\n4,960 positions: both bodies and the food\n"),
        "{printed}"
    );
    assert!(
        printed.contains("\nthe start is worth 0.000000 to the first seat"),
        "{printed}"
    );
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    let nash_conv = |bot: usize| report["bots"][bot]["nash_conv"].as_f64().unwrap();
    assert_eq!([0, 1, 2].map(nash_conv), [0.71875, 2.0 / 3.0, 0.0]);
    assert_eq!(report["layers"].as_array().unwrap().len(), 100);

    let refused = |options: &[&str]| refuse(&[&["tablebase", "duel", "--board"], options].concat());
    assert!(
        refused(&["3x3", "--bots", "greedy,hognose:2"])
            .contains("hognose:2: expected a bot whose moves depend on the")
    );
    assert!(
        refused(&["3x3", "--bots", "exec:cat"])
            .contains("exec:cat: expected a bot whose moves depend on the")
    );
    assert!(refused(&["3x3", "--bots", "greed"]).contains("did you mean greedy?"));
    assert!(refused(&["4x5"]).contains("expected a board of at most 16 cells, got 20"));
    assert!(
        refused(&["3x4", "--memory", "0.01"])
            .contains("expected at most 0.01 GiB of memory, but 1626768 states")
    );
    assert!(
        refused(&["4x4-torus", "--memory", "1"]).contains("expected at most 1 GiB of memory, but ")
    );
    assert!(
        refused(&["3x4", "--foods", "2"])
            .contains("expected one food on the board at a time, got 2")
    );
}

/// Enumerating the positions of a board takes minutes, and handles Ctrl-C.
#[cfg(unix)]
#[test]
fn enumerating_duels_is_interrupted() {
    let child = hognose(&["tablebase", "duel", "--board", "4x4"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1000));
    interrupt(&child);
    let asked = Instant::now();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    assert!(
        asked.elapsed() < Duration::from_secs(10),
        "{:?}",
        asked.elapsed()
    );
}

/// Some starts on a torus lie across its border. A policy that refuses them plays the others, and
/// the output reports how many were refused and how to avoid it.
#[test]
fn refused_starts_are_left_out_of_an_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("table.json");
    let csv = folder.path().join("games.csv");
    let torus = [
        "evaluate",
        "--board",
        "5x5-torus",
        "--start-length",
        "3",
        "--games",
        "60",
    ];
    let policies = [
        "--policies",
        "greedy,almighty-long",
        "--json",
        text(&json),
        "--csv",
        text(&csv),
    ];
    let printed = succeed(&[&torus[..], &policies].concat());
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    let refused = report["policies"][1]["refused"].as_u64().unwrap() as usize;
    assert!(
        (5..55).contains(&refused) && report["policies"][0].get("refused").is_none(),
        "{report}"
    );
    assert!(
        printed.contains(&format!("almighty-long: refused {refused} of 60 games")),
        "{printed}"
    );
    assert!(
        printed.contains("; with `--start-margin 2` no body lies across the border"),
        "{printed}"
    );
    // Rows keep the numbers of their games, and thus their seeds.
    let rows = fs::read_to_string(&csv).unwrap();
    let games = |policy: &str| {
        let rows = rows
            .lines()
            .filter(|row| row.starts_with(policy))
            .map(|row| row.split(',').collect::<Vec<_>>());
        rows.map(|row| (row[1].to_owned(), row[2].to_owned()))
            .collect::<Vec<_>>()
    };
    let all = games("greedy,");
    assert_eq!(
        (all.len(), games("almighty-long,").len()),
        (60, 60 - refused)
    );
    assert!(
        games("almighty-long,")
            .iter()
            .all(|game| all.contains(game))
    );
    let printed = succeed(
        &[
            &torus[..],
            &["--policies", "greedy,almighty-long", "--start-margin", "2"],
        ]
        .concat(),
    );
    assert!(!printed.contains("refused"), "{printed}");
    assert!(
        refuse(&["evaluate", "--board", "5x5", "--policies", "cell-tree"])
            .contains("need both sides even")
    );
}

/// A run that is interrupted by Ctrl-C and resumed ends in the same bytes as an uninterrupted one.
#[cfg(unix)]
#[test]
fn ctrl_c_saves_and_resuming_goes_on_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = experiment(&folder);
    let whole = folder.path().join("whole");
    let broken = folder.path().join("broken");
    let setting = ["--set", "evaluation.games=1"];
    let train = |out: &Path| {
        [
            vec!["train", text(&experiment), "--out", text(out)],
            setting.to_vec(),
        ]
        .concat()
        .join(" ")
    };
    succeed(&train(&whole).split(' ').collect::<Vec<_>>());
    let arguments = train(&broken);
    let mut child = hognose(&arguments.split(' ').collect::<Vec<_>>())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&mut child, || checkpoints(&broken).len() == 1);
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("hognose train --resume"), "{printed}");
    succeed(&["train", "--resume", text(&broken)]);
    let last = |run: &Path| fs::read(checkpoints(run).last().unwrap()).unwrap();
    assert!(last(&whole) == last(&broken));
    assert!(
        fs::read(whole.join("policy.safetensors")).unwrap()
            == fs::read(broken.join("policy.safetensors")).unwrap()
    );

    // A finished run continues if it gets more steps.
    succeed(&[
        "train",
        "--resume",
        text(&broken),
        "--set",
        "train.total_steps=22_000",
    ]);
    assert!(text(checkpoints(&broken).last().unwrap()).contains("022000"));
    assert!(
        refuse(&[
            "train",
            "--resume",
            text(&broken),
            "--set",
            "train.n_step=2"
        ])
        .contains("train.n_step is 7, expected 2")
    );
}

/// A run that is killed repeatedly while it keeps saving always has a complete checkpoint to resume
/// from.
#[test]
fn a_kill_leaves_a_whole_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = experiment(&folder);
    let out = folder.path().join("run");
    let settings = [
        "train.checkpoint_every=16",
        "train.keep_checkpoints=1",
        "train.total_steps=1_000_000",
        "train.evaluation_games=1",
    ];
    let settings: Vec<&str> = settings
        .iter()
        .flat_map(|setting| ["--set", *setting])
        .collect();
    for attempt in 0..8 {
        let start = if attempt == 0 {
            [
                vec!["train", text(&experiment), "--out", text(&out)],
                settings.clone(),
            ]
            .concat()
        } else {
            vec!["train", "--resume", text(&out)]
        };
        let mut child = hognose(&start)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let before = checkpoints(&out);
        wait_for(&mut child, || {
            !checkpoints(&out).is_empty() && checkpoints(&out) != before
        });
        std::thread::sleep(Duration::from_millis(7 * attempt));
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            output.status.code(),
            None,
            "attempt {attempt} ended by itself: {output:?}"
        );
    }
}

/// A custom player in Python: the one on the page about programs.
#[cfg(unix)]
const PLAYER: &str = "exec:python3 crates/process/examples/player.py";

#[test]
#[cfg(unix)]
fn programs_play() {
    let folder = TempDir::new().unwrap();
    let json = folder.path().join("results.json");
    let crash = "exec:sh -c 'read -r line; echo broken, >&2; exit 3'";
    let arguments = [
        "evaluate",
        "--board",
        "6x6",
        "--games",
        "5",
        "--policies",
        "greedy",
        "--policy",
        PLAYER,
    ];
    let others = [
        "--policy",
        crash,
        "--threads",
        "2",
        "--move-limit",
        "20",
        "--json",
        text(&json),
    ];
    let printed = succeed(&[&arguments[..], &others].concat());
    assert!(
        printed.contains("player.py *") && printed.contains("*: depends on the clock"),
        "{printed}"
    );
    let start = format!(
        "{crash}: forfeited 5 games, which no column above counts; the first: the program \
         ended"
    );
    let (_, reason) = printed
        .split_once(&start)
        .unwrap_or_else(|| panic!("{printed}"));
    let file = reason
        .split_once("its standard error is in ")
        .unwrap()
        .1
        .lines()
        .next()
        .unwrap();
    assert!(fs::read_to_string(file).unwrap().starts_with("broken,\n"));
    fs::remove_file(file).unwrap();
    let results: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    let forfeits: Vec<_> = (0..3)
        .map(|row| {
            results["policies"][row]["ends"]["forfeit"]
                .as_u64()
                .unwrap()
        })
        .collect();
    assert_eq!(forfeits, [0, 0, 5]);
    let clocks = (0..3).map(|row| {
        results["policies"][row]["depends_on_clock"]
            .as_bool()
            .unwrap()
    });
    assert_eq!(clocks.collect::<Vec<_>>(), [false, true, true]);
    let record = succeed(&["record", "--policy", PLAYER, "--board", "6x6"]);
    assert!(record.starts_with("hognose"), "{record}");
    let watched = succeed(&[
        "watch",
        "--policy",
        "exec:sh -c 'exit 3'",
        "--board",
        "6x6",
        "--fps",
        "1000",
    ]);
    let end = "cut off after 0 steps, length 1 of 36; forfeited: the program ended \
               (exit status: 3)";
    assert!(watched.contains(end), "{watched}");
}

/// Every command that plays a program reports that it forfeited, and why.
#[test]
#[cfg(unix)]
fn forfeits_are_reported() {
    let crash = "exec:sh -c 'exit 3'";
    let check = |arguments: &[&str], expected: &str| {
        let printed = succeed(arguments);
        assert!(printed.contains(expected), "{printed}");
    };
    check(
        &[
            "evaluate", "--policy", crash, "--boards", "4x4", "--games", "4",
        ],
        "on 4x4: forfeited 4 games",
    );
    check(
        &[
            "verify", "--policy", crash, "--boards", "3x3", "--games", "1",
        ],
        "games; the first: the program",
    );
    let leaderboard = [
        "leaderboard",
        "--policies",
        "greedy",
        "--add",
        crash,
        "--boards",
        "4x4",
        "--games",
        "5",
    ];
    check(
        &leaderboard,
        "` forfeited 5 games on 4x4; the first: the program ended (exit status: 3)",
    );
    let folder = TempDir::new().unwrap();
    let picture = folder.path().join("game.svg");
    for command in [&["record"][..], &["render", "--svg", text(&picture)]] {
        let output = run(&[command, &["--policy", crash, "--board", "4x4"]].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(
            error.contains("the game was forfeited: the program ended"),
            "{error}"
        );
    }
}

/// A shared file starts no program.
#[test]
fn programs_are_taken_from_the_command_line_alone() {
    let folder = TempDir::new().unwrap();
    let started = folder.path().join("started");
    let program = format!("exec:touch {}", started.display());
    let refused = |arguments: &[&str]| {
        let error = refuse(arguments);
        assert!(
            error.contains("is refused here: exec:COMMAND is for the command line"),
            "{error}"
        );
        assert!(!started.exists());
    };
    let experiment = experiment(&folder);
    let shared = fs::read_to_string(&experiment)
        .unwrap()
        .replace("hamiltonian", &program);
    fs::write(&experiment, &shared).unwrap();
    let out = folder.path().join("run");
    refused(&["train", text(&experiment), "--out", text(&out)]);
    assert!(!out.exists(), "a refused run was written");
    // A run that somebody else has begun.
    fs::create_dir_all(out.join("checkpoints")).unwrap();
    fs::write(out.join("checkpoints/step-000000000001.safetensors"), "").unwrap();
    fs::write(out.join("experiment.toml"), &shared).unwrap();
    refused(&["train", "--resume", text(&out)]);
    let set = format!("evaluation.policies=[{program:?}]");
    refused(&[
        "train",
        "quickstart",
        "--out",
        text(&folder.path().join("set")),
        "--set",
        &set,
    ]);
    let document = fs::read_to_string("experiments/published/snek-ai.toml").unwrap();
    let (before, after) = document.split_once("policy = \"").unwrap();
    let after = after.split_once('"').unwrap().1;
    let path = folder.path().join("document.toml");
    fs::write(&path, format!("{before}policy = {program:?}{after}")).unwrap();
    refused(&[
        "reproduce",
        text(&path),
        "--out",
        text(&folder.path().join("reproduced")),
    ]);
    let missing = refuse(&["evaluate", "--policies", "greedy,exec:/no/such/program"]);
    assert!(
        missing.starts_with("error: can't start the program \"/no/such/program\""),
        "{missing}"
    );
}

#[test]
fn bad_input_is_refused_and_nothing_written() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = experiment(&folder);
    let out = folder.path().join("out");
    let evaluate =
        |board, policies| refuse(&["evaluate", "--board", board, "--policies", policies]);
    assert!(evaluate("5x5", "hamiltonian").contains("no Hamiltonian cycle exists on 5x5"));
    assert!(evaluate("6x6", "hamiltonain").contains("did you mean hamiltonian or "));
    assert!(evaluate("1x6", "greedy").contains("board sides must be 2..=255, got 1x6"));
    assert!(evaluate("6x300", "greedy").contains("got 6x300"));
    assert!(evaluate("six", "greedy").contains("expected a board as WxH"));
    assert!(evaluate("6x6", "dqn:/no/such").contains("/no/such"));
    let zero = refuse(&[
        "evaluate",
        "--board",
        "6x6",
        "--policies",
        "greedy",
        "--games",
        "0",
    ]);
    assert!(zero.contains("games must be at least 1, got 0"));
    for got in ["ten", "-1", "1.5", ""] {
        let expected = format!(
            "error: expected a whole number of at least 0 for --games <GAMES>, got {got:?}\n"
        );
        assert_eq!(refuse(&["evaluate", "--games", got]), expected);
    }
    let start = |options: &[&str]| {
        refuse(
            &[
                &["evaluate", "--board", "6x6", "--policies", "greedy"],
                options,
            ]
            .concat(),
        )
    };
    assert!(
        start(&["--start-length", "7"])
            .contains("the start does not fit on 6x6: random length 7 margin 0")
    );
    assert!(start(&["--start-at", "6,0,up"]).contains("the start does not fit on 6x6"));
    assert!(start(&["--start-at", "1,1,north"]).contains("expected COLUMN,ROW,HEADING"));
    assert!(start(&["--foods", "36"]).contains("must be 1..=35, got 36"));
    assert!(
        refuse(&[
            "watch", "--policy", "greedy", "--board", "6x6", "--fps", "0"
        ])
        .contains("0.01 to 1000")
    );
    assert!(
        refuse(&["train", "--resume", text(folder.path())])
            .contains("no checkpoint in this folder")
    );
    assert!(refuse(&["train", "/no/such.toml"]).contains("/no/such.toml"));
    assert!(refuse(&["replay", "/no/such"]).contains("/no/such"));

    let with = |from: &str, to: &str| {
        let path = folder.path().join("bad.toml");
        fs::write(
            &path,
            fs::read_to_string(&experiment).unwrap().replace(from, to),
        )
        .unwrap();
        let error = refuse(&["train", text(&path), "--out", text(&out)]);
        assert!(error.contains("bad.toml"), "{error}");
        error
    };
    let unknown = with("batch_size", "batchsize");
    assert!(
        unknown.contains("line 13") && unknown.contains("batchsize"),
        "{unknown}"
    );
    let wrong_type = with("num_envs = 16", "num_envs = \"many\"");
    assert!(
        wrong_type.contains("line 11") && wrong_type.contains("num_envs"),
        "{wrong_type}"
    );
    let start = with("board = \"4x4\"", "board = \"4x4\"\nstart = { length = 5 }");
    assert!(start.contains("the start does not fit on 4x4"), "{start}");
    assert!(with("board = \"4x4\"", "board = \"4x1\"").contains("got 4x1"));

    let set = |setting: &str| {
        refuse(&[
            "train",
            text(&experiment),
            "--out",
            text(&out),
            "--set",
            setting,
        ])
    };
    assert!(set("train.batch_sice=3").contains("batch_sice"));
    assert!(set("train.batch_size=0").contains("train.batch_size must be at least 1, got 0"));
    assert!(set("train.batch_size").contains("key=value"));
    assert!(set("network.hidden=[]").contains("network.hidden"));
    assert!(set("evaluation.policies=['greed']").contains("did you mean greedy?"));
    assert!(
        refuse(&[
            "train",
            text(&experiment),
            "--out",
            text(&out),
            "--device",
            "gpu"
        ])
        .contains("unknown device")
    );
    assert!(!out.exists(), "refused runs write nothing");

    // A folder that can't be created: a file is in the way.
    let blocked = experiment.join("run");
    assert!(
        refuse(&["train", text(&experiment), "--out", text(&blocked)])
            .contains("can't create the folder")
    );
    let json = experiment.join("table.json");
    let unwritable = [
        "evaluate",
        "--board",
        "4x4",
        "--policies",
        "greedy",
        "--games",
        "1",
        "--json",
        text(&json),
    ];
    assert!(refuse(&unwritable).contains("can't write"));

    let few = ["--board", "4x4", "--policies", "greedy", "--games", "1"];
    let both = folder.path().join("both");
    let same = [
        &["evaluate"],
        &few[..],
        &["--json", text(&both), "--csv", text(&both)],
    ]
    .concat();
    assert!(refuse(&same).contains("--json and --csv name"));
    assert!(!both.exists());
    let games = |number| {
        refuse(&[
            "evaluate",
            "--board",
            "4x4",
            "--policies",
            "greedy",
            "--games",
            number,
        ])
    };
    assert!(games("18446744073709551615").contains("games must be at most 16777216"));
    assert!(
        refuse(&[
            "verify",
            "--policies",
            "greedy",
            "--boards",
            "2x2",
            "--start-lengths",
            "9"
        ])
        .contains("got none")
    );
    assert!(
        refuse(&["tablebase", "solve", "--board", "3x3", "--threads", "0"]).contains("1..=256")
    );
    assert!(evaluate("10x10", "optimal").contains("at most 64 cells"));
}

/// All commands parse lists alike.
#[test]
fn lists_may_have_spaces() {
    let two = ["--policies", "greedy, random", "--games", "2"];
    let commands: [&[&str]; 7] = [
        &[&["evaluate", "--board", "4x4"], &two[..]].concat(),
        &[&["leaderboard", "--boards", "4x4, 3x3"], &two[..]].concat(),
        &[&[
            "verify",
            "--boards",
            "4x4, 2x2..3x3",
            "--policies",
            "certified, killer",
            "--games",
            "1",
        ][..]]
        .concat(),
        &["verify", "--certificates", "2x2, 2x3"],
        &[
            "evaluate",
            "--policies",
            "certified, greedy",
            "--boards",
            "4x4, 2x2..3x3",
            "--games",
            "1",
        ],
        &["duel", "--bots", "greedy, random", "--games", "2"],
        &[
            "record",
            "--policy",
            "greedy",
            "--board",
            "4x4",
            "--start-at",
            "1, 1, up",
        ],
    ];
    commands.iter().for_each(|command| drop(succeed(command)));
}

#[test]
fn agents_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = experiment(&folder);
    let agent = folder.path().join("agent");
    fs::create_dir(&agent).unwrap();
    fs::write(agent.join("policy.safetensors"), "an agent").unwrap();
    let train = ["train", text(&experiment), "--out", text(&agent)];
    assert!(refuse(&train).contains("holds an agent"));
    assert_eq!(
        fs::read_to_string(agent.join("policy.safetensors")).unwrap(),
        "an agent"
    );

    // A finished run without its checkpoints.
    let out = folder.path().join("run");
    let train = [
        "train",
        text(&experiment),
        "--out",
        text(&out),
        "--set",
        "train.total_steps=3000",
    ];
    succeed(&train);
    let policy = fs::read(out.join("policy.safetensors")).unwrap();
    fs::remove_dir_all(out.join("checkpoints")).unwrap();
    for seed in ["0", "7"] {
        assert!(
            refuse(&[&train[..], &["--seed", seed]].concat())
                .contains("holds an agent or its results")
        );
    }
    assert!(fs::read(out.join("policy.safetensors")).unwrap() == policy);
}

#[test]
fn damaged_checkpoints_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = experiment(&folder);
    let out = folder.path().join("run");
    let settings = [
        "--set",
        "train.total_steps=3000",
        "--set",
        "evaluation.games=1",
    ];
    succeed(
        &[
            &["train", text(&experiment), "--out", text(&out)],
            &settings[..],
        ]
        .concat(),
    );
    let shorter = refuse(&[
        "train",
        "--resume",
        text(&out),
        "--set",
        "train.total_steps=2000",
    ]);
    assert!(
        shorter.contains("expected at least the 3008 steps that the run has taken, got 2000"),
        "{shorter}"
    );
    let paths = checkpoints(&out);
    let whole = fs::read(&paths[1]).unwrap();
    fs::write(&paths[1], &whole[..whole.len() / 2]).unwrap();
    assert!(refuse(&["train", "--resume", text(&out)]).contains("not a complete hognose file"));
    fs::write(&paths[1], &whole).unwrap();
    let other = fs::read_to_string(out.join("experiment.toml"))
        .unwrap()
        .replace("4x4", "6x4");
    fs::write(out.join("experiment.toml"), other).unwrap();
    assert!(
        refuse(&["train", "--resume", text(&out)])
            .contains("env.rules.board is \"4x4\", expected \"6x4\"")
    );
}

#[test]
fn training_starts_from_the_weights_of_a_policy() {
    let folder = TempDir::new().unwrap();
    let experiment = experiment(&folder);
    let teacher = folder.path().join("teacher");
    let pupil = folder.path().join("pupil");
    let short = [
        "--set",
        "train.total_steps=3000",
        "--set",
        "evaluation.games=1",
    ];
    succeed(
        &[
            &["train", text(&experiment), "--out", text(&teacher)],
            &short[..],
        ]
        .concat(),
    );
    let init = [
        "train",
        text(&experiment),
        "--out",
        text(&pupil),
        "--seed",
        "1",
        "--init",
    ];
    let wider = refuse(&[&init[..], &[text(&teacher), "--set", "network.hidden=[17]"]].concat());
    assert!(
        wider.contains("the network's hidden.0.weight is [24, 16], expected [24, 17]"),
        "{wider}"
    );
    assert!(refuse(&[&init[..], &["/no/such/policy"]].concat()).contains("/no/such/policy"));
    assert!(!pupil.exists());
    succeed(&[&init[..], &[text(&teacher)], &short[..]].concat());
    let manifest = fs::read_to_string(pupil.join("manifest.json")).unwrap();
    assert!(
        manifest.contains(&format!("--init {}", teacher.display())),
        "{manifest}"
    );
    fs::remove_dir_all(&teacher).unwrap();
    succeed(&[
        "train",
        "--resume",
        text(&pupil),
        "--set",
        "train.total_steps=3500",
    ]);
}

#[test]
fn solvers_win_where_they_claim_to() {
    let boards = [
        "--boards",
        "2x2..7x7",
        "--start-lengths",
        "1",
        "--games",
        "20",
    ];
    let printed = succeed(
        &[
            &["verify", "--policies", "hamiltonian,shortcut,greedy"],
            &boards[..],
        ]
        .concat(),
    );
    // All 16 starts on 2x2 are played, each twice.
    let expected = "hamiltonian: won 552 of 552 games on 27 of 36 boards, from every start on 1; \
                    refused 180 games";
    assert!(printed.contains(expected), "{printed}");
    assert!(
        printed.contains("shortcut: won 552 of 552 games"),
        "{printed}"
    );
    let tori = [
        "verify",
        "--boards",
        "3x3-torus..5x5-torus",
        "--start-lengths",
        "1",
        "--games",
        "5",
    ];
    assert!(succeed(&tori).contains("hamiltonian: won 45 of 45 games on 9 of 9 boards"));
    // 9 bodies of one cell, 24 of two, 44 of three, of which 12 are straight.
    let bodies = [
        "verify",
        "--policies",
        "certified:2",
        "--boards",
        "3x3",
        "--start-lengths",
        "1..3",
        "--bent",
        "--games",
        "50",
    ];
    let printed = succeed(&bodies);
    assert!(
        printed.contains("games on 1 of 1 boards, from every start on 1"),
        "{printed}"
    );
    let printed = succeed(&["verify", "--certificates", "2x2,3x3..3x4"]);
    assert!(
        printed.contains("3x3: following wins: 2 certificates") && printed.contains("3x4: "),
        "{printed}"
    );
    assert!(
        refuse(&["verify", "--certificates", "3x3", "--games", "7"])
            .contains("cannot be used with")
    );
    assert!(refuse(&["verify", "--certificates", "3x3,8x8"]).contains("8x8 has too many cycles"));
    // No straight body of four cells fits on 3x3; 80 bent ones do.
    let bent = [
        &[
            "verify",
            "--policies",
            "certified:2",
            "--boards",
            "3x3",
            "--start-lengths",
            "4",
        ][..],
        &["--bent", "--games", "1"],
    ];
    let expected =
        "certified:2: won 80 of 80 games on 1 of 1 boards, from every start on 1; refused 0 games";
    assert!(succeed(&bent.concat()).contains(expected));
}

/// An agent with the safe mask, one that chooses among plans, and one of legal moves that is
/// shielded in play never lose, however little they were trained.
#[test]
fn agents_that_cannot_lose_win() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = experiment(&folder);
    let shorter = [
        "--set",
        "train.total_steps=3_000",
        "--set",
        "train.checkpoint_every=1_000",
    ];
    let plans = [
        "--set",
        "train.actions=plans",
        "--set",
        "train.discount=1.0",
    ];
    let mut policies = Vec::new();
    for (name, settings) in [
        ("safe", &["--set", "env.mask=safe"][..]),
        (
            "safe-afterstates",
            &[
                "--set",
                "env.mask=safe",
                "--set",
                "train.values=afterstates",
            ],
        ),
        ("plans", &plans),
        ("free", &["--set", "train.values=afterstates"]),
    ] {
        let out = folder.path().join(name);
        succeed(
            &[
                &["train", text(&experiment), "--out", text(&out)],
                &shorter[..],
                settings,
            ]
            .concat(),
        );
        succeed(&[
            "train",
            "--resume",
            text(&out),
            "--set",
            "train.total_steps=3_200",
        ]);
        policies.push(format!(
            "{}:{}",
            if name == "free" { "dqn-safe" } else { "dqn" },
            out.display()
        ));
    }
    let verify = [
        "verify",
        "--policies",
        &policies.join(","),
        "--boards",
        "4x4",
        "--start-lengths",
        "1",
        "--games",
        "40",
    ];
    let printed = succeed(&verify);
    assert_eq!(
        printed.matches("won 40 of 40 games").count(),
        4,
        "{printed}"
    );
    let printed = succeed(&[
        "evaluate",
        "--board",
        "4x4",
        "--policies",
        &policies[3],
        "--games",
        "20",
    ]);
    assert!(
        printed.contains("% of its choices were forbidden"),
        "{printed}"
    );

    let refused = |settings: &[&str]| refuse(&[&["train", text(&experiment)], settings].concat());
    assert!(
        refused(&["--set", "train.actions=plans"])
            .contains("train.discount must be 1 if actions are \"plans\"")
    );
    let shaped = refused(&[
        "--set",
        "train.values=afterstates",
        "--set",
        "env.reward.shaping=0.5",
    ]);
    assert!(
        shaped.contains("env.reward.shaping must be 0 if train.values is \"afterstates\", got 0.5"),
        "{shaped}"
    );
}

#[test]
fn bench_and_policies_print() {
    assert_eq!(succeed(&["bench"]), succeed(&["bench"]));
    let listed = succeed(&["policies"]);
    for name in ["hamiltonian", "shortcut", "greedy", "random", "dqn:PATH"] {
        assert!(
            listed.lines().any(|line| line.starts_with(name)),
            "{name} in {listed}"
        );
    }
}

#[test]
fn shells_complete_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let script = succeed(&["completions", shell]);
        for word in [
            "train",
            "evaluate",
            "tablebase",
            "completions",
            "--policies",
        ] {
            let option = word
                .strip_prefix("--")
                .filter(|_| shell == "fish")
                .unwrap_or(word);
            assert!(script.contains(option), "{shell} does not complete {word}");
        }
    }
    assert!(refuse(&["completions", "tcsh"]).contains("possible values: bash"));
}

/// Everything after a name's first colon is a path, whatever it contains.
#[test]
fn paths_may_begin_with_a_drive() {
    for (policy, path) in [
        (r"dqn:C:\agents\6x6", r"C:\agents\6x6"),
        (r"optimal:C:\t.table", r"C:\t.table: "),
    ] {
        let error = refuse(&[
            "evaluate",
            "--board",
            "6x6",
            "--policies",
            policy,
            "--games",
            "1",
        ]);
        assert!(error.contains(path), "{error}");
    }
}

/// Every experiment of the repository can be started, and ends with a checkpoint when interrupted
/// at once.
#[cfg(unix)]
#[test]
fn every_experiment_starts() {
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run");
        let experiment: toml::Table = fs::read_to_string(&path).unwrap().parse().unwrap();
        let is_duel = experiment.contains_key("duel");
        let games = if is_duel {
            "train.evaluation_pairs=1"
        } else {
            "train.evaluation_games=1"
        };
        let settings = ["--set", games];
        let arguments = [&["train", text(&path), "--out", text(&out)], &settings[..]].concat();
        let mut child = hognose(&arguments).stdout(Stdio::piped()).spawn().unwrap();
        wait_for(&mut child, || out.join("experiment.toml").exists());
        std::thread::sleep(Duration::from_millis(300));
        interrupt(&child);
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            output.status.code(),
            Some(130),
            "{}: {output:?}",
            path.display()
        );
        assert_eq!(checkpoints(&out).len(), 1, "{}", path.display());
    }
}
