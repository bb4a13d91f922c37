//! Tests leaderboards, and what ends them.

use super::*;

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Returns the rows of a board, as policies and places.
fn places(board: &serde_json::Value) -> Vec<(&str, u64)> {
    let rows = board["rows"].as_array().unwrap().iter();
    rows.map(|row| {
        (
            row["policy"].as_str().unwrap(),
            row["place"].as_u64().unwrap(),
        )
    })
    .collect()
}

#[test]
fn policies_are_ranked_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let markdown = folder.path().join("leaderboard.md");
    let file = folder.path().join("leaderboard.json");
    let leaderboard = [
        "leaderboard",
        "--boards",
        "4x4,3x3",
        "--games",
        "20",
        "--seed",
        "2",
    ];
    let policies = [
        "--policies",
        "shortcut,random",
        "--add",
        "certified:2",
        "--add",
        "shortcut",
    ];
    let files = ["--markdown", text(&markdown), "--json", text(&file)];
    let printed = succeed(&[&leaderboard[..], &policies, &files, &["--threads", "1"]].concat());
    assert_eq!(printed, fs::read_to_string(&markdown).unwrap());
    let written = json(&file);
    assert_eq!(
        (&written["format"], &written["seed"]),
        (&1.into(), &2.into())
    );
    assert_eq!(written["version"], env!("CARGO_PKG_VERSION"));
    assert!(!written["commit"].as_str().unwrap().is_empty());
    let boards = written["boards"].as_array().unwrap();
    assert_eq!(
        (&boards[0]["rules"]["board"], &boards[1]["rules"]["board"]),
        (&"4x4".into(), &"3x3".into())
    );
    assert_eq!(
        places(&boards[0]),
        [("certified:2", 1), ("shortcut", 2), ("random", 3)]
    );
    // No cycle covers 3x3.
    assert_eq!(places(&boards[1]), [("certified:2", 1), ("random", 2)]);
    for board in boards {
        assert_eq!(
            (&board["games"], &board["ended_by"]),
            (&20.into(), &"games".into())
        );
    }
    // A row for each policy, best first, with a cell for each board that it plays.
    let rows: Vec<&str> = printed
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    assert!(
        rows.len() == 3 && rows[0].contains("`certified:2`") && rows[2].contains("`random`"),
        "{printed}"
    );
    assert!(
        rows[0].contains(" **") && rows[2].contains("0.0 %"),
        "{printed}"
    );
    assert!(
        printed.contains("Each policy played 20 games on each board, as requested."),
        "{printed}"
    );
    assert!(!printed.contains('†'), "{printed}");

    let bytes = fs::read(&file).unwrap();
    succeed(&[&leaderboard[..], &policies, &files, &["--threads", "2"]].concat());
    assert!(
        fs::read(&file).unwrap() == bytes,
        "results depend on the threads"
    );
}

/// Steps of won games are marked if a policy, or its reference, does not win all games.
#[test]
fn steps_of_policies_that_lose_are_marked() {
    let marked = |policies: &str| {
        let printed = succeed(&[
            "leaderboard",
            "--boards",
            "6x6",
            "--games",
            "60",
            "--policies",
            policies,
        ]);
        let marks = ["greedy", "certified:2", "random"].map(|policy| {
            let row = printed
                .lines()
                .find(|line| line.starts_with(&format!("| `{policy}`")))
                .unwrap();
            row.split('|').nth(2).unwrap().contains('†')
        });
        assert_eq!(
            printed.contains("can look faster than it is"),
            marks.contains(&true),
            "{printed}"
        );
        marks
    };
    assert_eq!(marked("certified:2,greedy,random"), [true, false, false]);
    assert_eq!(marked("greedy,certified:2,random"), [true, true, false]);
}

#[test]
fn all_policies_play_in_any_folder() {
    let folder = tempfile::tempdir().unwrap();
    let leaderboard = ["leaderboard", "--boards", "4x4", "--games", "20"];
    let output = hognose(&leaderboard)
        .current_dir(folder.path())
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{printed}");
    assert!(
        printed.starts_with("There is no folder checkpoints here"),
        "{printed}"
    );
    for policy in [
        "optimal",
        "certified",
        "certified:10",
        "killer",
        "random",
        "dqn:every-board-plans",
    ] {
        assert!(
            printed
                .lines()
                .any(|line| line.starts_with(&format!("| `{policy}` "))),
            "{policy}: {printed}"
        );
    }
    let others = printed.replace("dqn:every-board-plans", "");
    assert!(
        !others.contains("almighty-long") && !others.contains("dqn:"),
        "{printed}"
    );
    let printed = succeed(&leaderboard);
    assert!(
        printed.contains("| `dqn:checkpoints/every-board-safe` ") && !printed.contains("6x6"),
        "{printed}"
    );
}

/// Finished rounds of all policies are reported, whatever ends the games.
#[cfg(unix)]
#[test]
fn what_was_finished_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("leaderboard.json");
    let leaderboard = [
        "leaderboard",
        "--policies",
        "certified:1000",
        "--json",
        text(&file),
    ];
    let check = |output: &Output, ended_by: &str| {
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(
            printed
                .lines()
                .any(|line| line.starts_with("| policy") && !line.contains("20x20")),
            "{printed}"
        );
        assert_eq!(json(&file)["boards"][1]["ended_by"], ended_by);
        assert_eq!(json(&file)["boards"][1]["games"], 0);
        assert!(json(&file)["boards"][0]["games"].as_u64() >= Some(100));
        fs::remove_file(&file).unwrap();
    };
    let boards = ["--boards", "2x2,20x20"];
    let output = run(&[&leaderboard[..], &boards, &["--minutes", "0.03"]].concat());
    assert!(output.status.success(), "{output:?}");
    check(&output, "time");

    let mut child = hognose(&[&leaderboard[..], &boards].concat())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(2));
    assert!(child.try_wait().unwrap().is_none());
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    check(&output, "interruption");

    let error = refuse(
        &[
            &leaderboard[..],
            &["--boards", "20x20", "--minutes", "0.001"],
        ]
        .concat(),
    );
    assert!(
        error.contains("the time was up before all policies had played their first games"),
        "{error}"
    );
    assert!(!file.exists());
}

#[test]
fn bad_input_is_refused() {
    let refused = |arguments: &[&str]| refuse(&[&["leaderboard"], arguments].concat());
    assert!(refused(&["--add", "hamiltonia"]).contains("did you mean hamiltonian"));
    assert!(refused(&["--policies", "hamiltonian,zzz"]).contains("unknown policy \"zzz\""));
    assert!(refused(&["--boards", "5by5"]).contains("5by5"));
    let none = refused(&["--boards", "6x6", "--policies", "optimal"]);
    assert!(
        none.contains(
            "expected a policy that plays one of the boards, got none; optimal: 6x6 needs a table"
        ),
        "{none}"
    );
    for minutes in ["0", "-1", "ten", "inf", "1e30"] {
        let error = refused(&[&format!("--minutes={minutes}")]);
        assert!(
            error.contains("expected a number of minutes greater than 0, got"),
            "{error}"
        );
    }
    let few = ["--boards", "4x4", "--policies", "hamiltonian"];
    assert!(
        refused(&[&few[..], &["--games", "0"]].concat())
            .contains("games must be at least 1, got 0")
    );
    assert!(refused(&[&few[..], &["--threads", "0"]].concat()).contains("0 is not in 1..=256"));
    assert!(
        refused(&[&few[..], &["--json", "/no/such/folder/file"]].concat())
            .contains("/no/such/folder/file")
    );
}
