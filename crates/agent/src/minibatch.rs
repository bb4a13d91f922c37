//! The batch of a gradient step.

/// A batch, encoded.
pub(crate) struct Minibatch {
    pub(crate) ids: Vec<u64>,
    pub(crate) weights: Vec<f32>,
    pub(crate) observations: Vec<f32>,
    pub(crate) actions: Vec<i32>,
    pub(crate) rewards: Vec<f32>,
    pub(crate) discounts: Vec<f32>,
    pub(crate) next_observations: Vec<f32>,
    /// Empty where the network has one output, the value of an afterstate.
    pub(crate) next_masks: Vec<bool>,
}
