//! The configuration of duel environments.

use crate::duel::reward::DuelReward;
use crate::{ActionKind, Autoreset, Observation};
use hognose_game::duel::DuelRules;
use serde::{Deserialize, Serialize};

/// The configuration of duels as an environment, except their number, seed and opponents.
///
/// ```
/// use hognose_env::{DuelEnvConfig, Observation};
/// use hognose_game::duel::DuelRules;
///
/// let rules = DuelRules::ai_snakes_2021();
/// let config = DuelEnvConfig { observation: Observation::Planes, ..DuelEnvConfig::new(rules) };
/// assert_eq!(config.reward.win, 1.0);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DuelEnvConfig {
    /// The rules of the duels. Their step limit terminates a duel and decides the winner; it never
    /// truncates.
    pub rules: DuelRules,
    /// What each player sees.
    #[serde(default)]
    pub observation: Observation,
    /// What an action means.
    #[serde(default)]
    pub action: ActionKind,
    /// What each player is rewarded for.
    #[serde(default)]
    pub reward: DuelReward,
    /// What happens after the end of a duel.
    #[serde(default)]
    pub autoreset: Autoreset,
}

impl DuelEnvConfig {
    /// Creates the defaults: egocentric observations, relative actions, 1 for a win and -1 for a
    /// loss, same-step autoreset.
    pub fn new(rules: DuelRules) -> DuelEnvConfig {
        DuelEnvConfig {
            rules,
            observation: Observation::default(),
            action: ActionKind::default(),
            reward: DuelReward::default(),
            autoreset: Autoreset::default(),
        }
    }
}
