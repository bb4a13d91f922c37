//! Duels against a bot, played with the keyboard.

use crate::duel_scene::scene;
use crate::error::{Error, Result};
use crate::files;
use crate::outcome::Outcome;
use crate::output::say;
use crate::screen::{Key, Screen};
use hognose_game::duel::{Bot, Duel, DuelRecord, DuelRules, Seat};
use hognose_game::{Direction, Forfeit, Seed, Turns, rng};
use hognose_policies::{AGAINST_USER, NamedBot};
use hognose_viewer::DuelNames;
use std::path::PathBuf;
use std::time::Duration;

/// The duels to play.
pub(crate) struct DuelPlay<'a> {
    pub(crate) bot: NamedBot,
    /// The user's seat.
    pub(crate) seat: Seat,
    pub(crate) rules: DuelRules,
    /// The seed of the first duel.
    pub(crate) seed: Seed,
    /// The time per step.
    pub(crate) pace: Duration,
    /// The file for records; `None` for a file named after the seed.
    pub(crate) file: Option<&'a PathBuf>,
}

/// The keys, as shown in the last line of the picture.
const KEYS: &str = "arrows/WASD turn, space pause, +/- speed, o bot plan, r record, n new, q quit";

impl DuelPlay<'_> {
    /// Plays duels until the user quits, and prints how each duel ended.
    pub(crate) fn run(&self) -> Result<Outcome> {
        let mut seed = self.seed;
        let mut screen = Screen::new(self.pace)?;
        let mut ended = Vec::new();
        let outcome = loop {
            let key = match self.duel(seed, &mut screen)? {
                Some(mut duel) => {
                    let key = duel.play(&mut screen)?;
                    ended.push(duel.ending());
                    Some(key)
                }
                None => screen.wait()?,
            };
            match key {
                Some(Key::New) => seed = seed.wrapping_add(1),
                Some(Key::Interrupt) => break Outcome::Interrupted,
                _ => break Outcome::Done,
            }
        };
        drop(screen);
        ended.iter().for_each(|line| say!("{line}"));
        Ok(outcome)
    }

    /// Creates a duel before its first step, which waits for a key. `None` if the user stopped it
    /// while the bot was being created.
    fn duel(&self, seed: Seed, screen: &mut Screen) -> Result<Option<KeyboardDuel>> {
        let start = Duel::new(self.rules, seed);
        let maker = self.bot.maker();
        let position = start.position().clone();
        let its_seat = self.seat.other();
        let made = screen.meanwhile(move || {
            maker.make(&position, its_seat, rng::derive(seed, AGAINST_USER, 0))
        })?;
        let Some(bot) = made else { return Ok(None) };
        Ok(Some(KeyboardDuel {
            names: DuelNames::you_and(self.bot.name(), self.seat),
            you: self.seat,
            bot: Some(bot.map_err(|error| Error::from(error).context(self.bot.name()))?),
            duel: start.clone(),
            start,
            moves: Vec::new(),
            plans: Default::default(),
            turns: Turns::new(usize::MAX),
            forfeit: None,
            file: self
                .file
                .cloned()
                .unwrap_or_else(|| format!("duel-{seed}.txt").into()),
            note: "press a direction to start".to_owned(),
        }))
    }
}

/// A duel in progress.
struct KeyboardDuel {
    names: DuelNames,
    you: Seat,
    /// `None` if its answer was abandoned.
    bot: Option<Box<dyn Bot>>,
    start: Duel,
    duel: Duel,
    moves: Vec<[Direction; 2]>,
    /// The moves that the bot plans.
    plans: [Vec<Direction>; 2],
    turns: Turns,
    /// Why the bot forfeited the game, if it did.
    forfeit: Option<Forfeit>,
    file: PathBuf,
    note: String,
}

impl KeyboardDuel {
    /// Plays until a key ends the duel: New, Quit or Interrupt.
    fn play(&mut self, screen: &mut Screen) -> Result<Key> {
        // The bot's plan is hidden from the user by default.
        screen.overlay = false;
        loop {
            self.show(screen)?;
            let over = self.duel.position().outcome().is_some() || self.forfeit.is_some();
            let key = if over || !self.turns.began() {
                Some(screen.wait_for_key()?)
            } else {
                screen.wait()?
            };
            match key {
                Some(Key::Turn(direction)) if !over => {
                    let heading = self.duel.position().snake(self.you).heading();
                    self.turns.press(direction, heading, false);
                }
                Some(Key::Turn(_) | Key::Changed) => {}
                Some(Key::Record) => {
                    self.note = self.write().unwrap_or_else(|error| error.to_string())
                }
                Some(key) => return Ok(key),
                None => self.step(screen)?,
            }
        }
    }

    /// Makes the next pressed turn, or continues straight; the bot does not know which. Does
    /// nothing if the user stops before the bot has answered.
    fn step(&mut self, screen: &mut Screen) -> Result<()> {
        let Some(mut bot) = self.bot.take() else {
            return Ok(());
        };
        let position = self.duel.position().clone();
        let asked = screen.meanwhile(move || {
            let answer = bot.try_act(&position);
            (bot, answer)
        })?;
        let Some((mut bot, answer)) = asked else {
            return Ok(());
        };
        match answer {
            Err(reason) => self.forfeit = Some(reason),
            Ok(answer) => {
                let mut moves = [answer; 2];
                moves[self.you.index()] = self
                    .turns
                    .next(self.duel.position().snake(self.you).heading());
                self.plans[self.you.other().index()] = bot.thought().plan(self.you.other(), answer);
                self.moves.push(moves);
                self.duel.step(moves);
                if self.duel.position().outcome().is_some() {
                    bot.end(self.duel.position());
                }
            }
        }
        self.bot = Some(bot);
        let over = self.duel.position().outcome().is_some() || self.forfeit.is_some();
        self.note = if over {
            "n plays again, r records the game, q quits".to_owned()
        } else {
            String::new()
        };
        Ok(())
    }

    /// Writes the record, and returns a message with its path.
    fn write(&self) -> Result<String> {
        let record = DuelRecord::new(self.start.clone(), self.moves.clone())?;
        files::write(&self.file, record.to_string())?;
        Ok(format!("written to {}", self.file.display()))
    }

    /// Draws the board with both lengths above it.
    fn show(&self, screen: &mut Screen) -> Result<()> {
        let plans = if screen.overlay {
            self.plans.clone()
        } else {
            Default::default()
        };
        let gave_up = self.you.joint(false, self.forfeit.is_some());
        let legend = self.names.legend(self.duel.position(), gave_up);
        let mut scene = scene(
            &self.names,
            self.duel.position(),
            &plans,
            legend,
            screen,
            KEYS,
        );
        scene.title += &format!(", {:.2} s per move", screen.seconds());
        scene.notes.extend(
            self.forfeit
                .iter()
                .map(|reason| format!("the bot forfeited the game: {reason}")),
        );
        scene.notes.push(self.note.clone());
        screen.show(&scene, self.duel.position())
    }

    /// Describes in a line how the duel ended.
    fn ending(&self) -> String {
        let how = match &self.forfeit {
            Some(reason) => format!("you won, since the bot forfeited the game: {reason}"),
            None => self.names.ending(self.duel.position(), self.moves.len()),
        };
        format!("{how}; seed {}", self.start.seed())
    }
}
