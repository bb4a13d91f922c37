//! Why a name gives no policy.

use hognose_process::CommandError;
use hognose_tablebase::FileError;

/// Why a name gives no policy.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// There is no such policy.
    #[error(
        "unknown policy {name:?}{}; `hognose policies` lists all",
        near_text(near)
    )]
    Unknown {
        /// The name.
        name: String,
        /// Known names that are spelled alike.
        near: Vec<&'static str>,
    },
    /// What follows the name is not a number that the policy takes.
    #[error("expected {expected}, got {name:?}")]
    Number {
        /// The name.
        name: String,
        /// What belongs there.
        expected: String,
    },
    /// This build plays no agents.
    #[cfg(not(feature = "agents"))]
    #[error("can't play {path}: this program was built without the feature `agents`")]
    NoAgents {
        /// The agent.
        path: String,
    },
    /// There is neither such a file nor such an embedded agent.
    #[cfg(feature = "agents")]
    #[error(
        "expected the path of an agent or one of {}, got \"{name}\"; other agents are in the \
         folder checkpoints of hognose's sources",
        embedded.join(", ")
    )]
    NoSuchAgent {
        /// What was given.
        name: String,
        /// The names of the embedded agents.
        embedded: Vec<&'static str>,
    },
    /// The agent can't be loaded.
    #[cfg(feature = "agents")]
    #[error("{0}")]
    Checkpoint(#[from] hognose_agent::StoreError),
    /// Fresh moves are asked for of an agent that goes in no circles by itself.
    #[cfg(feature = "agents")]
    #[error(
        "expected an agent that may make every move, got {name}: it wins for certain, and goes in \
         no circles"
    )]
    NeverCircles {
        /// The agent.
        name: String,
    },
    /// Programs are not played here.
    #[error(
        "{name:?} is refused here: exec:COMMAND is for the command line and for arguments in \
         Python, so that a file from others starts no program"
    )]
    NoPrograms {
        /// What was given.
        name: String,
    },
    /// The command starts no program.
    #[error("{0}")]
    Command(#[from] CommandError),
    /// The table can't be read.
    #[error("can't read {path}: {error}")]
    Table {
        /// The file.
        path: String,
        /// Why.
        error: FileError,
    },
    /// The device can't be used.
    #[cfg(feature = "agents")]
    #[error("{0}")]
    Device(#[from] hognose_agent::DeviceError),
}

fn near_text(near: &[&str]) -> String {
    if near.is_empty() {
        String::new()
    } else {
        format!(" (did you mean {}?)", near.join(" or "))
    }
}
