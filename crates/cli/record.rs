//! `hognose record` and `hognose replay`: games as files.

use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::{print, say};
use crate::policy_game::{GameArguments, PolicyGame};
use crate::screen::{KEYS, Key, Screen, frames};
use crate::{files, interrupt};
use hognose_game::{Overlay, Record, Status};
use hognose_policies::Named;
use hognose_viewer::{Drawing, Scene};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Play a game and write it down
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Check that a record replays, and show how the game ended
#[derive(clap::Args)]
pub(crate) struct ReplayArguments {
    /// File that `record` wrote
    record: PathBuf,
    /// Watch it, at this many moves each second
    #[arg(long, value_parser = frames)]
    fps: Option<f64>,
}

/// Plays the game, and writes its record to the file or prints it.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    if let Some(path) = &arguments.out {
        files::check_writable(path)?;
    }
    interrupt::listen()?;
    let policy = Named::new(&arguments.game.policy, "cpu")?;
    let mut game = PolicyGame::new(&arguments.game, &policy, arguments.game.game)?;
    while !game.is_over() {
        game.step();
        if interrupt::asked() {
            return Ok(Outcome::Interrupted);
        }
    }
    let record = game.record()?;
    match &arguments.out {
        Some(path) => {
            files::write(path, record.to_string())?;
            say!("{}: {}", path.display(), ending(&record)?);
        }
        None => print(format_args!("{record}")),
    }
    Ok(Outcome::Done)
}

/// Reads a record that replays.
pub(crate) fn read(path: &Path) -> Result<Record> {
    let wrong = |error| Error::from(error).context(path.display());
    let record: Record = files::read(path)?.parse().map_err(wrong)?;
    record.replay().map_err(wrong)?;
    Ok(record)
}

/// Replays a record, in the terminal if that was asked for, and prints how its game ended.
pub(crate) fn replay(arguments: &ReplayArguments) -> Result<Outcome> {
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

/// How a recorded game ended, in words.
pub(crate) fn ending(record: &Record) -> Result<String> {
    let game = record.replay()?;
    let position = game.position();
    let how = match position.status() {
        Status::Won => "won".to_owned(),
        Status::Lost(cause) => format!("lost to {}", format!("{cause:?}").to_lowercase()),
        Status::Ongoing => "cut off".to_owned(),
    };
    let (steps, length, area) = (record.moves().len(), position.len(), position.board().area());
    Ok(format!("{how} after {steps} steps, length {length} of {area}"))
}
