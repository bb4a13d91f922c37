//! The trainer: everything that training needs, and one round of it.
//!
//! Each round takes environment steps and one gradient step, in parallel if there are two threads:
//! acting uses the weights from before the round's gradient step, whose batch was sampled in the
//! previous round. Results therefore depend neither on timing nor on the number of threads.

use crate::agent::Agent;
use crate::config::{Actions, ConfigError, TrainConfig, check};
use crate::dqn::Minibatch;
use crate::dqn::{GradientStep, Learner};
use crate::envs::RolloutEnvs;
use crate::epsilon_greedy::EpsilonGreedy;
use crate::error::TrainError;
use crate::metric::Metric;
use crate::network::QNetwork;
use crate::optimizer::Adam;
use crate::policy::{load_like, policy_bytes, save_policy};
use crate::replay::is_priority;
use crate::rollout::Rollout;
use crate::solvers::Solvers;
use crate::spec::AgentSpec;
use crate::stages::{check_boards, env_in};
use crate::training::{Curves, Progress, Training, start_threads};
use burn::tensor::Device;
use hognose_env::{Autoreset, EnvConfig, EnvError, EpisodeStats};
use hognose_game::Position;
use hognose_game::rng::{self, Purpose};
use hognose_store::StoreError;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::path::Path;

/// The purpose of the seeds of training games.
pub const TRAINING: Purpose = Purpose::new("training");
const EXPLORATION: Purpose = Purpose::new("exploration");

/// Number of finished episodes that the rollout curves average.
const RECENT_EPISODES: usize = 100;
/// Added to |TD error|, so that every transition can be drawn again.
const LEAST_PRIORITY: f32 = 1e-3;

/// Everything that training needs, in memory: networks, optimizer, games and replay buffer.
/// [`round`](Self::round) needs no files, threads or clock.
///
/// ```
/// use hognose_agent::{AgentSpec, Solvers, NetworkConfig, TrainConfig, Trainer, device};
/// use hognose_env::EnvConfig;
/// use hognose_game::{Board, Rules};
///
/// let env = EnvConfig::new(Rules::new(Board::new(4, 4)?));
/// let config = TrainConfig {
///     total_steps: 512,
///     num_envs: 16,
///     learning_starts: 128,
///     batch_size: 32,
///     ..TrainConfig::default()
/// };
/// let (spec, device) = (AgentSpec::new(&env, &config), device("cpu")?);
/// let network = NetworkConfig {
///     hidden: vec![16],
///     ..NetworkConfig::default()
/// };
/// let description = serde_json::to_value(&network)?;
/// let network = network.build(spec.inputs(), spec.outputs(), 0, &device)?;
/// let mut trainer = Trainer::new(
///     config,
///     env,
///     &Solvers::default(),
///     network,
///     description,
///     0,
///     &device,
/// )?;
/// while !trainer.finished() {
///     trainer.round()?;
/// }
/// assert_eq!((trainer.step(), trainer.agent().spec()), (512, spec));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Trainer<N> {
    pub(crate) config: TrainConfig,
    pub(crate) seed: u64,
    pub(crate) env_config: EnvConfig,
    /// The index of the stage whose configuration the environments have.
    stage: usize,
    spec: AgentSpec,
    /// The description of the network, for the policy file.
    pub(crate) description: serde_json::Value,
    pub(crate) device: Device,
    pub(crate) learner: Learner<N>,
    pub(crate) rollout: Rollout,
    /// The batch of the next gradient step.
    pub(crate) batch: Option<Minibatch>,
    /// Priorities from the last gradient step that are not yet in the replay buffer.
    pub(crate) pending: Priorities,
    pub(crate) progress: Progress,
    /// Steps of the vector environment.
    pub(crate) vector_steps: u64,
    /// The last episodes that finished.
    pub(crate) episodes: VecDeque<EpisodeStats>,
    /// The results of the last round's gradient step.
    learned: Option<GradientStep>,
    /// `None` unless threads are requested; then acting and learning alternate on the calling
    /// thread.
    pool: Option<rayon::ThreadPool>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Priorities {
    ids: Vec<u64>,
    priorities: Vec<f32>,
}

impl Priorities {
    /// Returns whether these can be priorities of transitions after `pushed` pushes.
    pub(crate) fn is_sound(&self, pushed: u64) -> bool {
        self.ids.len() == self.priorities.len()
            && self.ids.iter().all(|&id| id < pushed)
            && self
                .priorities
                .iter()
                .all(|&priority| is_priority(priority.into()))
    }
}

