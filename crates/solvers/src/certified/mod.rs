//! Policies that look for a new cycle around each body that they plan for: a *certificate* that
//! winning is certain.
//!
//! From the ground up:
//!
//! - `certificate` is the cycle, and `proof` shows by enumeration that following one wins.
//! - `repair` finds a certificate of a body near another one, with `edges` of a cycle, its `arcs`,
//!   and `flood` filling.
//! - `planner` searches for the way to the food that costs least. A `problem` is what it is to
//!   solve, a `candidate` a way with the body after it. `arrivals` are ways that arrive at a given
//!   step, `variations` change a way, and `costs` says what a body will cost later.
//! - `guarantee` is what is known for certain of a game: its certificate. `policy` plays by it,
//!   `plans` and `safe_moves` offer it to agents, and `killer` is the published method that needs
//!   it least.

mod arcs;
mod arrivals;
mod candidate;
mod certificate;
mod costs;
mod edges;
mod flood;
mod guarantee;
mod killer;
mod planner;
mod plans;
mod policy;
mod problem;
mod proof;
mod repair;
mod safe_moves;
mod variations;

pub use killer::Killer;
pub use plans::CertifiedPlans;
pub use policy::Certified;
pub use proof::{Enumerated, certificates_win};
pub use safe_moves::SafeMoves;
