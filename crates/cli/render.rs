//! `hognose render`

use crate::duel_game::{DuelGame, TERMS};
use crate::error::Result;
use crate::outcome::Outcome;
use crate::output::say;
use crate::picture::{Picture, PictureArguments, Still};
use crate::policy_game::{GameArguments, tell_forfeit};
use crate::records::{Recorded, ending_at, read};
use crate::render_duel::DrawnDuel;
use crate::{files, interrupt};
use hognose_eval::PolicyGame;
use hognose_game::{Direction, Game, Overlay, Position, Record};
use hognose_viewer::{Drawing, Film, animation, svg};
use std::path::{Path, PathBuf};

/// Draw a game or a duel as a picture that moves, or one position of it
///
/// The game is one that `record` wrote, or one that is played now. The picture shows snakes and foods, and what the
/// players have in mind: a policy's cycle as a gray line and its plan as a yellow one, a bot's plan in the color of its
/// snake. A record does not tell that.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Recorded game; without it, a game is played
    #[arg(value_name = "GAME", conflicts_with_all = PLAYED, conflicts_with_all = TERMS)]
    record: Option<PathBuf>,
    #[command(flatten)]
    picture: PictureArguments,
    #[command(flatten)]
    game: GameArguments,
}

/// How the command is used.
const EXAMPLES: &str = "\
Examples:
  hognose render game.txt --svg game.svg
  hognose render --policy certified --board 10x10 --svg game.svg
  hognose render --policy certified --board 10x10 --step 100 --out position.png
  hognose render --duel greedy,search --svg duel.svg";

/// The options that say which game is played, which a recorded game says itself.
const PLAYED: [&str; 14] = [
    "duel",
    "bot",
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
    let picture = arguments.picture.picture()?;
    let plain = arguments.picture.plain;
    let recorded = arguments.record.as_deref().map(read).transpose()?;
    let game = match (recorded, arguments.game.duels()?) {
        (Some(Recorded::Game(record)), _) => Drawn::recorded(&record),
        (None, None) => Drawn::Now { game: Box::new(arguments.game.games()?.game(0)?), plain },
        (Some(Recorded::Duel(record)), _) => {
            return DrawnDuel { game: DuelGame::recorded(&record), plain }.draw(&picture);
        }
        (None, Some(duels)) => {
            return DrawnDuel { game: duels.game(0)?, plain }.draw(&picture);
        }
    };
    match &picture {
        Picture::Moving { path, fps } => draw_moving(game, path, *fps),
        Picture::Still(still) => draw_still(game, still),
    }
}

/// Draws the whole game.
fn draw_moving(mut game: Drawn, path: &Path, fps: f64) -> Result<Outcome> {
    let played = interrupt::unless_asked(move || {
        let mut film = Film::new(game.position(), &game.overlay());
        while !interrupt::asked() && game.step() {
            film.add(game.position(), &game.overlay());
        }
        (game, film)
    })?;
    let Some((game, film)) = played.filter(|_| !interrupt::asked()) else { return Ok(Outcome::Interrupted) };
    let outcome = game.tell_forfeit();
    files::write(path, animation(&film, fps))?;
    say!("{}: {}", path.display(), ending_at(game.position(), film.steps()));
    Ok(outcome)
}

/// Draws one position.
fn draw_still(mut game: Drawn, still: &Still<'_>) -> Result<Outcome> {
    let last = still.last_step();
    let played = interrupt::unless_asked(move || {
        let mut steps = 0;
        while steps < last && !interrupt::asked() && game.step() {
            steps += 1;
        }
        (game, steps)
    })?;
    let Some((game, steps)) = played.filter(|_| !interrupt::asked()) else { return Ok(Outcome::Interrupted) };
    let outcome = game.tell_forfeit();
    still.check(steps)?;
    still.write(svg(&Drawing::new(game.position(), &game.overlay())))?;
    let (length, area) = (game.position().len(), game.position().board().area());
    say!("{}: step {steps}, length {length} of {area}", still.path.display());
    Ok(outcome)
}

/// The game that is drawn, step by step.
enum Drawn {
    Now { game: Box<PolicyGame>, plain: bool },
    Before { game: Box<Game>, moves: std::vec::IntoIter<Direction> },
}

impl Drawn {
    fn recorded(record: &Record) -> Drawn {
        Drawn::Before { game: Box::new(record.start()), moves: record.moves().to_vec().into_iter() }
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
    fn tell_forfeit(&self) -> Outcome {
        match self {
            Drawn::Now { game, .. } => tell_forfeit(game),
            Drawn::Before { .. } => Outcome::Done,
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
