//! Deep Q-learning for Snake on burn.
//!
//! Double DQN (van Hasselt, Guez and Silver, 2016) with dueling heads (Wang et al., 2016), n-step
//! returns and prioritized replay (Schaul et al., 2016) as options, action masks in exploration,
//! selection and the bootstrap maximum. [`Trainer`] holds everything that training needs, and takes
//! one round of it after another. [`Agent`] plays what was learned: moves in many games at once
//! ([`MoveAgent`]), or whole ways to the food ([`PlanAgent`]).
//!
//! Any burn `Module` that implements [`QNetwork`] trains unchanged.

mod actor;
mod afterstates;
mod agent;
mod checkpoint;
mod chooser;
mod config;
mod device;
mod draw;
mod error;
mod estimator;
mod games;
mod guides;
mod layers;
mod learner;
pub mod loss;
mod metric;
mod minibatch;
mod move_agent;
mod n_step;
mod network;
mod optimizer;
mod packing;
mod parameters;
mod plan_agent;
mod policy;
mod replay;
mod resume;
mod score;
mod spec;
mod sum_tree;
mod trainer;
mod training;
mod view;

pub use agent::Agent;
pub use config::{
    Actions, Bootstrap, ConfigError, Epsilon, LearningRate, PlanSearch, ReplayConfig, TargetSync,
    TrainConfig, Values,
};
pub use device::{DEVICES, DeviceError, device};
pub use error::TrainError;
pub use guides::{Guides, MakePlans};
pub use hognose_env::Mask;
pub use hognose_store::StoreError;
pub use learner::GradientStep;
pub use metric::Metric;
pub use move_agent::MoveAgent;
pub use network::{Network, NetworkConfig, QNetwork};
pub use plan_agent::PlanAgent;
pub use policy::{
    Weights, is_policy, load_policy, load_policy_with, load_weights, parse_policy, save_policy,
    weights, with_weights,
};
pub use score::Score;
pub use spec::AgentSpec;
pub use trainer::{TRAINING, Trainer};
pub use training::{Curves, Progress, Training};

/// Parts of a trainer, for training of other kinds.
pub mod parts {
    pub use crate::checkpoint::{put_adam, put_parameters, take_adam, take_parameters};
    pub use crate::config::{check, check_counts, check_optimizer, check_sizes};
    pub use crate::draw::unit;
    pub use crate::layers::linear;
    pub use crate::optimizer::{Adam, Gradients};
    pub use crate::parameters::{Parameter, parameters, with_values};
    pub use crate::training::start_threads;
}

/// The example of the README is tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
