//! Why training can't begin or go on.

use crate::config::ConfigError;
use hognose_env::EnvError;
use hognose_game::Unsupported;
use hognose_store::StoreError;

/// Why training can't begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The training configuration is not valid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The environment can't be made.
    #[error(transparent)]
    Env(#[from] EnvError),
    /// The rules, or the agent, can't play these games.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// Nobody proposes plans.
    #[error("actions \"plans\" need a source of plans, got none")]
    NoPlans,
    /// The weights would no longer be numbers.
    #[error(
        "training diverged at environment step {step}, gradient step {gradient_steps}: expected \
         finite weights, got a loss of {loss} and a gradient norm of {gradient_norm}"
    )]
    Diverged {
        /// Environment steps taken.
        step: u64,
        /// Gradient steps taken, without the one that failed.
        gradient_steps: u64,
        /// The loss.
        loss: f32,
        /// The norm of the gradient; not a number where it was not computed.
        gradient_norm: f32,
    },
    /// A file can't be written or read.
    #[error(transparent)]
    Checkpoint(#[from] StoreError),
    /// The threads could not be started.
    #[error("can't start {threads} threads: {reason}")]
    Threads {
        /// How many.
        threads: usize,
        /// Why not.
        reason: String,
    },
}
