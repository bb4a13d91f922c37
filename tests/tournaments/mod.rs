//! Tests tournaments of bots that play duels.

use super::*;

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Returns the command line of a bot that is a shell script.
fn program(script: &str) -> String {
    format!("exec:sh -c {}", shlex::try_quote(script).unwrap())
}

/// Answers every position with the first legal move.
const FIRST_LEGAL: &str = r#"while read -r line; do case "$line" in
    *position*) step=${line#*\"step\":}; move=${line#*\"legal\":[\"};
    echo "{\"step\":${step%%,*},\"move\":\"${move%%\"*}\"}";; esac; done"#;

/// A program has a name of its own, its lines are logged, and its illegal moves are counted.
#[test]
#[cfg(unix)]
fn programs_are_named_logged_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let [log, file] = ["log", "json"].map(|name| folder.path().join(name));
    let up = r#"echo hello >&2; while read -r line; do case "$line" in
        *position*) step=${line#*\"step\":}; echo "{\"step\":${step%%,*},\"move\":\"up\"}";; esac; done"#;
    let north = format!("north={}", program(up));
    let play = |games, with: [&str; 2]| {
        let bots = [
            "duel", "--bots", "greedy", "--bot", &north, "--games", games,
        ];
        let limits = ["--move-limit", "20", "--threads", "1"];
        succeed(&[&bots[..], &limits, &["--log", text(&log)], &with].concat())
    };
    let printed = play("2", ["--json", text(&file)]);
    assert!(!printed.contains("exec:"), "{printed}");
    let illegal = "north: illegal moves although a legal one was there: 2";
    assert!(printed.contains(illegal), "{printed}");
    let logged = fs::read_to_string(&log).unwrap();
    assert!(
        logged.starts_with("hello\n") || logged.contains("\nhello\n"),
        "{logged}"
    );
    for part in [
        " > {\"type\":\"start\"",
        " > {\"type\":\"end\"",
        " < {\"step\":0,\"move\":\"up\"}\n",
    ] {
        assert_eq!(logged.matches(part).count(), 2, "{part}: {logged}");
    }
    let more = play("4", ["--resume", text(&file)]);
    let illegal = "north: illegal moves although a legal one was there: 4";
    assert!(more.contains(illegal), "{more}");
    let refused = |name: &str| refuse(&["duel", "--bots", "greedy,search", "--bot", name]);
    assert!(refused("nega=random").contains("expected a name that no bot has, got \"nega\""));
    assert!(refused("greedy=random").contains("expected a name that no other bot has"));
    assert!(refused("a b=random").contains("unknown bot \"a b=random\""));
    let nowhere = [
        "duel",
        "--bots",
        "greedy",
        "--bot",
        &north,
        "--log",
        "/no/such/file",
    ];
    assert!(refuse(&nowhere).contains("can't write the log \"/no/such/file\""));
}

/// A bot is asked for its move in a position line, as a program receives it, or in a recorded duel.
#[test]
fn bots_are_asked_for_a_move() {
    let folder = tempfile::tempdir().unwrap();
    let [line, record] = ["line", "record"].map(|name| folder.path().join(name));
    let with = |foods: &str| {
        let line_of = format!(
            r#"{{"type":"position","step":7,"body":[[2,2],[2,3],[2,4]],"growth":0,"ate":false,
            "other":{{"body":[[8,8],[8,9],[8,10]],"growth":0}},"foods":{foods},"values":[1],"hunger":3}}"#
        );
        fs::write(&line, line_of).unwrap();
    };
    let asked = |bot: &str, file: &Path, more: &[&str]| {
        succeed(&[&["duel", "--ask", bot, "--position", text(file)], more].concat())
    };
    let refused = |bot: &str, file: &Path, more: &[&str]| {
        refuse(&[&["duel", "--ask", bot, "--position", text(file)], more].concat())
    };
    with("[[4,2]]");
    assert_eq!(asked("search", &line, &[]), "right\n");
    assert_eq!(asked("nega:2", &line, &["--seat", "second"]), "right\n");
    let step = refused("search", &line, &["--step", "3"]);
    assert!(
        step.contains("--step needs a recorded duel, got a position line"),
        "{step}"
    );
    with("[[40,2]]");
    let place = refused("search", &line, &[]);
    assert!(
        place.contains("[40, 2] is not on the board 14x14"),
        "{place}"
    );
    fs::write(&line, "{}").unwrap();
    let key = refused("search", &line, &[]);
    assert!(
        key.contains("expected the JSON of a position line of a duel: missing field"),
        "{key}"
    );

    succeed(&["record", "--duel", "search,greedy", "--out", text(&record)]);
    let moves = fs::read_to_string(&record).unwrap();
    let first = asked("greedy", &record, &["--seat", "second", "--step", "0"]);
    assert!(
        ["up\n", "right\n", "down\n", "left\n"].contains(&first.as_str()),
        "{moves}"
    );
    let late = refused("greedy", &record, &["--step", "99999"]);
    assert!(late.contains("expected a step from 0 to "), "{late}");
    let rules = refused("greedy", &record, &["--foods", "2"]);
    assert!(
        rules.contains("a recorded duel has its own rules"),
        "{rules}"
    );
}

