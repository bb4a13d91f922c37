//! Episodes: their limits, how they end, and their statistics.

use hognose_game::Board;
use serde::{Deserialize, Serialize};

/// The result of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Signal {
    /// The episode goes on.
    #[default]
    Running,
    /// The game is over: the value of what follows is 0.
    Terminated(Termination),
    /// The episode was cut off although the game could go on: what follows keeps its value.
    Truncated(Truncation),
}

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Termination {
    /// The body fills the board, or the duel is won.
    Won,
    /// The snake left the board.
    Wall,
    /// The snake hit itself.
    Body,
    /// The duel is lost.
    Lost,
    /// The duel is drawn.
    Drawn,
}

/// Why an episode was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Truncation {
    /// The episode reached the time limit.
    TimeLimit,
    /// The episode reached the starvation limit of steps without food.
    Starvation,
}

impl Signal {
    /// Returns whether the episode ended in this step.
    #[inline]
    pub fn ended(self) -> bool {
        self != Signal::Running
    }

    /// Returns whether the game is over.
    pub fn terminated(self) -> bool {
        matches!(self, Signal::Terminated(_))
    }

    /// Returns whether the episode was cut off.
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
    /// The snake's length at the end, in cells; in a duel, including pending growth.
    pub length: usize,
    /// How it ended.
    pub signal: Signal,
    /// The board.
    pub board: Board,
}

/// The limits of episodes, in steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) time_limit: u64,
    pub(crate) starvation: u64,
}

/// Flags of an environment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flags {
    /// Whether the episode has ended.
    pub(crate) ended: bool,
    /// Whether the last observation shows the current state.
    pub(crate) observed: bool,
}

/// The current episode. Times refer to a clock that all environments share and that counts their
/// steps, so that most steps don't change an episode.
#[derive(Clone, Debug, Default)]
pub(crate) struct Episode {
    began: u64,
    /// When the snake last ate, or else when the episode began.
    ate: u64,
    /// When it will be truncated.
    pub(crate) due: u64,
    /// The sum of its rewards.
    pub(crate) reward: f64,
    /// The index of its board.
    pub(crate) board: u16,
    pub(crate) flags: Flags,
}

impl Episode {
    /// Begins an episode, or resumes it after `steps` steps, the last `hunger` of them without food.
    pub(crate) fn resume(now: u64, board: u16, limits: Limits, steps: u32, hunger: u32) -> Episode {
        let mut episode = Episode {
            began: now - u64::from(steps),
            ate: now - u64::from(hunger),
            board,
            ..Episode::default()
        };
        episode.set_due(limits);
        episode
    }

    /// Records that the snake eats now.
    pub(crate) fn eat(&mut self, now: u64, limits: Limits) {
        self.ate = now;
        self.set_due(limits);
    }

    pub(crate) fn steps(&self, now: u64) -> u32 {
        (now - self.began) as u32
    }

    /// Returns the number of steps since the snake ate, or since the episode began.
    pub(crate) fn hunger(&self, now: u64) -> u32 {
        (now - self.ate) as u32
    }

    /// Returns the reason for truncating the episode now, if any.
    pub(crate) fn truncation(&self, now: u64, limits: Limits) -> Option<Truncation> {
        if u64::from(self.steps(now)) >= limits.time_limit {
            Some(Truncation::TimeLimit)
        } else if u64::from(self.hunger(now)) >= limits.starvation {
            Some(Truncation::Starvation)
        } else {
            None
        }
    }

    fn set_due(&mut self, limits: Limits) {
        self.due = self
            .began
            .saturating_add(limits.time_limit)
            .min(self.ate.saturating_add(limits.starvation));
    }
}
