//! Every policy by its name: [`Named`] finds it, [`SOLVERS`] and [`LEARNED`] list the names.
//!
//! The default feature `agents` brings trained agents, and with them burn. Without it this crate has all solvers, and
//! builds in seconds.

#[cfg(feature = "agents")]
mod agents;
mod error;
mod named;
mod one_by_one;
mod solvers;
mod source;

#[cfg(feature = "agents")]
pub use agents::{guides, player};
pub use error::PolicyError;
use hognose_game::MakeFilter;
use hognose_solvers::SafeMoves;
use hognose_tablebase::Table;
pub use named::Named;
pub use solvers::{Known, SOLVERS};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// How trained agents are named, and what they do.
pub const LEARNED: [(&str, &str); 2] = [
    ("dqn:PATH", "plays a trained agent: a policy file, or a folder that holds policy.safetensors"),
    (
        "dqn-safe:PATH",
        "plays a trained agent, but only moves after which winning is still certain: it can't lose; a torus as certified",
    ),
];

/// What makes filters of safe moves: those after which winning is still certain.
pub fn safe_moves() -> MakeFilter {
    SafeMoves::maker()
}

/// Reads a table that `hognose tablebase solve` wrote.
///
/// # Errors
/// When there is none, or it is damaged or incomplete.
pub fn read_table(path: &Path) -> Result<Table, PolicyError> {
    let read = || hognose_tablebase::read_table(&mut BufReader::new(File::open(path)?));
    read().map_err(|error| PolicyError::Table { path: path.display().to_string(), error })
}
