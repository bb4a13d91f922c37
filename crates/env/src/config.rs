//! The configuration of environments.

use crate::{ConfigError, Observation, Reward, StartError, StartPosition};
use hognose_game::{
    Board, BoardRange, Direction, Directions, LegalMoves, MakeFilter, Position, Rules,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// The configuration of environments, except their number and seed.
///
/// ```
/// use hognose_env::{EnvConfig, Observation};
/// use hognose_game::{Board, Rules};
///
/// let config = EnvConfig {
///     observation: Observation::Planes,
///     ..EnvConfig::new(Rules::new(Board::new(8, 8)?))
/// };
/// assert_eq!(config.starvation, Some(4 * 64));
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "EnvConfigText")]
pub struct EnvConfig {
    /// The rules of the game. If `boards` are listed, the limits below are given for the board of
    /// these rules.
    pub rules: Rules,
    /// Boards from which each episode draws one; a board listed twice is drawn twice as often. The
    /// time limit and starvation scale with the area ([`steps_on`](crate::steps_on)). If empty, all
    /// episodes use the board of the rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub boards: Vec<BoardRange>,
    /// Boards that no episode draws, in either orientation, even if listed: games on them measure
    /// how well learning generalizes. They must lie in the [`range`](Self::range) of the listed
    /// boards.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held_out: Vec<Board>,
    /// What the agent sees.
    pub observation: Observation,
    /// What an action means.
    pub action: ActionKind,
    /// Which actions are allowed.
    pub mask: Mask,
    /// What the agent is rewarded for.
    pub reward: Reward,
    /// Truncates an episode after this many steps; never by default.
    pub time_limit: Option<u32>,
    /// Truncates an episode after this many steps without food; 4 x area by default. In files,
    /// `None` is `"none"`.
    #[serde(serialize_with = "number_or_none")]
    pub starvation: Option<u32>,
    /// What happens after the end of an episode.
    pub autoreset: Autoreset,
    /// Positions at which episodes begin, all equally likely: endgames, for example. If empty, all
    /// episodes begin as in the rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub starts: Vec<StartPosition>,
    /// The share of episodes that begin at one of `starts`, in 0..=1; 1 by default. The others
    /// begin as in the rules.
    #[serde(skip_serializing_if = "is_all")]
    pub start_share: f64,
}

/// An environment in a file; missing values are those of [`EnvConfig::new`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EnvConfigText {
    rules: Rules,
    #[serde(default)]
    boards: Vec<BoardRange>,
    #[serde(default)]
    held_out: Vec<Board>,
    #[serde(default)]
    observation: Observation,
    #[serde(default)]
    action: ActionKind,
    #[serde(default)]
    mask: Mask,
    #[serde(default)]
    reward: Reward,
    #[serde(default)]
    time_limit: Option<u32>,
    #[serde(default)]
    starvation: Starvation,
    #[serde(default)]
    autoreset: Autoreset,
    #[serde(default)]
    starts: Vec<StartPosition>,
    #[serde(default = "all")]
    start_share: f64,
}

fn all() -> f64 {
    1.0
}

fn is_all(share: &f64) -> bool {
    *share == all()
}

impl From<EnvConfigText> for EnvConfig {
    fn from(text: EnvConfigText) -> EnvConfig {
        let EnvConfigText {
            rules,
            boards,
            held_out,
            observation,
            action,
            mask,
            reward,
            time_limit,
            starvation,
            autoreset,
            starts,
            start_share,
        } = text;
        let default = EnvConfig::new(rules).starvation;
        let starvation = match starvation {
            Starvation::Default => default,
            Starvation::Never => None,
            Starvation::After(steps) => Some(steps),
        };
        EnvConfig {
            rules,
            boards,
            held_out,
            observation,
            action,
            mask,
            reward,
            time_limit,
            starvation,
            autoreset,
            starts,
            start_share,
        }
    }
}

/// Starvation in a file.
#[derive(Default)]
enum Starvation {
    #[default]
    Default,
    Never,
    After(u32),
}

impl<'de> Deserialize<'de> for Starvation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Starvation, D::Error> {
        struct Read;
        impl de::Visitor<'_> for Read {
            type Value = Starvation;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of steps or \"none\"")
            }

            fn visit_u64<E: de::Error>(self, steps: u64) -> Result<Starvation, E> {
                let steps = u32::try_from(steps);
                steps
                    .map(Starvation::After)
                    .map_err(|_| E::custom("starvation must be less than 2^32 steps"))
            }

            fn visit_i64<E: de::Error>(self, steps: i64) -> Result<Starvation, E> {
                match u64::try_from(steps) {
                    Ok(steps) => self.visit_u64(steps),
                    Err(_) => Err(E::invalid_value(de::Unexpected::Signed(steps), &self)),
                }
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Starvation, E> {
                if text == "none" {
                    return Ok(Starvation::Never);
                }
                Err(E::invalid_value(de::Unexpected::Str(text), &self))
            }

            /// Accepts JSON's `null`.
            fn visit_unit<E: de::Error>(self) -> Result<Starvation, E> {
                Ok(Starvation::Never)
            }
        }
        deserializer.deserialize_any(Read)
    }
}

