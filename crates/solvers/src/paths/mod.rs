//! Policies that search for a path to the food. They may lock themselves in and lose.

mod depth_first;
mod follow;
mod greedy;
pub(crate) mod path_finder;

pub use depth_first::DepthFirst;
pub use follow::Follow;
pub use greedy::Greedy;
pub use path_finder::PathFinder;
