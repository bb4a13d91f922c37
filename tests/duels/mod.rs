//! Tests duels as users record, replay, watch and draw them.

use super::*;

/// Returns what follows the file in a line of `record`, with seats for names: `greedy` is first,
/// `search` second.
fn seats(line: &str) -> String {
    let (_, ending) = line.trim_end().rsplit_once(".txt: ").unwrap();
    unnamed(ending)
}

/// Replaces the names in a text by the seats.
fn unnamed(text: &str) -> String {
    text.replace("greedy", "first").replace("search", "second")
}

#[test]
fn duels_are_recorded_replayed_watched_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let record = file("duel.txt");
    let svg = file("duel.svg");
    let other = file("other.svg");
    let duel = [
        "--duel",
        "greedy,search",
        "--seed",
        "3",
        "--foods",
        "2",
        "--values",
        "1-3",
    ];
    let recorded = succeed(&[&["record", "--out", &record], &duel[..]].concat());
    let ending = recorded.split_once(".txt: ").unwrap().1.to_owned();
    assert!(
        ending.contains(" after ") && ending.contains("lengths "),
        "{recorded}"
    );
    let written = fs::read_to_string(&record).unwrap();
    assert!(
        written.starts_with("hognose-duel-record 2\nboard 14x14\n")
            && written.contains("\nfoods 2\nvalues 1 3\nseed ")
    );
    assert_eq!(succeed(&[&["record"], &duel[..]].concat()), written);
    assert_eq!(
        succeed(&["replay", &record]),
        format!("{record} replays: {}\n", seats(&recorded))
    );
    let replayed = succeed(&["replay", &record, "--fps", "1000"]);
    assert!(
        replayed.starts_with("first A 3, second B 3, step 0 of 900\n"),
        "{replayed}"
    );
    assert!(
        replayed.ends_with(&format!("replays: {}\n", seats(&recorded))),
        "{replayed}"
    );

    let watched = succeed(&[&["watch", "--fps", "1000", "--svg", &svg], &duel[..]].concat());
    assert!(
        watched.starts_with("greedy A 3, search B 3, step 0 of 900\n")
            && watched.ends_with(&ending),
        "{watched}"
    );
    // The boards are the same, whoever plays.
    let boards = |text: &str| text.lines().filter(|line| line.contains('A')).count();
    assert_eq!(boards(&watched), boards(&replayed));
    let picture = fs::read_to_string(&svg).unwrap();
    assert!(
        picture.contains("class=\"body second\"")
            && picture.contains("class=\"value\"")
            && picture.contains("<animate ")
    );
    assert!(picture.contains(">greedy<tspan> ") && picture.contains(">search<tspan> "));
    // These bots show no plans, so the record gives the same picture, except for the names.
    assert_eq!(
        succeed(&["render", &record, "--fps", "1000", "--svg", &other]),
        format!("{other}: {}\n", seats(&recorded))
    );
    assert_eq!(fs::read_to_string(&other).unwrap(), unnamed(&picture));
    assert_eq!(
        succeed(&[&["render", "--fps", "1000", "--svg", &other], &duel[..]].concat()),
        format!("{other}: {ending}")
    );
    assert_eq!(fs::read_to_string(&other).unwrap(), picture);
    let (still, png) = (file("still.svg"), file("still.png"));
    let printed = succeed(&["render", &record, "--out", &still, "--step", "5"]);
    assert!(
        printed.starts_with(&format!("{still}: step 5, lengths ")),
        "{printed}"
    );
    assert!(!fs::read_to_string(&still).unwrap().contains("<animate "));
    succeed(&[&["render", "--out", &png, "--step", "5"], &duel[..]].concat());
    assert!(fs::read(&png).unwrap().starts_with(b"\x89PNG"));

    // Two bots with the same name are distinguished by numbers.
    let same = succeed(&[
        "watch", "--bot", "greedy", "--bot", "greedy", "--fps", "1000",
    ]);
    assert!(same.starts_with("greedy A 3, greedy #2 B 3, "), "{same}");
}

#[test]
fn duels_follow_the_rules_asked_for() {
    let rules = [
        "--rules",
        "ai-snakes-2020",
        "--board",
        "9x8-torus",
        "--head-on",
        "draw",
        "--redraw-after",
        "5",
    ];
    let limit = ["--step-limit", "7", "--second-start", "5,1,left,4"];
    let record = succeed(&[&["record", "--duel", "sample,sample"], &rules[..], &limit].concat());
    let expected = "board 9x8-torus\nfirst column 2 row 5 heading up length 3\nsecond column 5 row \
                    1 heading left length 4\n\
                    head_on draw\nredraw_after 5\nstep_limit 7\nfoods 1\n";
    assert!(
        record.contains(expected)
            && record.contains("second causes step-limit step-limit lengths 3 4"),
        "{record}"
    );
    let watched = succeed(
        &[
            &["watch", "--duel", "sample,sample", "--fps", "1000"],
            &rules[..],
            &limit,
        ]
        .concat(),
    );
    let end = "sample #2 won after 7 steps, lengths 3 and 4: the step limit was reached\n";
    assert!(
        watched.contains("step 3 of 7") && watched.ends_with(end),
        "{watched}"
    );
}

