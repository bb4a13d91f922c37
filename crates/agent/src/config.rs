//! The configuration of training, apart from the environment and the network.

use hognose_env::StartPosition;
use hognose_game::BoardRange;
use serde::{Deserialize, Serialize};

/// The configuration of training, with defaults for 6x6. Counts are environment steps (moves, or
/// decisions if actions are plans) unless they say gradient steps.
///
/// ```
/// use hognose_agent::{LearningRate, TrainConfig};
///
/// let learning_rate = LearningRate { start: 1e-3, ..LearningRate::default() };
/// let config = TrainConfig { total_steps: 100_000, learning_rate, ..TrainConfig::default() };
/// assert!(config.validate().is_ok());
/// let error = TrainConfig { batch_size: 0, ..config }.validate().unwrap_err();
/// assert_eq!(error.to_string(), "train.batch_size must be at least 1, got 0");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainConfig {
    /// What an action is.
    pub actions: Actions,
    /// What the network values.
    pub values: Values,
    /// What a target bootstraps from.
    pub bootstrap: Bootstrap,
    /// How plans are searched for, if actions are plans.
    pub plans: PlanSearch,
    /// Total environment steps.
    pub total_steps: u64,
    /// Environment steps over which the learning rate and epsilon fall; they stay constant
    /// afterwards. `None` means `total_steps` or, for a resumed run, the schedule it began with: a
    /// run that is made longer continues at the end of its schedules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule_steps: Option<u64>,
    /// Environments that are stepped side by side.
    pub num_envs: usize,
    /// Steps of all environments between two gradient steps.
    pub steps_per_gradient_step: usize,
    /// Environment steps before the first gradient step, which also waits for the first complete
    /// transition.
    pub learning_starts: u64,
    /// Transitions per gradient step.
    pub batch_size: usize,
    /// Discount per environment step. If episodes draw their boards, the discount and `n_step`
    /// apply to the board of `env.rules`, and other boards look ahead in proportion to their area
    /// ([`discount_on`](hognose_env::discount_on), [`steps_on`](hognose_env::steps_on)). If actions
    /// are plans, `n_step` is the same on all boards.
    pub discount: f32,
    /// Rewards summed before bootstrapping.
    pub n_step: usize,
    /// Whether each sampled transition is mirrored left to right with probability 1/2.
    pub mirror: bool,
    /// Whether the agent averages the network's outputs over a position and its mirror image (the
    /// explicit symmetry ensemble of Silver et al., 2016). This doubles the time per move. The
    /// games that the network learns from don't use it.
    pub both_images: bool,
    /// Maximum global gradient norm; larger gradients are clipped.
    pub max_gradient_norm: f32,
    /// Decay of the moving average of the weights per gradient step; 0 plays with the weights
    /// themselves.
    pub average_decay: f32,
    /// Learning rate of Adam.
    pub learning_rate: LearningRate,
    /// Probability that exploration picks a random allowed action.
    pub epsilon: Epsilon,
    /// How the target network follows the online network.
    pub target: TargetSync,
    /// The replay buffer.
    pub replay: ReplayConfig,
    /// Stages of a curriculum, which differ from the environment, in order; after the last one, the
    /// environment is as configured. Games that choose weights are always of that one. If actions
    /// are plans, there are no stages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<Stage>,
    /// Environment steps between evaluations.
    pub evaluate_every: u64,
    /// Games per evaluation that chooses the best weights.
    pub evaluation_games: usize,
    /// Environment steps between checkpoints.
    pub checkpoint_every: u64,
    /// Number of checkpoints kept.
    pub keep_checkpoints: usize,
    /// Environment steps between points of the curves.
    pub log_every: u64,
}

/// What an action is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Actions {
    /// A move, rewarded by the environment.
    #[default]
    Moves,
    /// A path to the food after which winning is still certain, chosen to minimize steps. The
    /// environment's actions, mask, rewards and limits have no effect.
    Plans,
}

/// What the network values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Values {
    /// The Q-value of each action in a position.
    #[default]
    Actions,
    /// The value of the position after a move, before new food appears: Q = reward + discount x
    /// value. Shaping rewards are not allowed, since they depend on the new food. Plans are always
    /// valued this way.
    Afterstates,
}

/// What a TD target bootstraps from at the next state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bootstrap {
    /// The target network's value of the allowed action that the online network prefers: double
    /// Q-learning (van Hasselt, Guez and Silver, 2016).
    #[default]
    Double,
    /// The target network's highest value of an allowed action: Q-learning (Mnih et al., 2015).
    Max,
    /// The target network's value of the outcome of the action taken: Sarsa, a baseline for
    /// afterstate values.
    Taken,
}

