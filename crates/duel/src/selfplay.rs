//! Bots trained by self-play: the inputs, the network, and the bot that searches on its value.

mod bot;
mod encoder;
mod features;
mod file;
mod judge;
mod network;

pub use bot::Selfplay;
pub use encoder::{DuelEncoder, InputSizes};
pub use features::Features;
pub use file::ValueFile;
pub use network::{ValueNetwork, as_share};