#[test]
fn bots_are_ranked_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let files =
        |name: &str| ["json", "csv"].map(|ending| folder.path().join(format!("{name}.{ending}")));
    let play = |name: &str, threads: &str| {
        let [json, csv] = files(name);
        let duel = [
            "duel",
            "--bots",
            "nega:2,greedy,random,greedy",
            "--games",
            "40",
            "--seed",
            "3",
            "--foods",
            "2",
        ];
        succeed(
            &[
                &duel[..],
                &[
                    "--json",
                    text(&json),
                    "--csv",
                    text(&csv),
                    "--threads",
                    threads,
                ],
            ]
            .concat(),
        )
    };
    let printed = play("one", "1");
    for part in [
        "ai-snakes-2021, 2 foods; 40 games per pair, seed 3",
        "greedy is 0",
        "| nega:2    |     1 |",
        "| greedy #2 |",
        "wins of the row against the column",
        "| us/move |",
        "won-lost-drawn",
        "the first seat scored",
    ] {
        assert!(printed.contains(part), "{part} is missing in {printed}");
    }
    play("two", "2");
    for (one, two) in files("one").iter().zip(&files("two")) {
        assert!(
            fs::read(one).unwrap() == fs::read(two).unwrap(),
            "{} depends on the threads",
            one.display()
        );
    }
    let [file, csv] = files("one");
    let written = json(&file);
    assert_eq!(
        (&written["format"], &written["seed"], &written["games"]),
        (&2.into(), &3.into(), &40.into())
    );
    assert_eq!(
        (&written["rules"]["foods"], &written["version"]),
        (&2.into(), &env!("CARGO_PKG_VERSION").into())
    );
    assert_eq!(written["duels"].as_array().unwrap().len(), 6 * 40);
    let ranking = &written["ranking"];
    assert_eq!(
        (&ranking["anchor"], &ranking["bots"][0]["bot"]),
        (&"greedy".into(), &"nega:2".into())
    );
    assert!(
        ranking["bots"][0]["score_interval"]
            .as_array()
            .unwrap()
            .len()
            == 2,
        "{ranking}"
    );
    // The same bot shares the points of each seed.
    let pair = ranking["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .find(|pair| pair["numbers"] == serde_json::json!([1, 3]));
    assert_eq!(pair.unwrap()["score"], 0.5);
    let rows = fs::read_to_string(&csv).unwrap();
    assert_eq!(rows.lines().count(), 1 + 6 * 40);
    assert!(
        rows.starts_with("game,round,seed,turned_foods,first,second,result,steps,first_bot_seed,"),
        "{rows}"
    );

    let pictures = folder.path().join("pictures");
    succeed(&["duel", "--resume", text(&file), "--plot", text(&pictures)]);
    for name in ["ratings", "scores"] {
        let picture = fs::read_to_string(pictures.join(name).with_extension("svg")).unwrap();
        assert!(
            picture.contains("greedy #2") && pictures.join(name).with_extension("png").exists(),
            "{picture}"
        );
    }
}

