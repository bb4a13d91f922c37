//! Policies that look for a new cycle around each body that they plan for: a *certificate* that winning is certain.
//!
//! From the ground up: `certificate` is the cycle, `certify` finds one near another, `planner` searches for ways to the
//! food that end on one, and `plans` and `safe_moves` offer that to agents. `proof` shows by enumeration that
//! certificates win.

mod arcs;
mod arrivals;
mod candidate;
mod certainty;
mod certificate;
mod certify;
mod costs;
mod edges;
mod flood;
mod killer;
mod planner;
mod plans;
mod policy;
mod problem;
mod proof;
mod safe_moves;
mod variations;

pub use killer::Killer;
pub use plans::CertifiedPlans;
pub use policy::Certified;
pub use proof::{Enumerated, certificates_board, certificates_win};
pub use safe_moves::SafeMoves;