fn number_or_none<S: Serializer>(limit: &Option<u32>, serializer: S) -> Result<S::Ok, S::Error> {
    match limit {
        Some(steps) => serializer.serialize_u32(*steps),
        None => serializer.serialize_str("none"),
    }
}

impl EnvConfig {
    /// Creates the defaults: egocentric observations, relative actions, food and death rewards,
    /// starvation after 4 x area steps, same-step autoreset.
    pub fn new(rules: Rules) -> EnvConfig {
        EnvConfig {
            rules,
            boards: Vec::new(),
            held_out: Vec::new(),
            observation: Observation::default(),
            action: ActionKind::default(),
            mask: Mask::default(),
            reward: Reward::default(),
            time_limit: None,
            starvation: Some(4 * rules.board().area() as u32),
            autoreset: Autoreset::default(),
            starts: Vec::new(),
            start_share: all(),
        }
    }

    /// Checks all values.
    ///
    /// # Errors
    /// Fails if a limit is 0, a reward is not finite, or the share of starts is not in 0..=1.
    pub fn validate(&self) -> Result<(), ConfigError> {
        for (name, limit) in [
            ("time_limit", self.time_limit),
            ("starvation", self.starvation),
        ] {
            if limit == Some(0) {
                return Err(ConfigError::Limit(name));
            }
        }
        if !(0.0..=1.0).contains(&self.start_share) {
            return Err(ConfigError::StartShare(self.start_share));
        }
        self.reward.validate()
    }

    /// Returns the positions of [`starts`](Self::starts), which must lie on boards that are played.
    pub(crate) fn start_positions(&self, played: &[Rules]) -> Result<Vec<Position>, ConfigError> {
        let position = |start: &StartPosition| {
            let position = start.position(self.rules)?;
            let board = position.board();
            if played.contains(&position.rules()) {
                Ok(position)
            } else {
                Err(StartError::Board(board))
            }
        };
        let each = self.starts.iter().enumerate();
        each.map(|(i, start)| {
            position(start).map_err(|reason| ConfigError::Start {
                index: i + 1,
                reason,
            })
        })
        .collect()
    }
}

/// What an action means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ActionKind {
    /// Four actions: up, right, down, left.
    Absolute,
    /// Three actions: left, straight, right from the heading.
    #[default]
    Relative,
}

impl ActionKind {
    /// Returns the number of actions.
    #[inline]
    pub fn count(self) -> usize {
        match self {
            ActionKind::Absolute => 4,
            ActionKind::Relative => 3,
        }
    }

    /// Returns the move of an action, which must be less than [`count`](Self::count).
    #[inline]
    pub fn direction(self, action: u8, heading: Direction) -> Direction {
        match self {
            ActionKind::Absolute => Direction::from_index(action.into()),
            ActionKind::Relative => {
                Direction::from_index(heading.index() + 3 + usize::from(action))
            }
        }
    }

    /// Returns the action for a move; `None` if it is opposite to the heading and actions are
    /// relative.
    #[inline]
    pub fn action(self, direction: Direction, heading: Direction) -> Option<u8> {
        match self {
            ActionKind::Absolute => Some(direction.index() as u8),
            ActionKind::Relative => heading.turn_to(direction).map(|turn| turn as u8),
        }
    }

    /// Returns bits for a set of moves: bit i is set if action i makes one of them.
    #[inline]
    pub fn bits(self, moves: Directions, heading: Direction) -> u8 {
        match self {
            ActionKind::Absolute => moves.bits(),
            ActionKind::Relative => moves.turn_bits(heading),
        }
    }

    /// Returns bits with bit i set for every action i.
    #[inline]
    pub fn all_bits(self) -> u8 {
        (1 << self.count()) - 1
    }

    /// Returns the mirror image of an action, left to right.
    #[inline]
    pub fn mirrored(self, action: u8) -> u8 {
        match self {
            ActionKind::Absolute if action % 2 == 1 => 4 - action,
            ActionKind::Absolute => action,
            ActionKind::Relative => 2 - action,
        }
    }
}

/// The actions that an agent may choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mask {
    /// Legal actions: those that do not lose at once.
    #[default]
    Legal,
    /// Safe actions: those that keep a certificate of winning, according to a
    /// [`MoveFilter`](hognose_game::MoveFilter)
    /// ([`VectorEnv::filtered`](crate::VectorEnv::filtered)).
    Safe,
}

impl Mask {
    /// Returns the maker of filters for this mask; `safe_moves` is used for [`Mask::Safe`].
    pub fn filter(self, safe_moves: &MakeFilter) -> MakeFilter {
        match self {
            Mask::Legal => LegalMoves::maker(),
            Mask::Safe => safe_moves.clone(),
        }
    }
}

/// What happens after the end of an episode (Gymnasium's autoreset modes).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Autoreset {
    /// The next episode begins in the same step; the last observation goes into the final
    /// observations.
    #[default]
    SameStep,
    /// The next step ignores its action, has reward 0, and begins the next episode.
    NextStep,
    /// Nothing happens until the caller resets.
    Disabled,
}
