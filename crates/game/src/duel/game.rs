//! A duel: a position, and the seed that decides where food appears.

use crate::duel::{DuelEvent, DuelPosition, DuelRules, Food, Seat};
use crate::game::{Seed, food_draws};
use crate::rng::{self, Purpose};
use crate::{Cell, Direction};
use serde::{Deserialize, Serialize};

const VALUE: Purpose = Purpose::new("value");

/// A position with the seed and the number of foods spawned so far.
///
/// The foods of a seed may be turned by half a turn. If the rules are [symmetric](DuelRules::is_half_turn_symmetric)
/// in this way, two bots meet the same game twice with exchanged seats: once with foods as they are, once turned.
///
/// ```
/// use hognose_game::duel::{Duel, DuelRules};
///
/// let rules = DuelRules::ai_snakes_2021();
/// let (duel, turned) = (Duel::new(rules, 7), Duel::half_turned(rules, 7));
/// let cell = duel.position().foods()[0].cell;
/// assert_eq!(turned.position().foods()[0].cell.0, 195 - cell.0);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Duel {
    position: DuelPosition,
    seed: Seed,
    spawned: u64,
    half_turned: bool,
}

impl Duel {
    /// A new duel; its foods follow from the seed.
    pub fn new(rules: DuelRules, seed: Seed) -> Duel {
        Duel::from_position(DuelPosition::start(rules), seed)
    }

    /// A duel from a position: the foods that lie there stay, missing ones are spawned.
    pub fn from_position(position: DuelPosition, seed: Seed) -> Duel {
        let mut duel = Duel { position, seed, spawned: 0, half_turned: false };
        duel.spawn();
        duel
    }

    /// A new duel whose foods follow from the seed, turned by half a turn.
    pub fn half_turned(rules: DuelRules, seed: Seed) -> Duel {
        let mut duel = Duel { position: DuelPosition::start(rules), seed, spawned: 0, half_turned: true };
        duel.spawn();
        duel
    }

    /// Becomes a new duel by the same rules, as [`Duel::new`] makes it, without allocating.
    pub fn restart(&mut self, seed: Seed) {
        self.position.restart();
        (self.seed, self.spawned, self.half_turned) = (seed, 0, false);
        self.spawn();
    }

    /// Moves both heads one cell, and lets food appear.
    #[inline]
    pub fn step(&mut self, moves: [Direction; 2]) -> DuelEvent {
        let event = self.position.step(moves);
        self.spawn();
        event
    }

    /// What both players see.
    #[inline]
    pub fn position(&self) -> &DuelPosition {
        &self.position
    }

    /// The seed.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// The number of foods that this seed has spawned so far.
    pub fn spawned(&self) -> u64 {
        self.spawned
    }

    /// Whether the foods of the seed are turned by half a turn.
    pub fn is_half_turned(&self) -> bool {
        self.half_turned
    }

    /// The n-th food is the first free cell in a stream of uniform draws keyed by (seed, n). Its value is keyed alike.
    #[inline]
    fn spawn(&mut self) {
        let position = &mut self.position;
        position.forget_steps();
        let wanted = position.rules().foods();
        if position.foods().len() == wanted || position.outcome().is_some() {
            return;
        }
        let area = position.board().area();
        let room = area - Seat::BOTH.map(|seat| position.snake(seat).len()).iter().sum::<usize>();
        while position.foods().len() < wanted.min(room) {
            let mut draws = food_draws(self.seed, self.spawned);
            let cell = loop {
                let drawn = rng::below(&mut draws, area as u64) as u16;
                let cell = Cell(if self.half_turned { area as u16 - 1 - drawn } else { drawn });
                if position.is_free(cell) {
                    break cell;
                }
            };
            let (lowest, highest) = position.rules().values().into_inner();
            let value = if lowest == highest {
                lowest
            } else {
                let mut draws = rng::keyed(self.seed, VALUE, self.spawned);
                lowest + rng::below(&mut draws, u64::from(highest - lowest) + 1) as u8
            };
            position.add_food(Food { cell, value });
            self.spawned += 1;
        }
    }
}
