//! `hognose watch`, `record` and `replay`: single games.

use crate::error::{Error, Result};
use crate::rules::RulesArguments;
use crate::screen::{Key, Screen};
use crate::{Outcome, files, interrupt, print, say};
use hognose_eval::Evaluation;
use hognose_game::{Direction, Game, Origin, Policy, Record, Status};
use hognose_policies::Named;
use hognose_viewer::Scene;
use std::path::PathBuf;
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
    /// Go on with the next game, and show the running statistics
    #[arg(long = "loop")]
    repeat: bool,
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

/// A game that a policy plays.
struct Table {
    policy: Box<dyn Policy>,
    game: Game,
    moves: Vec<Direction>,
    hunger: u32,
    limit: u32,
}

impl Table {
    /// Sits down to the `game`-th game with a player of the policy.
    fn new(which: &Which, policy: &Named, game: usize) -> Result<Table> {
        let rules = which.rules.rules()?;
        let seed = Evaluation::new(rules, which.seed, 1).game_seed(game);
        let game = Game::new(rules, seed);
        let refused = |error| Error::from(error).context(&which.policy);
        let policy = policy.single_player().make(game.position(), Evaluation::policy_seed(seed)).map_err(refused)?;
        let limit = which.limit.unwrap_or(Evaluation::default_limit(rules));
        Ok(Table { policy, game, moves: Vec::new(), hunger: 0, limit })
    }

    fn is_over(&self) -> bool {
        self.game.position().status() != Status::Ongoing || self.hunger >= self.limit
    }

    fn step(&mut self) {
        let direction = self.policy.act(self.game.position());
        let length = self.game.position().len();
        self.game.step(direction);
        self.moves.push(direction);
        self.hunger = if self.game.position().len() > length { 0 } else { self.hunger + 1 };
    }

    fn record(self) -> Result<Record> {
        Ok(Record::new(Origin::Seed(self.game.position().rules()), self.game.seed(), self.moves)?)
    }
}

/// What the games of `watch --loop` have come to (document 004, Killer Devouring Snake).
#[derive(Default)]
struct Running {
    games: usize,
    wins: usize,
    length: usize,
    steps: usize,
}

impl Running {
    fn add(&mut self, table: &Table) {
        let position = table.game.position();
        self.games += 1;
        self.wins += usize::from(position.status() == Status::Won);
        self.length += position.len();
        self.steps += table.moves.len();
    }

    fn text(&self) -> String {
        let mean = |total: usize| total as f64 / self.games as f64;
        let (games, percent) = (self.games, 100.0 * mean(self.wins));
        match games {
            0 => "run 1".to_owned(),
            _ => format!(
                "run {}: mean score {:.1}, mean moves {:.1}, win rate {percent:.1} % of {games}",
                games + 1,
                mean(self.length),
                mean(self.steps)
            ),
        }
    }
}

const KEYS: &str = "space pause, +/- speed, o what it has in mind, q quit";

pub(crate) fn watch(arguments: &WatchArguments) -> Result<Outcome> {
    let policy = Named::new(&arguments.which.policy, "cpu")?;
    let mut table = Table::new(&arguments.which, &policy, arguments.which.game)?;
    interrupt::listen()?;
    let mut screen = Screen::new(Duration::from_secs_f64(1.0 / arguments.fps))?;
    let mut running = Running::default();
    let outcome = loop {
        let position = table.game.position();
        let (length, area, steps) = (position.len(), position.board().area(), table.moves.len());
        let paused = if screen.paused { ", paused" } else { "" };
        let overlay = screen.overlay.then(|| table.policy.overlay());
        screen.show(&Scene {
            position,
            overlay: overlay.as_ref(),
            title: format!("{}: step {steps}, length {length} of {area}{paused}", arguments.which.policy),
            notes: if arguments.repeat { vec![running.text()] } else { Vec::new() },
            keys: KEYS,
        })?;
        if table.is_over() {
            running.add(&table);
            if !arguments.repeat {
                break Outcome::Done;
            }
            if !screen.is_terminal() {
                say!("{}", running.text());
            }
            table = Table::new(&arguments.which, &policy, arguments.which.game + running.games)?;
            continue;
        }
        match screen.wait()? {
            Some(Key::Interrupt) => break Outcome::Interrupted,
            Some(Key::Quit) => break Outcome::Done,
            Some(_) => {}
            None => table.step(),
        }
    };
    drop(screen);
    match arguments.repeat {
        true if running.games > 0 => say!("{}", running.text()),
        true => {}
        false => say!("{}", ending(&table.record()?)?),
    }
    Ok(outcome)
}

pub(crate) fn record(arguments: &RecordArguments) -> Result<Outcome> {
    if let Some(path) = &arguments.out {
        files::check_writable(path)?;
    }
    interrupt::listen()?;
    let policy = Named::new(&arguments.which.policy, "cpu")?;
    let mut table = Table::new(&arguments.which, &policy, arguments.which.game)?;
    while !table.is_over() {
        table.step();
        if interrupt::asked() {
            return Ok(Outcome::Interrupted);
        }
    }
    let record = table.record()?;
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
        if let Some(stopped) = show(&record, fps)? {
            return Ok(stopped);
        }
    }
    say!("{} replays: {}", path.display(), ending(&record)?);
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
        screen.show(&Scene { position, overlay: None, title, notes: Vec::new(), keys: KEYS })?;
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
