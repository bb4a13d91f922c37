//! Tests commands whose terminal goes away, whose reader goes away, or whose disk is full.

mod duels;

use super::*;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcgetattr, tcsetwinsize};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;

/// Opens a pseudo-terminal: the end of a window, and the end for programs.
fn pseudo_terminal() -> (File, File) {
    let window = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    // No other child process may keep it open.
    fcntl_setfd(&window, FdFlags::CLOEXEC).unwrap();
    grantpt(&window).unwrap();
    unlockpt(&window).unwrap();
    set_columns(&window, 100);
    let path = ptsname(&window, Vec::new()).unwrap();
    let programs = open(
        path.as_c_str(),
        OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC,
        Mode::empty(),
    )
    .unwrap();
    (window.into(), programs.into())
}

fn set_columns(window: impl AsFd, columns: u16) {
    tcsetwinsize(
        window,
        Winsize {
            ws_row: 40,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        },
    )
    .unwrap();
}

fn on(terminal: &File, mut command: Command) -> Child {
    let end = || terminal.try_clone().unwrap();
    command
        .stdin(end())
        .stdout(end())
        .stderr(end())
        .spawn()
        .unwrap()
}

/// Returns the exit status of a process; kills it and panics if it does not end in time.
fn status(mut child: Child) -> Option<i32> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if started.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("it did not end");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn send(signal: &str, child: &Child) {
    assert!(
        Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
}

/// Reads what is drawn in a window until a word appears, and returns it.
fn read_until(mut window: &File, word: &str) -> String {
    let mut seen = Vec::new();
    let mut bytes = [0; 1024];
    while !String::from_utf8_lossy(&seen).contains(word) {
        let count = window.read(&mut bytes).unwrap();
        seen.extend_from_slice(&bytes[..count]);
    }
    String::from_utf8(seen).unwrap()
}

const WATCH: [&str; 6] = [
    "watch",
    "--policy",
    "hamiltonian",
    "--board",
    "6x6",
    "--loop",
];
const PLAY: [&str; 3] = ["play", "--board", "6x6"];
const WATCH_DUEL: [&str; 4] = ["watch", "--duel", "greedy,search", "--loop"];
const PLAY_DUEL: [&str; 3] = ["play", "--against", "greedy"];

/// The window closes as its process exits, after the first picture; there is no hangup signal,
/// since the terminal controls no process.
#[test]
fn commands_that_draw_end_with_their_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("game.txt");
    succeed(&[
        "record",
        "--policy",
        "hamiltonian",
        "--board",
        "6x6",
        "--out",
        text(&record),
    ]);
    for arguments in [
        &WATCH[..],
        &PLAY,
        &WATCH_DUEL,
        &PLAY_DUEL,
        &["replay", text(&record), "--fps", "0.1"],
    ] {
        let (window, programs) = pseudo_terminal();
        let child = on(&programs, hognose(arguments));
        drop(programs);
        let process = Command::new("head")
            .args(["-c", "500"])
            .stdin(window)
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(process.success());
        assert_eq!(status(child), Some(130), "{arguments:?}");
    }
}

/// A hangup also ends them, and the terminal, which still exists, is restored.
#[test]
fn a_hangup_gives_the_terminal_back() {
    for arguments in [&WATCH[..], &PLAY, &WATCH_DUEL, &PLAY_DUEL] {
        let (window, programs) = pseudo_terminal();
        let modes = |terminal: &File| tcgetattr(terminal).unwrap().local_modes;
        let before = modes(&programs);
        let child = on(&programs, hognose(arguments));
        read_until(&window, "quit");
        assert_ne!(modes(&programs), before);
        send("-HUP", &child);
        read_until(&window, "\u{1b}[?1049l");
        assert_eq!(status(child), Some(130), "{arguments:?}");
        assert_eq!(modes(&programs), before);
    }
}

/// The bar appears below the first line, and is never drawn over several lines, which would require
/// upward moves of the cursor.
#[test]
fn the_bar_of_training_is_one_line_at_every_width() {
    for columns in [40, 80, 110, 200] {
        let folder = tempfile::tempdir().unwrap();
        let experiment = experiment(&folder);
        let out = folder.path().join("run");
        let (window, programs) = pseudo_terminal();
        set_columns(&window, columns);
        let child = on(
            &programs,
            hognose(&["train", text(&experiment), "--out", text(&out)]),
        );
        let seen = read_until(&window, "again: ");
        assert_eq!(status(child), Some(0));
        let (first, rest) = seen.split_once('\n').unwrap();
        assert!(
            first.starts_with("training ") && rest.contains('░'),
            "{columns} columns: {seen:?}"
        );
        assert!(
            !seen.contains("\u{1b}[1A") && !seen.contains(", ,"),
            "{columns} columns: {seen:?}"
        );
    }
}

