//! The configuration of self-play training.

use hognose_agent::parts::{check, check_counts, check_optimizer, check_share, check_sizes};
use hognose_agent::{ConfigError, LearningRate};
use serde::{Deserialize, Serialize};

/// The configuration of self-play training. Counts are steps of duels, in which both snakes move,
/// unless they are called gradient steps.
///
/// ```
/// use hognose_selfplay::SelfplayConfig;
///
/// let config = SelfplayConfig { total_steps: 100_000, ..SelfplayConfig::default() };
/// assert!(config.validate().is_ok());
/// let error = SelfplayConfig { lambda: 1.5, ..config }.validate().unwrap_err();
/// assert_eq!(error.to_string(), "train.lambda must be in 0..=1, got 1.5");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelfplayConfig {
    /// Total number of steps.
    pub total_steps: u64,
    /// Steps over which the learning rate falls before it stays constant. `None` is `total_steps`,
    /// or for a resumed run the value that it started with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule_steps: Option<u64>,
    /// Number of duels played in parallel.
    pub num_envs: usize,
    /// Steps of each duel between two gradient steps.
    pub steps_per_gradient_step: usize,
    /// Steps before the first gradient step, which also waits for the end of the first duel.
    pub learning_starts: u64,
    /// Positions per gradient step.
    pub batch_size: usize,
    /// The weight in a target of the rest of the game, as opposed to the value of the next moves.
    pub lambda: f64,
    /// The probability of a random move.
    pub random_moves: f64,
    /// The share of duels that start late, at a uniformly drawn step, with pending growth as if the
    /// snakes had eaten: the network must often see what length is worth.
    pub late_starts: f64,
    /// Maximum number of positions learned from per duel, sampled if there are more. A position in
    /// which food has just appeared is learned from twice.
    pub positions_per_game: usize,
    /// Capacity of the replay buffer, in positions.
    pub capacity: usize,
    /// The learner's opponents besides itself.
    pub opponents: Opponents,
    /// Maximum global norm of a gradient.
    pub max_gradient_norm: f32,
    /// Decay of the average of the weights per gradient step; the average plays.
    pub average_decay: f32,
    /// Adam's learning rate.
    pub learning_rate: LearningRate,
    /// Steps between evaluations.
    pub evaluate_every: u64,
    /// Pairs of duels against each anchor per evaluation.
    pub evaluation_pairs: usize,
    /// The bots that evaluations are played against.
    pub anchors: Vec<String>,
    /// Steps between checkpoints.
    pub checkpoint_every: u64,
    /// Number of checkpoints kept.
    pub keep_checkpoints: usize,
    /// Steps between points of the learning curves.
    pub log_every: u64,
}

/// The learner's opponents besides itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Opponents {
    /// The share of duels against an older version of the learner.
    pub older: f64,
    /// Steps after which the learner is stored as another older version.
    pub older_every: u64,
    /// The share of duels against a bot.
    pub scripted: f64,
    /// The names of the bots, whose budgets must not be times.
    pub bots: Vec<String>,
}

impl Default for SelfplayConfig {
    fn default() -> SelfplayConfig {
        SelfplayConfig {
            total_steps: 12_288_000,
            schedule_steps: None,
            num_envs: 64,
            steps_per_gradient_step: 4,
            learning_starts: 20_000,
            batch_size: 512,
            lambda: 0.98,
            random_moves: 0.02,
            late_starts: 0.8,
            positions_per_game: 250,
            capacity: 400_000,
            opponents: Opponents::default(),
            max_gradient_norm: 10.0,
            average_decay: 0.999,
            learning_rate: LearningRate {
                start: 2e-3,
                end: 1e-4,
            },
            evaluate_every: 2_048_000,
            evaluation_pairs: 100,
            anchors: ["hognose:2", "adder:4", "nega:4"]
                .map(str::to_owned)
                .to_vec(),
            checkpoint_every: 2_048_000,
            keep_checkpoints: 2,
            log_every: 51_200,
        }
    }
}

impl Default for Opponents {
    fn default() -> Opponents {
        Opponents {
            older: 0.1,
            older_every: 1_024_000,
            scripted: 0.6,
            bots: vec!["hognose:2".to_owned()],
        }
    }
}

impl SelfplayConfig {
    /// Checks every value.
    ///
    /// # Errors
    /// The first invalid value.
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
            ("train.positions_per_game", self.positions_per_game as u64),
            ("train.evaluate_every", self.evaluate_every),
            ("train.evaluation_pairs", self.evaluation_pairs as u64),
            ("train.checkpoint_every", self.checkpoint_every),
            ("train.keep_checkpoints", self.keep_checkpoints as u64),
            ("train.log_every", self.log_every),
            ("train.opponents.older_every", self.opponents.older_every),
        ];
        check_counts(&counts)?;
        let sizes = [
            ("train.num_envs", self.num_envs),
            (
                "train.steps_per_gradient_step",
                self.steps_per_gradient_step,
            ),
            ("train.batch_size", self.batch_size),
        ];
        check_sizes(&sizes)?;
        check_share("train.lambda", self.lambda)?;
        check_share("train.random_moves", self.random_moves)?;
        check_share("train.late_starts", self.late_starts)?;
        let Opponents {
            older,
            scripted,
            bots,
            ..
        } = &self.opponents;
        check_share("train.opponents.older", *older)?;
        check_share("train.opponents.scripted", *scripted)?;
        check(
            older + scripted <= 1.0,
            "train.opponents",
            "shares with a sum of at most 1",
            &(older + scripted),
        )?;
        let named = *scripted == 0.0 || !bots.is_empty();
        check(
            named,
            "train.opponents.bots",
            "one or more bots if scripted is not 0",
            &"none",
        )?;
        check(
            !self.anchors.is_empty(),
            "train.anchors",
            "one or more bots",
            &"none",
        )?;
        check_optimizer(
            self.average_decay,
            self.max_gradient_norm,
            self.learning_rate,
        )?;
        let room = (self.batch_size..=1 << 30).contains(&self.capacity);
        check(
            room,
            "train.capacity",
            "at least the batch size, and at most 2^30",
            &self.capacity,
        )
    }

    /// Returns the number of steps over which the learning rate falls.
    pub fn schedule(&self) -> u64 {
        self.schedule_steps.unwrap_or(self.total_steps)
    }

    pub(crate) fn learning_rate_at(&self, step: u64) -> f64 {
        self.learning_rate
            .at((step as f64 / self.schedule() as f64).min(1.0))
    }
}
