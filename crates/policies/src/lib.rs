//! Every policy and bot by its name: a [`Catalog`] finds it; [`SOLVERS`], [`LEARNED`] and [`BOTS`]
//! list the names.
//!
//! The default feature `agents` adds trained single-player agents, and depends on burn. Without it
//! this crate has all solvers and bots, and builds in seconds.

#[cfg(feature = "agents")]
mod agents;
mod bots;
mod catalog;
mod embedded;
mod error;
mod named;
mod one_by_one;
mod safe_moves;
mod solvers;
mod source;
mod tables;

#[cfg(feature = "agents")]
pub use agents::{player, training_solvers};
pub use bots::{AGAINST_USER, BOTS, KnownBot, NamedBot};
pub use catalog::{Catalog, EXPLOIT, LEARNED};
pub use embedded::EmbeddedAgent;
pub use error::NameError;
pub use hognose_process::{DEFAULT_MOVE_LIMIT, MOVE_LIMITS, PROGRAM, parse_position};
pub use named::NamedPolicy;
pub use one_by_one::one_by_one;
pub use safe_moves::safe_moves;
pub use solvers::{KnownSolver, SOLVERS};
pub use tables::read_table;

/// Tests the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
