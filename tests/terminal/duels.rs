//! Tests duels in a terminal: keys and their effects.

use super::*;

/// Plays a duel with these keys, pressed at once, until it ends; returns its record.
fn play(keys: &str, options: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("duel.txt");
    let play = [
        "play",
        "--against",
        "sample",
        "--seed",
        "1",
        "--speed",
        "0.05",
        "--record",
        text(&record),
    ];
    let (window, programs) = pseudo_terminal();
    let child = on(&programs, hognose(&[&play[..], options].concat()));
    read_until(&window, "press");
    (&window).write_all(keys.as_bytes()).unwrap();
    read_until(&window, "again");
    (&window).write_all(b"r").unwrap();
    read_until(&window, "written");
    (&window).write_all(b"q").unwrap();
    let seen = read_until(&window, "; seed 1");
    assert!(
        seen.contains(" after ") && seen.contains(" lengths "),
        "{seen:?}"
    );
    assert_eq!(status(child), Some(0));
    assert!(succeed(&["replay", text(&record)]).contains(" after "));
    fs::read_to_string(&record).unwrap()
}

/// No key press is lost, and without one the snake goes straight.
#[test]
fn every_key_that_is_pressed_makes_a_turn() {
    let record = play("dwdwawa", &[]);
    assert!(record.contains("\nfirst_moves rurululll"), "{record}");
    let record = play(
        "\u{1b}[D\u{1b}[B\u{1b}[D",
        &["--seat", "second", "--rules", "ai-snakes-2020"],
    );
    assert!(record.contains("\nsecond_moves ldlll"), "{record}");
}

/// A duel that is quit becomes a picture up to that point; o, space and speed keys change how it is
/// shown.
#[test]
fn a_duel_that_is_quit_is_drawn_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("duel.svg");
    let (window, programs) = pseudo_terminal();
    let child = on(
        &programs,
        hognose(&["watch", "--duel", "greedy,sample", "--svg", text(&svg)]),
    );
    read_until(&window, "quit");
    (&window).write_all(b"o+ ").unwrap();
    read_until(&window, "paused");
    (&window).write_all(b"q").unwrap();
    read_until(&window, "cut off after");
    assert_eq!(status(child), Some(0));
    assert!(
        fs::read_to_string(&svg)
            .unwrap()
            .contains("class=\"body second\"")
    );
}

/// A bot that thinks for a long time, or a program that hangs, is stopped within its move; no
/// program is left running.
#[test]
fn thinking_is_stopped_within_a_move() {
    let folder = tempfile::tempdir().unwrap();
    let told = folder.path().join("pid");
    let hangs = format!("exec:sh -c 'echo $$ >> {}; exec sleep 1000'", text(&told));
    let limit = ["--move-limit", "60"];
    let watch_slow = vec!["watch", "--duel", "adder:40,greedy"];
    let watch_hanging = [&["watch", "--bot", "greedy", "--bot", &hangs], &limit[..]].concat();
    let play_slow = vec!["play", "--against", "adder:40"];
    let play_hanging = [&["play", "--against", &hangs], &limit[..]].concat();
    let cases = [
        (&watch_slow, ""),
        (&watch_hanging, ""),
        (&play_slow, "w"),
        (&play_hanging, "w"),
    ];
    for (arguments, begins) in cases {
        for (key, expected) in [("q", 0), ("\u{3}", 130)] {
            let (window, programs) = pseudo_terminal();
            let child = on(&programs, hognose(arguments));
            read_until(&window, "quit");
            (&window).write_all(begins.as_bytes()).unwrap();
            std::thread::sleep(Duration::from_millis(500));
            let pressed = Instant::now();
            (&window).write_all(key.as_bytes()).unwrap();
            assert_eq!(status(child), Some(expected), "{arguments:?} {key:?}");
            assert!(
                pressed.elapsed() < Duration::from_secs(5),
                "{arguments:?} {key:?}: {:?}",
                pressed.elapsed()
            );
        }
    }
    // Also without a terminal.
    let child = hognose(&watch_slow)
        .stdout(Stdio::piped())
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1000));
    send("-INT", &child);
    assert_eq!(status(child), Some(130));
    // A command that still waits for the move ends immediately at the second request.
    let record = hognose(&["record", "--duel", "adder:40,greedy"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    for _ in 0..2 {
        std::thread::sleep(Duration::from_secs(1));
        send("-INT", &record);
    }
    let asked = Instant::now();
    assert_eq!(status(record), Some(130));
    assert!(
        asked.elapsed() < Duration::from_secs(5),
        "{:?}",
        asked.elapsed()
    );
    let started = fs::read_to_string(told).unwrap();
    assert_eq!(started.lines().count(), 4);
    let until = Instant::now() + Duration::from_secs(10);
    for program in started.lines() {
        let runs = || {
            Command::new("kill")
                .args(["-0", program])
                .stderr(Stdio::null())
                .status()
                .unwrap()
                .success()
        };
        while runs() {
            assert!(Instant::now() < until, "{program} still runs");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
