//! The training loop.
//!
//! Each round takes environment steps and one gradient step side by side, on two threads where there are two: acting
//! uses the weights from before this round's gradient step, whose batch was sampled in the round before. So nothing
//! depends on timing or on the number of threads.

use crate::actor::{Actor, Chooser, Games, MoveGames};
use crate::afterstates::AfterstateGames;
use crate::checkpoint::{self, CheckpointError};
use crate::learner::{Diverged, GradientStep, Learner, Minibatch};
use crate::parameters::with_values;
use crate::plans::PlanGames;
use crate::{
    Actions, Adam, Agent, AgentSpec, ConfigError, MakePlans, Metric, Progress, QNetwork, Replay, Score, Stop,
    TrainConfig, Watcher,
};
use burn::tensor::Device;
use hognose_env::{Autoreset, EnvConfig, EnvError, EpisodeStats, Mask, VectorEnv};
use hognose_game::rng::{self, Purpose};
use hognose_game::{MakeFilter, Unsupported};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::path::Path;
use std::time::Instant;

/// The purpose of the seeds of training games.
pub const TRAINING: Purpose = Purpose::new("training");
const EXPLORATION: Purpose = Purpose::new("exploration");

/// Finished episodes that the rollout curves average.
const RECENT_EPISODES: usize = 100;
/// Added to |TD error|, so that no transition is never drawn again.
const LEAST_PRIORITY: f32 = 1e-3;

/// Why training can't begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The training configuration is not valid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The environment can't be made.
    #[error(transparent)]
    Env(#[from] EnvError),
    /// These rules can't be played.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// Nobody proposes plans.
    #[error("actions \"plans\" need a source of plans, got none")]
    NoPlans,
    /// The weights would no longer be numbers.
    #[error(
        "training diverged at environment step {step}, gradient step {gradient_steps}: expected finite weights, \
         got a loss of {loss} and a gradient norm of {gradient_norm}"
    )]
    Diverged {
        /// Environment steps taken.
        step: u64,
        /// Gradient steps taken, without the one that failed.
        gradient_steps: u64,
        /// The loss.
        loss: f32,
        /// The norm of the gradient; not a number where it was not computed.
        gradient_norm: f32,
    },
    /// A file can't be written or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The threads could not be started.
    #[error("can't start {threads} threads: {reason}")]
    Threads {
        /// How many.
        threads: usize,
        /// Why not.
        reason: String,
    },
}

/// What training needs of the solvers; nothing where actions are all legal moves.
#[derive(Clone, Default)]
pub struct Guides {
    /// Makes the filters of [`Mask::Safe`].
    pub safe_moves: Option<MakeFilter>,
    /// Makes the sources of [`Actions::Plans`].
    pub plans: Option<MakePlans>,
}

/// Everything that training needs, in memory.
pub struct Trainer<N> {
    pub(crate) config: TrainConfig,
    pub(crate) seed: u64,
    pub(crate) env_config: EnvConfig,
    spec: AgentSpec,
    /// What the network is, for the policy file.
    description: serde_json::Value,
    device: Device,
    pub(crate) learner: Learner<N>,
    pub(crate) actor: Actor,
    /// The batch of the next gradient step.
    pub(crate) batch: Option<Minibatch>,
    /// Priorities from the last gradient step, not yet in the replay buffer.
    pub(crate) pending: Pending,
    pub(crate) counters: Counters,
    pool: rayon::ThreadPool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pending {
    ids: Vec<u64>,
    priorities: Vec<f32>,
}

/// How far training is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Counters {
    /// Environment steps.
    pub(crate) step: u64,
    /// Steps of all environments at once.
    pub(crate) vector_steps: u64,
    pub(crate) gradient_steps: u64,
    /// The steps of the last evaluation, checkpoint and point of the curves.
    pub(crate) evaluated_at: u64,
    pub(crate) saved_at: u64,
    pub(crate) logged_at: u64,
    pub(crate) last_score: Option<Score>,
    pub(crate) best_score: Option<Score>,
    pub(crate) episodes: VecDeque<EpisodeStats>,
    /// Since the last point of the curves.
    pub(crate) loss_sum: f64,
    pub(crate) gradient_norm_sum: f64,
    pub(crate) losses: u64,
}

