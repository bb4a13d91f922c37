//! Duels in the terminal.

use crate::duel_game::{DuelGame, Duels};
use crate::duel_scene::scene;
use crate::error::Result;
use crate::outcome::Outcome;
use crate::output::say;
use crate::screen::{KEYS, Key, Screen};
use crate::watching::WatchArguments;
use crate::{files, interrupt};
use hognose_viewer::{DuelFilm, animation};
use std::time::Duration;

/// The statistics of the duels of `watch --loop`.
#[derive(Default)]
struct Score {
    duels: usize,
    wins: [usize; 2],
}

impl Score {
    /// Counts a finished duel.
    fn add(&mut self, game: &DuelGame) {
        self.duels += 1;
        if let Some(winner) = game.winner() {
            self.wins[winner] += 1;
        }
    }

    /// Returns the line to show.
    fn text(&self, duels: &Duels) -> String {
        let [first, second] =
            [0, 1].map(|bot| format!("{} won {}", duels.name(bot), self.wins[bot]));
        let draws = self.duels - self.wins.iter().sum::<usize>();
        format!("of {} duels, {first}, {second}, {draws} drawn", self.duels)
    }
}

/// Shows the duel or, with `--loop`, one duel after another until the user quits.
pub(crate) fn run(duels: &Duels, arguments: &WatchArguments) -> Result<Outcome> {
    let mut game = duels.game(0)?;
    if let Some(path) = &arguments.svg {
        files::check_writable(path)?;
    }
    let plans = |game: &DuelGame| {
        if arguments.plain {
            Default::default()
        } else {
            game.plans().clone()
        }
    };
    let mut film = arguments
        .svg
        .as_ref()
        .map(|path| (path, DuelFilm::new(game.position(), &plans(&game))));
    interrupt::listen()?;
    let mut screen = Screen::new(Duration::from_secs_f64(1.0 / arguments.fps))?;
    screen.overlay = !arguments.plain;
    let mut score = Score::default();
    let stopped = loop {
        let notes = if arguments.repeat {
            vec![score.text(duels)]
        } else {
            Vec::new()
        };
        let stopped = show(&mut screen, &mut game, &notes, |game| {
            film.iter_mut()
                .for_each(|(_, film)| film.add(game.position(), &plans(game)));
        })?;
        if stopped.is_some() {
            break stopped;
        }
        score.add(&game);
        if !arguments.repeat || game.is_forfeited() {
            break None;
        }
        if !screen.is_terminal() {
            say!("{}", score.text(duels));
        }
        let again = duels.clone();
        let number = score.duels;
        match screen.meanwhile(move || again.game(number))? {
            Some(next) => game = next?,
            None => break screen.wait()?.and_then(stop),
        }
    };
    drop(screen);
    if let Some((path, film)) = film {
        let film = film.with_legend(game.legend());
        files::write(path, animation(film.as_film(), arguments.fps))?;
        say!("{}: {} steps", path.display(), film.as_film().steps());
    }
    if arguments.repeat && score.duels > 0 {
        say!("{}", score.text(duels));
    }
    if !arguments.repeat || game.is_forfeited() {
        say!("{}", game.ending());
    }
    Ok(stopped.unwrap_or(Outcome::Done))
}

/// Shows a duel until its end, with notes below; returns how it was stopped, if it was. Calls `add`
/// after each step.
pub(crate) fn show(
    screen: &mut Screen,
    game: &mut DuelGame,
    notes: &[String],
    mut add: impl FnMut(&DuelGame),
) -> Result<Option<Outcome>> {
    loop {
        let plans = if screen.overlay {
            game.plans().clone()
        } else {
            Default::default()
        };
        let mut scene = scene(
            game.names(),
            game.position(),
            &plans,
            game.legend(),
            screen,
            KEYS,
        );
        scene.notes.extend_from_slice(notes);
        screen.show(&scene, game.position())?;
        if game.is_over() {
            return Ok(None);
        }
        match screen.wait()? {
            Some(key) => {
                let stopped = stop(key);
                if stopped.is_some() {
                    return Ok(stopped);
                }
            }
            None => {
                if game.step_with(|ask| screen.meanwhile(ask))? {
                    add(game);
                }
            }
        }
    }
}

/// Returns the outcome of a key that stops the command.
fn stop(key: Key) -> Option<Outcome> {
    match key {
        Key::Interrupt => Some(Outcome::Interrupted),
        Key::Quit => Some(Outcome::Done),
        _ => None,
    }
}
