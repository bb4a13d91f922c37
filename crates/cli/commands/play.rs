//! `hognose play`: play with the keyboard.

use crate::arguments::{ProgramArguments, RulesArguments};
use crate::commands::play_duel::DuelPlay;
use crate::duel_game::{SINGLE_RULES, TERMS};
use crate::duel_rules::{DuelTerms, seat};
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::say;
use crate::screen::{Key, Screen};
use crate::{files, interrupt};
use hognose_eval::{End, LimitedGame, Limits};
use hognose_game::duel::Seat;
use hognose_game::{Direction, Game, Origin, Overlay, Record, Seed, Turns};
use hognose_viewer::{Drawing, Scene};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Play Snake in the terminal, alone or against a bot
///
/// Steer with the arrow keys or WASD. The snake waits for the first key, then moves on its own.
/// Space pauses, + and - change the speed, r records the game, n starts a new one, q quits.
#[derive(clap::Args)]
#[command(
    group = clap::ArgGroup::new("terms")
        .args(TERMS)
        .args(["move_limit", "log"])
        .multiple(true)
        .requires("against")
)]
pub(crate) struct Arguments {
    /// Bot to play a duel against; see `hognose policies`
    #[arg(long, value_name = "BOT", conflicts_with_all = SINGLE_RULES)]
    against: Option<String>,
    /// Your seat in the duel: first or second
    #[arg(long, default_value = "first", value_parser = seat, requires = "against")]
    seat: Seat,
    /// Random seed of the game [default: a new one each time]
    #[arg(long)]
    seed: Option<u64>,
    /// Seconds per move, 0.05 to 0.7
    #[arg(long, value_name = "SECONDS", default_value_t = 0.3, value_parser = speed)]
    speed: f64,
    /// File that the key r records to [default: game-SEED.txt, or duel-SEED.txt for a duel]
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    programs: ProgramArguments,
    #[command(flatten)]
    rules: RulesArguments,
    #[command(flatten)]
    terms: DuelTerms,
}

/// Parses the seconds per move.
fn speed(text: &str) -> std::result::Result<f64, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "expected a number of seconds".to_owned())?;
    if (0.05..=0.7).contains(&seconds) {
        Ok(seconds)
    } else {
        Err("expected 0.05 to 0.7 seconds".to_owned())
    }
}

/// The maximum number of turns pressed ahead of the snake.
const TURNS_AHEAD: usize = 2;
/// The keys, as shown in the last line of the picture.
const KEYS: &str = "arrows/WASD turn, space pause, +/- speed, r record, n new, q quit";

/// Plays games until the user quits, and prints how each game ended.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let duel = arguments.duel()?;
    let rules = arguments.rules.rules(&[])?;
    if !std::io::stdout().is_terminal() {
        return Err(Error::new(
            "play needs a terminal, but the output is not one",
        ));
    }
    if let Some(path) = &arguments.record {
        files::check_writable(path)?;
    }
    interrupt::listen()?;
    if let Some(duel) = duel {
        return duel.run();
    }
    let mut seed = arguments.seed();
    let mut screen = Screen::new(arguments.pace())?;
    let mut ended = Vec::new();
    let outcome = loop {
        let mut game = KeyboardGame::new(Game::new(rules, seed), arguments.record.clone());
        let key = game.play(&mut screen)?;
        ended.push(game.ending());
        match key {
            Key::New => seed = seed.wrapping_add(1),
            Key::Interrupt => break Outcome::Interrupted,
            _ => break Outcome::Done,
        }
    };
    drop(screen);
    ended.iter().for_each(|line| say!("{line}"));
    Ok(outcome)
}

impl Arguments {
    /// Returns the duels against a bot, if one was named.
    fn duel(&self) -> Result<Option<DuelPlay<'_>>> {
        let Some(bot) = &self.against else {
            return Ok(None);
        };
        let (board, foods) = self.rules.board_and_foods();
        Ok(Some(DuelPlay {
            bot: self.programs.catalog().bot(bot)?,
            seat: self.seat,
            rules: self.terms.rules(board, foods)?,
            seed: self.seed(),
            pace: self.pace(),
            file: self.record.as_ref(),
        }))
    }

    /// Returns the seed of the first game.
    fn seed(&self) -> Seed {
        self.seed.unwrap_or_else(seed_of_now)
    }

    /// Returns the time per move.
    fn pace(&self) -> Duration {
        Duration::from_secs_f64(self.speed)
    }
}

