//! How a run came about: a file in its folder that says what was trained, by which command, in what time, and how it plays.

use crate::error::Result;
use crate::files;
use cpu_time::ProcessTime;
use hognose_eval::Summary;
use hognose_game::Board;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Instant;

const MANIFEST: &str = "manifest.json";
/// The version of this program.
pub(crate) const NUMBER: &str = env!("CARGO_PKG_VERSION");
/// The commit that it was built from.
pub(crate) const COMMIT: &str = env!("HOGNOSE_COMMIT");
/// Both of them.
pub(crate) const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("HOGNOSE_COMMIT"), ")");

/// What a run's folder says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The command that began it.
    pub(crate) command: String,
    /// Version and commit of the program that trained last.
    pub(crate) version: String,
    pub(crate) board: Board,
    pub(crate) seed: u64,
    pub(crate) device: String,
    pub(crate) threads: usize,
    /// Environment steps and gradient steps up to the last checkpoint.
    pub(crate) environment_steps: u64,
    pub(crate) gradient_steps: u64,
    /// Seconds of training up to there, selection games included, over all its parts.
    pub(crate) wall_seconds: f64,
    /// CPU seconds of training up to there, all threads together, selection games included, over all its parts.
    pub(crate) cpu_seconds: f64,
    /// The command that plays it against others, once it is trained.
    pub(crate) evaluation: Option<String>,
    /// What came of it there.
    pub(crate) results: Option<Summary>,
}

impl Manifest {
    /// A folder's manifest; `None` if it has none, or one of another version of this program.
    pub(crate) fn read(folder: &Path) -> Option<Manifest> {
        let text = std::fs::read_to_string(folder.join(MANIFEST)).ok()?;
        serde_json::from_str(&text).ok()
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        files::write(&folder.join(MANIFEST), serde_json::to_string_pretty(self)? + "\n")
    }
}

/// Wall and CPU time of this process since some moment.
pub(crate) struct Clock {
    wall: Instant,
    cpu: Option<ProcessTime>,
}

impl Clock {
    pub(crate) fn start() -> Clock {
        Clock { wall: Instant::now(), cpu: ProcessTime::try_now().ok() }
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
