//! `hognose replay`: a recorded game, checked and shown.

use crate::error::Result;
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::say;
use crate::records::{ending, read};
use crate::screen::{KEYS, Key, Screen, frames};
use hognose_game::{Overlay, Record};
use hognose_viewer::{Drawing, Scene};
use std::path::PathBuf;
use std::time::Duration;

/// Check that a record replays, and show how the game ended
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// File that `record` wrote
    record: PathBuf,
    /// Watch it, at this many moves each second
    #[arg(long, value_parser = frames)]
    fps: Option<f64>,
}

/// Replays a record, in the terminal if that was asked for, and prints how its game ended.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let record = read(&arguments.record)?;
    if let Some(fps) = arguments.fps {
        interrupt::listen()?;
        if let Some(stopped) = show(&record, fps)? {
            return Ok(stopped);
        }
    }
    say!("{} replays: {}", arguments.record.display(), ending(&record)?);
    Ok(Outcome::Done)
}

/// Shows a record; how it was stopped, if it was.
fn show(record: &Record, fps: f64) -> Result<Option<Outcome>> {
    let mut screen = Screen::new(Duration::from_secs_f64(1.0 / fps))?;
    let mut game = record.start();
    let mut step = 0;
    loop {
        let position = game.position();
        let (length, area, moves) = (position.len(), position.board().area(), record.moves().len());
        let title = format!("step {step} of {moves}, length {length} of {area}");
        let drawing = Drawing::new(position, &Overlay::default());
        screen.show(&Scene { drawing, title, notes: Vec::new(), keys: KEYS }, position)?;
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
