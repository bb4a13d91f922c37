//! Policies that are computed from the board: nothing is learned, and nothing of the food to come is known.

mod cycle;
mod follow;
mod greedy;
mod hamiltonian;
mod path;
mod phc;
mod random;
mod shortcut;

pub use cycle::Cycle;
pub use follow::Follow;
pub use greedy::Greedy;
pub use hamiltonian::Hamiltonian;
pub use path::PathFinder;
pub use phc::PerturbedCycle;
pub use random::Random;
pub use shortcut::Shortcut;
