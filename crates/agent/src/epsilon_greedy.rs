//! Epsilon-greedy action selection.

use crate::draw::unit;
use crate::network::QNetwork;
use burn::tensor::{Device, Tensor, TensorData};
use hognose_env::ActionKind;
use hognose_game::rng::{self, Generator};

/// The epsilon-greedy policy of a network.
pub(crate) struct EpsilonGreedy<'a, N> {
    pub(crate) network: &'a N,
    pub(crate) device: &'a Device,
    /// The probability of a random action.
    pub(crate) epsilon: f64,
    pub(crate) draws: Generator,
}

impl<N: QNetwork> EpsilonGreedy<'_, N> {
    /// Returns the network's outputs for `rows` rows of observations.
    pub(crate) fn outputs(&self, observations: Vec<f32>, rows: usize) -> Vec<f32> {
        if rows == 0 {
            return Vec::new();
        }
        let values = observations.len() / rows;
        let observations = TensorData::new(observations, [rows, values]);
        let outputs = self
            .network
            .q_values(Tensor::from_data(observations, self.device));
        outputs
            .into_data()
            .try_into_vec()
            .expect("Q-values are f32")
    }

    /// Returns one of the allowed actions, or one of all actions if none is allowed, and whether it
    /// was drawn at random.
    pub(crate) fn action(&mut self, q: &[f32], bits: u8, kind: ActionKind) -> (u8, bool) {
        let bits = if bits == 0 { kind.all_bits() } else { bits };
        if unit(&mut self.draws) >= self.epsilon {
            return (best(q, bits, kind), false);
        }
        let nth = rng::below(&mut self.draws, bits.count_ones().into()) as usize;
        let action = (0..kind.count() as u8)
            .filter(|action| bits >> action & 1 == 1)
            .nth(nth)
            .expect("nth < allowed");
        (action, true)
    }

    /// Returns the index of one of the items with these values.
    pub(crate) fn index(&mut self, worth: &[f32]) -> usize {
        if unit(&mut self.draws) >= self.epsilon {
            return greatest(worth);
        }
        rng::below(&mut self.draws, worth.len() as u64) as usize
    }
}

/// Returns the allowed action with the highest Q-value, the first if there are several; considers
/// all actions if none is allowed.
pub(crate) fn best(q: &[f32], bits: u8, kind: ActionKind) -> u8 {
    let bits = if bits == 0 { kind.all_bits() } else { bits };
    let allowed = (0..q.len() as u8).filter(|action| bits >> action & 1 == 1);
    allowed
        .reduce(|best, other| {
            if q[usize::from(other)] > q[usize::from(best)] {
                other
            } else {
                best
            }
        })
        .unwrap_or(0)
}

/// Returns the index of the greatest value, the first if there are several.
pub(crate) fn greatest(values: &[f32]) -> usize {
    (0..values.len())
        .reduce(|best, other| {
            if values[other] > values[best] {
                other
            } else {
                best
            }
        })
        .unwrap_or(0)
}
