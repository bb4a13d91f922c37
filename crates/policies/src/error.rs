//! Why a name gives no policy or bot.

use hognose_duel::BudgetError;
use hognose_process::CommandError;
use hognose_store::StoreError;
use hognose_tablebase::FileError;

/// How many bots may know one another: each search asks the next one for every position that it
/// looks at.
pub(crate) const MOST_NESTED: usize = 3;

/// Why a name gives no policy or bot.
#[derive(Debug, thiserror::Error)]
pub enum NameError {
    /// There is no such policy or bot.
    #[error(
        "unknown {kind} {name:?}{}; `hognose policies` lists all",
        near_text(near)
    )]
    Unknown {
        /// What was asked for: a policy or a bot.
        kind: &'static str,
        /// The name.
        name: String,
        /// Known names that are spelled alike.
        near: Vec<&'static str>,
    },
    /// What follows the name is not what the policy or bot takes.
    #[error("expected {expected}, got {name:?}")]
    Form {
        /// What was given.
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
    /// What follows the name of a bot is not a budget.
    #[error("bot {name:?}: {error}")]
    Budget {
        /// What was given.
        name: String,
        /// Why it is none.
        error: BudgetError,
    },
    /// Too many bots know one another.
    #[error("expected at most {MOST_NESTED} times exploit: in the name of a bot, got {0}")]
    Nested(usize),
    /// There is no such agent for duels, or its file can't be read.
    #[error(
        "bot {name:?}: expected {}a budget, or a file or folder of an agent for duels: {error}",
        known_text(known)
    )]
    DuelAgent {
        /// What was given.
        name: String,
        /// The names of the embedded agents.
        known: Vec<&'static str>,
        /// Why its file can't be read.
        error: Box<StoreError>,
    },
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

/// What an agent for duels may be named besides its file.
fn known_text(known: &[&str]) -> String {
    known.iter().map(|known| format!("{known}, ")).collect()
}