impl<N: QNetwork> Trainer<N> {
    /// Creates a trainer before its first step, without starting threads. `network` takes
    /// [`AgentSpec::inputs`], has [`AgentSpec::outputs`] and is on `device`; training starts from
    /// its weights, either random or from a policy file ([`load_weights`](crate::load_weights)).
    /// `description` describes the network: policy files store it, and
    /// [`load_policy_with`](crate::load_policy_with) builds a network from it.
    ///
    /// # Errors
    /// Fails if a configuration is invalid, or needs a solver that `solvers` lacks.
    pub fn new(
        config: TrainConfig,
        env_config: EnvConfig,
        solvers: &Solvers,
        network: N,
        description: serde_json::Value,
        seed: u64,
        device: &Device,
    ) -> Result<Trainer<N>, TrainError> {
        config.validate()?;
        let mut env_config = EnvConfig {
            autoreset: Autoreset::Disabled,
            ..env_config
        };
        env_config.reward.discount = config.discount;
        let spec = AgentSpec::new(&env_config, &config);
        if spec.afterstates.is_some() && env_config.reward.shaping != 0.0 {
            let expected = "0 if train.values is \"afterstates\"";
            let got = env_config.reward.shaping.to_string();
            return Err(ConfigError {
                key: "env.reward.shaping",
                expected,
                got,
            }
            .into());
        }
        if !env_config.boards.is_empty() {
            let shaping = env_config.reward.shaping;
            // Shaping uses the discount of a single board.
            let expected = "0 if env.boards is set";
            check(shaping == 0.0, "env.reward.shaping", expected, &shaping)?;
        }
        if config.actions == Actions::Plans && !env_config.starts.is_empty() {
            let got = format!("{} positions", env_config.starts.len());
            return Err(ConfigError {
                key: "env.starts",
                expected: "empty if train.actions is \"plans\"",
                got,
            }
            .into());
        }
        let rules = env_config.rules_on_boards().map_err(EnvError::from)?;
        check_boards(&config, &env_config)?;
        let seed_of_envs = rng::derive(seed, TRAINING, 0);
        let make = |of: &TrainConfig, stage: usize| {
            let env = env_in(stage, &config, &env_config);
            RolloutEnvs::new(of, env, &rules, &spec, solvers, seed_of_envs)
        };
        // Later stages must not fail when training reaches them.
        let one = TrainConfig {
            num_envs: 1,
            ..config.clone()
        };
        (1..=config.stages.len()).try_for_each(|stage| make(&one, stage).map(drop))?;
        let envs = make(&config, 0)?;
        let online = network.train();
        let learner = Learner {
            target: online.valid(),
            adam: Adam::new(&online, config.average_decay > 0.0),
            online: Some(online),
        };
        let rollout = Rollout::new(envs, &spec, &rules, &config);
        Ok(Trainer {
            config,
            seed,
            env_config,
            stage: 0,
            spec,
            description,
            device: device.clone(),
            learner,
            rollout,
            batch: None,
            pending: Priorities::default(),
            progress: Progress::default(),
            vector_steps: 0,
            episodes: VecDeque::new(),
            learned: None,
            pool: None,
        })
    }

    /// Trains with `threads` threads; results do not depend on their number. Without them, acting
    /// and learning alternate on the calling thread, and burn may use rayon's global threads, if
    /// the system has any.
    ///
    /// # Errors
    /// Fails if `threads` is 0 or the threads can't be started.
    pub fn with_threads(self, threads: usize) -> Result<Trainer<N>, TrainError> {
        Ok(Trainer {
            pool: Some(start_threads(threads)?),
            ..self
        })
    }

    /// Returns the configuration; after [`restore`](Self::restore), with the schedules of the
    /// resumed run.
    pub fn config(&self) -> &TrainConfig {
        &self.config
    }

    /// Returns the configuration of the environments.
    pub fn env(&self) -> &EnvConfig {
        &self.env_config
    }

    /// Returns the environment steps taken.
    pub fn step(&self) -> u64 {
        self.progress.step
    }

    /// Returns the gradient steps taken.
    pub fn gradient_steps(&self) -> u64 {
        self.progress.gradient_steps
    }

    /// Returns whether all steps are taken.
    pub fn finished(&self) -> bool {
        self.progress.step >= self.config.total_steps
    }

    /// Returns the number of transitions in the replay buffer.
    pub fn transitions(&self) -> usize {
        self.rollout.replay.len()
    }

    /// Returns the position that a transition begins at, by the transition's number since the
    /// beginning of training; `None` if the replay buffer doesn't have it (anymore).
    pub fn position_of(&mut self, transition: u64) -> Option<Position> {
        self.rollout.position_of(transition)
    }

    /// Returns an agent with the current weights: the averaged ones, if an average is kept.
    pub fn agent(&self) -> Agent<N> {
        let online = self.learner.online().valid();
        let network = self.learner.adam.averaged(online);
        Agent::new(self.spec, network, self.device.clone())
    }