/// If a policy thinks for a long time or a program hangs, keys and Ctrl-C work within its move. The
/// cursor, which drawing hides, is shown again.
#[test]
fn a_game_is_stopped_within_a_move() {
    let thinking = ["watch", "--board", "20x20", "--policy", "certified:1000000"];
    let hanging = [
        "watch",
        "--board",
        "6x6",
        "--policy",
        "exec:sleep 1000",
        "--move-limit",
        "3600",
    ];
    for arguments in [&thinking[..], &hanging] {
        for (key, expected) in [("q", 0), ("\u{3}", 130)] {
            let (window, programs) = pseudo_terminal();
            let child = on(&programs, hognose(arguments));
            read_until(&window, "quit");
            std::thread::sleep(Duration::from_millis(500));
            (&window).write_all(key.as_bytes()).unwrap();
            let pressed = Instant::now();
            read_until(&window, "\u{1b}[?25h");
            assert_eq!(status(child), Some(expected), "{arguments:?} {key:?}");
            assert!(
                pressed.elapsed() < Duration::from_secs(5),
                "{arguments:?} {key:?}: {:?}",
                pressed.elapsed()
            );
        }
    }
}

/// A game that is quit becomes a picture up to that point.
#[test]
fn a_game_that_is_quit_is_drawn_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("game.svg");
    let (window, programs) = pseudo_terminal();
    let watch = [
        "watch",
        "--policy",
        "hamiltonian",
        "--board",
        "6x6",
        "--svg",
        text(&svg),
    ];
    let child = on(&programs, hognose(&watch));
    read_until(&window, "quit");
    (&window).write_all(b"q").unwrap();
    read_until(&window, "cut off after");
    assert_eq!(status(child), Some(0));
    assert!(fs::read_to_string(&svg).unwrap().contains("<animate "));
}

/// Training saves a checkpoint at a hangup, as for Ctrl-C, even if it is signaled twice: by the
/// system and by the shell.
#[test]
fn a_hangup_saves_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = experiment(&folder);
    let out = folder.path().join("run");
    let steps = [
        "--set",
        "train.total_steps=1_000_000",
        "--set",
        "train.checkpoint_every=1_000_000",
    ];
    let train = [
        &["train", text(&experiment), "--out", text(&out)],
        &steps[..],
    ]
    .concat();
    let (window, programs) = pseudo_terminal();
    let child = on(&programs, hognose(&train));
    read_until(&window, "loss");
    send("-HUP", &child);
    send("-HUP", &child);
    read_until(&window, "hognose train --resume");
    assert_eq!(status(child), Some(130));
    assert_eq!(checkpoints(&out).len(), 1);
}

/// Training that ignores hangups, as under nohup, continues after one, and after its reader is
/// gone.
#[test]
fn training_outlives_its_terminal_and_its_reader() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = experiment(&folder);
    let out = folder.path().join("run");
    let train = [
        env!("CARGO_BIN_EXE_hognose"),
        "train",
        text(&experiment),
        "--out",
        text(&out),
    ];
    let mut nohup = Command::new("sh");
    nohup
        .args(["-c", "trap '' HUP; exec \"$@\"", "sh"])
        .args(train)
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    let mut child = nohup
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    assert!(first.starts_with("training"), "{first}");
    wait_for(&mut child, || !checkpoints(&out).is_empty());
    send("-HUP", &child);
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{output:?}"
    );
    assert!(
        fs::read_to_string(out.join("manifest.json"))
            .unwrap()
            .contains("\"win_rate\"")
    );
}

/// The index of the command below that plays games.
const EVALUATE: usize = 5;

/// Commands that only print, with few lines and with many.
const PRINTING: [&[&str]; 13] = [
    &["--help"],
    &["--version"],
    &["evaluate", "--help"],
    &["policies"],
    &["completions", "bash"],
    &[
        "evaluate",
        "--board",
        "4x4",
        "--policies",
        "hamiltonian",
        "--games",
        "2",
    ],
    &[
        "verify",
        "--policies",
        "hamiltonian",
        "--boards",
        "4x4",
        "--start-lengths",
        "1",
        "--games",
        "2",
    ],
    &["record", "--policy", "hamiltonian", "--board", "4x4"],
    &[
        "watch",
        "--policy",
        "hamiltonian",
        "--board",
        "4x4",
        "--loop",
        "--fps",
        "1000",
    ],
    &["tablebase", "solve", "--board", "3x3"],
    &[
        "tablebase",
        "probe",
        "--board",
        "3x3",
        "--body",
        "0,0",
        "--food",
        "2,2",
    ],
    &["record", "--duel", "greedy,search"],
    &[
        "watch",
        "--duel",
        "greedy,search",
        "--loop",
        "--fps",
        "1000",
    ],
];

