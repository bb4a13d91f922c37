//! `hognose replay`: checks and shows a recorded game.

use crate::commands::watch_duel;
use crate::duel_game::DuelGame;
use crate::error::Result;
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::say;
use crate::records::{Recorded, ending, read};
use crate::screen::{KEYS, Key, Screen, frames};
use hognose_game::duel::DuelRecord;
use hognose_game::{Overlay, Record};
use hognose_viewer::{Drawing, Scene};
use std::path::PathBuf;
use std::time::Duration;

/// Check a recorded game, and show how it ended
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Recorded game, written by `hognose record`
    record: PathBuf,
    /// Show the game at this many moves per second
    #[arg(long, value_parser = frames)]
    fps: Option<f64>,
}

/// Replays a record, in the terminal if requested, and prints how the game ended.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let record = read(&arguments.record)?;
    if let Some(fps) = arguments.fps {
        interrupt::listen()?;
        let stopped = match &record {
            Recorded::Game(record) => show(record, fps)?,
            Recorded::Duel(record) => show_duel(record, fps)?,
        };
        if let Some(stopped) = stopped {
            return Ok(stopped);
        }
    }
    let ending = match &record {
        Recorded::Game(record) => ending(record)?,
        Recorded::Duel(record) => {
            let mut game = DuelGame::recorded(record);
            while game.step() {}
            game.ending()
        }
    };
    say!("{} replays: {ending}", arguments.record.display());
    Ok(Outcome::Done)
}

/// Shows the record of a duel; returns how it was stopped, if it was.
fn show_duel(record: &DuelRecord, fps: f64) -> Result<Option<Outcome>> {
    let mut screen = Screen::new(Duration::from_secs_f64(1.0 / fps))?;
    watch_duel::show(&mut screen, &mut DuelGame::recorded(record), &[], |_| {})
}

/// Shows a record; returns how it was stopped, if it was.
fn show(record: &Record, fps: f64) -> Result<Option<Outcome>> {
    let mut screen = Screen::new(Duration::from_secs_f64(1.0 / fps))?;
    let mut game = record.start();
    let mut step = 0;
    loop {
        let position = game.position();
        let length = position.len();
        let area = position.board().area();
        let moves = record.moves().len();
        let title = format!("step {step} of {moves}, length {length} of {area}");
        let drawing = Drawing::new(position, &Overlay::default());
        screen.show(
            &Scene {
                drawing,
                title,
                notes: Vec::new(),
                keys: KEYS,
            },
            position,
        )?;
        match screen.wait()? {
            Some(Key::Interrupt) => return Ok(Some(Outcome::Interrupted)),
            Some(Key::Quit) => return Ok(Some(Outcome::Done)),
            Some(_) => {}
            None if step == moves => return Ok(None),
            None => {
                game.step(record.moves()[step]);
                step += 1;
            }
        }
    }
}