/// Returns a seed that changes with time.
fn seed_of_now() -> Seed {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_millis() as u64)
}

/// A game in progress.
struct KeyboardGame {
    game: LimitedGame,
    moves: Vec<Direction>,
    turns: Turns,
    file: PathBuf,
    note: String,
}

impl KeyboardGame {
    /// Creates a game before its first move, which waits for a key.
    fn new(game: Game, file: Option<PathBuf>) -> KeyboardGame {
        let file = file.unwrap_or_else(|| format!("game-{}.txt", game.seed()).into());
        let moves = Vec::new();
        let turns = Turns::new(TURNS_AHEAD);
        let note = "press a direction to start".to_owned();
        let game = LimitedGame::new(game, Limits::NONE);
        KeyboardGame {
            game,
            moves,
            turns,
            file,
            note,
        }
    }

    /// Plays until a key ends the game: New, Quit or Interrupt.
    fn play(&mut self, screen: &mut Screen) -> Result<Key> {
        loop {
            self.show(screen)?;
            let waits = !self.turns.began();
            let over = self.game.end().is_some();
            let key = if waits || over {
                Some(screen.wait_for_key()?)
            } else {
                screen.wait()?
            };
            match key {
                Some(Key::Turn(direction)) if !over => {
                    let position = self.game.position();
                    self.turns
                        .press(direction, position.heading(), position.len() == 1);
                }
                Some(Key::Turn(_) | Key::Changed) => {}
                Some(Key::Record) => {
                    self.note = self.write().unwrap_or_else(|error| error.to_string())
                }
                Some(key) => return Ok(key),
                None => self.step(),
            }
        }
    }

    /// Makes the next pressed turn, or continues straight.
    fn step(&mut self) {
        let direction = self.turns.next(self.game.position().heading());
        self.moves.push(direction);
        self.game.step(direction);
        let again = "n plays again, r records the game, q quits";
        self.note = match self.game.end() {
            None | Some(End::Limit | End::Forfeit) => String::new(),
            Some(End::Won) => format!("you won! {again}"),
            Some(End::Wall) => format!("you hit the wall. {again}"),
            Some(End::Body) => format!("you hit your own body. {again}"),
        };
    }

    /// Writes the record, and returns a message with its path.
    fn write(&self) -> Result<String> {
        let record = Record::new(
            Origin::Seed(self.game.position().rules()),
            self.game.seed(),
            self.moves.clone(),
        )?;
        files::write(&self.file, record.to_string())?;
        Ok(format!("written to {}", self.file.display()))
    }

    /// Draws the board with the score above it.
    fn show(&self, screen: &mut Screen) -> Result<()> {
        let position = self.game.position();
        let score = position.len();
        let area = position.board().area();
        let steps = self.moves.len();
        let paused = if screen.paused { ", paused" } else { "" };
        let scene = Scene {
            drawing: Drawing::new(position, &Overlay::default()),
            title: format!(
                "score {score} of {area}, step {steps}, {:.2} s per move{paused}",
                screen.seconds()
            ),
            notes: vec![self.note.clone()],
            keys: KEYS,
        };
        screen.show(&scene, position)
    }

    /// Describes in a line how the game ended.
    fn ending(&self) -> String {
        let position = self.game.position();
        let how = match self.game.end() {
            Some(End::Won) => "you won",
            Some(End::Wall | End::Body) => "you lost",
            None | Some(End::Limit | End::Forfeit) => "quit",
        };
        let score = position.len();
        let area = position.board().area();
        let steps = self.moves.len();
        format!(
            "{how}: score {score} of {area} in {steps} steps, seed {}",
            self.game.seed()
        )
    }
}
