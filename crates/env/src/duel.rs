//! Duels of two snakes as an environment.

mod config;
mod environment;
mod opponent;
mod reward;
mod rows;
mod snapshot;
mod vector;

pub use config::DuelEnvConfig;
pub use environment::DuelEpisode;
pub use opponent::LearnerSeat;
pub use reward::DuelReward;
pub use snapshot::DuelSnapshot;
pub use vector::DuelVectorEnv;