/// How plans are searched for.
///
/// ```
/// use hognose_agent::{Actions, PlanSearch, TrainConfig};
///
/// let plans = PlanSearch {
///     effort: 200,
///     ..PlanSearch::default()
/// };
/// let config = TrainConfig {
///     actions: Actions::Plans,
///     discount: 1.0,
///     plans,
///     ..TrainConfig::default()
/// };
/// assert!(config.validate().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlanSearch {
    /// Number of consecutive changes without improvement that ends a search.
    pub effort: usize,
    /// Maximum extra cost of a plan over the best one, in steps, as estimated by the search.
    pub margin: f64,
    /// Maximum number of plans to choose from.
    pub most: usize,
}

impl Default for PlanSearch {
    fn default() -> PlanSearch {
        PlanSearch {
            effort: 100,
            margin: 4.0,
            most: 16,
        }
    }
}

/// A learning rate that falls exponentially over [`TrainConfig::schedule_steps`], then stays
/// constant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LearningRate {
    /// Learning rate at the start.
    pub start: f64,
    /// Learning rate at the end.
    pub end: f64,
}

/// A probability that falls linearly from `start` to `end` over the first `fraction` of
/// [`TrainConfig::schedule_steps`], then stays constant.
///
/// ```
/// use hognose_agent::{Epsilon, TrainConfig};
///
/// let epsilon = Epsilon { start: 1.0, end: 0.05, fraction: 0.5 };
/// assert!(TrainConfig { epsilon, ..TrainConfig::default() }.validate().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Epsilon {
    /// Probability of a random action at the start.
    pub start: f64,
    /// Probability of a random action from `fraction` on.
    pub end: f64,
    /// Fraction of the schedule over which it falls.
    pub fraction: f64,
}

/// How the target network follows the online network.
///
/// ```
/// use hognose_agent::{TargetSync, TrainConfig};
///
/// let target = TargetSync::Polyak { tau: 0.005 };
/// assert!(TrainConfig { target, ..TrainConfig::default() }.validate().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum TargetSync {
    /// Copied at a fixed interval.
    Hard {
        /// Gradient steps between two copies.
        every: u64,
    },
    /// Moved toward the online network at every gradient step (Lillicrap et al., 2016).
    Polyak {
        /// Fraction of the difference to move by, in (0, 1].
        tau: f32,
    },
}

/// The replay buffer.
///
/// ```
/// use hognose_agent::{ReplayConfig, TrainConfig};
///
/// let replay = ReplayConfig { priority_exponent: 0.6, ..ReplayConfig::default() };
/// assert!(TrainConfig { replay, ..TrainConfig::default() }.validate().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReplayConfig {
    /// Maximum number of transitions.
    pub capacity: usize,
    /// Priorities are |TD error| raised to this power; 0 samples uniformly (Schaul et al., 2016).
    pub priority_exponent: f32,
    /// Importance weights are sampling probabilities raised to minus this power, divided by their
    /// maximum.
    pub importance_exponent: f32,
}

/// What the environment changes until training has taken a number of steps. Episodes that are under
/// way when a stage ends go on as they began.
///
/// ```
/// use hognose_agent::{Stage, TrainConfig};
///
/// let small = Stage {
///     until: 256_000,
///     boards: Some(vec!["4x4..6x6".parse()?]),
///     ..Stage::default()
/// };
/// let config = TrainConfig { stages: vec![small], ..TrainConfig::default() };
/// assert!(config.validate().is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stage {
    /// Environment steps since the beginning of training at which the stage ends.
    pub until: u64,
    /// Replaces [`EnvConfig::boards`](hognose_env::EnvConfig::boards); they must be among those.
    pub boards: Option<Vec<BoardRange>>,
    /// Replaces [`EnvConfig::starts`](hognose_env::EnvConfig::starts).
    pub starts: Option<Vec<StartPosition>>,
    /// Replaces [`EnvConfig::start_share`](hognose_env::EnvConfig::start_share).
    pub start_share: Option<f64>,
    /// Replaces [`EnvConfig::time_limit`](hognose_env::EnvConfig::time_limit).
    pub time_limit: Option<u32>,
    /// Replaces [`EnvConfig::starvation`](hognose_env::EnvConfig::starvation).
    pub starvation: Option<u32>,
}

