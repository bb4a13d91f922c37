//! Policies that find a new cycle for each body that they plan: a *certificate* of a certain win.
//!
//! From the ground up:
//!
//! - `certificate` is the cycle; `proof` shows by enumeration that following one wins.
//! - `repair` turns one certificate into another that holds a given body, with the `edges` of a
//!   cycle, its `arcs`, and `flood`, a breadth-first search.
//! - `planner` searches for the path to the food that costs least. A `problem` is its task; a
//!   `candidate` is a path with the body after it. `arrivals` finds paths that arrive at a given
//!   step, `variations` changes a path, and `costs` estimates what a body will cost later.
//! - `plans` and `safe_moves` hold the certificate of the current position, and offer agents what
//!   keeps a win certain. `policy` plays the best plan, and `killer` is the published method, which
//!   needs only `repair`.

mod arcs;
mod arrivals;
mod candidate;
mod certificate;
mod costs;
mod edges;
mod flood;
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