impl<N: QNetwork> Trainer<N> {
    /// A trainer before its first step, on one thread. `network` takes [`AgentSpec::inputs`], has [`AgentSpec::outputs`] and lies on
    /// `device`; `description` says what it is, for the policy file.
    ///
    /// # Errors
    /// When a configuration is not valid, or asks for a guide that is not given.
    pub fn new(
        config: TrainConfig,
        env_config: EnvConfig,
        guides: &Guides,
        network: N,
        description: serde_json::Value,
        seed: u64,
        device: &Device,
    ) -> Result<Trainer<N>, TrainError> {
        config.validate()?;
        let mut env_config = EnvConfig { autoreset: Autoreset::Disabled, ..env_config };
        env_config.reward.discount = config.discount;
        let spec = AgentSpec::new(&env_config, &config);
        if spec.afterstates.is_some() && env_config.reward.shaping != 0.0 {
            let (expected, got) = ("0 where afterstates are valued", env_config.reward.shaping.to_string());
            return Err(ConfigError { key: "env.reward.shaping", expected, got }.into());
        }
        let (envs, seed_of_games) = (config.num_envs, rng::derive(seed, TRAINING, 0));
        let env = env_config.clone();
        let vector_env = |env: EnvConfig| match &guides.safe_moves {
            Some(safe_moves) if env.mask == Mask::Safe => {
                VectorEnv::filtered(env, envs, seed_of_games, safe_moves.clone())
            }
            _ => VectorEnv::new(env, envs, seed_of_games),
        };
        let games = match config.actions {
            Actions::Moves if spec.afterstates.is_some() => {
                Games::Afterstates(AfterstateGames::new(vector_env(env)?, &spec))
            }
            Actions::Moves => Games::Moves(MoveGames::new(vector_env(env)?)),
            Actions::Plans => {
                let plans = guides.plans.as_ref().ok_or(TrainError::NoPlans)?;
                let make = || plans(config.plans);
                Games::Plans(PlanGames::new(env.rules, &spec, envs, seed_of_games, make)?)
            }
        };
        let online = network.train();
        let learner = Learner {
            target: online.valid(),
            adam: Adam::new(&online, config.average_decay > 0.0),
            online: Some(online),
        };
        let actor = Actor::new(games, &spec, env_config.rules, &config);
        let (batch, pending, counters) = (None, Pending::default(), Counters::default());
        let (device, pool) = (device.clone(), start(1)?);
        Ok(Trainer {
            config,
            seed,
            env_config,
            spec,
            description,
            device,
            learner,
            actor,
            batch,
            pending,
            counters,
            pool,
        })
    }

    /// Trains on so many threads; results do not depend on them.
    ///
    /// # Errors
    /// When there are none, or they can't be started.
    pub fn with_threads(self, threads: usize) -> Result<Trainer<N>, TrainError> {
        Ok(Trainer { pool: start(threads)?, ..self })
    }

    /// The configuration; after [`restore`](Self::restore) with the schedules of the run that goes on.
    pub fn config(&self) -> &TrainConfig {
        &self.config
    }

    /// Environment steps taken.
    pub fn step(&self) -> u64 {
        self.counters.step
    }

    /// Gradient steps taken.
    pub fn gradient_steps(&self) -> u64 {
        self.counters.gradient_steps
    }

    /// The last evaluation's score.
    pub fn score(&self) -> Option<Score> {
        self.counters.last_score
    }

    /// Whether all steps are taken.
    pub fn finished(&self) -> bool {
        self.counters.step >= self.config.total_steps
    }

    /// The replay buffer.
    pub fn replay(&self) -> &Replay {
        &self.actor.replay
    }

    /// An agent with the weights as they stand: the averaged ones, where an average is kept.
    pub fn agent(&self) -> Agent<N> {
        let network = self.learner.online().valid();
        let average = &self.learner.adam.average;
        let network =
            if average.is_empty() { network } else { with_values(network, average.iter().map(Vec::as_slice)) };
        Agent::new(self.spec, network, self.device.clone())
    }

