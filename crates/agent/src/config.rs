//! Everything that training depends on, apart from the environment and the network.

use serde::{Deserialize, Serialize};

/// How training goes, with defaults for 6x6. Counts are environment steps (moves, or decisions
/// where actions are plans) unless they say gradient steps.
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
    /// How plans are searched for, where actions are plans.
    pub plans: PlanSearch,
    /// Environment steps in all.
    pub total_steps: u64,
    /// Environment steps over which the learning rate and epsilon fall; then they stay. `None` is
    /// `total_steps`, or for a run that goes on what it began with: a run that is made longer goes
    /// on at the end of its schedules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule_steps: Option<u64>,
    /// Environments stepped side by side.
    pub num_envs: usize,
    /// Steps of all environments between two gradient steps.
    pub steps_per_gradient_step: usize,
    /// Environment steps before the first gradient step, which also waits for the first whole
    /// transition.
    pub learning_starts: u64,
    /// Transitions in a gradient step.
    pub batch_size: usize,
    /// Discount of one environment step. Where episodes draw their boards, this and `n_step` are
    /// meant for the board of `env.rules`, and others look ahead in proportion to their area
    /// ([`discount_on`](hognose_env::discount_on), [`steps_on`](hognose_env::steps_on)). Where
    /// actions are plans, `n_step` is the same on all boards.
    pub discount: f32,
    /// Rewards summed before bootstrapping.
    pub n_step: usize,
    /// Shows each sampled transition mirrored left to right with probability 1/2.
    pub mirror: bool,
    /// Whether the agent plays by the mean of what the network says of a position and of its mirror
    /// image (the explicit symmetry ensemble of Silver et al., 2016). A move takes twice the time
    /// then. The games that the network learns from are played without it.
    pub both_images: bool,
    /// Largest global norm of a gradient.
    pub max_gradient_norm: f32,
    /// Share that the average of the weights keeps at each gradient step; 0 plays with the weights
    /// themselves.
    pub average_decay: f32,
    /// Adam's step size.
    pub learning_rate: LearningRate,
    /// How often exploration picks a random allowed action.
    pub epsilon: Epsilon,
    /// How the target network follows.
    pub target: TargetSync,
    /// The replay buffer.
    pub replay: ReplayConfig,
    /// Environment steps between evaluations.
    pub evaluate_every: u64,
    /// Games of an evaluation that chooses the best weights.
    pub evaluation_games: usize,
    /// Environment steps between checkpoints.
    pub checkpoint_every: u64,
    /// Checkpoints kept.
    pub keep_checkpoints: usize,
    /// Environment steps between points of the curves.
    pub log_every: u64,
}

/// What an action is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Actions {
    /// A move, for the environment's rewards.
    #[default]
    Moves,
    /// A way to the food after which winning is still certain, for the fewest steps. Neither the
    /// environment's actions, mask and rewards nor its limits play a part.
    Plans,
}

/// What the network tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Values {
    /// The Q-value of each action in a position.
    #[default]
    Actions,
    /// The value of the position after a move, before new food appears: Q = reward + discount x
    /// that. Shaping rewards can't be paid then: they depend on the new food. What plans lead to is
    /// valued like this in any case.
    Afterstates,
}

/// What a TD target bootstraps from at the state that was reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bootstrap {
    /// The target network's value of the allowed action that the online network prefers: double
    /// Q-learning (van Hasselt, Guez and Silver, 2016).
    #[default]
    Double,
    /// The target network's highest value of an allowed action: Q-learning (Mnih et al., 2015).
    Max,
    /// The target network's value of what the action that was taken led to: Sarsa, a baseline for
    /// values of afterstates.
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
    /// How many changes in a row that gain nothing end a search.
    pub effort: usize,
    /// How much more than the best plan the others may cost, in steps, by the search's own
    /// reckoning.
    pub margin: f64,
    /// Plans to choose from at most.
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

