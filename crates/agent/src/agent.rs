//! A learned policy.

use crate::afterstates::AfterMove;
use crate::chooser::best;
use crate::network::QNetwork;
use crate::spec::AgentSpec;
use crate::view::{Inputs, View};
use burn::tensor::{Device, Tensor, TensorData};
use hognose_env::Mask;
use hognose_game::{Allowed, BatchPolicy, Choice, Position, Unsupported};
use std::cell::RefCell;

/// Rows of a forward pass. Fixed, and short batches are filled up, so that a move does not depend on how many games are
/// played side by side.
const ROWS: usize = 64;
/// Rows of a forward pass over plans, of which there are fewer at a time.
const ROWS_OF_PLANS: usize = 16;

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

    /// The Q-values of positions and what is allowed there, [`ActionKind::count`](hognose_env::ActionKind::count) each, of an agent that chooses moves.
    pub fn q_values(&self, positions: &[&Position], allowed: &[Allowed]) -> Vec<f32> {
        let Some(reward) = self.spec.afterstates else {
            let views = positions.iter().zip(allowed).map(|(position, allowed)| View::new(position, allowed.moves));
            return self.outputs(&views.collect::<Vec<_>>());
        };
        let of_all = |(position, allowed)| AfterMove::of_all(position, allowed, self.spec.action, &reward);
        let afters: Vec<AfterMove> = positions.iter().copied().zip(allowed).flat_map(of_all).collect();
        let mut values = self.outputs(&AfterMove::open(&afters)).into_iter();
        afters.iter().map(|after| after.q_value(&mut values, &reward)).collect()
    }

    /// What the network says of views, [`AgentSpec::outputs`] each.
    pub(crate) fn outputs(&self, views: &[View<'_>]) -> Vec<f32> {
        let mut inputs = self.inputs.borrow_mut();
        let values = inputs.values();
        let outputs = self.spec.outputs();
        let rows_at_once = if self.spec.plans.is_some() { ROWS_OF_PLANS } else { ROWS };
        let mut out = Vec::with_capacity(views.len() * outputs);
        for views in views.chunks(rows_at_once) {
            let mut rows = inputs.rows(views);
            rows.resize(rows_at_once * values, 0.0);
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
