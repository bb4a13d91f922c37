//! The manifest of a run: a file in its folder that records what was trained, by which command, in
//! what time, and how well it plays.

use crate::error::RunError;
use crate::files;
use crate::selection::DuelSummary;
use cpu_time::ProcessTime;
use hognose_eval::Summary;
use hognose_game::Board;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Instant;

const MANIFEST: &str = "manifest.json";

/// The manifest of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The command that began the run.
    pub command: String,
    /// Version and commit of the program that trained last.
    pub version: String,
    /// The board.
    pub board: Board,
    /// The seed of weights, training games, exploration and sampling.
    pub seed: u64,
    /// The device that held the tensors.
    pub device: String,
    /// The number of threads that trained last.
    pub threads: usize,
    /// Environment steps up to the last checkpoint.
    pub environment_steps: u64,
    /// Gradient steps up to the last checkpoint.
    pub gradient_steps: u64,
    /// Seconds of training up to the last checkpoint, including selection games and earlier parts.
    pub wall_seconds: f64,
    /// CPU seconds of training up to the last checkpoint, summed over threads, including selection
    /// games and earlier parts.
    pub cpu_seconds: f64,
    /// The command that repeats the final games, once the run is trained.
    pub evaluation: Option<String>,
    /// The results of the final games.
    pub results: Option<Results>,
}

/// The results of a run's agent in the final games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Results {
    /// One snake.
    Games(Box<Summary>),
    /// Two snakes.
    Duels(DuelSummary),
}

impl Manifest {
    /// Reads a folder's manifest; `None` if there is none, or it is from another version of this
    /// program.
    pub fn read(folder: &Path) -> Option<Manifest> {
        Manifest::expect(folder).ok()
    }

    /// Reads a folder's manifest; fails if there is none, or it is from another version of this
    /// program.
    pub(crate) fn expect(folder: &Path) -> Result<Manifest, RunError> {
        let path = folder.join(MANIFEST);
        serde_json::from_str(&files::read(&path)?)
            .map_err(|error| files::failed("read", &path)(error.into()))
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<(), RunError> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| RunError::Experiment(error.to_string()))?;
        files::write(&folder.join(MANIFEST), text + "\n")
    }
}

/// The part of a manifest that a resumed run continues.
#[derive(Default, Deserialize)]
pub(crate) struct Begun {
    pub(crate) command: String,
    pub(crate) environment_steps: u64,
    pub(crate) gradient_steps: u64,
    pub(crate) wall_seconds: f64,
    pub(crate) cpu_seconds: f64,
}

impl Begun {
    pub(crate) fn read(folder: &Path) -> Result<Begun, RunError> {
        let path = folder.join(MANIFEST);
        let read = || {
            serde_json::from_str(&files::read(&path)?)
                .map_err(|error| files::failed("read", &path)(error.into()))
        };
        read().map_err(|error| RunError::Manifest(Box::new(error)))
    }
}

/// Returns whether a folder's manifest has results, or is unreadable and might have some.
pub(crate) fn may_have_results(folder: &Path) -> bool {
    let path = folder.join(MANIFEST);
    let manifest = || serde_json::from_str::<serde_json::Value>(&files::read(&path).ok()?).ok();
    path.exists() && manifest().is_none_or(|manifest| !manifest["results"].is_null())
}

/// Wall and CPU time of this process since a starting point.
pub(crate) struct Clock {
    wall: Instant,
    cpu: Option<ProcessTime>,
}

impl Clock {
    pub(crate) fn start() -> Clock {
        Clock {
            wall: Instant::now(),
            cpu: ProcessTime::try_now().ok(),
        }
    }

    /// Adds the time since the start, or since the last call, to a manifest.
    pub(crate) fn add_to(&mut self, manifest: &mut Manifest) {
        let now = Clock::start();
        manifest.wall_seconds += (now.wall - self.wall).as_secs_f64();
        if let (Some(now), Some(then)) = (now.cpu, self.cpu) {
            manifest.cpu_seconds += now.duration_since(then).as_secs_f64();
        }
        *self = now;
    }
}
