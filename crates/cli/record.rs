//! `hognose record`: a game as a file.

use crate::duel_game::Duels;
use crate::error::Result;
use crate::outcome::Outcome;
use crate::output::{print, say};
use crate::policy_game::{GameArguments, tell_forfeit};
use crate::records::ending_at;
use crate::{files, interrupt};
use hognose_eval::PolicyGame;
use std::fmt::Display;
use std::path::PathBuf;

/// Play a game, or a duel, and write it down
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    game: GameArguments,
}

/// Plays the game, and writes its record to the file or prints it.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    if let Some(path) = &arguments.out {
        files::check_writable(path)?;
    }
    interrupt::listen()?;
    if let Some(duels) = arguments.game.duels()? {
        return record_duel(&duels, arguments);
    }
    let mut game = arguments.game.games()?.game(0)?;
    let played = interrupt::unless_asked(move || {
        while !game.is_over() && !interrupt::asked() {
            game.step();
        }
        game
    })?;
    let Some(game) = played.filter(PolicyGame::is_over) else { return Ok(Outcome::Interrupted) };
    let outcome = tell_forfeit(&game);
    write(arguments, &game.record(), &ending_at(game.position(), game.steps()))?;
    Ok(outcome)
}

/// Plays a duel, and writes its record.
fn record_duel(duels: &Duels, arguments: &Arguments) -> Result<Outcome> {
    let mut game = duels.game(0)?;
    while game.step() {
        if interrupt::asked() {
            return Ok(Outcome::Interrupted);
        }
    }
    let outcome = game.tell_forfeits();
    let ending = game.ending();
    write(arguments, &game.record()?, &ending)?;
    Ok(outcome)
}

/// Writes a record to the file, and tells how the game ended; or prints the record.
fn write(arguments: &Arguments, record: &impl Display, ending: &str) -> Result<()> {
    match &arguments.out {
        Some(path) => {
            files::write(path, record.to_string())?;
            say!("{}: {ending}", path.display());
        }
        None => print(format_args!("{record}")),
    }
    Ok(())
}