/// Finished games are kept, and resuming ends in the same bytes; so does a longer tournament.
#[cfg(unix)]
#[test]
fn interrupted_tournaments_are_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let [broken, whole] = ["broken.json", "whole.json"].map(|name| folder.path().join(name));
    let duel = ["duel", "--bots", "greedy,search", "--seed", "5", "--json"];
    let arguments = [&duel[..], &[text(&broken), "--games", "100000"]].concat();
    let mut child = hognose(&arguments).stdout(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(2));
    assert!(child.try_wait().unwrap().is_none());
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let played = json(&broken)["duels"].as_array().unwrap().len();
    assert!(played > 10 && played < 100_000, "{played}");
    let said =
        format!("interrupted after {played} of 100000 games; continue with: hognose duel --resume");
    assert!(
        printed.contains("| greedy") && printed.contains(&said),
        "{printed}"
    );

    // As if fewer games had been requested, and some of them are missing.
    let mut cut = json(&broken);
    cut["games"] = 60.into();
    let duels = cut["duels"].as_array_mut().unwrap();
    duels.retain(|duel| duel["index"].as_u64() < Some(40) && duel["index"] != 7);
    fs::write(&broken, cut.to_string()).unwrap();
    let printed = succeed(&[
        "duel",
        "--resume",
        text(&broken),
        "--games",
        "80",
        "--threads",
        "2",
    ]);
    assert!(printed.contains("80 games per pair"), "{printed}");
    succeed(
        &[
            &duel[..],
            &[text(&whole), "--games", "80", "--threads", "1"],
        ]
        .concat(),
    );
    assert!(fs::read(&broken).unwrap() == fs::read(&whole).unwrap());

    let other = |options: &[&str]| refuse(&[&["duel", "--resume", text(&whole)], options].concat());
    assert!(other(&["--bots", "greedy,sample"]).contains(
        "whole.json: expected the bots of the tournament, \"greedy,search\", or none, got \
         \"greedy,sample\""
    ));
    assert!(
        other(&["--seed", "6"]).contains("the seed of the tournament, \"5\", or none, got \"6\"")
    );
    assert!(other(&["--foods", "2"]).contains(
        "expected the rules of the tournament, \"ai-snakes-2021\", or none, got \
         \"ai-snakes-2021, 2 foods\""
    ));
    assert!(
        other(&["--games", "60"])
            .contains("at least 80 games per pair, which the tournament already has, got 60")
    );
    // An older tournament is not overwritten, and one whose file was changed is refused.
    let again = refuse(&[&duel[..], &[text(&whole), "--games", "80"]].concat());
    assert!(
        again.contains("whole.json already exists; continue it with --resume "),
        "{again}"
    );
    let changed = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut tournament = json(&whole);
        change(&mut tournament);
        fs::write(&broken, tournament.to_string()).unwrap();
        refuse(&["duel", "--resume", text(&broken)])
    };
    for (key, value) in [
        ("seed", 6.into()),
        ("bots", serde_json::json!(["greedy", "sample"])),
    ] {
        let error = changed(&|tournament| tournament[key] = value.clone());
        assert!(
            error.contains("the rules, the seed or the bots were changed after games were played"),
            "{error}"
        );
    }
    let steps = changed(&|tournament| tournament["duels"][3]["steps"] = 901.into());
    assert!(
        steps.contains("game 3 contradicts itself or the rules: it has more steps than the limit"),
        "{steps}"
    );
    let winner = changed(&|tournament| {
        let duel = tournament["duels"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .find(|duel| duel["causes"][0].is_null());
        duel.unwrap()["winner"] = "second".into();
    });
    assert!(
        winner.contains(
            "contradicts itself or the rules: the winner does not match the way it ended"
        ),
        "{winner}"
    );
    fs::write(&broken, "{}").unwrap();
    assert!(
        refuse(&["duel", "--resume", text(&broken)])
            .contains("expected a file that `hognose duel --json` wrote")
    );
}

/// Each bot that models another bot takes many times as long, and files may name them.
#[test]
fn bots_model_one_another_three_times_at_most() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("duels.json");
    succeed(&[
        "duel",
        "--bots",
        "greedy,exploit:1:exploit:1:exploit:1:greedy",
        "--games",
        "2",
        "--json",
        text(&file),
    ]);
    let mut tournament = json(&file);
    // Tournaments of the first format have no check.
    tournament["format"] = 1.into();
    tournament.as_object_mut().unwrap().remove("check");
    for times in [4, 100_000] {
        tournament["bots"] = serde_json::json!(["greedy", "exploit:2:".repeat(times) + "greedy"]);
        fs::write(&file, tournament.to_string()).unwrap();
        let error = refuse(&["duel", "--resume", text(&file)]);
        let expected = format!("a bot's name may contain exploit: at most 3 times, got {times}");
        assert!(error.contains(&expected), "{error}");
    }
}

/// A bot that queries its opponent at once thinks before its first game.
#[cfg(unix)]
#[test]
fn stopping_is_noticed_while_bots_are_made() {
    let mut child = hognose(&["duel", "--bots", "exploit:2:nega:40,greedy"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(2));
    assert!(child.try_wait().unwrap().is_none());
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130), "{printed}");
    assert!(
        printed.contains("interrupted after 0 of 200 games"),
        "{printed}"
    );
}

