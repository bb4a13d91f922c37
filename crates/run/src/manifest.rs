//! How a run came about: a file in its folder that says what was trained, by which command, in what
//! time, and how it plays.

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

/// What a run's folder says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The command that began it.
    pub command: String,
    /// Version and commit of the program that trained last.
    pub version: String,
    /// The board.
    pub board: Board,
    /// The seed of weights, training games, exploration and sampling.
    pub seed: u64,
    /// Where tensors lived.
    pub device: String,
    /// The threads that trained last.
    pub threads: usize,
    /// Environment steps up to the last checkpoint.
    pub environment_steps: u64,
    /// Gradient steps up to the last checkpoint.
    pub gradient_steps: u64,
    /// Seconds of training up to the last checkpoint, selection games included, over all its parts.
    pub wall_seconds: f64,
    /// CPU seconds of training up to the last checkpoint, all threads together, selection games
    /// included, over all its parts.
    pub cpu_seconds: f64,
    /// The command that plays it against others, once it is trained.
    pub evaluation: Option<String>,
    /// How it played there.
    pub results: Option<Results>,
}

/// How the agent of a run played the final games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Results {
    /// One snake.
    Games(Box<Summary>),
    /// Two snakes.
    Duels(DuelSummary),
}

impl Manifest {
    /// A folder's manifest; `None` if it has none, or one of another version of this program.
    pub fn read(folder: &Path) -> Option<Manifest> {
        Manifest::expect(folder).ok()
    }

    /// A folder's manifest; fails if it has none, or one of another version of this program.
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

/// What a run's manifest has that goes on with the run.
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

/// Whether a folder's manifest has results, or can't be read, so that nobody knows.
pub(crate) fn may_have_results(folder: &Path) -> bool {
    let path = folder.join(MANIFEST);
    let manifest = || serde_json::from_str::<serde_json::Value>(&files::read(&path).ok()?).ok();
    path.exists() && manifest().is_none_or(|manifest| !manifest["results"].is_null())
}

/// Wall and CPU time of this process since some moment.
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

    /// Adds what went by since the start, or since the last call, to a manifest.
    pub(crate) fn add_to(&mut self, manifest: &mut Manifest) {
        let now = Clock::start();
        manifest.wall_seconds += (now.wall - self.wall).as_secs_f64();
        if let (Some(now), Some(then)) = (now.cpu, self.cpu) {
            manifest.cpu_seconds += now.duration_since(then).as_secs_f64();
        }
        *self = now;
    }
}
