//! What a network was trained to see and do.

use crate::config::{Actions, PlanSearch, TrainConfig, Values};
use hognose_env::{ActionKind, EnvConfig, Mask, Observation, Reward, Space, discount_on};
use hognose_game::{Board, BoardRange};
use serde::{Deserialize, Serialize};

/// The number of scalars that describe the way on which winning is certain, if a network sees it.
const SCALARS_OF_WAYS: usize = 3;

/// What a network was trained to see and do; a part of its policy file.
///
/// ```
/// use hognose_agent::{AgentSpec, TrainConfig};
/// use hognose_env::{EnvConfig, Observation};
/// use hognose_game::{Board, Rules};
///
/// let rules = Rules::new(Board::new(6, 6)?);
/// let env = EnvConfig { observation: Observation::Features, ..EnvConfig::new(rules) };
/// let spec = AgentSpec::new(&env, &TrainConfig::default());
/// assert_eq!((spec.inputs().len(), spec.outputs()), (24, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentSpec {
    /// The board; if there are several, the one that the discount applies to.
    pub board: Board,
    /// The boards that the agent plays, if episodes drew theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boards: Option<BoardRange>,
    /// What the network sees.
    pub observation: Observation,
    /// What the network's outputs mean.
    pub action: ActionKind,
    /// Which actions are allowed.
    #[serde(default)]
    pub mask: Mask,
    /// How plans are searched for, if the agent chooses among plans. The network's only output is
    /// then the value of a body after eating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plans: Option<PlanSearch>,
    /// The rewards of moves, if the network's only output is the value of a position after a move,
    /// before new food appears.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub afterstates: Option<Reward>,
    /// Whether the agent averages the network's outputs over a position and its mirror image.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub both_images: bool,
}

impl AgentSpec {
    /// Creates the spec of an agent trained with these configurations.
    pub fn new(env: &EnvConfig, train: &TrainConfig) -> AgentSpec {
        let afterstates = train.actions == Actions::Moves && train.values == Values::Afterstates;
        AgentSpec {
            board: env.rules.board(),
            boards: (!env.boards.is_empty()).then(|| env.range()),
            observation: env.observation,
            action: env.action,
            mask: env.mask,
            plans: (train.actions == Actions::Plans).then_some(train.plans),
            afterstates: afterstates.then_some(env.reward),
            both_images: train.both_images,
        }
    }

    /// Returns the boards that the agent plays.
    pub fn range(self) -> BoardRange {
        self.boards.unwrap_or(self.board.into())
    }

    /// Returns the rewards of moves on a board, with the discount there, if the network values
    /// afterstates.
    pub(crate) fn reward_on(&self, board: Board) -> Option<Reward> {
        let discount = |reward: Reward| discount_on(reward.discount, self.board, board);
        self.afterstates.map(|reward| Reward {
            discount: discount(reward),
            ..reward
        })
    }

    /// Returns whether the network sees a way to the food on which winning is certain.
    pub(crate) fn sees_ways(&self) -> bool {
        self.plans.is_some() || self.afterstates.is_some() && self.mask == Mask::Safe
    }

    /// Returns the shape of the network's input: the observation and, if the network sees ways,
    /// three more scalars.
    pub fn inputs(self) -> Space {
        let space = self.observation.space(self.board);
        Space {
            scalars: space.scalars + if self.sees_ways() { SCALARS_OF_WAYS } else { 0 },
            ..space
        }
    }

    /// Returns what the network's outputs are the values of, in words.
    pub(crate) fn valued(&self) -> &'static str {
        match (self.plans, self.afterstates) {
            (Some(_), _) => "what plans lead to",
            (None, Some(_)) => "what moves lead to",
            (None, None) => "actions",
        }
    }

    /// Returns the number of outputs of the network.
    pub fn outputs(self) -> usize {
        if self.plans.is_some() || self.afterstates.is_some() {
            1
        } else {
            self.action.count()
        }
    }
}