#[test]
fn a_closed_pipe_ends_quietly() {
    let ends = |command: &mut Command| {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut complaints = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut complaints)
            .unwrap();
        assert_eq!(
            (status(child), complaints.as_str()),
            (Some(0), ""),
            "{command:?}"
        );
    };
    for arguments in PRINTING {
        ends(&mut hognose(arguments));
    }
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("table.json");
    ends(hognose(PRINTING[EVALUATE]).args(["--json", text(&json)]));
    assert!(fs::read_to_string(&json).unwrap().contains("\"wins\": 2"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let fails = |command: &mut Command| {
        let full = || File::options().write(true).open("/dev/full").unwrap();
        let output = command.stdout(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{command:?}: {output:?}");
        let complaints = String::from_utf8(output.stderr).unwrap();
        assert!(
            complaints.starts_with("error: can't write to standard output: "),
            "{command:?}: {complaints}"
        );
        // There is nowhere to report the error either.
        assert_eq!(
            command.stderr(full()).status().unwrap().code(),
            Some(1),
            "{command:?}"
        );
    };
    for arguments in PRINTING {
        fails(&mut hognose(arguments));
    }
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("table.json");
    let out = folder.path().join("run");
    fails(hognose(PRINTING[EVALUATE]).args(["--json", text(&json)]));
    assert!(fs::read_to_string(&json).unwrap().contains("\"wins\": 2"));

    let experiment = experiment(&folder);
    let settings = [
        "--set",
        "train.total_steps=2_000",
        "--set",
        "evaluation.games=2",
        "--seeds",
        "1",
    ];
    fails(hognose(&["train", text(&experiment), "--out", text(&out)]).args(settings));
    assert!(
        fs::read_to_string(out.join("seed0/manifest.json"))
            .unwrap()
            .contains("\"win_rate\"")
    );
}

/// Devices, pipes, links and standard output are written to and not replaced.
#[cfg(target_os = "linux")]
#[test]
fn special_files_are_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let duel = ["duel", "--bots", "search,greedy", "--games", "4"];
    let full = at("full");
    let json = at("all.json");
    std::os::unix::fs::symlink("/dev/full", &full).unwrap();
    std::os::unix::fs::symlink(&json, at("link.json")).unwrap();
    let refused = refuse(
        &[
            &duel[..],
            &["--csv", text(&full), "--json", text(&at("link.json"))],
        ]
        .concat(),
    );
    assert!(
        refused.starts_with(&format!(
            "error: can't write {}: No space left",
            text(&full)
        )),
        "{refused}"
    );
    assert!(full.is_symlink() && at("link.json").is_symlink());
    let whole = fs::read_to_string(&json).unwrap();

    let printed = succeed(&[&duel[..], &["--json", "/dev/stdout"]].concat());
    assert!(
        printed.ends_with(&whole) && printed.contains("won-lost-drawn"),
        "{printed}"
    );
    // The same with output to a file.
    let out = File::create(at("out")).unwrap();
    let command = hognose(&[&duel[..], &["--json", "/dev/stdout"]].concat())
        .stdout(out)
        .status()
        .unwrap();
    assert!(command.success() && fs::read_to_string(at("out")).unwrap().ends_with(&whole));

    let pipe = at("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let reader = Command::new("cat")
        .arg(&pipe)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    succeed(&[&duel[..], &["--csv", text(&pipe)]].concat());
    let read = String::from_utf8(reader.wait_with_output().unwrap().stdout).unwrap();
    assert!(
        read.starts_with("game,round,seed,") && read.lines().count() == 5,
        "{read}"
    );
}

/// Ctrl-C in the middle of an evaluation keeps the finished policies.
#[test]
fn an_interrupted_evaluation_keeps_what_was_played() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("table.json");
    let csv = folder.path().join("games.csv");
    let (window, programs) = pseudo_terminal();
    let policies = "hamiltonian,certified:1000000,greedy";
    let mut command = hognose(&[
        "evaluate",
        "--board",
        "12x12",
        "--policies",
        policies,
        "--games",
        "10",
    ]);
    command.args([
        "--json",
        text(&json),
        "--csv",
        text(&csv),
        "--plot",
        text(folder.path()),
    ]);
    let child = command
        .stdout(Stdio::piped())
        .stderr(programs)
        .spawn()
        .unwrap();
    drop(command);
    read_until(&window, "certified");
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        printed.contains("| hamiltonian")
            && printed.contains("not played: certified:1000000, greedy"),
        "{printed}"
    );
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(report["policies"].as_array().unwrap().len(), 1);
    assert_eq!(
        report["missing"],
        serde_json::json!(["certified:1000000", "greedy"])
    );
    assert_eq!(fs::read_to_string(&csv).unwrap().lines().count(), 11);
    assert!(folder.path().join("lengths.svg").exists());
}

