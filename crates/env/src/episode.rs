//! Episodes: how they end, what is told of them, and all of their state.

use hognose_game::Game;
use serde::{Deserialize, Serialize};

/// What an environment answers to a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Signal {
    /// The episode goes on.
    #[default]
    Running,
    /// The game is over: what follows is worth nothing.
    Terminated(Termination),
    /// The episode is cut off, though the game would go on: what follows keeps its value.
    Truncated(Truncation),
}

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Termination {
    /// The body fills the board.
    Won,
    /// The snake left the board.
    Wall,
    /// The snake hit itself.
    Body,
}

/// Why an episode is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Truncation {
    /// It had as many steps as the time limit allows.
    TimeLimit,
    /// It had as many steps without food as the starvation limit allows.
    Starvation,
}

impl Signal {
    /// Whether the episode ended in this step.
    #[inline]
    pub fn ended(self) -> bool {
        self != Signal::Running
    }

    /// Whether the game is over.
    pub fn terminated(self) -> bool {
        matches!(self, Signal::Terminated(_))
    }

    /// Whether the episode was cut off.
    pub fn truncated(self) -> bool {
        matches!(self, Signal::Truncated(_))
    }
}

/// A finished episode.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpisodeStats {
    /// The undiscounted sum of rewards.
    pub reward: f64,
    /// The number of steps.
    pub steps: u32,
    /// The snake's length at the end, in cells.
    pub length: usize,
    /// How it ended.
    pub signal: Signal,
}

/// All of one environment's state, its future foods and episodes included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
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
}

impl Snapshot {
    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }
}
