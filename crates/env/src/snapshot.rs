//! The complete state of one environment, as data.

use crate::episode::Limits;
use crate::{EpisodeStats, Reward};
use hognose_game::Game;
use serde::{Deserialize, Serialize};

/// The version of the format.
const VERSION: u32 = 1;

/// The complete state of one environment, including its future foods and episodes. An episode that
/// began under an earlier configuration ([`VectorEnv::configure`](crate::VectorEnv::configure))
/// keeps its limits and rewards. The text format has a version; reading rejects other versions.
///
/// ```
/// use hognose_env::{EnvConfig, Snapshot, VectorEnv};
/// use hognose_game::{Board, Rules};
///
/// let mut env = VectorEnv::new(EnvConfig::new(Rules::new(Board::new(6, 6)?)), 2, 0)?;
/// let snapshot: Snapshot = env.snapshot(0);
/// env.restore(1, &snapshot)?;
/// assert_eq!(env.snapshot(1), snapshot);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    #[serde(default)]
    pub(crate) version: Version,
    pub(crate) game: Game,
    pub(crate) seed: u64,
    pub(crate) episode: u64,
    pub(crate) steps: u32,
    pub(crate) hunger: u32,
    pub(crate) reward: f64,
    pub(crate) ended: bool,
    pub(crate) last_episode: Option<EpisodeStats>,
    #[serde(default)]
    pub(crate) filter: Vec<u16>,
    /// Its limits and rewards; `None` if they are those of the environment's configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) terms: Option<Terms>,
}

/// What an episode keeps from its configuration until its end, besides its rules.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Terms {
    /// On its board.
    pub(crate) time_limit: Option<u32>,
    /// On its board.
    pub(crate) starvation: Option<u32>,
    pub(crate) reward: Reward,
}

impl Terms {
    pub(crate) fn limits(&self) -> Limits {
        let steps = |limit: Option<u32>| limit.map_or(u64::MAX, u64::from);
        Limits {
            time_limit: steps(self.time_limit),
            starvation: steps(self.starvation),
        }
    }
}

impl Snapshot {
    /// Returns the game.
    pub fn game(&self) -> &Game {
        &self.game
    }
}

/// The version in a text. Texts without a version have the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "u32", try_from = "u32")]
pub(crate) struct Version;

impl From<Version> for u32 {
    fn from(Version: Version) -> u32 {
        VERSION
    }
}

impl TryFrom<u32> for Version {
    type Error = String;

    fn try_from(got: u32) -> Result<Version, String> {
        if got == VERSION {
            return Ok(Version);
        }
        Err(format!(
            "expected a snapshot of version {VERSION}, got version {got}"
        ))
    }
}
