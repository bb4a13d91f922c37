//! A game played step by step until it is won, lost or cut off.

use crate::Limits;
use hognose_game::{Cause, Direction, Event, Forfeit, Game, Policy, Position, Seed, Status};
use serde::{Deserialize, Serialize};

/// A game that is played step by step until it is won, lost or cut off. It counts steps, foods and
/// hunger, and uses no threads or clocks.
///
/// ```
/// use hognose_eval::{End, LimitedGame, Limits};
/// use hognose_game::{Game, MakePolicy, Rules};
/// use hognose_solvers::Hamiltonian;
///
/// let rules = Rules::new("4x4".parse()?);
/// let mut game = LimitedGame::new(Game::new(rules, 7), Limits::new(rules));
/// let mut policy = Hamiltonian::default().make(game.position(), 0)?;
/// while game.end().is_none() {
///     game.play(&mut *policy)?;
/// }
/// assert_eq!((game.end(), game.position().len(), game.foods()), (Some(End::Won), 16, 15));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LimitedGame {
    game: Game,
    limits: Limits,
    /// The current limit of steps without food.
    starvation: u32,
    time_limit: u64,
    steps: u64,
    hunger: u32,
    foods: u32,
    end: Option<End>,
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The body fills the board.
    Won,
    /// The snake left the board.
    Wall,
    /// The snake hit itself.
    Body,
    /// The game was cut off by starvation or by the time limit.
    Limit,
    /// The policy forfeited the game.
    Forfeit,
}

/// A finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Episode {
    /// The game's seed.
    pub seed: Seed,
    /// Steps, including the fatal one.
    pub steps: u64,
    /// Final length, in cells.
    pub length: usize,
    /// Foods eaten.
    pub foods: u64,
    /// Steps after the last food, or all steps if none was eaten.
    #[serde(default)]
    pub hunger: u64,
    /// Why the game ended.
    pub end: End,
    /// Number of steps at which a filter forbade the policy's choice.
    pub forbidden: u64,
}

impl LimitedGame {
    /// Creates a game that continues from its current position, with all counters at 0.
    pub fn new(game: Game, limits: Limits) -> LimitedGame {
        let end = end_of(game.position().status());
        let starvation = limits.hunger(game.position().len());
        let time_limit = limits.time_limit.map_or(u64::MAX, u64::from);
        LimitedGame {
            game,
            limits,
            starvation,
            time_limit,
            steps: 0,
            hunger: 0,
            foods: 0,
            end,
        }
    }

    /// Moves the head one cell, and returns what happened. A game that has ended must not be
    /// stepped.
    #[inline]
    pub fn step(&mut self, direction: Direction) -> Event {
        debug_assert_eq!(self.end, None, "the game has ended");
        let event = self.game.step(direction);
        self.steps += 1;
        self.hunger += 1;
        if matches!(event, Event::Ate | Event::Won) {
            self.hunger = 0;
            self.foods += 1;
            self.starvation = self.limits.hunger(self.game.position().len());
        }
        self.end = match event {
            Event::Moved | Event::Ate => (self.hunger >= self.starvation
                || self.steps >= self.time_limit)
                .then_some(End::Limit),
            Event::Won | Event::Lost(_) => end_of(self.game.position().status()),
        };
        event
    }

    /// Lets the policy make the next move, and returns that move.
    ///
    /// # Errors
    /// Fails if the policy forfeits the game, which ends it.
    #[inline]
    pub fn play(&mut self, policy: &mut dyn Policy) -> Result<Direction, Forfeit> {
        let direction = policy
            .try_act(self.position())
            .inspect_err(|_| self.forfeit())?;
        self.step(direction);
        Ok(direction)
    }

    /// Ends the game as forfeited.
    pub(crate) fn forfeit(&mut self) {
        self.end = Some(End::Forfeit);
    }

    /// Returns why the game ended; `None` while it is running.
    #[inline]
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// Returns the current position.
    #[inline]
    pub fn position(&self) -> &Position {
        self.game.position()
    }

