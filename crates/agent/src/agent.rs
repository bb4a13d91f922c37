//! A learned policy.

use crate::afterstates::Afterstate;
use crate::view::Inputs;
use crate::{Actions, PlanSearch, QNetwork, TrainConfig, Values, View};
use burn::tensor::{Device, Tensor, TensorData};
use hognose_env::{ActionKind, EnvConfig, Mask, Observation, Reward, Space};
use hognose_game::{Allowed, BatchPolicy, Board, Choice, Position, Unsupported};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// Rows of a forward pass. Fixed, and short batches are filled up, so that a move does not depend on how many games are
/// played side by side.
const ROWS: usize = 64;
/// Rows of a forward pass over plans, of which there are fewer at a time.
const ROWS_OF_PLANS: usize = 16;

/// What a network was trained to see and do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentSpec {
    /// The board.
    pub board: Board,
    /// What it sees.
    pub observation: Observation,
    /// What its outputs mean.
    pub action: ActionKind,
    /// Which actions were allowed.
    #[serde(default)]
    pub mask: Mask,
    /// Where it chooses among plans, how they are searched for: then its only output is what a body after eating is worth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plans: Option<PlanSearch>,
    /// Where its only output is the value of a position after a move, before new food appears: what moves are paid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub afterstates: Option<Reward>,
}

impl AgentSpec {
    /// What training by these configurations makes.
    pub fn new(env: &EnvConfig, train: &TrainConfig) -> AgentSpec {
        let afterstates = train.actions == Actions::Moves && train.values == Values::Afterstates;
        AgentSpec {
            board: env.rules.board(),
            observation: env.observation,
            action: env.action,
            mask: env.mask,
            plans: (train.actions == Actions::Plans).then_some(train.plans),
            afterstates: afterstates.then_some(env.reward),
        }
    }

    /// Whether the network is told of a way to the food on which winning is certain.
    pub(crate) fn sees_ways(&self) -> bool {
        self.plans.is_some() || self.afterstates.is_some() && self.mask == Mask::Safe
    }

    /// The shape of what a network takes: the observation, and where it sees ways, three scalars more.
    pub fn inputs(self) -> Space {
        Inputs::new(&self).space()
    }

    /// How many outputs a network has.
    pub fn outputs(self) -> usize {
        if self.plans.is_some() || self.afterstates.is_some() { 1 } else { self.action.count() }
    }
}

/// Plays the allowed action of the highest Q-value. An agent that was trained under a mask must be played under the same, and
/// one that chooses among plans as a [`PlanAgent`](crate::PlanAgent).
#[derive(Debug)]
pub struct Agent<N> {
    spec: AgentSpec,
    network: N,
    device: Device,
    inputs: RefCell<Inputs>,
}

impl<N: QNetwork> Clone for Agent<N> {
    fn clone(&self) -> Agent<N> {
        Agent::new(self.spec, self.network.clone(), self.device.clone())
    }
}

impl<N: QNetwork> Agent<N> {
    /// An agent of a network whose parameters lie on `device`.
    pub fn new(spec: AgentSpec, network: N, device: Device) -> Agent<N> {
        let inputs = RefCell::new(Inputs::new(&spec));
        Agent { spec, network: network.valid(), device: device.inner(), inputs }
    }

    /// What the network was trained to see and do.
    pub fn spec(&self) -> AgentSpec {
        self.spec
    }

    pub(crate) fn check_board(&self, position: &Position) -> Result<(), Unsupported> {
        if position.board() != self.spec.board {
            return Err(Unsupported(format!("trained on {}, asked to play {}", self.spec.board, position.board())));
        }
        Ok(())
    }

    /// The network.
    pub fn network(&self) -> &N {
        &self.network
    }

    /// The Q-values of positions and what is allowed there, [`ActionKind::count`] each, of an agent that chooses moves.
    pub fn q_values(&self, positions: &[&Position], allowed: &[Allowed]) -> Vec<f32> {
        let Some(reward) = self.spec.afterstates else {
            let views = positions.iter().zip(allowed).map(|(position, allowed)| View::new(position, allowed.moves));
            return self.outputs(&views.collect::<Vec<_>>());
        };
        let of_all = |(position, allowed)| Afterstate::of_all(position, allowed, self.spec.action, &reward);
        let afters: Vec<Afterstate> = positions.iter().copied().zip(allowed).flat_map(of_all).collect();
        let mut values = self.outputs(&Afterstate::open(&afters)).into_iter();
        afters.iter().map(|after| after.q_value(&mut values, &reward)).collect()
    }

    /// What the network says of views, [`AgentSpec::outputs`] each.
    pub(crate) fn outputs(&self, views: &[View<'_>]) -> Vec<f32> {
        let mut inputs = self.inputs.borrow_mut();
        let values = inputs.space().len();
        let outputs = self.spec.outputs();
        let rows_at_once = if self.spec.plans.is_some() { ROWS_OF_PLANS } else { ROWS };
        let mut out = Vec::with_capacity(views.len() * outputs);
        for views in views.chunks(rows_at_once) {
            let mut rows = vec![0.0; rows_at_once * values];
            for (view, row) in views.iter().zip(rows.chunks_exact_mut(values)) {
                inputs.encode(view, row);
            }
            let rows = Tensor::from_data(TensorData::new(rows, [rows_at_once, values]), &self.device);
            let q = self.network.q_values(rows).into_data().try_into_vec::<f32>().expect("Q-values are f32");
            out.extend(&q[..views.len() * outputs]);
        }
        out
    }
}

impl<N: QNetwork> BatchPolicy for Agent<N> {
    fn check(&self, position: &Position) -> Result<(), Unsupported> {
        self.check_board(position)
    }

    fn act_all(&self, positions: &[&Position], allowed: &[Allowed], choices: &mut [Choice]) {
        let legal: Vec<Allowed> = positions.iter().map(|position| position.legal_moves().into()).collect();
        let seen = if self.spec.mask == Mask::Legal { &legal } else { allowed };
        let q = self.q_values(positions, seen);
        let rows = q.chunks_exact(self.spec.action.count());
        for ((((position, q), legal), allowed), choice) in
            positions.iter().zip(rows).zip(&legal).zip(allowed).zip(choices)
        {
            let (action, heading) = (self.spec.action, position.heading());
            let best = |Allowed { moves, .. }: &Allowed| {
                action.direction(best(q, action.bits(*moves, heading), action), heading)
            };
            let (direction, preferred) = (best(allowed), best(legal));
            // Whoever was trained under the mask never learned what other moves are worth.
            let forbidden = self.spec.mask == Mask::Legal && direction != preferred;
            *choice = Choice { direction, forbidden };
        }
    }
}

/// The allowed action of the highest Q-value, the first of equals; of all actions, if none is allowed.
pub(crate) fn best(q: &[f32], bits: u8, kind: ActionKind) -> u8 {
    let bits = if bits == 0 { kind.all_bits() } else { bits };
    let allowed = (0..q.len() as u8).filter(|action| bits >> action & 1 == 1);
    allowed.reduce(|best, other| if q[usize::from(other)] > q[usize::from(best)] { other } else { best }).unwrap_or(0)
}
