//! Tests the contents of reports and manifests.

use super::*;

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The command after `again:` plays the table again, whatever the rules and the location of the
/// run.
#[test]
fn a_run_prints_how_to_play_its_table_again() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = experiment(&folder);
    let out = folder.path().join("my run");
    let settings = [
        "train.total_steps=2_000",
        "env.rules.start={column=1,row=2,heading=\"up\",length=2}",
        "env.rules.foods=2",
        "env.rules.tail_entry=false",
        "evaluation.seed=3",
        "evaluation.policies=[\"greedy\",\"random\"]",
    ];
    let settings = settings.iter().flat_map(|setting| ["--set", *setting]);
    let train: Vec<&str> = ["train", text(&experiment), "--out", text(&out)]
        .into_iter()
        .chain(settings)
        .collect();
    let printed = succeed(&train);
    let manifest = json(&out.join("manifest.json"));
    let again = manifest["evaluation"].as_str().unwrap();
    assert!(printed.contains(&format!("again: {again}\n")), "{printed}");
    assert_eq!(
        manifest["results"]["name"],
        format!("dqn:{}", out.display())
    );
    let program = Path::new(env!("CARGO_BIN_EXE_hognose")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", again])
        .env("PATH", path)
        .output()
        .unwrap();
    let played = String::from_utf8(output.stdout).unwrap();
    // Everything except decisions per second, which is the last column of the second table.
    let lines = |text: &str| {
        let from_start = text
            .lines()
            .skip_while(|line| !line.starts_with("4x4, start column 1 row 2 heading up length 2"));
        from_start
            .take_while(|line| !line.contains("decisions/s"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert!(lines(&played).len() > 5, "{again}: {played}");
    assert_eq!(lines(&played), lines(&printed));
}

/// A report states everything that its numbers depend on, and the setup time separately from play.
#[test]
fn reports_state_what_they_depend_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("table.json");
    let evaluate = [
        "evaluate",
        "--board",
        "4x4",
        "--policies",
        "optimal,hamiltonian",
        "--games",
        "5",
    ];
    let more = ["--regret", "--time-limit", "60", "--json", text(&file)];
    let printed = succeed(&[&evaluate[..], &more].concat());
    let report = json(&file);
    assert_eq!(
        (&report["time_limit"], &report["starvation"]),
        (&60.into(), &64.into())
    );
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    assert!(!report["commit"].as_str().unwrap().is_empty());
    // The table of 4x4 is solved before the first game, which takes far longer than five games.
    let setup = |policy: usize| report["setup_seconds"][policy].as_f64().unwrap();
    assert!(setup(0) > 10.0 * setup(1), "{report}");
    let rate = |policy: usize| {
        report["policies"][policy]["decisions_per_second"]
            .as_f64()
            .unwrap()
    };
    assert!(5.0 * 40.0 / rate(0) < setup(0), "{report}");
    // A heading for each column.
    let heads = printed.lines().filter(|line| line.starts_with("| policy"));
    for (head, table) in heads.zip(printed.split("| policy").skip(1)) {
        let columns = |line: &str| line.matches('|').count();
        assert!(
            table
                .lines()
                .filter(|line| line.starts_with('|'))
                .all(|line| columns(line) == columns(head)),
            "{table}"
        );
    }
    assert!(printed.contains("| values |"), "{printed}");
    succeed(&[&evaluate[..], &["--json", text(&file)]].concat());
    assert!(json(&file)["time_limit"].is_null());
}

/// A difference that so few games can't distinguish is not an agreement, and shares of 100 % have
/// an interval.
#[test]
fn few_games_agree_with_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let document = folder.path().join("document.toml");
    let toml = r#"
title = "A document"
games = 3

[[case]]
name = "cycle"
policy = "hamiltonian"
rules = { board = "4x4" }
published = [{ place = "Table 1", what = "win_rate", value = 1.0, n = 3 }]

[[case]]
name = "shortcut"
policy = "shortcut"
rules = { board = "4x4" }

[[claim]]
place = "Section 1"
says = "no difference"
case = "shortcut"
reference = "cycle"
what = "mean_steps_won"
expect = "same"

[[difference]]
place = "Section 2"
first = "cycle"
second = "shortcut"
published.first = { n = 1000, mean = 67.5, sd = 10 }
published.second = { n = 1000, mean = 53.8, sd = 8 }
"#;
    fs::write(&document, toml).unwrap();
    let reproduce = |games: &str| {
        let printed = succeed(&[
            "reproduce",
            text(&document),
            "--games",
            games,
            "--out",
            text(folder.path()),
        ]);
        let row = |place: &str| {
            printed
                .lines()
                .find(|line| line.contains(place))
                .unwrap()
                .to_owned()
        };
        (
            row("Table 1"),
            row("Section 1"),
            row("Section 2"),
            json(&folder.path().join("document/results.json")),
        )
    };
    let (share, claim, _, results) = reproduce("3");
    assert!(share.contains("100.00 % [43.85, 100.00]"), "{share}");
    assert!(
        claim.contains("not distinguishable; ") && claim.contains(" would have been detected"),
        "{claim}"
    );
    assert!(results["rows"][2]["agrees"].is_null(), "{results}");
    assert!(results["commit"].is_string(), "{results}");
    let (share, claim, difference, results) = reproduce("2000");
    assert!(share.contains("100.00 % [99.81, 100.00]"), "{share}");
    assert!(claim.contains("does not hold"), "{claim}");
    // More games do not increase the difference of the means.
    assert!(
        difference.contains("13.7 (1.51 sd)") && difference.contains("agrees"),
        "{difference}"
    );
    assert_eq!(results["rows"][1]["agrees"], true);
}

/// A claim with too few games, or without any variation, neither holds nor fails, and is not
/// omitted.
#[test]
fn claims_with_too_few_games_have_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let document = folder.path().join("document.toml");
    let case = |name: &str, policy: &str, board: &str| {
        format!(
            "[[case]]\nname = \"{name}\"\npolicy = \"{policy}\"\nrules = \
             {{ board = \"{board}\" }}\n"
        )
    };
    let claim = |place: &str, case: &str, reference: &str, what: &str, expect: &str| {
        format!(
            "[[claim]]\nplace = \"{place}\"\nsays = \"less\"\ncase = \"{case}\"\nreference = \
             \"{reference}\"\n\
             what = \"{what}\"\nexpect = {expect}\n"
        )
    };
    const LOWER: &str = "{ percent = { lower = 20, unit = 5 } }";
    let toml = [
        "title = \"A document\"\ngames = 4\n".to_owned(),
        case("cycle", "hamiltonian", "4x4"),
        case("shortcut", "shortcut", "4x4"),
        case("random", "random", "8x8"),
        claim(
            "claim 1",
            "shortcut",
            "cycle",
            "mean_steps_won",
            "\"lower\"",
        ),
        claim(
            "claim 2",
            "cycle",
            "shortcut",
            "mean_steps_won",
            "\"lower\"",
        ),
        claim("claim 3", "shortcut", "cycle", "mean_steps_won", LOWER),
        claim("claim 4", "shortcut", "cycle", "mean_length", "\"lower\""),
        claim("claim 5", "random", "cycle", "mean_steps_won", "\"lower\""),
        claim("claim 6", "cycle", "random", "win_rate", LOWER),
        "[[difference]]\nplace = \"difference\"\nfirst = \"random\"\nsecond = \"cycle\"\n\
         published.first = { n = 9, mean = 67, sd = 9 }\n\
         published.second = { n = 9, mean = 53, sd = 8 }\n"
            .to_owned(),
    ];
    fs::write(&document, toml.concat()).unwrap();
    let verdicts = |games: &str| {
        let printed = succeed(&[
            "reproduce",
            text(&document),
            "--games",
            games,
            "--out",
            text(folder.path()),
        ]);
        let results = json(&folder.path().join("document/results.json"));
        let rows = results["rows"].as_array().unwrap().clone();
        assert!(
            rows.len() == 7
                && rows
                    .iter()
                    .all(|row| printed.contains(row["verdict"].as_str().unwrap())),
            "{printed}"
        );
        let verdict = |row: &serde_json::Value| {
            (
                row["verdict"].as_str().unwrap().to_owned(),
                row["agrees"].clone(),
            )
        };
        rows.iter().map(verdict).collect::<Vec<_>>()
    };
    let few = verdicts("4");
    for (verdict, agrees) in &few[1..5] {
        assert!(
            verdict.starts_with("not distinguishable") && agrees.is_null(),
            "{few:?}"
        );
    }
    assert_eq!(few[4].0, "not distinguishable: all games are alike");
    let many = verdicts("1000");
    assert_eq!(
        [1, 2, 3].map(|row| many[row].0.as_str()),
        ["holds", "does not hold", "holds"]
    );
    assert_eq!(many[4].0, "not distinguishable: all games are alike");
    for verdicts in [few, many] {
        assert_eq!(verdicts[6].0, "can't be compared: the reference is 0");
        for row in [0, 5] {
            assert_eq!(
                verdicts[row].0,
                "can't be compared: too few of our games count"
            );
        }
    }
}

