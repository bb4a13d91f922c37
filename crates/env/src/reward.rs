//! Rewards.

use crate::ConfigError;
use hognose_game::{Event, Sight};
use serde::{Deserialize, Serialize};

/// A custom reward: a function of (game before, event, game after).
///
/// Games are stepped in place, so [`before`](Self::before) must record what the reward needs to
/// know about the game before the step. [`Reward`] is the built-in one.
///
/// ```
/// use hognose_env::{Buffers, EnvConfig, RewardFunction, VectorEnv};
/// use hognose_game::{Board, Event, Rules, Sight};
///
/// /// Rewards each food with the snake's length.
/// struct Length;
///
/// impl RewardFunction for Length {
///     type Before = ();
///
///     fn before(&self, _game: impl Sight) {}
///
///     fn reward(&self, (): (), event: Event, after: impl Sight) -> f32 {
///         if matches!(event, Event::Ate | Event::Won) { after.len() as f32 } else { 0.0 }
///     }
/// }
///
/// let config = EnvConfig::new(Rules::new(Board::new(6, 6)?));
/// let mut env = VectorEnv::new(config, 8, 0)?.with_reward(Length);
/// let mut buffers = Buffers::<f32>::new(&env);
/// env.reset(&mut buffers.batch())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait RewardFunction: Send + Sync + 'static {
    /// What is recorded of the game before a step.
    type Before: Default;

    /// Records the game before a step.
    fn before(&self, game: impl Sight) -> Self::Before;

    /// Returns the reward of a step; after a losing step, `after` is still the position before it.
    fn reward(&self, before: Self::Before, event: Event, after: impl Sight) -> f32;

    /// Returns whether every step must be examined. If false, steps that only move have reward 0,
    /// and `before` is not called: `reward` receives the default. Such environments are faster.
    fn looks_at_every_step(&self) -> bool {
        true
    }

    /// Returns the additional reward of a step in which starvation truncates the episode; what
    /// follows keeps its value. If the time limit is reached in the same step, that truncates it
    /// instead.
    fn starvation(&self) -> f32 {
        0.0
    }
}

/// The built-in reward of a step.
///
/// The defaults are 1 for each food, so that the return is the number of foods eaten; another 1 for
/// the win, so that the last food is worth going for; and -1 for death, about the value of the next
/// food, so that risk is neither ignored nor feared. Steps have no cost: the discount already
/// favors early food, and a cost would teach snakes without hope to die quickly.
///
/// ```
/// use hognose_env::Reward;
///
/// let reward = Reward { step: -0.01, ..Reward::default() };
/// assert_eq!((reward.food, reward.death, reward.win), (1.0, -1.0, 1.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reward {
    /// The reward for each food, including the last.
    pub food: f32,
    /// The reward for losing.
    pub death: f32,
    /// The reward for winning, in addition to the reward for the last food.
    pub win: f32,
    /// The reward for every step.
    pub step: f32,
    /// The reward for truncation by starvation. Without it, a snake that circles learns nothing
    /// from the limit: what follows keeps its value, so circling forever seems to cost nothing.
    #[serde(skip_serializing_if = "is_zero")]
    pub starvation: f32,
    /// The scale of the potential -distance(head, nearest food) / (width + height). Shaping adds
    /// discount * potential(after) - potential(before), with potential 0 after termination, which
    /// does not change the optimal policy (Ng, Harada and Russell, 1999).
    pub shaping: f32,
    /// The agent's discount, used only for shaping. Training replaces it with its own.
    pub discount: f32,
}

fn is_zero(value: &f32) -> bool {
    *value == 0.0
}

