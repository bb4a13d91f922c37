//! The batch of a gradient step.

use crate::afterstates::Branch;

/// A batch, encoded.
pub(crate) struct Minibatch {
    pub(crate) ids: Vec<u64>,
    pub(crate) weights: Vec<f32>,
    pub(crate) observations: Vec<f32>,
    pub(crate) actions: Vec<i32>,
    pub(crate) rewards: Vec<f32>,
    pub(crate) discounts: Vec<f32>,
    /// What the network sees of next states: a row each or, of what actions lead to, a row for each
    /// open afterstate.
    pub(crate) next_observations: Vec<f32>,
    /// Whether each action of a next state is legal, `[batch, actions]`; empty if the network has
    /// one output.
    pub(crate) legal: Vec<bool>,
    /// What each legal action of a next state leads to, `[batch, actions]`; empty unless the
    /// network values afterstates, and targets look for the best of them.
    pub(crate) branches: Vec<Option<Branch>>,
}
