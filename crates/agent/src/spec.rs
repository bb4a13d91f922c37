//! What a network was trained to see and do.

use crate::config::{Actions, PlanSearch, TrainConfig, Values};
use hognose_env::{ActionKind, EnvConfig, Mask, Observation, Reward, Space, discount_on};
use hognose_game::{Board, BoardRange};
use serde::{Deserialize, Serialize};

/// Scalars that a network sees beside the observation where it is told of a way on which winning is
/// certain.
const SCALARS_OF_WAYS: usize = 3;

/// What a network was trained to see and do: a part of its policy file.
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
    /// The board. Where there are others, it is the one that the discount is meant for.
    pub board: Board,
    /// The boards that it plays, where episodes drew theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boards: Option<BoardRange>,
    /// What it sees.
    pub observation: Observation,
    /// What its outputs mean.
    pub action: ActionKind,
    /// Which actions were allowed.
    #[serde(default)]
    pub mask: Mask,
    /// How plans are searched for, where the agent chooses among plans. Its only output is then
    /// what a body after eating is worth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plans: Option<PlanSearch>,
    /// The rewards of moves, where the agent's only output is the value of a position after a move,
    /// before new food appears.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub afterstates: Option<Reward>,
    /// Whether it plays by the mean of what the network says of a position and of its mirror image.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub both_images: bool,
}

impl AgentSpec {
    /// What training by these configurations makes.
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

    /// The boards that it plays.
    pub fn range(self) -> BoardRange {
        self.boards.unwrap_or(self.board.into())
    }

    /// The rewards of moves on a board, with the discount there, where the only output is the value
    /// of a position after a move.
    pub(crate) fn reward_on(&self, board: Board) -> Option<Reward> {
        let discount = |reward: Reward| discount_on(reward.discount, self.board, board);
        self.afterstates.map(|reward| Reward {
            discount: discount(reward),
            ..reward
        })
    }

    /// Whether the network is told of a way to the food on which winning is certain.
    pub(crate) fn sees_ways(&self) -> bool {
        self.plans.is_some() || self.afterstates.is_some() && self.mask == Mask::Safe
    }

    /// The shape of what a network takes: the observation, and where it sees ways, three scalars
    /// more.
    pub fn inputs(self) -> Space {
        let space = self.observation.space(self.board);
        Space {
            scalars: space.scalars + if self.sees_ways() { SCALARS_OF_WAYS } else { 0 },
            ..space
        }
    }

    /// What the network's outputs are worth, in a word.
    pub(crate) fn valued(&self) -> &'static str {
        match (self.plans, self.afterstates) {
            (Some(_), _) => "what plans lead to",
            (None, Some(_)) => "what moves lead to",
            (None, None) => "actions",
        }
    }

    /// How many outputs a network has.
    pub fn outputs(self) -> usize {
        if self.plans.is_some() || self.afterstates.is_some() {
            1
        } else {
            self.action.count()
        }
    }
}
