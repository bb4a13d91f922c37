//! Policies that stay on or near a cycle of the board, where the path from the head on to the tail
//! is always free.

mod almighty;
mod cell_tree;
mod comb;
pub(crate) mod cycle;
mod extended;
mod hamilton_shortcut;
mod hamiltonian;
pub(crate) mod jumps;
mod phc;
pub(crate) mod reroute;
mod shortcut;
mod sub_hamiltonian;
mod tree;
mod zigzag;

pub use almighty::Almighty;
pub use cell_tree::CellTree;
pub use cycle::Cycle;
pub use hamilton_shortcut::HamiltonShortcut;
pub use hamiltonian::Hamiltonian;
pub use phc::PerturbedCycle;
pub use reroute::Reroute;
pub use shortcut::Shortcut;
pub use sub_hamiltonian::SubHamiltonian;
