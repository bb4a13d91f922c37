//! `hognose watch`

use crate::commands::watch_duel;
use crate::error::Result;
use crate::outcome::Outcome;
use crate::output::say;
use crate::policy_game::{GameArguments, ending};
use crate::screen::{KEYS, Key, Screen};
use crate::watching::WatchArguments;
use crate::{files, interrupt};
use hognose_eval::PolicyGame;
use hognose_game::{Overlay, Status};
use hognose_viewer::{Drawing, Film, Scene, animation};
use std::time::Duration;

/// Watch a policy play a game in the terminal, or two bots a duel
///
/// --svg saves the game as an animated picture, up to the point where it was quit.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    watch: WatchArguments,
    #[command(flatten)]
    game: GameArguments,
}

/// The statistics of the games of `watch --loop`, as in Killer Devouring Snake.
#[derive(Default)]
struct Running {
    games: usize,
    wins: usize,
    length: usize,
    steps: usize,
}

impl Running {
    /// Counts a finished game.
    fn add(&mut self, game: &PolicyGame) {
        let position = game.position();
        self.games += 1;
        self.wins += usize::from(position.status() == Status::Won);
        self.length += position.len();
        self.steps += game.steps();
    }

    /// Returns the line to show.
    fn text(&self) -> String {
        let mean = |total: usize| total as f64 / self.games as f64;
        let games = self.games;
        let percent = 100.0 * mean(self.wins);
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

/// Shows the game or, with `--loop`, one game after another until the user quits.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    if let Some(duels) = arguments.game.duels()? {
        return watch_duel::run(&duels, &arguments.watch);
    }
    let games = arguments.game.games()?;
    let name = games.name();
    let mut game = games.game(0)?;
    let arguments = &arguments.watch;
    if let Some(path) = &arguments.svg {
        files::check_writable(path)?;
    }
    let mind = |game: &PolicyGame| {
        if arguments.plain {
            Overlay::default()
        } else {
            game.overlay()
        }
    };
    let mut film = arguments
        .svg
        .as_ref()
        .map(|path| (path, Film::new(game.position(), &mind(&game))));
    interrupt::listen()?;
    let mut screen = Screen::new(Duration::from_secs_f64(1.0 / arguments.fps))?;
    screen.overlay = !arguments.plain;
    let mut running = Running::default();
    let outcome = loop {
        let position = game.position();
        let length = position.len();
        let area = position.board().area();
        let steps = game.steps();
        let paused = if screen.paused { ", paused" } else { "" };
        let overlay = if screen.overlay {
            game.overlay()
        } else {
            Overlay::default()
        };
        let scene = Scene {
            drawing: Drawing::new(position, &overlay),
            title: format!("{name}: step {steps}, length {length} of {area}{paused}"),
            notes: if arguments.repeat {
                vec![running.text()]
            } else {
                Vec::new()
            },
            keys: KEYS,
        };
        screen.show(&scene, position)?;
        if game.is_over() {
            running.add(&game);
            if !arguments.repeat || game.forfeit().is_some() {
                break Outcome::Done;
            }
            if !screen.is_terminal() {
                say!("{}", running.text());
            }
            game = games.game(running.games)?;
            continue;
        }
        match screen.wait()? {
            Some(Key::Interrupt) => break Outcome::Interrupted,
            Some(Key::Quit) => break Outcome::Done,
            Some(_) => {}
            None => {
                let stepped = game.step_with(|ask| screen.meanwhile(ask))?;
                if let (Some((_, film)), true) = (&mut film, stepped) {
                    film.add(game.position(), &mind(&game));
                }
            }
        }
    };
    drop(screen);
    if let Some((path, film)) = film {
        files::write(path, animation(&film, arguments.fps))?;
        say!("{}: {} steps", path.display(), film.steps());
    }
    if arguments.repeat && running.games > 0 {
        say!("{}", running.text());
    }
    if !arguments.repeat || game.forfeit().is_some() {
        say!("{}", ending(&game));
    }
    Ok(outcome)
}
