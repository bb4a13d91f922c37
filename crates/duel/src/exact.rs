//! Exact solutions of duels on small boards, and the distance of bots from optimal play.

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
