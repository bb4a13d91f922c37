//! Serialization of duel positions.

use crate::Direction;
use crate::duel::{
    DuelBody, DuelCause, DuelPosition, DuelPositionError, DuelRules, Food, Outcome, Seat,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DuelPositionText {
    rules: DuelRules,
    first: DuelBody,
    second: DuelBody,
    foods: Vec<Food>,
    steps: u32,
    hunger: u16,
    #[serde(default)]
    outcome: Option<Outcome>,
}

impl From<&DuelPosition> for DuelPositionText {
    fn from(position: &DuelPosition) -> DuelPositionText {
        let [first, second] = Seat::BOTH.map(|seat| DuelBody {
            cells: position.snake(seat).body().collect(),
            growth: position.growth[seat.index()],
        });
        let DuelPosition {
            steps,
            hunger,
            outcome,
            ..
        } = *position;
        let rules = *position.rules();
        let foods = position.foods().to_vec();
        DuelPositionText {
            rules,
            first,
            second,
            foods,
            steps,
            hunger,
            outcome,
        }
    }
}

impl TryFrom<DuelPositionText> for DuelPosition {
    type Error = DuelPositionError;

    fn try_from(text: DuelPositionText) -> Result<DuelPosition, DuelPositionError> {
        let DuelPositionText {
            rules,
            first,
            second,
            foods,
            steps,
            hunger,
            outcome,
        } = text;
        let Some(outcome) = outcome else {
            return DuelPosition::new(rules, [first, second], foods, steps, hunger);
        };
        let refused = DuelPositionError::Outcome(outcome);
        let before = steps.checked_sub(1).ok_or(refused.clone())?;
        let mut position = DuelPosition::new(rules, [first, second], foods, before, hunger)?;
        let lengths = Seat::BOTH.map(|seat| position.length(seat));
        if outcome == Outcome::of(rules.head_on(), [Some(DuelCause::StepLimit); 2], lengths) {
            if steps != rules.step_limit() {
                return Err(refused);
            }
            (position.steps, position.outcome) = (steps, Some(outcome));
            return Ok(position);
        }
        for first in Direction::ALL {
            for second in Direction::ALL {
                if position.step([first, second]).outcome == Some(outcome) {
                    position.forget_steps();
                    return Ok(position);
                }
                position.undo();
            }
        }
        Err(refused)
    }
}

impl Serialize for DuelPosition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        DuelPositionText::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for DuelPosition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<DuelPosition, D::Error> {
        let text = DuelPositionText::deserialize(deserializer)?;
        DuelPosition::try_from(text).map_err(serde::de::Error::custom)
    }
}
