//! Errors of runs.

use hognose_agent::{DeviceError, StoreError, TrainError};
use hognose_policies::NameError;
use std::io;
use std::path::PathBuf;

/// Converts an error of a library into an error of the experiment.
pub(crate) fn as_experiment(error: impl std::error::Error) -> RunError {
    RunError::Experiment(error.to_string())
}

/// An error that prevents a run from starting or continuing.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The system refused a file or folder.
    #[error("can't {doing} {path}: {error}")]
    File {
        /// What was attempted.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The experiment can't be run.
    #[error("{0}")]
    Experiment(String),
    /// A setting can't be applied to the experiment.
    #[error("{setting}: {reason}")]
    Setting {
        /// The setting, as `key=value`.
        setting: String,
        /// The reason.
        reason: String,
    },
    /// The folder already holds a run, which can be resumed.
    #[error("{0} already holds a run")]
    Taken(PathBuf),
    /// The folder holds an agent or its results, but no checkpoint of its run.
    #[error(
        "{0} holds an agent or its results, which training would overwrite; expected a \
         separate folder for each run"
    )]
    Agent(PathBuf),
    /// Another training run is writing to the folder.
    #[error("{0}: another run is writing to this folder; expected a separate folder for each run")]
    Busy(PathBuf),
    /// The run to resume has another value.
    #[error("{folder}: {key} is {begun}, expected {expected}")]
    Changed {
        /// The run's folder.
        folder: PathBuf,
        /// The key.
        key: String,
        /// The value in the run to resume.
        begun: String,
        /// The value in the experiment at hand.
        expected: String,
    },
    /// The manifest of the run can't be read.
    #[error(
        "{0}; a run can't continue without the command that began it and the time it has taken"
    )]
    Manifest(Box<RunError>),
    /// The best weights so far can't be read, or belong to another run.
    #[error(
        "{0}; a run can't continue without its best weights so far, since only better ones replace \
         them"
    )]
    BestWeights(StoreError),
    /// Training failed.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A checkpoint or policy file can't be read or written.
    #[error(transparent)]
    Checkpoint(#[from] StoreError),
    /// A policy or bot that the experiment names is unknown.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The device can't be used.
    #[error(transparent)]
    Device(#[from] DeviceError),
}