/// One duel after another, until it is stopped.
#[test]
fn duels_are_watched_one_after_another() {
    let mut command = hognose(&[
        "watch",
        "--duel",
        "sample,random",
        "--loop",
        "--fps",
        "1000",
        "--step-limit",
        "9",
    ]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let third = lines
        .map(Result::unwrap)
        .find(|line| line.starts_with("of 3 duels, "));
    assert!(third.is_some_and(|line| line.contains("sample won ") && line.ends_with(" drawn")));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Programs play duels, and their commands may contain commas. One that ends loses, and the other
/// bot is notified.
#[test]
#[cfg(unix)]
fn programs_play_duels() {
    let program = "exec:python3 crates/process/examples/bot.py a,b";
    let limits = ["--step-limit", "20", "--move-limit", "20"];
    let record = succeed(
        &[
            &["record", "--bot", program, "--bot", "greedy"],
            &limits[..],
        ]
        .concat(),
    );
    assert!(record.starts_with("hognose-duel-record 2\n"), "{record}");
    let crash = "exec:sh -c 'exit 3'";
    let watched = succeed(
        &[
            &["watch", "--bot", crash, "--bot", program, "--fps", "1000"],
            &limits[..],
        ]
        .concat(),
    );
    let end = format!(
        "{program} won after 0 steps, lengths 3 and 3; {crash} forfeited: the program ended (exit \
         status: 3)"
    );
    assert!(watched.contains(&end), "{watched}");
    let missing = refuse(&["play", "--against", "exec:/no/such/program"]);
    assert!(
        missing.starts_with("error: can't start the program \"/no/such/program\""),
        "{missing}"
    );
}

/// Game N of a duel is game N of a tournament of the two bots: they swap seats in every second
/// game.
#[test]
fn duels_are_those_of_a_tournament() {
    let play = |game: &str| {
        succeed(&[
            "watch",
            "--duel",
            "greedy,search",
            "--fps",
            "1000",
            "--game",
            game,
        ])
    };
    let first = play("0");
    let second = play("1");
    assert!(
        first.starts_with("greedy A 3, search B 3") && second.starts_with("search A 3, greedy B 3")
    );
    assert_ne!(play("2"), first);
}

/// A bot may think forever about a move, and before its first one. Unfinished games are not
/// written.
#[cfg(unix)]
#[test]
fn stopping_is_noticed_while_bots_think() {
    let folder = tempfile::tempdir().unwrap();
    let certified = ["--policy", "certified:100000000", "--board", "20x20"];
    let deep = ["--duel", "nega:40,greedy"];
    let asking = ["--duel", "exploit:2:nega:40,greedy"];
    let files = [0, 1, 2, 3, 4].map(|number| folder.path().join(format!("duel{number}.svg")));
    let commands = [
        [&["record", "--out", text(&files[0])], &deep[..]].concat(),
        [&["record", "--out", text(&files[1])], &asking[..]].concat(),
        [&["record", "--out", text(&files[2])], &certified[..]].concat(),
        [&["render", "--svg", text(&files[3])], &deep[..]].concat(),
        [&["render", "--out", text(&files[4])], &certified[..]].concat(),
    ];
    let mut children = commands.map(|command| hognose(&command).spawn().unwrap());
    std::thread::sleep(Duration::from_secs(2));
    for child in &mut children {
        assert!(child.try_wait().unwrap().is_none());
        interrupt(child);
    }
    for child in &mut children {
        assert_eq!(child.wait().unwrap().code(), Some(130));
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_makes_no_duel_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let record = file("duel.txt");
    let nothing = file("nothing.svg");
    succeed(&["record", "--duel", "greedy,search", "--out", &record]);
    let text = fs::read_to_string(&record).unwrap();
    let broken = |name: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from} in {text}");
        fs::write(file(name), text.replace(from, to)).unwrap();
        file(name)
    };
    let seed = broken("seed.txt", "seed ", "seed 1");
    let version = broken("version.txt", "duel-record 2", "duel-record 3");
    let moves = broken("moves.txt", "first_moves ", "first_moves u");
    let letter = broken("letter.txt", "second_moves ", "second_moves x");
    let start = broken("start.txt", "first column 2", "first column 20");
    let wrong: Vec<(Vec<&str>, &str)> = vec![
        (
            vec!["watch", "--duel", "greedy"],
            "expected two bots for a duel, got 1: greedy",
        ),
        (
            vec!["record", "--duel", "greedy,search,sample"],
            "expected two bots for a duel, got 3: greedy, search, sample",
        ),
        (
            vec!["record", "--duel", "greedy,search", "--bot", "sample"],
            "got 3: greedy, search, sample",
        ),
        (
            vec!["watch", "--duel", "greedy, serch"],
            "unknown bot \"serch\" (did you mean search?)",
        ),
        (
            vec!["watch", "--duel", "greedy,selfplay:2021:0"],
            "bot \"selfplay:2021:0\": expected a depth of 1..=64 moves (4)",
        ),
        (
            vec!["watch", "--duel", "greedy,selfplay:2019"],
            "expected 2021, 2020, a budget, or a file or folder",
        ),
        (
            vec!["watch", "--duel", "greedy,search:3"],
            "expected \"search\" alone, got \"search:3\"",
        ),
        (
            vec!["watch", "--duel", "greedy,search", "--policy", "killer"],
            "cannot be used with",
        ),
        (
            vec!["watch", "--duel", "greedy,search", "--starvation", "9"],
            "cannot be used with",
        ),
        (
            vec![
                "record",
                "--bot",
                "greedy",
                "--bot",
                "search",
                "--start-length",
                "3",
            ],
            "cannot be used with",
        ),
        (
            vec!["record", "--duel", "greedy,search", "--no-tail-entry"],
            "cannot be used with",
        ),
        (
            vec!["watch", "--rules", "ai-snakes-2020"],
            "--duel <FIRST,SECOND>",
        ),
        (vec!["record", "--step-limit", "9"], "--duel <FIRST,SECOND>"),
        (
            vec![
                "watch",
                "--duel",
                "greedy,search",
                "--rules",
                "ai-snakes-2019",
            ],
            "expected a file or one of ai-snakes-2020",
        ),
        (
            vec!["watch", "--duel", "greedy,search", "--board", "2x2"],
            "does not fit on 2x2",
        ),
        (
            vec!["watch", "--duel", "greedy,search", "--foods", "0"],
            "the number of foods must be",
        ),
        (
            vec![
                "watch",
                "--duel",
                "greedy,search",
                "--svg",
                &nothing,
                "--loop",
            ],
            "cannot be used with",
        ),
        (
            vec![
                "watch",
                "--duel",
                "greedy,search",
                "--svg",
                "no/such/folder.svg",
            ],
            "can't write no/such",
        ),
        (
            vec!["play", "--against", "gredy"],
            "unknown bot \"gredy\" (did you mean greedy?)",
        ),
        (
            vec!["play", "--against", "greedy"],
            "play needs a terminal, but the output is not one",
        ),
        (
            vec!["play", "--against", "greedy", "--seat", "third"],
            "expected first or second, got \"third\"",
        ),
        (
            vec!["play", "--against", "greedy", "--start-margin", "1"],
            "cannot be used with",
        ),
        (vec!["play", "--seat", "second"], "--against <BOT>"),
        (vec!["play", "--values", "1-3"], "--against <BOT>"),
        (
            vec![
                "render",
                &record,
                "--svg",
                &nothing,
                "--duel",
                "greedy,search",
            ],
            "cannot be used with",
        ),
        (
            vec![
                "render",
                &record,
                "--svg",
                &nothing,
                "--rules",
                "ai-snakes-2020",
            ],
            "cannot be used with",
        ),
        (
            vec!["render", &record, "--out", &nothing, "--step", "9999"],
            "expected a step of at most ",
        ),
        (
            vec!["render", "--duel", "greedy,search"],
            "--svg <FILE>|--out <FILE>",
        ),
        (
            vec!["replay", &seed],
            "seed.txt: the duel does not replay: expected the end ",
        ),
        (
            vec!["replay", &version],
            "version.txt: expected a duel record of version 1 or 2, got version 3",
        ),
        (
            vec!["replay", &moves],
            "moves of the second snake, as many as of the first, got ",
        ),
        (
            vec!["replay", &letter],
            "letter.txt: line 13: expected \"second_moves\" and the letters u, r, d, l",
        ),
        (
            vec!["render", &start, "--svg", &nothing],
            "start.txt: the start of the first snake does not fit on 14x14",
        ),
    ];
    for (arguments, expected) in wrong {
        let error = refuse(&arguments);
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
    assert!(!Path::new(&nothing).exists());
}
