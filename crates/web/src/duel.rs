//! Duels between two bots, or a bot and the user.

use crate::agents::catalog;
use crate::answer::{Answer, json, text};
use crate::choices::parse_seed;
use hognose_eval::tournament::Schedule;
use hognose_game::duel::{self, Bot, DuelPosition, DuelRecord, DuelRules, MakeBot, Seat};
use hognose_game::{Direction, Turns, rng};
use hognose_policies::{AGAINST_USER, BOTS, NamedBot};
use hognose_viewer::{Drawing, DuelNames, canvas};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

/// The user's name, in place of a bot's name.
const YOU: &str = "you";

/// A bot on offer.
#[derive(Serialize)]
struct BotChoice {
    name: &'static str,
    what: &'static str,
    /// The default budget for a move; `null` for bots that do not search.
    budget: Option<String>,
}

/// Returns the bots as JSON: name, description, and default budget, which is `null` for bots that
/// do not search.
#[wasm_bindgen]
pub fn bots() -> String {
    let choices = BOTS.iter().map(|known| BotChoice {
        name: known.name,
        what: known.description,
        budget: known.budget().map(|budget| budget.to_string()),
    });
    json(&choices.collect::<Vec<_>>())
}

/// Returns the names of rules of duels, as JSON.
#[wasm_bindgen]
pub fn duel_rules() -> String {
    json(&DuelRules::NAMES)
}

/// A duel, shown at one step. Showing a later step plays the duel up to it.
#[wasm_bindgen]
pub struct Duel {
    names: DuelNames,
    /// `None` for the user.
    players: [Option<Box<dyn Bot>>; 2],
    turns: Turns,
    start: duel::Duel,
    moves: Vec<[Direction; 2]>,
    /// The plans of both after each move; empty before the first move.
    plans: Vec<[Vec<Direction>; 2]>,
    /// The duel at the shown step.
    shown: duel::Duel,
}

/// Facts about a duel at the shown step.
#[derive(Serialize)]
struct Facts {
    step: usize,
    /// The number of moves played so far, including moves after the shown step.
    played: usize,
    limit: u32,
    lengths: [usize; 2],
    names: [String; 2],
    is_over: bool,
    /// A sentence about who leads, or how the duel ended.
    words: String,
}

#[wasm_bindgen]
impl Duel {
    /// Creates a duel under named rules. The players, in the order of the seats, are names of bots,
    /// or "you" once. Two bots play the duel of `hognose watch --duel` with the same rules, seed
    /// and number of the game: they swap seats in every second game. The user plays the duel of
    /// `hognose play --against` whose seed is the sum of `seed` and `game`.
    ///
    /// # Errors
    /// Fails if the rules, a bot or the seed are invalid, or if both players are "you".
    #[wasm_bindgen(constructor)]
    pub fn new(rules: &str, first: &str, second: &str, seed: &str, game: u32) -> Answer<Duel> {
        let rules = DuelRules::named(rules).map_err(text)?;
        let seed = parse_seed(seed)?;
        let catalog = catalog();
        let bot = |name: &str| catalog.bot(name).map_err(text);
        match (first, second) {
            (YOU, YOU) => Err("expected a bot: you can't play both snakes".to_owned()),
            (YOU, name) => Duel::against(
                &bot(name)?,
                Seat::First,
                rules,
                seed.wrapping_add(game.into()),
            ),
            (name, YOU) => Duel::against(
                &bot(name)?,
                Seat::Second,
                rules,
                seed.wrapping_add(game.into()),
            ),
            _ => Duel::of_bots(&[bot(first)?, bot(second)?], rules, seed, game),
        }
    }

    /// Queues a direction: 0 to 3 for up, right, down, left.
    pub fn press(&mut self, direction: usize) {
        let Some(you) = self.you() else { return };
        let heading = self.shown.position().snake(you).heading();
        self.turns
            .press(Direction::from_index(direction % 4), heading, false);
    }

    /// Returns whether the duel waits for the first direction.
    pub fn waits(&self) -> bool {
        self.you().is_some() && !self.turns.began()
    }

