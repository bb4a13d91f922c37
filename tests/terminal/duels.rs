//! Duels in a terminal: keys, and what they come to.

use super::*;

/// Plays a duel with these keys, pressed at once, until it ends; returns its record.
fn play(keys: &str, options: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("duel.txt");
    let play = ["play", "--against", "sample", "--seed", "1", "--speed", "0.05", "--record", text(&record)];
    let (window, programs) = pseudo_terminal();
    let child = on(&programs, hognose(&[&play[..], options].concat()));
    read_until(&window, "press");
    (&window).write_all(keys.as_bytes()).unwrap();
    read_until(&window, "again");
    (&window).write_all(b"r").unwrap();
    read_until(&window, "written");
    (&window).write_all(b"q").unwrap();
    let seen = read_until(&window, "; seed 1");
    assert!(seen.contains(" after ") && seen.contains(" lengths "), "{seen:?}");
    assert_eq!(status(child), Some(0));
    assert!(succeed(&["replay", text(&record)]).contains(" after "));
    fs::read_to_string(&record).unwrap()
}

/// No key that was pressed is lost, and without one the snake goes straight on.
#[test]
fn every_key_that_is_pressed_makes_a_turn() {
    let record = play("dwdwawa", &[]);
    assert!(record.contains("\nfirst_moves rurululll"), "{record}");
    let record = play("\u{1b}[D\u{1b}[B\u{1b}[D", &["--seat", "second", "--rules", "ai-snakes-2020"]);
    assert!(record.contains("\nsecond_moves ldlll"), "{record}");
}

/// What was watched of a duel until somebody quits becomes a picture; o, space and speed keys change how it is shown.
#[test]
fn a_duel_that_is_quit_is_drawn_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("duel.svg");
    let (window, programs) = pseudo_terminal();
    let child = on(&programs, hognose(&["watch", "--duel", "greedy,sample", "--svg", text(&svg)]));
    read_until(&window, "quit");
    (&window).write_all(b"o+ ").unwrap();
    read_until(&window, "paused");
    (&window).write_all(b"q").unwrap();
    read_until(&window, "cut off after");
    assert_eq!(status(child), Some(0));
    assert!(fs::read_to_string(&svg).unwrap().contains("class=\"body second\""));
}
