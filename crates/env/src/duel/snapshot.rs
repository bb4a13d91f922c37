//! All of one duel's state, as data.

use crate::snapshot::Version;
use crate::{DuelEpisode, EnvError};
use hognose_game::Direction;
use hognose_game::duel::{Duel, Seat};
use serde::{Deserialize, Serialize};

/// All of the state of one duel of a [`DuelVectorEnv`](crate::DuelVectorEnv), its future foods and
/// episodes included. As text it tells the version of its format, and reading refuses every other
/// version.
///
/// Against an opponent it has the moves of the episode.
/// [`DuelVectorEnv::restore`](crate::DuelVectorEnv::restore) makes the opponent anew and asks it
/// about the same positions again, so that it knows what it knew.
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
    /// `None`: learners have both seats.
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
    /// The duel.
    pub fn duel(&self) -> &Duel {
        &self.duel
    }
}

/// A snapshot is of something else than what it must be of.
pub(crate) fn other(expected: impl Into<String>, got: impl Into<String>) -> EnvError {
    EnvError::OtherDuel {
        expected: expected.into(),
        got: got.into(),
    }
}
