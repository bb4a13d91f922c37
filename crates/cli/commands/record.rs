//! `hognose record`: plays a game and writes it to a file.

use crate::duel_game::Duels;
use crate::error::Result;
use crate::files;
use crate::interrupt::unless_stopped;
use crate::outcome::Outcome;
use crate::output::{print, say};
use crate::policy_game::{GameArguments, PolicyGames, report_forfeit};
use crate::records::ending_at;
use std::path::PathBuf;

/// Play a game or a duel and record it
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Write the record to this file [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    game: GameArguments,
}

/// A finished game.
struct Played {
    record: String,
    ending: String,
    outcome: Outcome,
}

/// Plays the game, and writes or prints its record.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    if let Some(path) = &arguments.out {
        files::check_writable(path)?;
    }
    let played = match arguments.game.duels()? {
        Some(duels) => unless_stopped(move || duel(&duels))?,
        None => {
            let games = arguments.game.games()?;
            unless_stopped(move || game(&games))?
        }
    };
    let Some(Played {
        record,
        ending,
        outcome,
    }) = played
    else {
        return Ok(Outcome::Interrupted);
    };
    match &arguments.out {
        Some(path) => {
            files::write(path, record)?;
            say!("{}: {ending}", path.display());
        }
        None => print(format_args!("{record}")),
    }
    Ok(outcome)
}

/// Plays a game of one snake.
fn game(games: &PolicyGames) -> Result<Played> {
    let mut game = games.game(0)?;
    while !game.is_over() {
        game.step();
    }
    let outcome = report_forfeit(&game);
    Ok(Played {
        record: game.record().to_string(),
        ending: ending_at(game.position(), game.steps()),
        outcome,
    })
}

/// Plays a duel.
fn duel(duels: &Duels) -> Result<Played> {
    let mut game = duels.game(0)?;
    while game.step() {}
    let outcome = game.report_forfeits();
    let ending = game.ending();
    Ok(Played {
        record: game.record()?.to_string(),
        ending,
        outcome,
    })
}
