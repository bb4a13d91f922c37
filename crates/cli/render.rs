//! `hognose render`

use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::say;
use crate::policy_game::{GameArguments, PolicyGame};
use crate::records::{ending_at, read};
use crate::screen::frames;
use crate::{files, interrupt, plots};
use hognose_eval::plot;
use hognose_game::{Direction, Game, Overlay, Position};
use hognose_viewer::{Drawing, Film, animation, svg};
use std::path::{Path, PathBuf};

/// Draw a game as a picture that moves, or one position of it
///
/// The game is one that `record` wrote, or one that a policy plays now. The picture shows the snake and the foods, and
/// what the policy has in mind: its cycle as a gray line, its plan as a yellow one. A record does not tell that.
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("file").args(["svg", "out"]).required(true), after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Recorded game; without it, a policy plays one
    #[arg(value_name = "GAME", conflicts_with_all = PLAYED)]
    record: Option<PathBuf>,
    /// File to write with the whole game, as a picture that moves; it ends in .svg
    #[arg(long, value_name = "FILE", value_parser = plots::moving)]
    svg: Option<PathBuf>,
    /// Steps shown each second
    #[arg(long, default_value_t = 15.0, value_parser = frames, conflicts_with = "out")]
    fps: f64,
    /// File to write with one position; its ending says what: .svg or .png
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw the position after this many steps [default: the last position]
    #[arg(long, value_name = "N", conflicts_with = "svg")]
    step: Option<usize>,
    /// Leave out what the policy has in mind
    #[arg(long)]
    plain: bool,
    #[command(flatten)]
    game: GameArguments,
}

/// How the command is used.
const EXAMPLES: &str = "\
Examples:
  hognose render game.txt --svg game.svg
  hognose render --policy certified --board 10x10 --svg game.svg
  hognose render --policy certified --board 10x10 --step 100 --out position.png";

/// The options that say which game is played, which a recorded game says itself.
const PLAYED: [&str; 12] = [
    "policy",
    "move_limit",
    "seed",
    "game",
    "starvation",
    "time_limit",
    "board",
    "start_length",
    "start_margin",
    "start_at",
    "foods",
    "no_tail_entry",
];

/// Plays the game and writes the picture.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    interrupt::listen()?;
    match (&arguments.svg, &arguments.out) {
        (Some(path), _) => moving(arguments, path),
        (None, Some(path)) => still(arguments, path),
        (None, None) => unreachable!("one of them is required"),
    }
}

/// Draws the whole game.
fn moving(arguments: &Arguments, path: &Path) -> Result<Outcome> {
    files::check_writable(path)?;
    let mut game = Drawn::new(arguments)?;
    let mut film = Film::new(game.position(), &game.overlay());
    while game.step() {
        film.add(game.position(), &game.overlay());
        if interrupt::asked() {
            return Ok(Outcome::Interrupted);
        }
    }
    game.tell_forfeit();
    files::write(path, animation(&film, arguments.fps))?;
    say!("{}: {}", path.display(), ending_at(game.position(), film.steps()));
    Ok(Outcome::Done)
}

/// Draws one position.
fn still(arguments: &Arguments, path: &Path) -> Result<Outcome> {
    let as_png = match path.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => false,
        Some("png") => true,
        _ => return Err(Error::new(format!("expected a file that ends in .svg or .png, got {}", path.display()))),
    };
    files::check_writable(path)?;
    let mut game = Drawn::new(arguments)?;
    let mut steps = 0;
    while arguments.step.is_none_or(|step| steps < step) && game.step() {
        steps += 1;
        if interrupt::asked() {
            return Ok(Outcome::Interrupted);
        }
    }
    game.tell_forfeit();
    if let Some(step) = arguments.step.filter(|&step| steps < step) {
        return Err(Error::new(format!("expected a step of the game, which ends after {steps}, got {step}")));
    }
    let picture = svg(&Drawing::new(game.position(), &game.overlay()));
    match as_png {
        true => files::write(path, plot::png(&picture)?)?,
        false => files::write(path, picture)?,
    }
    let (length, area) = (game.position().len(), game.position().board().area());
    say!("{}: step {steps}, length {length} of {area}", path.display());
    Ok(Outcome::Done)
}

/// The game that is drawn, step by step.
enum Drawn {
    Now { game: Box<PolicyGame>, plain: bool },
    Before { game: Box<Game>, moves: std::vec::IntoIter<Direction> },
}

impl Drawn {
    fn new(arguments: &Arguments) -> Result<Drawn> {
        if let Some(path) = &arguments.record {
            let record = read(path)?;
            let moves = record.moves().to_vec().into_iter();
            return Ok(Drawn::Before { game: Box::new(record.start()), moves });
        }
        let game = Box::new(arguments.game.games()?.game(0)?);
        Ok(Drawn::Now { game, plain: arguments.plain })
    }

    fn position(&self) -> &Position {
        match self {
            Drawn::Now { game, .. } => game.position(),
            Drawn::Before { game, .. } => game.position(),
        }
    }

    /// What the policy has in mind, if that is known and asked for.
    fn overlay(&self) -> Overlay {
        match self {
            Drawn::Now { game, plain: false } => game.overlay(),
            Drawn::Now { .. } | Drawn::Before { .. } => Overlay::default(),
        }
    }

    /// Says why the game was forfeited, if it was.
    fn tell_forfeit(&self) {
        if let Drawn::Now { game, .. } = self {
            game.tell_forfeit();
        }
    }

    /// Makes the next move, if there is one.
    fn step(&mut self) -> bool {
        match self {
            Drawn::Now { game, .. } if game.is_over() => return false,
            Drawn::Now { game, .. } => {
                game.step();
                return game.forfeit().is_none();
            }
            Drawn::Before { game, moves } => {
                let Some(direction) = moves.next() else { return false };
                game.step(direction);
            }
        }
        true
    }
}
