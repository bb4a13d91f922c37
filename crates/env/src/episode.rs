//! Episodes: how long they may last, how they end, what is told of them.

use hognose_game::Board;
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

/// Why an episode is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Truncation {
    /// The episode had as many steps as the time limit allows.
    TimeLimit,
    /// The episode had as many steps without food as the starvation limit allows.
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
    /// The snake's length at the end, in cells; in a duel, growth that is pending counts.
    pub length: usize,
    /// How it ended.
    pub signal: Signal,
    /// The board that it was played on.
    pub board: Board,
}

/// How long episodes may last, in steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) time_limit: u64,
    pub(crate) starvation: u64,
}

impl Limits {
    /// Without a limit episodes last for ever.
    pub(crate) fn new(time_limit: Option<u32>, starvation: Option<u32>) -> Limits {
        let [time_limit, starvation] =
            [time_limit, starvation].map(|limit| limit.map_or(u64::MAX, u64::from));
        Limits {
            time_limit,
            starvation,
        }
    }
}

/// How an environment stands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flags {
    /// Whether the episode has ended.
    pub(crate) ended: bool,
    /// Whether it stands as it was observed last.
    pub(crate) observed: bool,
}

/// The episode at hand. It is told in times of a clock that all environments share and that counts
/// their steps, so that most steps leave it as it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Episode {
    began: u64,
    /// When the snake ate last; before that, when the episode began.
    ate: u64,
    /// When it will be truncated.
    pub(crate) due: u64,
    /// The sum of its rewards.
    pub(crate) reward: f64,
    /// The index of the board that it is played on.
    pub(crate) board: u16,
    pub(crate) flags: Flags,
}

impl Episode {
    /// An episode that begins now; it has ended where the game is over.
    pub(crate) fn begin(now: u64, board: u16, limits: Limits, over: bool) -> Episode {
        let mut episode = Episode {
            began: now,
            ate: now,
            board,
            ..Episode::default()
        };
        episode.flags.ended = over;
        episode.set_due(limits);
        episode
    }

    /// An episode that is so many steps old, of which so many were without food.
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

    /// The snake eats now.
    pub(crate) fn eat(&mut self, now: u64, limits: Limits) {
        self.ate = now;
        self.set_due(limits);
    }

    /// The number of steps.
    pub(crate) fn steps(&self, now: u64) -> u32 {
        (now - self.began) as u32
    }

    /// The number of steps since the snake ate, or since the episode began.
    pub(crate) fn hunger(&self, now: u64) -> u32 {
        (now - self.ate) as u32
    }

    /// How it is truncated now, if it is.
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
