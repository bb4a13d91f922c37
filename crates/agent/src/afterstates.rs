//! Afterstates: the position after a move or a plan, before new food appears (Sutton and Barto,
//! 2018, 6.8).
//!
//! A move leads to exactly one afterstate, so Q(position, move) = reward + discount x value of the
//! afterstate, and the network sees what each move does instead of having to work it out. A plan
//! also leads to one: the body after eating.

use crate::network_view::NetworkView;
use crate::spec::AgentSpec;
use hognose_env::Reward;
use hognose_game::{Allowed, Board, Direction, Plan, Position, Status, Way};

/// The parts of an action's value that don't come from the network: Q = reward + discount x value
/// of the afterstate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Branch {
    pub(crate) reward: f32,
    pub(crate) discount: f32,
    /// The afterstate's value, if it needs no network.
    pub(crate) known: Option<f32>,
}

impl Branch {
    /// Returns the Q-value. `values` yields the values of open afterstates; if this one is open, it
    /// takes the next value.
    pub(crate) fn q_value(&self, values: &mut impl Iterator<Item = f32>) -> f32 {
        let value = self
            .known
            .unwrap_or_else(|| values.next().expect("a value for each open afterstate"));
        self.reward + self.discount * value
    }
}

/// The outcome of a move.
#[derive(Clone, Debug)]
pub(crate) struct AfterMove {
    position: Position,
    /// The way to the food from there, if one is known.
    way: Option<Way>,
    pub(crate) branch: Branch,
}

impl AfterMove {
    fn of(
        position: &Position,
        allowed: &Allowed,
        direction: Direction,
        reward: &Reward,
    ) -> AfterMove {
        let mut after = position.clone();
        let event = after.step(direction);
        let known = match after.status() {
            Status::Ongoing => after
                .legal_moves()
                .is_empty()
                .then(|| reward.losing(&after)),
            Status::Won | Status::Lost(_) => Some(0.0),
        };
        let way = allowed.ways[direction.index()].map(|way| Way {
            steps: way.steps - 1,
            ..way
        });
        let paid = reward.of(reward.potential(position), event, &after);
        AfterMove {
            position: after,
            way,
            branch: Branch {
                reward: paid,
                discount: reward.discount,
                known,
            },
        }
    }

    /// Returns the outcome of each action of an agent that values afterstates, in action order.
    pub(crate) fn of_all(
        position: &Position,
        allowed: &Allowed,
        spec: AgentSpec,
    ) -> impl Iterator<Item = AfterMove> {
        let action = spec.action;
        let reward = spec
            .reward_on(position.board())
            .expect("the agent values afterstates");
        let directions =
            (0..action.count() as u8).map(move |index| action.direction(index, position.heading()));
        directions.map(move |direction| AfterMove::of(position, allowed, direction, &reward))
    }

    /// Returns the network's view of the afterstate.
    pub(crate) fn view(&self) -> NetworkView<'_> {
        NetworkView {
            way: self.way,
            ..NetworkView::new(&self.position, self.position.legal_moves())
        }
    }

    /// Returns views of the open afterstates: those whose value only the network can estimate.
    pub(crate) fn open(afters: &[AfterMove]) -> Vec<NetworkView<'_>> {
        afters
            .iter()
            .filter(|after| after.branch.known.is_none())
            .map(AfterMove::view)
            .collect()
    }
}

/// The outcome of a plan: the body after eating.
#[derive(Clone, Debug)]
pub(crate) struct AfterPlan {
    pub(crate) plan: Plan,
    position: Position,
}

impl AfterPlan {
    pub(crate) fn of(position: &Position, plan: Plan) -> AfterPlan {
        let mut after = position.clone();
        plan.moves
            .iter()
            .for_each(|&direction| _ = after.step(direction));
        AfterPlan {
            plan,
            position: after,
        }
    }

    /// Returns the network's view of the afterstate.
    pub(crate) fn view(&self) -> NetworkView<'_> {
        let way = Way {
            steps: 0,
            outlook: self.plan.outlook,
        };
        NetworkView {
            way: Some(way),
            ..NetworkView::new(&self.position, self.position.legal_moves())
        }
    }

    /// Returns the plan's value relative to other plans from the same position, in units of
    /// [`steps_in_a_unit`]: the network's `value` of the body after the plan (0 if it fills the
    /// board), minus the plan's steps and the source's outlook.
    pub(crate) fn worth(&self, value: f32) -> f32 {
        let value = if self.position.status() == Status::Won {
            0.0
        } else {
            value
        };
        value - (self.cost() / steps_in_a_unit(self.position.board())) as f32
    }

    /// Returns the plan's steps plus the source's outlook, in steps.
    pub(crate) fn cost(&self) -> f64 {
        self.plan.moves.len() as f64 + outlook(&self.plan)
    }
}

/// Returns the source's estimate of what the plan's end will cost later, in steps.
pub(crate) fn outlook(plan: &Plan) -> f64 {
    f64::from(plan.outlook) / 1e3
}

/// Returns the number of steps that are worth 1: enough to keep errors below 1, where the Huber
/// loss is half the squared error and the learned value is a mean.
pub(crate) fn steps_in_a_unit(board: Board) -> f64 {
    4.0 * board.longer_side() as f64
}
