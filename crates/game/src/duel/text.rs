//! Serialization of duel positions.

use crate::Direction;
use crate::duel::{
    DuelBody, DuelCause, DuelPosition, DuelPositionError, DuelRules, Food, Outcome, Seat,
};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DuelPositionText {
    rules: DuelRules,
    first: DuelBody,
    second: DuelBody,
    foods: Vec<Food>,
    steps: u32,
    hunger: u16,
    #[serde(default)]
    outcome: Option<Outcome>,
}

impl From<DuelPosition> for DuelPositionText {
    fn from(position: DuelPosition) -> DuelPositionText {
        let [first, second] = Seat::BOTH.map(|seat| DuelBody {
            cells: position.snake(seat).body().collect(),
            growth: position.growth[seat.index()],
        });
        DuelPositionText {
            rules: *position.rules(),
            first,
            second,
            foods: position.foods().to_vec(),
            steps: position.steps,
            hunger: position.hunger,
            outcome: position.outcome,
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