/// Texts of a document can't control the terminal.
#[test]
fn texts_of_documents_are_printed_as_escapes() {
    let folder = tempfile::tempdir().unwrap();
    let document = folder.path().join("document.toml");
    let toml = r#"
title = "A \u001b[2Jtitle"
games = 2

[[case]]
name = "A \u001b]0;case\u0007"
policy = "hamiltonian"
rules = { board = "4x4" }
published = [{ place = "A\rplace", what = "win_rate", value = 1.0, n = 3 }]
"#;
    fs::write(&document, toml).unwrap();
    let reproduce = ["reproduce", text(&document), "--out", text(folder.path())];
    let printed = succeed(&reproduce);
    for escaped in [
        r"A \u{1b}[2Jtitle",
        r"A \u{1b}]0;case\u{7}: games won",
        r"A\rplace",
    ] {
        assert!(printed.contains(escaped), "{printed}");
    }
    let is_control = |letter: char| letter.is_control() && letter != '\n';
    assert!(!printed.contains(is_control), "{printed:?}");
    fs::write(&document, toml.replace("win_rate", r"\u001b[2J")).unwrap();
    let error = refuse(&reproduce);
    assert!(
        error.contains(r"\u{1b}[2J") && !error.contains(is_control),
        "{error:?}"
    );
}

/// A damaged section in the middle of a table in progress is reported, and the file is left
/// unchanged.
#[test]
fn a_damaged_partial_table_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("3x3.table");
    let partial = folder.path().join("3x3.table.partial");
    let solve = [
        "tablebase",
        "solve",
        "--board",
        "3x3",
        "--out",
        text(&table),
    ];
    succeed(&solve);
    let mut bytes = fs::read(&table).unwrap();
    fs::remove_file(&table).unwrap();
    bytes[60] ^= 1;
    fs::write(&partial, &bytes).unwrap();
    assert!(refuse(&solve).contains("is damaged"));
    assert!(fs::read(&partial).unwrap() == bytes);
    fs::write(&partial, "my notes").unwrap();
    assert!(refuse(&solve).contains("expected \"hognose-tablebase 1\", got \"my notes\""));
    assert_eq!(fs::read_to_string(&partial).unwrap(), "my notes");
    // Killed while writing the first line.
    fs::write(&partial, "hognose-table").unwrap();
    succeed(&solve);
}
