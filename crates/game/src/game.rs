//! A game: a position and the seed that decides where food appears.

use crate::rng::{self, Purpose};
use crate::{Cell, Direction, Event, Position, Rules, Status};
use serde::{Deserialize, Serialize};

/// The number that decides the start and every food of a game.
pub type Seed = u64;

const START: Purpose = Purpose::new("start");
const FOOD: Purpose = Purpose::new("food");

/// A position with the seed and the number of foods spawned so far.
///
/// ```
/// use hognose_game::{Board, Game, Rules};
///
/// let rules = Rules::new(Board::new(6, 6)?);
/// let game = Game::new(rules, 42);
/// assert_eq!(game.position().foods().len(), 1);
/// // The seed decides everything.
/// assert_eq!(game, Game::new(rules, 42));
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Game {
    position: Position,
    seed: Seed,
    spawned: u64,
}

impl Game {
    /// Creates a new game; the seed decides the start and foods.
    pub fn new(rules: Rules, seed: Seed) -> Game {
        let (heading, body) = start_of(rules, seed);
        let position = Position::new(rules, heading, body, []);
        Game::from_position(
            position.expect("a start that fits is a valid position"),
            seed,
        )
    }

    /// Returns a game from a position: its foods stay, missing ones are spawned.
    pub fn from_position(position: Position, seed: Seed) -> Game {
        let mut game = Game::of_parts(position, seed, 0);
        game.spawn();
        game
    }

    pub(crate) fn of_parts(position: Position, seed: Seed, spawned: u64) -> Game {
        Game {
            position,
            seed,
            spawned,
        }
    }

    /// Restarts as a new game under the same rules, without allocating; the seed decides the start
    /// and foods.
    pub fn restart(&mut self, seed: Seed) {
        let (heading, body) = start_of(self.position.rules(), seed);
        self.position
            .replace(heading, body, [])
            .expect("a start that fits is a valid position");
        self.reseed(seed);
        self.spawn();
    }

    /// Continues from the same position with another future: the foods on the board stay, the seed
    /// decides later ones. Begins a new record.
    pub fn reseed(&mut self, seed: Seed) {
        self.seed = seed;
        self.spawned = 0;
    }

    /// Moves the head one cell, and replaces food that was eaten.
    #[inline]
    pub fn step(&mut self, direction: Direction) -> Event {
        let event = self.position.step(direction);
        if event == Event::Ate {
            self.spawn();
        }
        event
    }

    /// Returns what players see.
    #[inline]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the position, dropping the seed.
    pub fn into_position(self) -> Position {
        self.position
    }

    /// Returns the seed.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// Returns the number of foods that this seed has spawned so far.
    pub fn spawned(&self) -> u64 {
        self.spawned
    }

    /// Spawns missing foods. The n-th food is the first free cell in a stream of uniform draws
    /// keyed by (seed, n).
    fn spawn(&mut self) {
        let position = &mut self.position;
        let area = position.board().area();
        let room = area - position.len();
        while position.status() == Status::Ongoing
            && position.foods().len() < position.rules().foods().min(room)
        {
            let mut draws = food_draws(self.seed, self.spawned);
            let cell = loop {
                let cell = Cell(rng::below(&mut draws, area as u64) as u16);
                if position.is_free(cell) {
                    break cell;
                }
            };
            position.add_food(cell);
            self.spawned = self.spawned.wrapping_add(1);
        }
    }
}

/// Returns the start that a seed draws: the heading, and the body from head to tail.
pub(crate) fn start_of(rules: Rules, seed: Seed) -> (Direction, impl Iterator<Item = Cell>) {
    rules.body_at(rng::below(&mut rng::keyed(seed, START, 0), rules.start_count() as u64) as usize)
}

/// Returns the stream of cells for the n-th food.
pub(crate) fn food_draws(seed: Seed, n: u64) -> rng::Generator {
    rng::keyed(seed, FOOD, n)
}
