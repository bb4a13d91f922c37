//! Errors of training.

use crate::config::ConfigError;
use hognose_env::EnvError;
use hognose_game::Unsupported;
use hognose_store::StoreError;

/// An error that prevents training from starting or continuing.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The training configuration is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The environment can't be created.
    #[error(transparent)]
    Env(#[from] EnvError),
    /// The rules or the agent don't support these games.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// There is no source of plans.
    #[error("actions \"plans\" need a source of plans, got none")]
    NoPlans,
    /// The weights would become non-finite.
    #[error(
        "training diverged at environment step {step}, gradient step {gradient_steps}: expected \
         finite weights, got a loss of {loss} and a gradient norm of {gradient_norm}"
    )]
    Diverged {
        /// Environment steps taken.
        step: u64,
        /// Gradient steps taken, excluding the failed one.
        gradient_steps: u64,
        /// The loss.
        loss: f32,
        /// The norm of the gradient; NaN if it was not computed.
        gradient_norm: f32,
    },
    /// A file can't be read or written.
    #[error(transparent)]
    Checkpoint(#[from] StoreError),
    /// The threads can't be started.
    #[error("can't start {threads} threads: {reason}")]
    Threads {
        /// Number of threads.
        threads: usize,
        /// The reason.
        reason: String,
    },
}
