//! Duels as an environment.

mod config;
mod env;
mod opponent;
mod reward;
mod snapshot;
mod vector;

pub use config::DuelEnvConfig;
pub use env::DuelEpisode;
pub use opponent::LearnerSeat;
pub use reward::DuelReward;
pub use snapshot::DuelSnapshot;
pub use vector::DuelVectorEnv;
