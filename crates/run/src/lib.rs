//! Training runs: an [`Experiment`] becomes a folder with checkpoints, curves, the best weights and
//! a manifest.
//!
//! A [`Run`] trains an experiment into a folder, and goes on exactly where it was interrupted. It
//! prints nothing and listens to no signal: an [`Observer`] hears how far it is, and says when to
//! stop. [`Run`], [`Manifest`] and [`scalars`] need files; [`Run`] also needs threads and clocks,
//! and so does [`Selection`].
//!
//! Where there are neither files nor threads nor clocks, as in a browser page, three calls train:
//! [`Experiment::parse`], [`Experiment::trainer`] and, until [`Trainer::finished`],
//! [`Trainer::round`]. They need not the default feature `folders`, which brings [`Run`],
//! [`Manifest`] and [`scalars`].
//!
//! ```
//! use hognose_run::{Experiment, Run, Stop, Subject};
//!
//! let experiment = Experiment::parse(
//!     r#"
//!     env.rules.board = "4x4"
//!     network.hidden = [16]
//!     train = { total_steps = 512, num_envs = 16, batch_size = 32, learning_starts = 128 }
//!     train.evaluation_games = 2
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

mod duel_experiment;
mod error;
#[cfg(feature = "folders")]
mod events;
mod experiment;
pub mod files;
#[cfg(feature = "folders")]
mod manifest;
mod observer;
mod one_snake;
#[cfg(feature = "folders")]
mod recording;
#[cfg(feature = "folders")]
mod run;
mod selection;
mod subject;
mod two_snakes;

pub use duel_experiment::{DuelExperiment, FinalTournament, ValueNetworkConfig};
pub use error::RunError;
#[cfg(feature = "folders")]
pub use events::{Scalars, scalars};
pub use experiment::{Experiment, FinalEvaluation};
pub use hognose_agent::{Progress, Stop, Trainer, Training};
#[cfg(feature = "folders")]
pub use manifest::Manifest;
pub use observer::{Observer, ProgressOf, Rates, ScoreOf};
#[cfg(feature = "folders")]
pub use run::Run;
pub use selection::Selection;
pub use subject::{EXPERIMENT, Players, Round, Scored, Subject};
pub use two_snakes::DuelSummary;

/// The example of the README is tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
