//! A duel: a position, and the seed that decides where food appears.

use crate::duel::{DuelEvent, DuelPosition, DuelRules, Food, Seat};
use crate::game::{Seed, food_draws};
use crate::rng::{self, Purpose};
use crate::{Cell, Direction};
use serde::{Deserialize, Serialize};

const VALUE: Purpose = Purpose::new("value");

/// A position with the seed, the number of foods spawned so far, and whether foods are turned by
/// half a turn.
///
/// ```
/// use hognose_game::duel::{Duel, DuelRules};
///
/// let duel = Duel::new(DuelRules::ai_snakes_2021(), 42);
/// assert_eq!(duel.position().foods().len(), 1);
/// // The seed decides every food.
/// assert_eq!(duel, Duel::new(DuelRules::ai_snakes_2021(), 42));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Duel {
    position: DuelPosition,
    seed: Seed,
    spawned: u64,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    turned_foods: bool,
}

impl Duel {
    /// A new duel; its foods follow from the seed.
    pub fn new(rules: DuelRules, seed: Seed) -> Duel {
        Duel::from_position(DuelPosition::start(rules), seed)
    }

    /// A new duel whose foods lie half a turn away from those of [`Duel::new`]. Where each start is
    /// the other one, turned by half a turn, this is the image of that duel with exchanged seats:
    /// whoever plays the other seat here meets what it met there.
    ///
    /// ```
    /// use hognose_game::duel::{Duel, DuelRules};
    ///
    /// let rules = DuelRules::ai_snakes_2021();
    /// let (duel, image) = (Duel::new(rules, 42), Duel::with_turned_foods(rules, 42));
    /// assert_eq!(image.position().half_turned().with_seats_swapped(), *duel.position());
    /// ```
    pub fn with_turned_foods(rules: DuelRules, seed: Seed) -> Duel {
        let mut duel = Duel {
            position: DuelPosition::start(rules),
            seed,
            spawned: 0,
            turned_foods: true,
        };
        duel.spawn();
        duel
    }

    /// A duel from a position: the foods that lie there stay, missing ones are spawned.
    pub fn from_position(position: DuelPosition, seed: Seed) -> Duel {
        let mut duel = Duel {
            position,
            seed,
            spawned: 0,
            turned_foods: false,
        };
        duel.spawn();
        duel
    }

    /// Becomes a new duel by the same rules, as [`Duel::new`] makes it, without allocating.
    pub fn restart(&mut self, seed: Seed) {
        self.position.restart();
        (self.seed, self.spawned, self.turned_foods) = (seed, 0, false);
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

    /// Whether its foods are turned by half a turn; see [`Duel::with_turned_foods`].
    pub fn has_turned_foods(&self) -> bool {
        self.turned_foods
    }

    /// The n-th food is the first free cell in a stream of uniform draws keyed by (seed, n), or of
    /// their half-turns. Its value is keyed alike.
    #[inline]
    fn spawn(&mut self) {
        let position = &mut self.position;
        position.forget_steps();
        let wanted = position.rules().foods();
        if position.foods().len() == wanted || position.outcome().is_some() {
            return;
        }
        let area = position.board().area();
        let room = area
            - Seat::BOTH
                .map(|seat| position.snake(seat).len())
                .iter()
                .sum::<usize>();
        while position.foods().len() < wanted.min(room) {
            let mut draws = food_draws(self.seed, self.spawned);
            let cell = loop {
                let drawn = rng::below(&mut draws, area as u64) as u16;
                let cell = Cell(if self.turned_foods {
                    area as u16 - 1 - drawn
                } else {
                    drawn
                });
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
            self.spawned = self.spawned.wrapping_add(1);
        }
    }
}
