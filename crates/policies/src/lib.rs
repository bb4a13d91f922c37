//! Every policy by its name: a [`Catalog`] finds it, [`SOLVERS`] and [`LEARNED`] list the names.
//!
//! The default feature `agents` brings trained agents, and with them burn. Without it this crate
//! has all solvers, and builds in seconds.

#[cfg(feature = "agents")]
mod agents;
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
pub use agents::{guides, player};
pub use catalog::{Catalog, LEARNED};
pub use embedded::EmbeddedAgent;
pub use error::PolicyError;
pub use hognose_process::{DEFAULT_MOVE_LIMIT, MOVE_LIMITS, PROGRAM};
pub use named::NamedPolicy;
pub use one_by_one::one_by_one;
pub use safe_moves::safe_moves;
pub use solvers::{Known, SOLVERS};
pub use tables::read_table;

/// The example of the README is tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
