//! Duels on small boards, solved exactly, and how far bots are from optimal play there.

mod blocks;
mod bodies;
mod error;
mod positions;
mod response;
mod solver;

pub use error::ExactError;
pub use positions::Positions;
pub use response::{NashConv, check_bot, nash_conv};
pub use solver::{Choice, Layer, Solver};