impl Default for TrainConfig {
    fn default() -> TrainConfig {
        TrainConfig {
            actions: Actions::default(),
            values: Values::default(),
            bootstrap: Bootstrap::default(),
            plans: PlanSearch::default(),
            total_steps: 1_280_000,
            schedule_steps: None,
            num_envs: 128,
            steps_per_gradient_step: 1,
            learning_starts: 20_000,
            batch_size: 512,
            discount: 0.985,
            n_step: 7,
            mirror: true,
            both_images: false,
            max_gradient_norm: 10.0,
            average_decay: 0.999,
            learning_rate: LearningRate::default(),
            epsilon: Epsilon::default(),
            target: TargetSync::Hard { every: 1000 },
            replay: ReplayConfig::default(),
            stages: Vec::new(),
            evaluate_every: 128_000,
            evaluation_games: 200,
            checkpoint_every: 128_000,
            keep_checkpoints: 2,
            log_every: 12_800,
        }
    }
}

impl Default for LearningRate {
    fn default() -> LearningRate {
        LearningRate {
            start: 5e-4,
            end: 2e-5,
        }
    }
}

impl Default for Epsilon {
    fn default() -> Epsilon {
        Epsilon {
            start: 0.2,
            end: 0.001,
            fraction: 0.4,
        }
    }
}

impl Default for ReplayConfig {
    fn default() -> ReplayConfig {
        ReplayConfig {
            capacity: 400_000,
            priority_exponent: 0.0,
            importance_exponent: 0.5,
        }
    }
}

/// Upper limit of counts that cost time or memory in a round or a move.
const MOST: usize = 1 << 20;

/// A value that training can't use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} must be {expected}, got {got}")]
pub struct ConfigError {
    /// The key in an experiment file.
    pub key: &'static str,
    /// What the value must be.
    pub expected: &'static str,
    /// The value.
    pub got: String,
}

/// Checks that a condition on a value holds.
///
/// # Errors
/// Fails if `holds` is false.
pub fn check(
    holds: bool,
    key: &'static str,
    expected: &'static str,
    got: &dyn ToString,
) -> Result<(), ConfigError> {
    if holds {
        Ok(())
    } else {
        Err(ConfigError {
            key,
            expected,
            got: got.to_string(),
        })
    }
}

impl PlanSearch {
    /// Checks every value, including those read from policy files.
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        let PlanSearch {
            effort,
            margin,
            most,
        } = *self;
        check(
            effort <= MOST,
            "train.plans.effort",
            "at most 2^20",
            &effort,
        )?;
        check(most > 0, "train.plans.most", "at least 1", &most)?;
        check(
            margin >= 0.0 && margin.is_finite(),
            "train.plans.margin",
            "a number of steps from 0",
            &margin,
        )
    }
}

