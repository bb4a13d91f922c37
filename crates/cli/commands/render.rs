//! `hognose render`

use crate::commands::render_duel::DrawnDuel;
use crate::duel_game::{DuelGame, TERMS};
use crate::error::Result;
use crate::interrupt::unless_stopped;
use crate::outcome::Outcome;
use crate::picture::{Picture, PictureArguments, Sheet, check_step, is_after};
use crate::policy_game::{GameArguments, report_forfeit};
use crate::records::{Recorded, ending_at, read};
use hognose_eval::PolicyGame;
use hognose_game::{Direction, Game, Overlay, Position, Record};
use hognose_viewer::{Drawing, Film, animation, svg};
use std::path::PathBuf;

/// Draw a game or a duel as an animated picture, or one position of it
///
/// The game is either recorded or played now. The picture shows snakes, foods and, unless the game
/// was recorded, the players' plans: a policy's cycle as a gray line and its plan as a yellow one,
/// a bot's plan in the color of its snake.
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

/// Examples of usage.
const EXAMPLES: &str = "\
Examples:
  hognose render game.txt --svg game.svg
  hognose render --policy certified --board 10x10 --svg game.svg
  hognose render --policy certified --board 10x10 --step 100 --out position.png
  hognose render --duel greedy,search --svg duel.svg";

/// The options that select a game to play, which conflict with a recorded game.
const PLAYED: [&str; 16] = [
    "duel",
    "bot",
    "policy",
    "move_limit",
    "log",
    "seed",
    "game",
    "starvation",
    "starvation_per_cell",
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
    arguments.picture.check()?;
    let picture = arguments.picture.picture();
    let plain = arguments.picture.plain;
    let recorded = arguments.record.as_deref().map(read).transpose()?;
    let sheet = match (recorded, arguments.game.duels()?) {
        (Some(Recorded::Game(record)), _) => {
            unless_stopped(move || draw(Drawn::recorded(&record), picture))?
        }
        (Some(Recorded::Duel(record)), _) => unless_stopped(move || {
            DrawnDuel {
                game: DuelGame::recorded(&record),
                plain,
            }
            .draw(picture)
        })?,
        (None, Some(duels)) => unless_stopped(move || {
            DrawnDuel {
                game: duels.game(0)?,
                plain,
            }
            .draw(picture)
        })?,
        (None, None) => {
            let games = arguments.game.games()?;
            unless_stopped(move || {
                draw(
                    Drawn::Now {
                        game: Box::new(games.game(0)?),
                        plain,
                    },
                    picture,
                )
            })?
        }
    };
    let Some(sheet) = sheet else {
        return Ok(Outcome::Interrupted);
    };
    arguments.picture.write(&sheet)?;
    Ok(sheet.outcome)
}

/// Plays the game and draws the picture.
fn draw(game: Drawn, picture: Picture) -> Result<Sheet> {
    match picture {
        Picture::Moving { fps } => Ok(draw_moving(game, fps)),
        Picture::Still { step } => draw_still(game, step),
    }
}

/// Draws the whole game.
fn draw_moving(mut game: Drawn, fps: f64) -> Sheet {
    let mut film = Film::new(game.position(), &game.overlay());
    while game.step() {
        film.add(game.position(), &game.overlay());
    }
    Sheet {
        outcome: game.report_forfeit(),
        svg: animation(&film, fps),
        what: ending_at(game.position(), film.steps()),
    }
}

/// Draws one position.
fn draw_still(mut game: Drawn, step: Option<usize>) -> Result<Sheet> {
    let mut steps = 0;
    while is_after(step, steps) && game.step() {
        steps += 1;
    }
    let outcome = game.report_forfeit();
    check_step(step, steps)?;
    let length = game.position().len();
    let area = game.position().board().area();
    Ok(Sheet {
        outcome,
        svg: svg(&Drawing::new(game.position(), &game.overlay())),
        what: format!("step {steps}, length {length} of {area}"),
    })
}

/// The game to draw, step by step.
enum Drawn {
    Now {
        game: Box<PolicyGame>,
        plain: bool,
    },
    Before {
        game: Box<Game>,
        moves: std::vec::IntoIter<Direction>,
    },
}

impl Drawn {
    fn recorded(record: &Record) -> Drawn {
        Drawn::Before {
            game: Box::new(record.start()),
            moves: record.moves().to_vec().into_iter(),
        }
    }

    fn position(&self) -> &Position {
        match self {
            Drawn::Now { game, .. } => game.position(),
            Drawn::Before { game, .. } => game.position(),
        }
    }

    /// Returns the policy's plan, if known and requested.
    fn overlay(&self) -> Overlay {
        match self {
            Drawn::Now { game, plain: false } => game.overlay(),
            Drawn::Now { .. } | Drawn::Before { .. } => Overlay::default(),
        }
    }

    /// Reports why the game was forfeited, if it was.
    fn report_forfeit(&self) -> Outcome {
        match self {
            Drawn::Now { game, .. } => report_forfeit(game),
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
                let Some(direction) = moves.next() else {
                    return false;
                };
                game.step(direction);
            }
        }
        true
    }
}
