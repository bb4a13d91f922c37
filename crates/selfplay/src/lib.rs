//! Trains agents for duels of two snakes by self-play, with burn.
//!
//! A network values positions for the first seat. At each position, the values of the next
//! positions form the matrix game of both snakes' next moves. The learner plays its equilibrium;
//! the network learns the game's value, mixed with the outcome of the duel.

mod config;
mod duels;
mod learner;
mod network;
mod next_moves;
mod replay;
mod resume;
mod trainer;

pub use config::{Opponents, SelfplayConfig};
pub use network::{ValueMlp, ValueModule};
pub use trainer::SelfplayTrainer;
