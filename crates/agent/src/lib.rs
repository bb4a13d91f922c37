//! Deep Q-learning for Snake on burn.
//!
//! The algorithm is double DQN (van Hasselt, Guez and Silver, 2016) with dueling heads (Wang et
//! al., 2016), optional n-step returns and prioritized replay (Schaul et al., 2016), and action
//! masks in exploration, selection and the bootstrap maximum. [`Trainer`] holds everything that
//! training needs and runs it round by round. [`Agent`] plays what was learned: moves in many games
//! at once ([`MoveAgent`]), or whole paths to the food ([`PlanAgent`]).
//!
//! Any burn `Module` that implements [`QNetwork`] trains unchanged.
//!
//! The modules, in reading order: `trainer` has a round of training; `rollout` steps the
//! environments (`envs`, `epsilon_greedy`, `n_step`) into the buffer (`replay`, `packing`); `dqn`
//! has the targets, the loss (`loss`), the gradient step (`optimizer`) and the target network.
//! `checkpoint` and `policy` read and write files, and `agent` plays.

mod afterstates;
mod agent;
mod checkpoint;
mod config;
mod device;
mod dqn;
mod draw;
mod envs;
mod epsilon_greedy;
mod error;
mod estimator;
pub mod loss;
mod metric;
mod n_step;
mod network;
mod network_view;
mod optimizer;
mod packing;
mod parameters;
mod policy;
mod replay;
mod rollout;
mod score;
mod solvers;
mod spec;
mod stages;
mod trainer;
mod training;

pub use agent::{Agent, MoveAgent, PlanAgent};
pub use config::{
    Actions, Bootstrap, ConfigError, Epsilon, LearningRate, PlanSearch, ReplayConfig, Stage,
    TargetSync, TrainConfig, Values,
};
pub use device::{DEVICES, DeviceError, device};
pub use dqn::GradientStep;
pub use error::TrainError;
pub use estimator::Insight;
pub use hognose_env::Mask;
pub use hognose_store::StoreError;
pub use metric::Metric;
pub use network::{Activation, Network, NetworkConfig, QNetwork};
pub use policy::{
    Weights, is_policy, load_policy, load_policy_with, load_weights, parse_policy, policy_bytes,
    save_policy, weights, with_weights,
};
pub use score::Score;
pub use solvers::{MakePlans, Solvers};
pub use spec::AgentSpec;
pub use trainer::{TRAINING, Trainer};
pub use training::{Curves, Progress, Training};

/// Parts of a trainer, for other kinds of training.
pub mod parts {
    pub use crate::config::{check, check_counts, check_optimizer, check_share, check_sizes};
    pub use crate::draw::unit;
    pub use crate::network::linear;
    pub use crate::optimizer::{Adam, Gradients};
    pub use crate::parameters::{
        Parameter, parameters, put_parameters, take_parameters, with_values,
    };
    pub use crate::training::start_threads;
}

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