/// Checks that rewards are finite and the discount is in 0..=1.
pub(crate) fn check_reward(
    values: impl IntoIterator<Item = (&'static str, f32)>,
    discount: f32,
) -> Result<(), ConfigError> {
    if let Some((name, value)) = values.into_iter().find(|(_, value)| !value.is_finite()) {
        return Err(ConfigError::Reward { name, value });
    }
    if !(0.0..=1.0).contains(&discount) {
        return Err(ConfigError::Discount(discount));
    }
    Ok(())
}

impl Default for Reward {
    fn default() -> Reward {
        Reward {
            food: 1.0,
            death: -1.0,
            win: 1.0,
            step: 0.0,
            starvation: 0.0,
            shaping: 0.0,
            discount: 0.99,
        }
    }
}

impl Reward {
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        let Reward {
            food,
            death,
            win,
            step,
            starvation,
            shaping,
            discount,
        } = *self;
        let events = [("food", food), ("death", death), ("win", win)];
        let others = [
            ("step", step),
            ("starvation", starvation),
            ("shaping", shaping),
        ];
        check_reward(events.into_iter().chain(others), discount)
    }

    /// Returns the potential of an unfinished game.
    #[inline]
    pub fn potential(&self, game: impl Sight) -> f32 {
        if self.shaping == 0.0 {
            return 0.0;
        }
        let board = game.board();
        let head = game.head();
        let distance = game.foods().map(|food| board.distance(head, food)).min();
        -self.shaping * distance.unwrap_or(0) as f32 / (board.width() + board.height()) as f32
    }

    /// Returns the reward of a step; `potential_before` is the [`potential`](Self::potential) of
    /// the game before it.
    #[inline]
    pub fn of(&self, potential_before: f32, event: Event, after: impl Sight) -> f32 {
        let (pay, potential_after) = match event {
            Event::Moved => (0.0, self.potential(after)),
            Event::Ate => (self.food, self.potential(after)),
            Event::Won => (self.food + self.win, 0.0),
            Event::Lost(_) => (self.death, 0.0),
        };
        self.step + pay + self.discount * potential_after - potential_before
    }

    /// Returns the value of a position in which every move loses: the reward for losing.
    pub fn losing(&self, game: impl Sight) -> f32 {
        self.step + self.death - self.potential(game)
    }
}

impl RewardFunction for Reward {
    /// The potential.
    type Before = f32;

    #[inline]
    fn before(&self, game: impl Sight) -> f32 {
        self.potential(game)
    }

    #[inline]
    fn reward(&self, potential_before: f32, event: Event, after: impl Sight) -> f32 {
        self.of(potential_before, event, after)
    }

    #[inline]
    fn looks_at_every_step(&self) -> bool {
        self.step != 0.0 || self.shaping != 0.0
    }

    fn starvation(&self) -> f32 {
        self.starvation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::{Board, Cause, Cell, Direction, Position, Rules};

    /// On 4x4, with the head in a corner and food three cells to the right: potential -2 * 3 / 8.
    #[test]
    fn hand_worked_rewards() {
        let reward = Reward {
            step: -0.25,
            shaping: 2.0,
            discount: 0.5,
            ..Reward::default()
        };
        let rules = Rules::new(Board::new(4, 4).unwrap());
        let mut position = Position::new(rules, Direction::Right, [Cell(0)], [Cell(3)]).unwrap();
        let before = reward.potential(&position);
        assert_eq!(before, -0.75);
        assert_eq!(
            reward.of(before, Event::Lost(Cause::Wall), &position),
            -0.25 - 1.0 + 0.75
        );
        assert_eq!(reward.losing(&position), -0.5);
        assert_eq!(reward.of(before, Event::Won, &position), -0.25 + 2.0 + 0.75);
        let event = position.step(Direction::Right);
        assert_eq!(
            reward.of(before, event, &position),
            -0.25 + 0.5 * -0.5 + 0.75
        );
    }

    /// In any episode, the discounted shaping rewards sum to minus the first potential, plus the
    /// last one if truncated.
    #[test]
    fn shaping_telescopes() {
        let shaped = Reward {
            food: 0.0,
            death: 0.0,
            win: 0.0,
            shaping: 3.0,
            discount: 0.9,
            ..Reward::default()
        };
        let rules = Rules::new(Board::new(5, 5).unwrap());
        let mut position = Position::new(rules, Direction::Right, [Cell(0)], [Cell(14)]).unwrap();
        let first = shaped.potential(&position);
        let mut total = 0.0;
        let mut discount = 1.0;
        for direction in [
            Direction::Right,
            Direction::Down,
            Direction::Down,
            Direction::Right,
        ] {
            let before = shaped.potential(&position);
            let event = position.step(direction);
            total += discount * shaped.of(before, event, &position);
            discount *= 0.9;
        }
        assert!((total - (discount * shaped.potential(&position) - first)).abs() < 1e-6);
    }
}
