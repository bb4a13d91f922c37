//! A duel: a position and the seed that decides where food appears.

use crate::duel::{DuelEvent, DuelPosition, DuelRules, Food, Seat};
use crate::game::{Seed, food_draws};
use crate::rng::{self, Purpose};
use crate::{Cell, Direction};
use serde::{Deserialize, Serialize};

const VALUE: Purpose = Purpose::new("value");

/// A position with the seed, the number of foods spawned so far, and whether foods are rotated by
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
    /// Creates a new duel; the seed decides its foods.
    pub fn new(rules: DuelRules, seed: Seed) -> Duel {
        Duel::from_position(DuelPosition::start(rules), seed)
    }

    /// Returns a new duel whose foods are those of [`Duel::new`], rotated by half a turn. If the
    /// two starts are half-turns of each other, this duel is the image of [`Duel::new`] with the
    /// seats swapped: each seat meets what the other seat meets there.
    ///
    /// ```
    /// use hognose_game::duel::{Duel, DuelRules};
    ///
    /// let rules = DuelRules::ai_snakes_2021();
    /// let (duel, image) = (Duel::new(rules, 42), Duel::with_turned_foods(rules, 42));
    /// assert_eq!(image.position().half_turned().with_seats_swapped(), *duel.position());
    /// ```
    pub fn with_turned_foods(rules: DuelRules, seed: Seed) -> Duel {
        Duel::of_parts(DuelPosition::start(rules), seed, true)
    }

    /// Returns a duel from a position: its foods stay, missing ones are spawned.
    pub fn from_position(position: DuelPosition, seed: Seed) -> Duel {
        Duel::of_parts(position, seed, false)
    }

    fn of_parts(position: DuelPosition, seed: Seed, turned_foods: bool) -> Duel {
        let mut duel = Duel {
            position,
            seed,
            spawned: 0,
            turned_foods,
        };
        duel.spawn();
        duel
    }

    /// Restarts as a new duel under the same rules, like [`Duel::new`], without allocating.
    pub fn restart(&mut self, seed: Seed) {
        self.position.restart();
        (self.seed, self.spawned, self.turned_foods) = (seed, 0, false);
        self.spawn();
    }

    /// Moves both heads one cell, then spawns food.
    #[inline]
    pub fn step(&mut self, moves: [Direction; 2]) -> DuelEvent {
        let event = self.position.step(moves);
        self.spawn();
        event
    }

    /// Returns what both players see.
    #[inline]
    pub fn position(&self) -> &DuelPosition {
        &self.position
    }

    /// Returns the seed.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// Returns the number of foods that this seed has spawned so far.
    pub fn spawned(&self) -> u64 {
        self.spawned
    }

    /// Returns whether foods are rotated by half a turn; see [`Duel::with_turned_foods`].
    pub fn has_turned_foods(&self) -> bool {
        self.turned_foods
    }

    /// Spawns missing foods. The n-th food is the first free cell in a stream of uniform draws
    /// keyed by (seed, n), or the first free half-turn of a draw. Its value is keyed in the same
    /// way.
    #[inline]
    fn spawn(&mut self) {
        let position = &mut self.position;
        position.forget_steps();
        let wanted = position.rules().foods();
        if position.foods().len() == wanted || position.outcome().is_some() {
            return;
        }
        let area = position.board().area();
        let [first, second] = Seat::BOTH.map(|seat| position.snake(seat).len());
        let room = area - first - second;
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
