//! `hognose watch`, `record` and `replay`: single games.

use crate::error::{Error, Result};
use crate::rules::RulesArguments;
use crate::{Outcome, files, interrupt, print, say};
use hognose_eval::Evaluation;
use hognose_game::{Direction, Game, Origin, Position, Record, Status};
use hognose_policies::Named;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

/// Which game is played.
#[derive(clap::Args)]
struct Which {
    /// Policy; `hognose policies` lists them
    #[arg(long)]
    policy: String,
    #[command(flatten)]
    rules: RulesArguments,
    /// Seed that games are derived from, as in `evaluate`
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Number of the game, from 0: game N of this seed is the N-th game of `evaluate`
    #[arg(long, default_value_t = 0)]
    game: usize,
    /// Cut the game off after this many steps without food [default: 4 x area]
    #[arg(long, value_name = "STEPS")]
    limit: Option<u32>,
}

/// Watch a policy play a game in the terminal
#[derive(clap::Args)]
pub(crate) struct WatchArguments {
    #[command(flatten)]
    which: Which,
    /// Moves shown each second
    #[arg(long, default_value_t = 15.0, value_parser = frames)]
    fps: f64,
}

/// Play a game and write it down
#[derive(clap::Args)]
pub(crate) struct RecordArguments {
    #[command(flatten)]
    which: Which,
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

fn frames(text: &str) -> std::result::Result<f64, String> {
    let fps: f64 = text.parse().map_err(|_| "expected a number".to_owned())?;
    if (0.01..=1000.0).contains(&fps) { Ok(fps) } else { Err("expected 0.01 to 1000".to_owned()) }
}

/// Plays a game; calls `show` with every position, the first and the last included. True unless interrupted.
fn play(which: &Which, mut show: impl FnMut(&Position, u64)) -> Result<(Record, bool)> {
    let rules = which.rules.rules()?;
    let limit = which.limit.unwrap_or(Evaluation::default_limit(rules));
    let seed = Evaluation::new(rules, which.seed, 1).game_seed(which.game);
    let mut policy = Named::new(&which.policy, "cpu")?.single_player();
    let mut game = Game::new(rules, seed);
    let refused = |error| Error::from(error).context(&which.policy);
    policy.reset(game.position(), Evaluation::policy_seed(seed)).map_err(refused)?;
    let (mut moves, mut hunger) = (Vec::new(), 0);
    show(game.position(), 0);
    while game.position().status() == Status::Ongoing && hunger < limit && !interrupt::asked() {
        let direction = policy.act(game.position());
        let length = game.position().len();
        game.step(direction);
        moves.push(direction);
        hunger = if game.position().len() > length { 0 } else { hunger + 1 };
        show(game.position(), moves.len() as u64);
    }
    Ok((Record::new(Origin::Seed(rules), seed, moves)?, !interrupt::asked()))
}

pub(crate) fn watch(arguments: &WatchArguments) -> Result<Outcome> {
    interrupt::listen()?;
    let mut screen = Screen::new(arguments.fps);
    let (record, finished) = play(&arguments.which, |position, steps| screen.show(position, steps))?;
    drop(screen);
    say!("{}", ending(&record)?);
    Ok(if finished { Outcome::Done } else { Outcome::Interrupted })
}

pub(crate) fn record(arguments: &RecordArguments) -> Result<Outcome> {
    if let Some(path) = &arguments.out {
        files::check_writable(path)?;
    }
    interrupt::listen()?;
    let (record, finished) = play(&arguments.which, |_, _| ())?;
    if !finished {
        return Ok(Outcome::Interrupted);
    }
    match &arguments.out {
        Some(path) => {
            files::write(path, record.to_string())?;
            say!("{}: {}", path.display(), ending(&record)?);
        }
        None => print(format_args!("{record}")),
    }
    Ok(Outcome::Done)
}

pub(crate) fn replay(arguments: &ReplayArguments) -> Result<Outcome> {
    let path = &arguments.record;
    let wrong = |error| Error::from(error).context(path.display());
    let record: Record = files::read(path)?.parse().map_err(wrong)?;
    record.replay().map_err(wrong)?;
    if let Some(fps) = arguments.fps {
        interrupt::listen()?;
        let mut screen = Screen::new(fps);
        let mut game = record.start();
        screen.show(game.position(), 0);
        for (step, &direction) in record.moves().iter().enumerate() {
            if interrupt::asked() {
                return Ok(Outcome::Interrupted);
            }
            game.step(direction);
            screen.show(game.position(), step as u64 + 1);
        }
    }
    say!("{} replays: {}", path.display(), ending(&record)?);
    Ok(Outcome::Done)
}

fn ending(record: &Record) -> Result<String> {
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

/// Draws positions over each other on a terminal, one below the other elsewhere.
struct Screen {
    pause: Duration,
    terminal: bool,
    /// Whether the terminal was cleared and its cursor hidden.
    open: bool,
}

impl Screen {
    fn new(fps: f64) -> Screen {
        let terminal = std::io::stdout().is_terminal();
        Screen { pause: Duration::from_secs_f64(1.0 / fps), terminal, open: false }
    }

    fn show(&mut self, position: &Position, steps: u64) {
        let (length, area) = (position.len(), position.board().area());
        let title = format!("step {steps}, length {length} of {area}");
        if self.terminal {
            if !self.open {
                print(format_args!("\x1b[?25l\x1b[2J"));
                self.open = true;
            }
            print(format_args!("\x1b[H{title}\x1b[K\n{}\x1b[J", picture(position)));
            thread::sleep(self.pause);
        } else {
            print(format_args!("{title}\n{position}"));
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        if self.open {
            print(format_args!("\x1b[?25h"));
        }
    }
}

/// The board with a frame, two columns a cell: the head bright, the body joined cell to cell, the food red.
fn picture(position: &Position) -> String {
    const GREEN: &str = "\x1b[32m";
    const BRIGHT: &str = "\x1b[1;92m";
    const RED: &str = "\x1b[31m";
    const PLAIN: &str = "\x1b[0m";
    let board = position.board();
    // For each body cell, the directions of the cells before and behind it.
    let mut joints = vec![[false; 4]; board.area()];
    let mut join = |cell: hognose_game::Cell, direction: Direction| joints[cell.index()][direction.index()] = true;
    let body: Vec<_> = position.body().collect();
    for pair in body.windows(2) {
        if let Some(direction) = board.direction(pair[0], pair[1]) {
            join(pair[0], direction);
            join(pair[1], direction.opposite());
        }
    }
    let mut text = format!("┌{}┐\n", "─".repeat(2 * board.width() + 1));
    for row in 0..board.height() {
        text.push_str("│ ");
        for column in 0..board.width() {
            let cell = board.cell(column, row);
            let [up, right, down, left] = joints[cell.index()];
            let (color, glyph) = match () {
                () if cell == position.head() => (BRIGHT, "●"),
                () if position.is_food(cell) => (RED, "◆"),
                () if position.is_free(cell) => ("", "·"),
                () => (
                    GREEN,
                    match (up, right, down, left) {
                        (true, _, true, _) => "┃",
                        (_, true, _, true) => "━",
                        (true, true, _, _) => "┗",
                        (true, _, _, true) => "┛",
                        (_, true, true, _) => "┏",
                        (_, _, true, true) => "┓",
                        (true, ..) => "╹",
                        (_, true, ..) => "╺",
                        (_, _, true, _) => "╻",
                        _ => "╸",
                    },
                ),
            };
            text.push_str(&format!("{color}{glyph}{}{PLAIN}", if right { "━" } else { " " }));
        }
        text.push_str("│\n");
    }
    text + &format!("└{}┘\n", "─".repeat(2 * board.width() + 1))
}