    /// Returns the game's seed.
    pub fn seed(&self) -> Seed {
        self.game.seed()
    }

    /// Returns the steps so far.
    #[inline]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns the steps since the last food, or since the start.
    #[inline]
    pub fn hunger(&self) -> u32 {
        self.hunger
    }

    /// Returns the foods eaten so far.
    pub fn foods(&self) -> u32 {
        self.foods
    }

    /// Returns the result of the game once it has ended. Its `forbidden` is 0: only the caller that
    /// filters moves can count that.
    pub fn episode(&self) -> Option<Episode> {
        Some(Episode {
            seed: self.seed(),
            steps: self.steps,
            length: self.position().len(),
            foods: self.foods.into(),
            hunger: self.hunger.into(),
            end: self.end?,
            forbidden: 0,
        })
    }
}

fn end_of(status: Status) -> Option<End> {
    match status {
        Status::Ongoing => None,
        Status::Won => Some(End::Won),
        Status::Lost(Cause::Wall) => Some(End::Wall),
        Status::Lost(Cause::Body) => Some(End::Body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::Rules;

    fn game(limits: Limits) -> LimitedGame {
        let rules = Rules::new("4x4".parse().unwrap());
        let at = |column, row| rules.board().cell(column, row);
        let position = Position::new(rules, Direction::Right, [at(0, 0)], [at(2, 0)]).unwrap();
        LimitedGame::new(Game::from_position(position, 5), limits)
    }

    #[test]
    fn hunger_begins_again_with_each_food() {
        let mut game = game(Limits {
            starvation: Some(3),
            ..Limits::NONE
        });
        assert_eq!(
            (game.step(Direction::Right), game.hunger()),
            (Event::Moved, 1)
        );
        assert_eq!(
            (game.step(Direction::Right), game.hunger(), game.foods()),
            (Event::Ate, 0, 1)
        );
        assert_eq!(game.episode(), None);
        // A snake of two cells circles until hunger ends the game; the next food stays in place.
        let free = |game: &LimitedGame, direction| {
            let next = game
                .position()
                .board()
                .neighbor(game.position().head(), direction);
            game.position().legal_moves().contains(direction)
                && next.is_some_and(|next| !game.position().is_food(next))
        };
        while game.end().is_none() {
            let direction = Direction::ALL
                .into_iter()
                .find(|&direction| free(&game, direction))
                .unwrap();
            game.step(direction);
        }
        assert_eq!(
            (game.end(), game.steps(), game.hunger()),
            (Some(End::Limit), 5, 3)
        );
        assert_eq!(
            game.episode()
                .map(|episode| (episode.length, episode.foods, episode.hunger)),
            Some((2, 1, 3))
        );
    }

    /// With at most 2 steps per cell and 3 in total: 2 steps for one cell, and 3 for two.
    #[test]
    fn starvation_grows_with_the_length() {
        let limits = Limits {
            starvation: Some(3),
            starvation_per_cell: Some(2),
            time_limit: None,
        };
        let mut short = game(limits);
        short.step(Direction::Down);
        assert_eq!(
            (short.step(Direction::Down), short.end()),
            (Event::Moved, Some(End::Limit))
        );
        let mut fed = game(limits);
        fed.step(Direction::Right);
        assert_eq!(
            (fed.step(Direction::Right), fed.end(), fed.starvation),
            (Event::Ate, None, 3)
        );
    }

    #[test]
    fn time_limit_and_walls_end_games() {
        let mut short = game(Limits {
            time_limit: Some(2),
            ..Limits::NONE
        });
        short.step(Direction::Down);
        assert_eq!(short.end(), None);
        short.step(Direction::Down);
        assert_eq!(short.end(), Some(End::Limit));
        let mut wall = game(Limits {
            starvation: Some(1),
            time_limit: Some(1),
            ..Limits::NONE
        });
        assert_eq!(
            (wall.step(Direction::Up), wall.end()),
            (Event::Lost(Cause::Wall), Some(End::Wall))
        );
    }
}