/// A policy that hangs in a move does not end, even when asked to, but the command does: results of
/// other policies are kept, and no file of the program remains.
#[test]
fn a_policy_that_hangs_is_abandoned() {
    let folder = tempfile::tempdir().unwrap();
    let temporary = folder.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let json = folder.path().join("table.json");
    let hanging = [
        "--policy",
        "exec:sleep 1000",
        "--move-limit",
        "3600",
        "--board",
        "6x6",
    ];
    let evaluate = [
        "evaluate",
        "--policies",
        "greedy",
        "--games",
        "4",
        "--json",
        text(&json),
    ];
    let boards = [
        "evaluate",
        "--policy",
        "exec:sleep 1000",
        "--move-limit",
        "3600",
        "--boards",
        "4x4",
    ];
    let verify = [
        "verify",
        "--policy",
        "exec:sleep 1000",
        "--move-limit",
        "3600",
        "--boards",
        "4x4",
    ];
    let record = [&["record"], &hanging[..]].concat();
    let picture = folder.path().join("game.svg");
    let render = [&["render", "--svg", text(&picture)], &hanging[..]].concat();
    for arguments in [
        &[&evaluate[..], &hanging].concat(),
        &boards[..],
        &verify,
        &record,
        &render,
    ] {
        let mut command = hognose(arguments);
        command
            .env("TMPDIR", &temporary)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .stdin(Stdio::null());
        let child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(1500));
        interrupt(&child);
        let pressed = Instant::now();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{arguments:?}: {output:?}");
        assert!(
            pressed.elapsed() < Duration::from_secs(10),
            "{arguments:?}: {:?}",
            pressed.elapsed()
        );
        assert_eq!(
            fs::read_dir(&temporary).unwrap().count(),
            0,
            "{arguments:?}"
        );
    }
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(report["policies"].as_array().unwrap().len(), 1);
    assert_eq!(report["missing"], serde_json::json!(["exec:sleep 1000"]));
    // The time limit of a leaderboard also ends it.
    let leaderboard = [
        "leaderboard",
        "--policies",
        "greedy",
        "--boards",
        "4x4",
        "--games",
        "1",
        "--minutes",
        "0.02",
    ];
    let refused = refuse(
        &[
            &leaderboard[..],
            &["--add", "exec:sleep 1000", "--move-limit", "3600"],
        ]
        .concat(),
    );
    assert!(refused.contains("the time was up"), "{refused}");
}

/// When the reader of the output goes away, the file for a program's standard error is removed.
#[test]
fn no_file_of_errors_stays_behind_a_closed_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let player = format!(
        "exec:python3 {}/crates/process/examples/player.py",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut command = hognose(&[
        "record",
        "--board",
        "4x4",
        "--time-limit",
        "3",
        "--policy",
        &player,
    ]);
    let mut child = command
        .env("TMPDIR", folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(status(child), Some(0));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Ctrl-C while moves are compared with an exact table comes after everything else was written.
/// Games that no table covers are refused beforehand.
#[test]
fn an_interrupted_regret_keeps_the_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("table.json");
    let refused = folder.path().join("refused.json");
    let (window, programs) = pseudo_terminal();
    let many = ["--games", "20000", "--regret", "--regret-games", "20000"];
    let mut command = hognose(&[
        "evaluate",
        "--board",
        "4x4",
        "--policies",
        "hamiltonian,shortcut",
    ]);
    command.args(many).args(["--json", text(&json)]);
    let child = command
        .stdout(Stdio::piped())
        .stderr(programs)
        .spawn()
        .unwrap();
    drop(command);
    read_until(&window, "asked");
    assert!(json.exists());
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        printed.contains("best moves") && printed.contains("not asked: shortcut"),
        "{printed}"
    );
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(
        (
            report["policies"].as_array().unwrap().len(),
            report["regrets"].as_array().unwrap().len()
        ),
        (2, 1)
    );

    let two_foods = [
        "evaluate",
        "--board",
        "4x4",
        "--policies",
        "greedy",
        "--games",
        "5",
        "--foods",
        "2",
        "--regret",
    ];
    let error = refuse(&[&two_foods[..], &["--json", text(&refused)]].concat());
    assert!(
        error.contains("--regret: the table needs rules with one food") && !refused.exists(),
        "{error}"
    );
}
