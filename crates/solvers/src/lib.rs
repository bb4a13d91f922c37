//! Policies that are computed from the board: nothing is learned, and nothing of the food to come is known.

mod almighty;
mod cell_tree;
mod certificate;
mod certified;
mod certify;
mod cycle;
mod depth_first;
mod follow;
mod frame;
mod greedy;
mod grid;
mod hamilton_shortcut;
mod hamiltonian;
mod killer;
mod path;
mod phc;
mod planner;
mod random;
mod shortcut;
mod sub_hamiltonian;

pub use almighty::Almighty;
pub use cell_tree::CellTree;
pub use certified::{Certified, CertifiedPlans, SafeMoves};
pub use cycle::Cycle;
pub use depth_first::DepthFirst;
pub use follow::Follow;
pub use greedy::Greedy;
pub use hamilton_shortcut::HamiltonShortcut;
pub use hamiltonian::Hamiltonian;
pub use killer::Killer;
pub use path::PathFinder;
pub use phc::PerturbedCycle;
pub use random::Random;
pub use shortcut::Shortcut;
pub use sub_hamiltonian::SubHamiltonian;
