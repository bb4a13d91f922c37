//! A learned policy.

use crate::{QNetwork, denormals};
use burn::tensor::{Device, Tensor, TensorData};
use hognose_env::{ActionKind, Encoder, Observation};
use hognose_game::{BatchPolicy, Board, Direction, Position, Unsupported};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// Rows of a forward pass. Fixed, and short batches are filled up, so that a move does not depend on how many games are
/// played side by side.
const ROWS: usize = 64;

/// What a network was trained to see and do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSpec {
    /// The board.
    pub board: Board,
    /// What it sees.
    pub observation: Observation,
    /// What its outputs mean.
    pub action: ActionKind,
}

/// Plays the legal action of the highest Q-value.
#[derive(Debug)]
pub struct Agent<N> {
    spec: AgentSpec,
    network: N,
    device: Device,
    encoder: RefCell<Encoder>,
}

impl<N: QNetwork> Clone for Agent<N> {
    fn clone(&self) -> Agent<N> {
        Agent::new(self.spec, self.network.clone(), self.device.clone())
    }
}

impl<N: QNetwork> Agent<N> {
    /// An agent of a network whose parameters lie on `device`.
    pub fn new(spec: AgentSpec, network: N, device: Device) -> Agent<N> {
        let encoder = RefCell::new(Encoder::new(spec.observation, spec.board));
        Agent { spec, network: network.valid(), device: device.inner(), encoder }
    }

    /// What the network was trained to see and do.
    pub fn spec(&self) -> AgentSpec {
        self.spec
    }

    /// The network.
    pub fn network(&self) -> &N {
        &self.network
    }

    /// The Q-values of positions, [`ActionKind::count`] each.
    pub fn q_values(&self, positions: &[&Position]) -> Vec<f32> {
        denormals::flush();
        let mut encoder = self.encoder.borrow_mut();
        let values = encoder.space().len();
        let mut out = Vec::with_capacity(positions.len() * self.spec.action.count());
        for positions in positions.chunks(ROWS) {
            let mut rows = vec![0.0; ROWS * values];
            for (position, row) in positions.iter().zip(rows.chunks_exact_mut(values)) {
                encoder.encode(position, row);
            }
            let rows = Tensor::from_data(TensorData::new(rows, [ROWS, values]), &self.device);
            let q = self.network.q_values(rows).into_data().try_into_vec::<f32>().expect("Q-values are f32");
            out.extend(&q[..positions.len() * self.spec.action.count()]);
        }
        out
    }
}

impl<N: QNetwork> BatchPolicy for Agent<N> {
    fn check(&self, position: &Position) -> Result<(), Unsupported> {
        if position.board() != self.spec.board {
            return Err(Unsupported(format!("trained on {}, asked to play {}", self.spec.board, position.board())));
        }
        Ok(())
    }

    fn act_all(&self, positions: &[&Position], moves: &mut [Direction]) {
        let q = self.q_values(positions);
        for ((position, q), direction) in positions.iter().zip(q.chunks_exact(self.spec.action.count())).zip(moves) {
            let bits = self.spec.action.bits(position.legal_moves(), position.heading());
            let action = best(q, bits, self.spec.action);
            *direction = self.spec.action.direction(action, position.heading());
        }
    }
}

/// The allowed action of the highest Q-value, the first of equals; of all actions, if none is allowed.
pub(crate) fn best(q: &[f32], bits: u8, kind: ActionKind) -> u8 {
    let bits = if bits == 0 { kind.all_bits() } else { bits };
    let allowed = (0..q.len() as u8).filter(|action| bits >> action & 1 == 1);
    allowed.reduce(|best, other| if q[usize::from(other)] > q[usize::from(best)] { other } else { best }).unwrap_or(0)
}
