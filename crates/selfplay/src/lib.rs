//! Learning to play duels of two snakes by playing against oneself, on burn.
//!
//! A network values positions for the first seat. At each position the game of both snakes' next
//! moves is a matrix of the values of the positions that follow; its equilibrium is played, and its
//! value, mixed with how the game went on, is what the network learns.

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