    /// Shows a step, playing up to `most` more steps to reach it, and returns the step reached.
    ///
    /// # Errors
    /// Fails if a bot forfeits.
    pub fn look_at(&mut self, step: usize, most: usize) -> Answer<usize> {
        if step < self.step() {
            self.shown = self.start.clone();
        }
        while self.step() < step.min(self.moves.len()) {
            self.shown.step(self.moves[self.step()]);
        }
        for _ in 0..most {
            if self.step() == step || self.shown.position().outcome().is_some() {
                break;
            }
            self.play()?;
        }
        Ok(self.step())
    }

    /// Returns the picture of the duel, optionally with the bots' plans.
    pub fn picture(&self, plans: bool) -> Vec<f32> {
        let plans = if plans {
            self.plans[self.step()].clone()
        } else {
            Default::default()
        };
        canvas(&Drawing::of_duel(self.shown.position(), &plans), [])
    }

    /// Returns the board as text.
    pub fn board(&self) -> String {
        self.start.position().board().to_string()
    }

    /// Returns facts about the duel at the shown step, as JSON.
    pub fn facts(&self) -> String {
        let position = self.shown.position();
        let is_over = position.outcome().is_some();
        let words = if is_over {
            self.names.ending(position, self.step())
        } else {
            self.names.lead(position)
        };
        json(&Facts {
            step: self.step(),
            played: self.moves.len(),
            limit: position.rules().step_limit(),
            lengths: Seat::BOTH.map(|seat| position.length(seat)),
            names: Seat::BOTH.map(|seat| self.names.of(seat).to_owned()),
            is_over,
            words,
        })
    }

    /// Returns the record of the duel so far.
    ///
    /// # Errors
    /// Never fails: the duel itself made the moves.
    pub fn record(&self) -> Answer<String> {
        DuelRecord::new(self.start.clone(), self.moves.clone())
            .map(text)
            .map_err(text)
    }
}

impl Duel {
    /// Creates a duel of two bots.
    fn of_bots(bots: &[NamedBot; 2], rules: DuelRules, seed: u64, game: u32) -> Answer<Duel> {
        let names = bots.each_ref().map(|bot| bot.name().to_owned());
        // A schedule also defines the games after its last one.
        let schedule = Schedule::new(rules, names, 2, seed).map_err(text)?;
        let scheduled = schedule.game(game as usize);
        let start = schedule.duel(&scheduled);
        let player = |seat: Seat| {
            let [bot, seed] = [
                scheduled.bots[seat.index()] as u64,
                scheduled.bot_seeds[seat.index()],
            ];
            made(&bots[bot as usize], start.position(), seat, seed)
        };
        let players = [player(Seat::First)?, player(Seat::Second)?];
        let names = DuelNames::bots(scheduled.bots.map(|bot| schedule.label(bot)));
        Ok(Duel::before_first_move(names, players, start))
    }

    /// Creates a duel of the user against a bot.
    fn against(bot: &NamedBot, you: Seat, rules: DuelRules, seed: u64) -> Answer<Duel> {
        let start = duel::Duel::new(rules, seed);
        let player = made(
            bot,
            start.position(),
            you.other(),
            rng::derive(seed, AGAINST_USER, 0),
        )?;
        Ok(Duel::before_first_move(
            DuelNames::you_and(bot.name(), you),
            you.joint(None, player),
            start,
        ))
    }

    fn before_first_move(
        names: DuelNames,
        players: [Option<Box<dyn Bot>>; 2],
        start: duel::Duel,
    ) -> Duel {
        let turns = Turns::new(usize::MAX);
        let shown = start.clone();
        Duel {
            names,
            players,
            turns,
            start,
            moves: Vec::new(),
            plans: vec![Default::default()],
            shown,
        }
    }

    /// Returns the user's seat.
    fn you(&self) -> Option<Seat> {
        Seat::BOTH
            .into_iter()
            .find(|seat| self.players[seat.index()].is_none())
    }

    /// Returns the shown step.
    fn step(&self) -> usize {
        self.shown.position().steps() as usize
    }

