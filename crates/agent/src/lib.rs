//! Deep Q-learning for Snake on burn.
//!
//! Double DQN (van Hasselt, Guez and Silver, 2016) with dueling heads (Wang et al., 2016), n-step returns and
//! prioritized replay (Schaul et al., 2016) as options, action masks in exploration, selection and the bootstrap
//! maximum. [`Trainer`] holds everything that training needs, [`train`] runs it, [`Agent`] plays what was learned.
//!
//! Any burn `Module` that implements [`QNetwork`] trains unchanged.

mod actor;
mod afterstates;
mod agent;
mod checkpoint;
mod config;
mod device;
mod learner;
pub mod loss;
mod network;
mod optimizer;
mod parameters;
mod plans;
mod recorder;
mod replay;
mod resume;
mod train;
mod view;

pub use agent::{Agent, AgentSpec};
pub use checkpoint::{CheckpointError, load_policy, newest_checkpoint, save_policy};
pub use config::{
    Actions, ConfigError, Epsilon, LearningRate, PlanSearch, ReplayConfig, TargetSync, TrainConfig, Values,
};
pub use device::{DEVICES, DeviceError, device};
pub use hognose_env::Mask;
pub use learner::GradientStep;
pub use network::{Cnn, Mlp, Network, NetworkConfig, QNetwork};
pub use optimizer::{Adam, Gradients};
pub use plans::{MakePlans, PlanAgent};
pub use recorder::{Metric, Progress, Recorder, Score, Stop, Watcher};
pub use replay::{Packer, Replay, Transition};
pub use train::{Guides, TRAINING, TrainError, Trainer, train};
pub use view::View;
