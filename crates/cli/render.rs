//! `hognose render`

use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::{complain, say};
use crate::policy_game::GameArguments;
use crate::{files, interrupt};
use hognose_eval::plot;
use hognose_viewer::{Drawing, svg};
use std::path::PathBuf;

/// Draw one position of a game as SVG or PNG
///
/// The picture shows the snake, the foods, and what the policy has in mind: its cycle as a gray line, its plan as a
/// yellow one.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// File to write; its ending says what: .svg or .png
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Draw the position after this many steps [default: the last position]
    #[arg(long, value_name = "N")]
    step: Option<usize>,
    #[command(flatten)]
    game: GameArguments,
}

/// Plays the game up to the step and writes the picture.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let Arguments { out, step, game: which } = arguments;
    let as_png = match out.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => false,
        Some("png") => true,
        _ => return Err(Error::new(format!("expected a file that ends in .svg or .png, got {}", out.display()))),
    };
    files::check_writable(out)?;
    interrupt::listen()?;
    let mut game = which.games()?.game(0)?;
    while !game.is_over() && step.is_none_or(|step| game.steps() < step) {
        game.step();
        if interrupt::asked() {
            return Ok(Outcome::Interrupted);
        }
    }
    if let Some(reason) = game.forfeit() {
        complain(format_args!("the game was forfeited: {reason}"));
    }
    if let Some(step) = step.filter(|&step| game.steps() < step) {
        return Err(Error::new(format!("expected a step of the game, which ends after {}, got {step}", game.steps())));
    }
    let picture = svg(&Drawing::new(game.position(), &game.overlay()));
    match as_png {
        true => files::write(out, plot::png(&picture)?)?,
        false => files::write(out, picture)?,
    }
    let (length, area) = (game.position().len(), game.position().board().area());
    say!("{}: step {}, length {length} of {area}", out.display(), game.steps());
    Ok(Outcome::Done)
}