    /// One round: environment steps, and a gradient step once learning has started.
    ///
    /// # Errors
    /// When training diverges: then go on from a checkpoint.
    pub fn round(&mut self) -> Result<Option<GradientStep>, TrainError> {
        let batch = self.batch.take();
        let pending = std::mem::take(&mut self.pending);
        let Trainer { config, seed, device, learner, actor, counters, pool, .. } = self;
        let network = learner.online().valid();
        let rounds = config.steps_per_gradient_step as u64;
        let (step, envs) = (counters.step, config.num_envs as u64);
        let next_step = step + rounds * envs;
        let next_gradient_step = counters.gradient_steps + u64::from(batch.is_some());
        let act = || {
            let network = network; // moved: networks can be sent to another thread, not shared
            actor.replay.set_priorities(&pending.ids, &pending.priorities);
            for round in 0..rounds {
                let draws = rng::keyed(*seed, EXPLORATION, counters.vector_steps + round);
                let epsilon = config.epsilon_at(step + round * envs);
                let finished = actor.act(&mut Chooser { network: &network, device, epsilon, draws }, config);
                counters.episodes.extend(finished);
            }
            counters.vector_steps += rounds;
            let learns = next_step >= config.learning_starts && actor.replay.len() > 0;
            learns.then(|| actor.sample(*seed, next_gradient_step, config))
        };
        let learn = || batch.as_ref().map(|batch| learner.learn(batch, device, config.learning_rate_at(step), config));
        let (next, gradient_step) = pool.install(|| rayon::join(act, learn));
        let gradient_step = gradient_step.transpose().map_err(|Diverged { loss, gradient_norm }| {
            let gradient_steps = counters.gradient_steps;
            TrainError::Diverged { step, gradient_steps, loss, gradient_norm }
        })?;
        self.batch = next;
        let excess = counters.episodes.len().saturating_sub(RECENT_EPISODES);
        counters.episodes.drain(..excess);
        counters.step = next_step;
        if let (Some(batch), Some(done)) = (batch, &gradient_step) {
            counters.gradient_steps += 1;
            counters.losses += 1;
            counters.loss_sum += done.loss;
            counters.gradient_norm_sum += done.gradient_norm;
            if config.replay.priority_exponent > 0.0 {
                let priority = |&error: &f32| (error + LEAST_PRIORITY).powf(config.replay.priority_exponent);
                self.pending = Pending { ids: batch.ids, priorities: done.td_abs.iter().map(priority).collect() };
            }
        }
        Ok(gradient_step)
    }
}

fn start(threads: usize) -> Result<rayon::ThreadPool, TrainError> {
    if threads == 0 {
        return Err(
            ConfigError { key: "the number of threads", expected: "at least 1", got: threads.to_string() }.into()
        );
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| TrainError::Threads { threads, reason: error.to_string() })
}

/// Trains until all steps are taken or the watcher interrupts: evaluates, keeps the best weights as
/// `policy.safetensors`, saves checkpoints, reports curves.
///
/// # Errors
/// When a file can't be written, the agent can't play the selection games, or training diverges; the last checkpoint stays.
pub fn train<N: QNetwork>(
    trainer: &mut Trainer<N>,
    watcher: &mut impl Watcher<N>,
    run: &Path,
) -> Result<Stop, TrainError> {
    let mut clock = Clock::new(trainer);
    let mut progress = Progress { total: trainer.config.total_steps, ..Progress::default() };
    loop {
        let step = trainer.step();
        let last = trainer.counters.evaluated_at;
        let evaluate = is_due(step, last, trainer.config.evaluate_every) || trainer.finished() && last < step;
        let mut interrupted = watcher.interrupted();
        let save = is_due(step, trainer.counters.saved_at, trainer.config.checkpoint_every);
        if evaluate || save || interrupted {
            trainer.check()?;
        }
        if evaluate && !interrupted {
            match watcher.evaluate(&trainer.agent())? {
                Some(score) => trainer.take_score(score, watcher, run)?,
                None => interrupted = true,
            }
        }
        let stop = interrupted || trainer.finished();
        if stop || save {
            trainer.save(run)?;
            watcher.saved(step, trainer.gradient_steps());
        }
        if stop {
            return Ok(if interrupted { Stop::Interrupted } else { Stop::Finished });
        }
        let gradient_step = trainer.round()?;
        if is_due(trainer.step(), trainer.counters.logged_at, trainer.config.log_every) {
            let rates = clock.rates(trainer);
            (progress.steps_per_second, progress.gradient_steps_per_second) = rates;
            trainer.log(gradient_step.as_ref(), rates, watcher);
        }
        progress.step = trainer.step();
        progress.loss = gradient_step.map(|done| done.loss).or(progress.loss);
        progress.score = trainer.score();
        watcher.progress(progress);
    }
}