    /// Plays the next moves of both. The user plays the first queued direction, or straight ahead.
    fn play(&mut self) -> Answer<()> {
        let position = self.shown.position();
        let mut moves = [Direction::Up; 2];
        let mut plans = [Vec::new(), Vec::new()];
        for seat in Seat::BOTH {
            let index = seat.index();
            match &mut self.players[index] {
                Some(bot) => {
                    moves[index] = bot.try_act(position).map_err(text)?;
                    plans[index] = bot.thought().plan(seat, moves[index]);
                }
                None => moves[index] = self.turns.next(position.snake(seat).heading()),
            }
        }
        self.shown.step(moves);
        self.moves.push(moves);
        self.plans.push(plans);
        if self.shown.position().outcome().is_some() {
            self.players
                .iter_mut()
                .flatten()
                .for_each(|bot| bot.end(self.shown.position()));
        }
        Ok(())
    }
}

/// Creates a bot's player for a seat.
fn made(
    bot: &NamedBot,
    start: &DuelPosition,
    seat: Seat,
    seed: u64,
) -> Answer<Option<Box<dyn Bot>>> {
    let made = bot.make(start, seat, seed);
    made.map(Some)
        .map_err(|error| format!("{} does not play this duel: {error}", bot.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bots_play_and_every_step_can_be_shown() {
        let agent = include_bytes!("../../../checkpoints/duel-2021/policy.safetensors");
        crate::add_duel_agent("2021".to_owned(), agent.to_vec());
        let duel = || Duel::new("ai-snakes-2021", "nega:2", "selfplay:2", "5", 0).unwrap();
        let mut played = duel();
        let pictures: Vec<Vec<f32>> = (0..40).map(|step| look(&mut played, step)).collect();
        assert_eq!(
            (0..40)
                .rev()
                .map(|step| look(&mut played, step))
                .rev()
                .collect::<Vec<_>>(),
            pictures
        );
        let end = played.look_at(usize::MAX, 900).unwrap();
        assert!(
            played.facts().contains("\"is_over\":true") && end <= 900,
            "{}",
            played.facts()
        );
        // The record must replay, as in the binary.
        let record: DuelRecord = played.record().unwrap().parse().unwrap();
        assert_eq!(
            record.replay().unwrap().position().outcome(),
            played.shown.position().outcome()
        );
        let mut again = duel();
        again.look_at(usize::MAX, 900).unwrap();
        assert_eq!(again.record(), played.record());
        let swapped = Duel::new("ai-snakes-2021", "nega:2", "selfplay:2", "5", 1).unwrap();
        assert_eq!(swapped.names.of(Seat::First), "selfplay:2");
    }

    fn look(duel: &mut Duel, step: usize) -> Vec<f32> {
        duel.look_at(step, usize::MAX).unwrap();
        duel.picture(true)
    }

    #[test]
    fn the_user_plays_either_seat() {
        for (first, second, you) in [
            ("you", "greedy", Seat::First),
            ("greedy", "you", Seat::Second),
        ] {
            let mut duel = Duel::new("ai-snakes-2020", first, second, "1", 2).unwrap();
            assert!(duel.waits());
            let heading = duel.shown.position().snake(you).heading();
            [1, 2, 3]
                .into_iter()
                .for_each(|turns| duel.press(heading.index() + turns));
            assert!(!duel.waits());
            duel.look_at(4, 4).unwrap();
            let made: Vec<usize> = duel
                .moves
                .iter()
                .map(|moves| moves[you.index()].index())
                .collect();
            let turned = |turns: usize| (heading.index() + turns) % 4;
            assert_eq!(made, [turned(1), turned(2), turned(3), turned(3)]);
            assert_eq!(duel.start.seed(), 3);
        }
    }

    #[test]
    fn invalid_duels_are_refused() {
        let error =
            |rules, first, second, seed| Duel::new(rules, first, second, seed, 0).err().unwrap();
        assert!(error("ai-snakes-2021", "you", "you", "0").contains("expected a bot"));
        assert!(error("chess", "you", "nega", "0").contains("expected the rules ai-snakes-2020"));
        assert!(error("ai-snakes-2021", "you", "negra", "0").contains("did you mean nega"));
        assert!(error("ai-snakes-2021", "exec:sh", "nega", "0").contains("is refused here"));
        assert!(error("ai-snakes-2021", "you", "nega", "x").contains("expected a seed"));
    }
}