    /// Runs one round: environment steps, and a gradient step once learning has started.
    ///
    /// # Errors
    /// Fails if training diverges; then resume from a checkpoint.
    pub fn round(&mut self) -> Result<(), TrainError> {
        let batch = self.batch.take();
        let pending = std::mem::take(&mut self.pending);
        let Trainer {
            config,
            seed,
            device,
            learner,
            rollout,
            progress,
            vector_steps,
            episodes,
            pool,
            ..
        } = self;
        let network = learner.online().valid();
        let rounds = config.steps_per_gradient_step as u64;
        let envs = config.num_envs as u64;
        let step = progress.step;
        let next_step = step + rounds * envs;
        let next_gradient_step = progress.gradient_steps + u64::from(batch.is_some());
        let act = || {
            let network = network; // moved: networks can be sent to another thread, not shared
            rollout
                .replay
                .set_priorities(&pending.ids, &pending.priorities);
            for round in 0..rounds {
                let mut policy = EpsilonGreedy {
                    network: &network,
                    device,
                    epsilon: config.epsilon_at(step + round * envs),
                    draws: rng::keyed(*seed, EXPLORATION, *vector_steps + round),
                };
                episodes.extend(rollout.act(&mut policy, config));
            }
            *vector_steps += rounds;
            let learns = next_step >= config.learning_starts && rollout.replay.len() > 0;
            learns.then(|| rollout.sample(*seed, next_gradient_step, config))
        };
        let mut learn = || {
            let rate = config.learning_rate_at(step);
            batch
                .as_ref()
                .map(|batch| learner.learn(batch, device, rate, config))
        };
        let (next, learned) = match pool {
            Some(pool) => pool.install(|| rayon::join(act, learn)),
            None => (act(), learn()),
        };
        self.learned = learned
            .transpose()
            .map_err(|diverged| progress.diverged(diverged.loss, diverged.gradient_norm))?;
        self.batch = next;
        let excess = episodes.len().saturating_sub(RECENT_EPISODES);
        episodes.drain(..excess);
        progress.step = next_step;
        if let (Some(batch), Some(learned)) = (batch, &self.learned) {
            progress.count(learned.loss, learned.gradient_norm);
            let exponent = config.replay.priority_exponent;
            if exponent > 0.0 {
                self.pending = Priorities {
                    ids: batch.ids,
                    priorities: learned
                        .td_abs
                        .iter()
                        .map(|&error| (error + LEAST_PRIORITY).powf(exponent))
                        .collect(),
                };
            }
        }
        Ok(self.enter_stage(next_step)?)
    }

    /// Configures the environments for the stage that begins or goes on at this environment step.
    pub(crate) fn enter_stage(&mut self, step: u64) -> Result<(), EnvError> {
        let stage = self.config.stage_at(step);
        if stage != self.stage {
            let env = env_in(stage, &self.config, &self.env_config);
            self.rollout.envs.configure(env)?;
            self.stage = stage;
        }
        Ok(())
    }

    /// Returns the bytes of a policy file with the current weights.
    ///
    /// # Errors
    /// Fails if the network's description has no form in JSON.
    pub fn policy(&self) -> Result<Vec<u8>, StoreError> {
        policy_bytes(&self.agent(), &self.description)
    }

    /// Returns the results of the last round's gradient step, if it took one.
    pub fn gradient_step(&self) -> Option<&GradientStep> {
        self.learned.as_ref()
    }
}

fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len() as f64;
    numbers.sum::<f64>() / count
}

impl<N: QNetwork> Training for Trainer<N> {
    type Agent = Agent<N>;

    fn progress(&mut self) -> &mut Progress {
        &mut self.progress
    }

    fn round(&mut self) -> Result<(), TrainError> {
        Trainer::round(self)
    }

    fn curves(&mut self) -> Curves {
        let step = self.progress.step;
        let mut points = vec![
            (Metric::Epsilon, self.config.epsilon_at(step)),
            (Metric::BufferSize, self.rollout.replay.len() as f64),
            (Metric::LearningRate, self.config.learning_rate_at(step)),
        ];
        if !self.episodes.is_empty() {
            let rewards = self.episodes.iter().map(|episode| episode.reward);
            let steps = self.episodes.iter().map(|episode| f64::from(episode.steps));
            points.push((Metric::EpisodeReward, mean(rewards)));
            points.push((Metric::EpisodeSteps, mean(steps)));
        }
        points.extend(self.progress.log());
        let mut histogram = None;
        if let Some(learned) = &self.learned {
            let q_values = learned.q_values.iter().map(|&q| f64::from(q));
            let errors = learned.td_abs.iter().map(|&error| f64::from(error));
            points.push((Metric::QMean, mean(q_values)));
            points.push((Metric::TdAbsMean, mean(errors)));
            histogram = Some((Metric::QValues, learned.q_values.clone()));
        }
        Curves { points, histogram }
    }

    fn check(&self) -> Result<(), TrainError> {
        let Some(batch) = &self.batch else {
            return Ok(());
        };
        self.progress.check(
            self.learner
                .loss_on(batch, &self.device, self.config.bootstrap),
        )
    }

    fn agent(&self) -> Agent<N> {
        Trainer::agent(self)
    }

    fn save_agent(&self, path: &Path) -> Result<(), StoreError> {
        save_policy(path, &self.agent(), &self.description)
    }

    fn load_agent(&self, path: &Path) -> Result<Agent<N>, StoreError> {
        load_like(path, &self.agent(), &self.device)
    }

    fn save(&self, path: &Path) -> Result<(), StoreError> {
        Trainer::save(self, path)
    }

    fn restore(&mut self, path: &Path) -> Result<(), StoreError> {
        Trainer::restore(self, path)
    }
}