/// Checks that no count is 0.
///
/// # Errors
/// Fails with the first count that is 0.
pub fn check_counts(counts: &[(&'static str, u64)]) -> Result<(), ConfigError> {
    counts
        .iter()
        .try_for_each(|(key, count)| check(*count > 0, key, "at least 1", count))
}

/// Checks that a value is in 0..=1.
///
/// # Errors
/// Fails if it is not.
pub fn check_share(
    key: &'static str,
    share: impl Into<f64> + Copy + ToString,
) -> Result<(), ConfigError> {
    check((0.0..=1.0).contains(&share.into()), key, "in 0..=1", &share)
}

/// Checks that no size takes too much time or memory in a round.
///
/// # Errors
/// Fails with the first size above 2^20.
pub fn check_sizes(sizes: &[(&'static str, usize)]) -> Result<(), ConfigError> {
    sizes
        .iter()
        .try_for_each(|(key, size)| check(*size <= MOST, key, "at most 2^20", size))
}

/// Checks the settings of gradient steps.
///
/// # Errors
/// Fails with the first value that training can't use.
pub fn check_optimizer(
    decay: f32,
    norm: f32,
    learning_rate: LearningRate,
) -> Result<(), ConfigError> {
    check(
        (0.0..1.0).contains(&decay),
        "train.average_decay",
        "in 0..1",
        &decay,
    )?;
    check(
        norm > 0.0 && norm.is_finite(),
        "train.max_gradient_norm",
        "finite and above 0",
        &norm,
    )?;
    learning_rate.validate()
}

impl LearningRate {
    /// Checks both values.
    fn validate(&self) -> Result<(), ConfigError> {
        let LearningRate { start, end } = *self;
        let rate = |rate: f64| rate > 0.0 && (rate as f32).is_finite();
        check(
            rate(start),
            "train.learning_rate.start",
            "above 0 and below 3.4e38",
            &start,
        )?;
        check(
            rate(end),
            "train.learning_rate.end",
            "above 0 and below 3.4e38",
            &end,
        )
    }

    /// Returns the learning rate after this fraction of the schedule.
    pub fn at(&self, share: f64) -> f64 {
        self.start * (self.end / self.start).powf(share)
    }
}

impl TrainConfig {
    /// Checks every value.
    ///
    /// # Errors
    /// Fails with the first value that training can't use.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let counts = [
            ("train.total_steps", self.total_steps),
            ("train.schedule_steps", self.schedule()),
            ("train.num_envs", self.num_envs as u64),
            (
                "train.steps_per_gradient_step",
                self.steps_per_gradient_step as u64,
            ),
            ("train.batch_size", self.batch_size as u64),
            ("train.n_step", self.n_step as u64),
            ("train.evaluate_every", self.evaluate_every),
            ("train.evaluation_games", self.evaluation_games as u64),
            ("train.checkpoint_every", self.checkpoint_every),
            ("train.keep_checkpoints", self.keep_checkpoints as u64),
            ("train.log_every", self.log_every),
        ];
        check_counts(&counts)?;
        let sizes = [
            ("train.num_envs", self.num_envs),
            (
                "train.steps_per_gradient_step",
                self.steps_per_gradient_step,
            ),
            ("train.batch_size", self.batch_size),
            ("train.n_step", self.n_step),
        ];
        check_sizes(&sizes)?;
        self.plans.validate()?;
        let fits = self.stages.is_empty() || self.actions == Actions::Moves;
        let expected = "empty if train.actions is \"plans\"";
        let got = format!("{} stages", self.stages.len());
        check(fits, "train.stages", expected, &got)?;
        let mut last = 0;
        for &Stage { until, .. } in &self.stages {
            let expected = "above 0, and above that of the stage before";
            check(until > last, "train.stages.until", expected, &until)?;
            last = until;
        }
        let is_of_actions = self.actions == Actions::Moves && self.values == Values::Actions;
        let taken = is_of_actions && self.bootstrap == Bootstrap::Taken;
        check(
            !taken,
            "train.bootstrap",
            "\"double\" or \"max\" if values are \"actions\"",
            &"taken",
        )?;
        let discounted = self.actions == Actions::Plans && self.discount != 1.0;
        check(
            !discounted,
            "train.discount",
            "1 if actions are \"plans\", since only steps count",
            &self.discount,
        )?;
        check_share("train.discount", self.discount)?;
        check_optimizer(
            self.average_decay,
            self.max_gradient_norm,
            self.learning_rate,
        )?;
        check_share("train.epsilon.start", self.epsilon.start)?;
        check_share("train.epsilon.end", self.epsilon.end)?;
        check_share("train.epsilon.fraction", self.epsilon.fraction)?;
        match self.target {
            TargetSync::Hard { every } => {
                check(every > 0, "train.target.every", "at least 1", &every)?
            }
            TargetSync::Polyak { tau } => check(
                tau > 0.0 && tau <= 1.0,
                "train.target.tau",
                "in (0, 1]",
                &tau,
            )?,
        }
        let ReplayConfig {
            capacity,
            priority_exponent,
            importance_exponent,
        } = self.replay;
        let room =
            capacity >= self.batch_size && capacity >= self.num_envs * self.steps_per_gradient_step;
        check(
            room,
            "train.replay.capacity",
            "at least batch_size, and at least num_envs x steps_per_gradient_step",
            &capacity,
        )?;
        check(
            capacity <= 1 << 30,
            "train.replay.capacity",
            "at most 2^30",
            &capacity,
        )?;
        let exponent = |x: f32| (0.0..=2.0).contains(&x);
        check(
            exponent(priority_exponent),
            "train.replay.priority_exponent",
            "in 0..=2",
            &priority_exponent,
        )?;
        check(
            exponent(importance_exponent),
            "train.replay.importance_exponent",
            "in 0..=2",
            &importance_exponent,
        )
    }

    /// Returns the environment steps over which the learning rate and epsilon fall.
    pub fn schedule(&self) -> u64 {
        self.schedule_steps.unwrap_or(self.total_steps)
    }

    /// Returns the index of the stage after `step` environment steps; the number of stages after the
    /// last one.
    pub(crate) fn stage_at(&self, step: u64) -> usize {
        self.stages.partition_point(|stage| stage.until <= step)
    }

    /// Returns the fraction of the schedule completed at `step`.
    fn progress(&self, step: u64) -> f64 {
        (step as f64 / self.schedule() as f64).min(1.0)
    }

    /// Returns the learning rate after `step` environment steps.
    pub fn learning_rate_at(&self, step: u64) -> f64 {
        self.learning_rate.at(self.progress(step))
    }

    /// Returns the probability of a random move after `step` environment steps.
    pub fn epsilon_at(&self, step: u64) -> f64 {
        let Epsilon {
            start,
            end,
            fraction,
        } = self.epsilon;
        if fraction == 0.0 {
            return end;
        }
        start + (end - start) * (self.progress(step) / fraction).min(1.0)
    }
}
