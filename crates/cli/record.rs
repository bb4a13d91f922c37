//! `hognose record`: a game as a file.

use crate::error::Result;
use crate::outcome::Outcome;
use crate::output::{print, say};
use crate::policy_game::GameArguments;
use crate::records::ending;
use crate::{files, interrupt};
use std::path::PathBuf;

/// Play a game and write it down
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Plays the game, and writes its record to the file or prints it.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    if let Some(path) = &arguments.out {
        files::check_writable(path)?;
    }
    interrupt::listen()?;
    let mut game = arguments.game.games()?.game(0)?;
    while !game.is_over() {
        game.step();
        if interrupt::asked() {
            return Ok(Outcome::Interrupted);
        }
    }
    game.tell_forfeit();
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
