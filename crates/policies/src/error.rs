//! Errors of names that give no policy or bot.

use hognose_duel::BudgetError;
use hognose_process::CommandError;
use hognose_store::StoreError;
use hognose_tablebase::FileError;

/// The maximum number of bots that know one another: each search asks the next bot at every
/// position.
pub(crate) const MOST_NESTED: usize = 3;

/// An error of a name that gives no policy or bot.
#[derive(Debug, thiserror::Error)]
pub enum NameError {
    /// There is no such policy or bot.
    #[error(
        "unknown {kind} {name:?}{}; `hognose policies` lists all",
        near_text(near)
    )]
    Unknown {
        /// The kind of the name: a policy or a bot.
        kind: &'static str,
        /// The name.
        name: String,
        /// Known names that are spelled alike.
        near: Vec<&'static str>,
    },
    /// The text after the name is not what the policy or bot takes.
    #[error("expected {expected}, got {name:?}")]
    Form {
        /// The given name.
        name: String,
        /// The expected form.
        expected: String,
    },
    /// This build has no agents.
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
         checkpoints folder of hognose's sources",
        embedded.join(", ")
    )]
    NoSuchAgent {
        /// The given name.
        name: String,
        /// The names of the embedded agents.
        embedded: Vec<&'static str>,
    },
    /// The agent can't be loaded.
    #[cfg(feature = "agents")]
    #[error("{0}")]
    Checkpoint(#[from] hognose_agent::StoreError),
    /// Fresh moves were requested for an agent that never circles anyway.
    #[cfg(feature = "agents")]
    #[error(
        "expected an agent that may make every move, got {name}, which wins for certain and never \
         circles"
    )]
    NeverCircles {
        /// The agent.
        name: String,
    },
    /// Programs are not allowed here.
    #[error(
        "{name:?} is refused here: exec:COMMAND is for the command line and for arguments in \
         Python, so that another person's file can't start a program"
    )]
    NoPrograms {
        /// The given name.
        name: String,
    },
    /// The command starts no program.
    #[error("{0}")]
    Command(#[from] CommandError),
    /// The text after a bot's name is not a budget.
    #[error("bot {name:?}: {error}")]
    Budget {
        /// The given name.
        name: String,
        /// The reason.
        error: BudgetError,
    },
    /// Too many bots know one another.
    #[error("a bot's name may contain exploit: at most {MOST_NESTED} times, got {0}")]
    Nested(usize),
    /// There is no such agent for duels, or its file can't be read.
    #[error(
        "bot {name:?}: expected {}a budget, or a file or folder of an agent for duels: {error}",
        known_text(known)
    )]
    DuelAgent {
        /// The given name.
        name: String,
        /// The names of the embedded agents.
        known: Vec<&'static str>,
        /// The error of reading its file.
        error: Box<StoreError>,
    },
    /// The table can't be read.
    #[error("can't read {path}: {error}")]
    Table {
        /// The file.
        path: String,
        /// The reason.
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

/// Lists the names that an agent for duels may have besides its file.
fn known_text(known: &[&str]) -> String {
    known.iter().map(|known| format!("{known}, ")).collect()
}
