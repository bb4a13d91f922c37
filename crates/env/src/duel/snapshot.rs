//! The complete state of one duel, as data.

use crate::snapshot::Version;
use crate::{DuelEpisode, EnvError};
use hognose_game::Direction;
use hognose_game::duel::{Duel, Seat};
use serde::{Deserialize, Serialize};

/// The complete state of one duel of a [`DuelVectorEnv`](crate::DuelVectorEnv), including its
/// future foods and episodes. The text format has a version; reading rejects other versions.
///
/// In a duel against an opponent, it contains the moves of the episode. To restore the bot's
/// memory, [`DuelVectorEnv::restore`](crate::DuelVectorEnv::restore) makes a new opponent and asks
/// it about the same positions again.
///
/// ```
/// use hognose_env::{DuelEnvConfig, DuelSnapshot, DuelVectorEnv};
/// use hognose_game::duel::DuelRules;
///
/// let mut env = DuelVectorEnv::new(DuelEnvConfig::new(DuelRules::ai_snakes_2021()), 2, 0)?;
/// let snapshot: DuelSnapshot = env.snapshot(0)?;
/// env.restore(1, &snapshot)?;
/// assert_eq!(env.snapshot(1)?, snapshot);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DuelSnapshot {
    pub(crate) version: Version,
    pub(crate) duel: Duel,
    pub(crate) seed: u64,
    pub(crate) episode: u64,
    pub(crate) rewards: [f64; 2],
    pub(crate) last_episodes: Option<[DuelEpisode; 2]>,
    /// `None` if learners play both seats.
    pub(crate) opponent: Option<Played>,
}

/// What an opponent has played in an episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Played {
    /// The opponent's seat.
    pub(crate) seat: Seat,
    /// The joint moves of the episode so far, seats in order.
    pub(crate) moves: Vec<[Direction; 2]>,
}

impl DuelSnapshot {
    /// Returns the duel.
    pub fn duel(&self) -> &Duel {
        &self.duel
    }
}

/// Returns the error for a snapshot that does not fit the environment.
pub(crate) fn other(expected: impl Into<String>, got: impl Into<String>) -> EnvError {
    EnvError::OtherDuel {
        expected: expected.into(),
        got: got.into(),
    }
}
