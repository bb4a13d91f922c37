//! Rewards of duels.

use crate::reward::check_reward;
use crate::{ConfigError, Reward};
use hognose_game::duel::{DuelEvent, DuelView};
use serde::{Deserialize, Serialize};

/// The reward of a step of a duel for each player: by default the result at the end, and 0 before.
///
/// ```
/// use hognose_env::DuelReward;
///
/// let reward = DuelReward { food: 0.1, ..DuelReward::default() };
/// assert_eq!((reward.win, reward.loss, reward.draw), (1.0, -1.0, 0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DuelReward {
    /// The reward for winning.
    pub win: f32,
    /// The reward for losing.
    pub loss: f32,
    /// The reward for a draw.
    pub draw: f32,
    /// The reward for each food that the own snake eats.
    pub food: f32,
    /// Scale of the potential -distance(own head, nearest food) / (width + height), as in
    /// [`Reward::shaping`]: shaping adds discount * potential(after) - potential(before), 0 after
    /// the end.
    pub shaping: f32,
    /// The agent's discount; only shaping uses it.
    pub discount: f32,
}

impl Default for DuelReward {
    fn default() -> DuelReward {
        DuelReward {
            win: 1.0,
            loss: -1.0,
            draw: 0.0,
            food: 0.0,
            shaping: 0.0,
            discount: 0.99,
        }
    }
}

impl DuelReward {
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        let DuelReward {
            win,
            loss,
            draw,
            food,
            shaping,
            discount,
        } = *self;
        let values = [
            ("win", win),
            ("loss", loss),
            ("draw", draw),
            ("food", food),
            ("shaping", shaping),
        ];
        check_reward(values, discount)
    }

    /// Returns a player's potential in an unfinished duel.
    #[inline]
    pub fn potential(&self, view: DuelView<'_>) -> f32 {
        Reward {
            shaping: self.shaping,
            ..Reward::default()
        }
        .potential(view)
    }

    /// Returns the reward of a step for the player of `after`; `potential_before` is the
    /// [`potential`](Self::potential) before the step.
    pub fn of(&self, potential_before: f32, event: DuelEvent, after: DuelView<'_>) -> f32 {
        let food = if event.ate[after.seat().index()] {
            self.food
        } else {
            0.0
        };
        let (end, potential_after) = match event.outcome {
            None => (0.0, self.potential(after)),
            Some(outcome) if outcome.winner == Some(after.seat()) => (self.win, 0.0),
            Some(outcome) if outcome.winner.is_some() => (self.loss, 0.0),
            Some(_) => (self.draw, 0.0),
        };
        food + end + self.discount * potential_after - potential_before
    }

    /// Returns whether only steps that eat or end the duel have rewards.
    #[inline]
    pub(crate) fn pays_for_events_alone(&self) -> bool {
        self.shaping == 0.0
    }
}
