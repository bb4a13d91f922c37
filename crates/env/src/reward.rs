//! What the agent is paid.

use crate::ConfigError;
use hognose_game::{Board, Cell, Event, Position};
use serde::{Deserialize, Serialize};

/// The reward of a step, as a function of (position before, event, position after).
///
/// The defaults pay 1 for each food, so that a return reads as foods eaten; 1 more for the win, so that the last food is
/// worth going for; and -1 for death, about what the next food is worth, so that risk is neither ignored nor feared.
/// No price on steps: the discount already prefers food sooner, and a price teaches snakes without hope to die quickly.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reward {
    /// For each food, the last one too.
    pub food: f32,
    /// For losing.
    pub death: f32,
    /// For winning, beside the last food.
    pub win: f32,
    /// For every step.
    pub step: f32,
    /// Scale of the potential -distance(head, nearest food) / (width + height). Shaping pays
    /// discount * potential(after) - potential(before), 0 after termination, which leaves the best policy the best
    /// (Ng, Harada and Russell, 1999).
    pub shaping: f32,
    /// The agent's discount; only shaping uses it. Training sets it to its own.
    pub discount: f32,
}

impl Default for Reward {
    fn default() -> Reward {
        Reward { food: 1.0, death: -1.0, win: 1.0, step: 0.0, shaping: 0.0, discount: 0.99 }
    }
}

impl Reward {
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        let Reward { food, death, win, step, shaping, discount } = *self;
        for (name, value) in [("food", food), ("death", death), ("win", win), ("step", step), ("shaping", shaping)] {
            if !value.is_finite() {
                return Err(ConfigError::Reward { name, value });
            }
        }
        if !(0.0..=1.0).contains(&discount) {
            return Err(ConfigError::Discount(discount));
        }
        Ok(())
    }

    /// The potential of a position that the game goes on from.
    pub fn potential(&self, position: &Position) -> f32 {
        self.potential_of(position.board(), position.head(), position.foods())
    }

    /// The same by what it depends on.
    #[inline]
    pub(crate) fn potential_of(&self, board: Board, head: Cell, foods: &[Cell]) -> f32 {
        if self.shaping == 0.0 {
            return 0.0;
        }
        let distance = foods.iter().map(|&food| board.distance(head, food)).min();
        -self.shaping * distance.unwrap_or(0) as f32 / (board.width() + board.height()) as f32
    }

    /// The reward of a step; `potential_before` is the [`potential`](Self::potential) of the position before it.
    pub fn of(&self, potential_before: f32, event: Event, after: &Position) -> f32 {
        self.of_potentials(potential_before, event, self.potential(after))
    }

    /// The same with the potential of the position after the step, which counts only if the game goes on.
    #[inline]
    pub(crate) fn of_potentials(&self, potential_before: f32, event: Event, potential_after: f32) -> f32 {
        let (pay, potential_after) = match event {
            Event::Moved => (0.0, potential_after),
            Event::Ate => (self.food, potential_after),
            Event::Won => (self.food + self.win, 0.0),
            Event::Lost(_) => (self.death, 0.0),
        };
        self.step + pay + self.discount * potential_after - potential_before
    }

    /// The value of a position from which every move loses: the reward of losing.
    pub fn losing(&self, position: &Position) -> f32 {
        self.step + self.death - self.potential(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::{Board, Cause, Cell, Direction, Rules};

    /// 4x4, head in the corner, food three cells to the right: potential -2 * 3 / 8.
    #[test]
    fn hand_worked_rewards() {
        let reward = Reward { step: -0.25, shaping: 2.0, discount: 0.5, ..Reward::default() };
        let rules = Rules::new(Board::new(4, 4).unwrap());
        let mut position = Position::new(rules, Direction::Right, [Cell(0)], [Cell(3)]).unwrap();
        let before = reward.potential(&position);
        assert_eq!(before, -0.75);
        assert_eq!(reward.of(before, Event::Lost(Cause::Wall), &position), -0.25 - 1.0 + 0.75);
        assert_eq!(reward.losing(&position), -0.5);
        assert_eq!(reward.of(before, Event::Won, &position), -0.25 + 2.0 + 0.75);
        let event = position.step(Direction::Right);
        assert_eq!(reward.of(before, event, &position), -0.25 + 0.5 * -0.5 + 0.75);
    }

    /// Along any episode shaping sums, discounted, to minus the first potential (plus the last one, if truncated).
    #[test]
    fn shaping_telescopes() {
        let shaped = Reward { food: 0.0, death: 0.0, win: 0.0, shaping: 3.0, discount: 0.9, ..Reward::default() };
        let rules = Rules::new(Board::new(5, 5).unwrap());
        let mut position = Position::new(rules, Direction::Right, [Cell(0)], [Cell(14)]).unwrap();
        let first = shaped.potential(&position);
        let (mut total, mut discount) = (0.0, 1.0);
        for direction in [Direction::Right, Direction::Down, Direction::Down, Direction::Right] {
            let before = shaped.potential(&position);
            let event = position.step(direction);
            total += discount * shaped.of(before, event, &position);
            discount *= 0.9;
        }
        assert!((total - (discount * shaped.potential(&position) - first)).abs() < 1e-6);
    }
}