/// Whether a multiple of the interval lies after the last time, up to this step.
fn is_due(step: u64, last: u64, every: u64) -> bool {
    step / every > last / every
}

impl<N: QNetwork> Trainer<N> {
    /// Fails if the next gradient step would find that training has diverged, before anything of it is written.
    fn check(&self) -> Result<(), TrainError> {
        let loss = self.batch.as_ref().map_or(0.0, |batch| self.learner.loss_on(batch, &self.device));
        if loss.is_finite() {
            return Ok(());
        }
        let Counters { step, gradient_steps, .. } = self.counters;
        Err(TrainError::Diverged { step, gradient_steps, loss, gradient_norm: f32::NAN })
    }

    fn take_score(&mut self, score: Score, watcher: &mut impl Watcher<N>, run: &Path) -> Result<(), CheckpointError> {
        let step = self.counters.step;
        watcher.record(step, Metric::WinRate, score.win_rate);
        watcher.record(step, Metric::MeanLength, score.mean_length);
        if let Some(steps) = score.mean_steps_won {
            watcher.record(step, Metric::MeanStepsWon, steps);
        }
        self.counters.evaluated_at = step;
        self.counters.last_score = Some(score);
        if self.counters.best_score.is_none_or(|best| score.is_better_than(&best)) {
            checkpoint::save_policy(&run.join("policy.safetensors"), &self.agent(), &self.description)?;
            self.counters.best_score = Some(score);
        }
        Ok(())
    }

    /// A point of every curve.
    fn log(&mut self, gradient_step: Option<&GradientStep>, rates: (f64, f64), watcher: &mut impl Watcher<N>) {
        let counters = &mut self.counters;
        let step = counters.step;
        counters.logged_at = step;
        let mut record = |metric, value: f64| watcher.record(step, metric, value);
        let mean = |of: &dyn Fn(&EpisodeStats) -> f64| {
            counters.episodes.iter().map(of).sum::<f64>() / counters.episodes.len() as f64
        };
        if !counters.episodes.is_empty() {
            record(Metric::EpisodeReward, mean(&|episode| episode.reward));
            record(Metric::EpisodeSteps, mean(&|episode| episode.steps.into()));
        }
        record(Metric::Epsilon, self.config.epsilon_at(step));
        record(Metric::StepsPerSecond, rates.0);
        record(Metric::GradientStepsPerSecond, rates.1);
        record(Metric::BufferSize, self.actor.replay.len() as f64);
        record(Metric::LearningRate, self.config.learning_rate_at(step));
        if counters.losses > 0 {
            record(Metric::Loss, counters.loss_sum / counters.losses as f64);
            record(Metric::GradientNorm, counters.gradient_norm_sum / counters.losses as f64);
        }
        if let Some(GradientStep { q_values, td_abs, .. }) = gradient_step {
            let mean = |values: &[f32]| values.iter().map(|&x| f64::from(x)).sum::<f64>() / values.len() as f64;
            record(Metric::QMean, mean(q_values));
            record(Metric::TdAbsMean, mean(td_abs));
            watcher.record_q_values(step, q_values);
        }
        (counters.loss_sum, counters.gradient_norm_sum, counters.losses) = (0.0, 0.0, 0);
    }
}

/// Rates since the last look.
struct Clock {
    looked: Instant,
    step: u64,
    gradient_steps: u64,
}

impl Clock {
    fn new<N: QNetwork>(trainer: &Trainer<N>) -> Clock {
        Clock { looked: Instant::now(), step: trainer.step(), gradient_steps: trainer.gradient_steps() }
    }

    /// Environment steps and gradient steps each second.
    fn rates<N: QNetwork>(&mut self, trainer: &Trainer<N>) -> (f64, f64) {
        let before = std::mem::replace(self, Clock::new(trainer));
        let seconds = before.looked.elapsed().as_secs_f64().max(1e-9);
        let rate = |now: u64, before: u64| (now - before) as f64 / seconds;
        (rate(self.step, before.step), rate(self.gradient_steps, before.gradient_steps))
    }
}
