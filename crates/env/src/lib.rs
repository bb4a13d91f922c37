//! Snake as a vectorized reinforcement-learning environment: observations, rewards, steps.
//!
//! [`VectorEnv`] steps any number of games and writes into the caller's buffers; [`DuelVectorEnv`]
//! does the same for duels of two snakes. The rules are those of [`hognose_game`]. Each step
//! returns [`Signal::Running`], [`Signal::Terminated`] or [`Signal::Truncated`]; truncation never
//! counts as termination.
//!
//! ```
//! use hognose_env::{Buffers, EnvConfig, VectorEnv};
//! use hognose_game::{Board, Rules};
//!
//! let config = EnvConfig::new(Rules::new(Board::new(6, 6)?));
//! let mut env = VectorEnv::new(config, 8, 0)?;
//! let mut buffers = Buffers::<f32>::new(&env);
//! env.reset(&mut buffers.batch())?;
//! for _ in 0..100 {
//! // The first allowed action in every environment.
//!     let actions: Vec<u8> = buffers
//!         .masks
//!         .chunks(env.num_actions())
//!         .map(|mask| {
//!             mask.iter()
//!                 .position(|&allowed| allowed)
//!                 .expect("a mask is never empty") as u8
//!         })
//!         .collect();
//!     env.step(&actions, &mut buffers.batch())?;
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod boards;
mod config;
pub mod contract;
mod duel;
mod element;
mod env_game;
mod episode;
mod error;
mod observation;
mod reach;
mod reward;
mod share;
mod snake;
mod snapshot;
mod starts;
mod vector;
mod vectorized;

pub use batch::{Batch, Buffers};
pub use boards::{discount_on, draw_board, steps_on};
pub use config::{ActionKind, Autoreset, EnvConfig, Mask};
pub use duel::{DuelEnvConfig, DuelEpisode, DuelReward, DuelSnapshot, DuelVectorEnv, LearnerSeat};
pub use element::Element;
pub use episode::{EpisodeStats, Signal, Termination, Truncation};
pub use error::{ConfigError, EnvError, StepError};
pub use observation::{Encoder, Observation, Space};
pub use reach::{MoveReach, Reach};
pub use reward::{Reward, RewardFunction};
pub use snapshot::Snapshot;
pub use starts::{StartError, StartPosition};
pub use vector::VectorEnv;

/// Tests the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Tests the program in the book's tutorial.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/tutorials/rust.md")]
struct Tutorial;
