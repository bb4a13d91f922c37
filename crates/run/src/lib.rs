//! Training runs: an [`Experiment`] becomes a folder with checkpoints, curves, the best weights and
//! a manifest.
//!
//! A [`Run`] trains an experiment into a folder, and resumes exactly where it was interrupted. It
//! prints nothing and handles no signals: an [`Observer`] receives its progress and decides when to
//! stop. [`Run`], [`Manifest`] and [`scalars`] need files, threads and clocks, and belong to the
//! default feature `folders`.
//!
//! Without these, as in a web page, three calls train: [`Experiment::parse`],
//! [`DqnExperiment::trainer`] and, until [`Trainer::finished`], [`Trainer::round`].
//!
//! ```
//! use hognose_run::{Experiment, Run, Stop};
//!
//! let experiment = Experiment::parse(
//!     r#"
//!     env.rules.board = "4x4"
//!     network.hidden = [16]
//!     [train]
//!     total_steps = 512
//!     num_envs = 16
//!     batch_size = 32
//!     learning_starts = 128
//!     evaluation_games = 2
//!     "#,
//! )?;
//! let folder = std::env::temp_dir().join(format!("hognose-run-{}", std::process::id()));
//! assert_eq!(
//!     Run::begin(experiment, &folder)?.train(&mut ())?,
//!     Stop::Finished
//! );
//! assert!(folder.join("policy.safetensors").exists());
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod dqn;
mod error;
#[cfg(feature = "folders")]
mod events;
mod experiment;
pub mod files;
#[cfg(feature = "folders")]
mod folder;
#[cfg(feature = "folders")]
mod manifest;
#[cfg(feature = "folders")]
mod observer;
#[cfg(feature = "folders")]
mod run;
mod selection;
mod selfplay;
#[cfg(feature = "folders")]
mod train;

pub use dqn::{DqnExperiment, FinalEvaluation};
pub use error::RunError;
#[cfg(feature = "folders")]
pub use events::{Scalars, scalars};
pub use experiment::{EXPERIMENT, Experiment, Intervals};
#[cfg(feature = "folders")]
pub use folder::newest_checkpoint;
pub use hognose_agent::{Progress, Trainer};
#[cfg(feature = "folders")]
pub use manifest::{Manifest, Results};
#[cfg(feature = "folders")]
pub use observer::{Observer, Rates};
#[cfg(feature = "folders")]
pub use run::{FinalGames, Run};
pub use selection::{DuelSummary, Round, Selection, SelectionGames};
pub use selfplay::{FinalTournament, SelfplayExperiment, ValueNetworkConfig};
#[cfg(feature = "folders")]
pub use train::Stop;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