/// Texts from a file can't control the terminal.
#[test]
fn texts_of_tournaments_are_printed_as_escapes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("duels.json");
    succeed(&[
        "duel",
        "--bots",
        "greedy,random",
        "--games",
        "2",
        "--json",
        text(&file),
    ]);
    let mut tournament = json(&file);
    tournament["version"] = "\u{1b}[2J\u{7}\u{9b}1m".into();
    fs::write(&file, tournament.to_string()).unwrap();
    let printed = succeed(&["duel", "--resume", text(&file)]);
    assert!(
        printed.contains(r"comes from hognose \u{1b}[2J\u{7}\u{9b}1m ("),
        "{printed}"
    );
    assert!(
        !printed.contains(|letter: char| letter.is_control() && letter != '\n'),
        "{printed:?}"
    );
}

/// Programs play and forfeit, are named in the report, and are only started if named on the command
/// line.
#[cfg(unix)]
#[test]
fn programs_play_and_forfeit() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("duels.json");
    let good = program(FIRST_LEGAL);
    let bad = program("read -r line; exit 3");
    let bots = [
        "duel",
        "--bots",
        "search",
        "--bot",
        &good,
        "--bot",
        &bad,
        "--games",
        "4",
        "--move-limit",
        "20",
    ];
    let printed = succeed(&[&bots[..], &["--json", text(&file)]].concat());
    let forfeit =
        format!("{bad}: forfeited 8 games; the first: the program ended (exit status: 3)");
    for part in [forfeit.as_str(), "| search ", "*: depends on the clock"] {
        assert!(printed.contains(part), "{part} is missing in {printed}");
    }
    let ranking = &json(&file)["ranking"]["bots"];
    let of = |bot: &str| {
        ranking
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["bot"] == bot)
            .unwrap()
    };
    assert_eq!(
        (&of(&bad)["losses"], &of(&bad)["ends"]["forfeit"]["losses"]),
        (&8.into(), &8.into())
    );
    assert_eq!(
        (&of(&good)["forfeit"], &of(&good)["depends_on_clock"]),
        (&serde_json::Value::Null, &true.into())
    );
    // `sample` plays the same moves.
    assert_eq!(of(&good)["depends_on_clock"], true);
    assert_eq!(of("search")["depends_on_clock"], false);
    let refused = refuse(&["duel", "--resume", text(&file), "--games", "6"]);
    assert!(
        refused.contains("is refused here: exec:COMMAND is for the command line"),
        "{refused}"
    );
    let programs = ["--bots", "search", "--bot", &good, "--bot", &bad];
    succeed(
        &[
            &["duel", "--resume", text(&file), "--games", "6"],
            &programs[..],
        ]
        .concat(),
    );
}

#[test]
fn bad_input_is_refused_before_anything_is_played() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("duels.json");
    let refused = |arguments: &[&str]| {
        let error = refuse(&[&["duel", "--json", text(&file)], arguments].concat());
        assert!(!file.exists(), "{arguments:?}");
        error
    };
    assert!(refused(&["--bots", "greed,random"]).contains("did you mean greedy?"));
    assert!(refused(&["--bots", "greedy"]).contains("expected at least two bots, got 1"));
    assert!(refused(&["--bots", "greedy,random:0"]).contains("expected \"random\" alone"));
    assert!(
        refused(&["--bots", "greedy,adder:0"])
            .contains("bot \"adder:0\": expected a depth of 1..=")
    );
    assert!(
        refused(&["--bot", "greedy", "--bot", "exec:/no/such/program"])
            .contains("can't start the program")
    );
    for games in ["0", "7"] {
        let error = refused(&["--games", games]);
        assert!(
            error.contains("must be even and at least 2")
                && error.contains(&format!("got {games}")),
            "{error}"
        );
    }
    assert!(
        refused(&["--first-start", "14,2,up"])
            .contains("the start of the first snake does not fit on 14x14")
    );
    assert!(
        refused(&["--second-start", "2,11,up"])
            .contains("both snakes start on the cell in column 2 and row 11")
    );
    assert!(
        refused(&["--rules", "ai-snakes-1999"]).contains("ai-snakes-2020, ai-snakes-2021, got")
    );
    assert!(refused(&["--threads", "0"]).contains("0 is not in 1..=256"));
    assert!(refused(&["--csv", "/no/such/folder/file"]).contains("/no/such/folder/file"));
    assert_eq!(refused(&["--bots", "greedy,x"]).lines().count(), 1);
}

#[test]
fn policies_lists_the_bots() {
    let printed = succeed(&["policies"]);
    let bots = printed
        .split_once("Bots for duels of two snakes")
        .unwrap()
        .1;
    for bot in [
        "greedy ",
        "one-ply ",
        "without a budget: adder:4",
        "exec:COMMAND ",
    ] {
        assert!(bots.contains(bot), "{bot}: {bots}");
    }
}
