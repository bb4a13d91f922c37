//! Why a run can't begin or go on.

use hognose_agent::{DeviceError, StoreError, TrainError};
use hognose_policies::NameError;
use std::io;
use std::path::PathBuf;

/// Takes what a library says of an experiment.
pub(crate) fn as_experiment(error: impl std::error::Error) -> RunError {
    RunError::Experiment(error.to_string())
}

/// Why a run can't begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The system refused a file or folder.
    #[error("can't {doing} {path}: {error}")]
    File {
        /// What was being done.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The experiment is none that can be run.
    #[error("{0}")]
    Experiment(String),
    /// An experiment can't be changed like this.
    #[error("{setting}: {reason}")]
    Setting {
        /// The setting, `key=value`.
        setting: String,
        /// What is wrong.
        reason: String,
    },
    /// The folder holds a run, which can be gone on with.
    #[error("{0} holds a run already")]
    Taken(PathBuf),
    /// The folder holds an agent or its results, and no checkpoint of its run.
    #[error(
        "{0} holds an agent or its results, which training would overwrite; expected a folder of \
         its own for each run"
    )]
    Agent(PathBuf),
    /// A training that has not ended writes into the folder.
    #[error(
        "{0}: another training writes into this folder now; expected a folder of its own for each"
    )]
    Busy(PathBuf),
    /// A run that was begun has another value.
    #[error("{folder}: {key} is {begun}, expected {expected}")]
    Changed {
        /// The run's folder.
        folder: PathBuf,
        /// The key of the value.
        key: String,
        /// The value in the run that was begun.
        begun: String,
        /// The value in the experiment at hand.
        expected: String,
    },
    /// The manifest of the run can't be read.
    #[error("{0}; a run can't go on without the command that began it and the time it has taken")]
    Manifest(Box<RunError>),
    /// The best weights so far can't be read, or are those of another run.
    #[error(
        "{0}; a run can't go on without its best weights so far, since only better ones replace \
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