/// Falls exponentially over [`TrainConfig::schedule_steps`], then stays.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LearningRate {
    /// At the start.
    pub start: f64,
    /// At the end.
    pub end: f64,
}

/// Falls linearly from `start` to `end` over the first `fraction` of
/// [`TrainConfig::schedule_steps`], then stays.
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
    /// The share of random actions at the start.
    pub start: f64,
    /// The share of random actions from `fraction` on.
    pub end: f64,
    /// The share of the schedule in which it falls.
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
    /// Copied every so many gradient steps.
    Hard {
        /// Gradient steps between two copies.
        every: u64,
    },
    /// Moved by this share of the difference at every gradient step (Lillicrap et al., 2016).
    Polyak {
        /// The share, in (0, 1].
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
    /// Transitions kept.
    pub capacity: usize,
    /// Priorities are |TD error| to this power; 0 samples uniformly (Schaul et al., 2016).
    pub priority_exponent: f32,
    /// Importance weights are probabilities to minus this power, divided by their maximum.
    pub importance_exponent: f32,
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

/// The most of what takes time or memory in a round or a move.
const MOST: usize = 1 << 20;

/// A value that training can't work with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} must be {expected}, got {got}")]
pub struct ConfigError {
    /// The value's key in an experiment file.
    pub key: &'static str,
    /// What it must be.
    pub expected: &'static str,
    /// What it is.
    pub got: String,
}

/// Fails unless a value is as expected.
///
/// # Errors
/// When `holds` is false.
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
    /// Checks every value; policy files have them, too.
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

/// Fails at the first count that is 0.
///
/// # Errors
/// When there is one.
pub fn check_counts(counts: &[(&'static str, u64)]) -> Result<(), ConfigError> {
    counts
        .iter()
        .try_for_each(|(key, count)| check(*count > 0, key, "at least 1", count))
}

/// Fails if a value is no share.
///
/// # Errors
/// When it is not in 0..=1.
pub fn check_share(
    key: &'static str,
    share: impl Into<f64> + Copy + ToString,
) -> Result<(), ConfigError> {
    check((0.0..=1.0).contains(&share.into()), key, "in 0..=1", &share)
}

/// Fails at the first size that takes too much time or memory in a round.
///
/// # Errors
/// When there is one.
pub fn check_sizes(sizes: &[(&'static str, usize)]) -> Result<(), ConfigError> {
    sizes
        .iter()
        .try_for_each(|(key, size)| check(*size <= MOST, key, "at most 2^20", size))
}

/// Checks what a gradient step goes by.
///
/// # Errors
/// The first value that training can't work with.
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
        "above 0, and finite",
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

    /// The step size after this share of the schedule.
    pub fn at(&self, share: f64) -> f64 {
        self.start * (self.end / self.start).powf(share)
    }
}

impl TrainConfig {
    /// Checks every value.
    ///
    /// # Errors
    /// The first value that training can't work with.
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
        let is_of_actions = self.actions == Actions::Moves && self.values == Values::Actions;
        let taken = is_of_actions && self.bootstrap == Bootstrap::Taken;
        check(
            !taken,
            "train.bootstrap",
            "double or max where actions are valued",
            &"taken",
        )?;
        let discounted = self.actions == Actions::Plans && self.discount != 1.0;
        check(
            !discounted,
            "train.discount",
            "1 where actions are plans: what counts are steps",
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
            "at least the batch and the steps between two gradient steps",
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

    /// Environment steps over which the learning rate and epsilon fall.
    pub fn schedule(&self) -> u64 {
        self.schedule_steps.unwrap_or(self.total_steps)
    }

    /// The share of the schedules that lies behind.
    fn progress(&self, step: u64) -> f64 {
        (step as f64 / self.schedule() as f64).min(1.0)
    }

    pub(crate) fn learning_rate_at(&self, step: u64) -> f64 {
        self.learning_rate.at(self.progress(step))
    }

    pub(crate) fn epsilon_at(&self, step: u64) -> f64 {
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
