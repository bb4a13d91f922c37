//! The training loop.
//!
//! Each round takes environment steps and one gradient step side by side, on two threads where there are two: acting
//! uses the weights from before this round's gradient step, whose batch was sampled in the round before. So nothing
//! depends on timing or on the number of threads.

use crate::agent::best;
use crate::checkpoint::{self, Arrays, CheckpointError, Contents};
use crate::parameters::{map_values, parameters, with_values};
use crate::replay::{NStep, Outcome, unit};
use crate::{
    Adam, Agent, AgentSpec, ConfigError, Metric, Packer, Progress, QNetwork, Replay, Score, Stop, TargetSync,
    TrainConfig, Watcher, denormals, loss,
};
use burn::optim::GradientsParams;
use burn::tensor::{Bool, Device, Int, Tensor, TensorData};
use hognose_env::{
    ActionKind, Autoreset, Batch, Buffers, Encoder, EnvConfig, EnvError, EpisodeStats, Snapshot, VectorEnv,
};
use hognose_game::Position;
use hognose_game::rng::{self, Generator, Purpose};
use safetensors::Dtype;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::path::Path;
use std::time::Instant;

/// The purpose of the seeds of training games.
pub const TRAINING: Purpose = Purpose::new("training");
const EXPLORATION: Purpose = Purpose::new("exploration");
const SAMPLING: Purpose = Purpose::new("replay sampling");

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

/// What one gradient step did.
#[derive(Clone, Debug, PartialEq)]
pub struct GradientStep {
    /// The mean weighted Huber loss.
    pub loss: f64,
    /// The global gradient norm before clipping.
    pub gradient_norm: f64,
    /// The Q-values of the batch's actions.
    pub q_values: Vec<f32>,
    /// The |TD errors| of the batch.
    pub td_abs: Vec<f32>,
}

/// Everything that training needs, in memory.
pub struct Trainer<N> {
    config: TrainConfig,
    seed: u64,
    spec: AgentSpec,
    /// What the network is, for the policy file.
    description: serde_json::Value,
    device: Device,
    learner: Learner<N>,
    actor: Actor,
    /// The batch of the next gradient step.
    batch: Option<Minibatch>,
    /// Priorities from the last gradient step, not yet in the replay buffer.
    pending: Pending,
    counters: Counters,
    pool: rayon::ThreadPool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Pending {
    ids: Vec<u64>,
    priorities: Vec<f32>,
}

/// How far training is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Counters {
    /// Environment steps.
    step: u64,
    /// Steps of all environments at once.
    vector_steps: u64,
    gradient_steps: u64,
    /// The steps of the last evaluation, checkpoint and point of the curves.
    evaluated_at: u64,
    saved_at: u64,
    logged_at: u64,
    last_score: Option<Score>,
    best_score: Option<Score>,
    episodes: VecDeque<EpisodeStats>,
    /// Since the last point of the curves.
    loss_sum: f64,
    gradient_norm_sum: f64,
    losses: u64,
}

impl<N: QNetwork> Trainer<N> {
    /// A trainer before its first step. `network` lies on `device`; `description` says what it is, for the policy file.
    ///
    /// # Errors
    /// When a configuration is not valid.
    pub fn new(
        config: TrainConfig,
        env_config: EnvConfig,
        network: N,
        description: serde_json::Value,
        seed: u64,
        device: &Device,
        threads: usize,
    ) -> Result<Trainer<N>, TrainError> {
        config.validate()?;
        let mut env_config = EnvConfig { autoreset: Autoreset::Disabled, ..env_config };
        env_config.reward.discount = config.discount;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).start_handler(|_| denormals::flush()).build();
        let pool = pool.map_err(|error| TrainError::Threads { threads, reason: error.to_string() })?;
        let spec = AgentSpec {
            board: env_config.rules.board(),
            observation: env_config.observation,
            action: env_config.action,
        };
        let env = VectorEnv::new(env_config, config.num_envs, rng::derive(seed, TRAINING, 0))?;
        let online = network.train();
        let learner = Learner {
            target: online.valid(),
            adam: Adam::new(&online, config.average_decay > 0.0),
            online: Some(online),
        };
        let actor = Actor::new(env, &config);
        let (batch, pending, counters) = (None, Pending::default(), Counters::default());
        let device = device.clone();
        Ok(Trainer { config, seed, spec, description, device, learner, actor, batch, pending, counters, pool })
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
    pub fn round(&mut self) -> Option<GradientStep> {
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
                let mut draws = rng::keyed(*seed, EXPLORATION, counters.vector_steps + round);
                let epsilon = config.epsilon_at(step + round * envs);
                let finished = actor.act(&network, device, epsilon, &mut draws, config);
                counters.episodes.extend(finished);
            }
            counters.vector_steps += rounds;
            let mut draws = rng::keyed(*seed, SAMPLING, next_gradient_step);
            (next_step >= config.learning_starts).then(|| actor.sample(&mut draws, config))
        };
        let learn = || batch.as_ref().map(|batch| learner.learn(batch, device, config.learning_rate_at(step), config));
        let (next, gradient_step) = pool.install(|| rayon::join(act, learn));
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
        gradient_step
    }
}

/// Networks and optimizer.
struct Learner<N> {
    /// `None` only while a gradient step has it.
    online: Option<N>,
    target: N,
    adam: Adam,
}

/// A batch, encoded.
struct Minibatch {
    ids: Vec<u64>,
    weights: Vec<f32>,
    observations: Vec<f32>,
    actions: Vec<i32>,
    rewards: Vec<f32>,
    discounts: Vec<f32>,
    next_observations: Vec<f32>,
    next_masks: Vec<bool>,
}

impl<N: QNetwork> Learner<N> {
    fn online(&self) -> &N {
        self.online.as_ref().expect("no gradient step is under way")
    }

    fn learn(&mut self, batch: &Minibatch, device: &Device, learning_rate: f64, config: &TrainConfig) -> GradientStep {
        let online = self.online.take().expect("no gradient step is under way");
        let rows = batch.ids.len();
        let matrix = |values: &[f32], device: &Device| {
            Tensor::<2>::from_data(TensorData::new(values.to_vec(), [rows, values.len() / rows]), device)
        };
        let vector = |values: &[f32]| Tensor::<1>::from_data(TensorData::from(values), device);
        let next = matrix(&batch.next_observations, device);
        let next_masks = TensorData::new(batch.next_masks.clone(), [rows, batch.next_masks.len() / rows]);
        let targets = loss::double_q_target(
            vector(&batch.rewards),
            vector(&batch.discounts),
            online.valid().q_values(next.clone()),
            self.target.q_values(next),
            Tensor::<2, Bool>::from_data(next_masks, device),
        );
        let observations = matrix(&batch.observations, &device.clone().autodiff());
        let actions = Tensor::<1, Int>::from_data(TensorData::from(&batch.actions[..]), &device.clone().autodiff());
        let q = loss::taken(online.q_values(observations), actions);
        let errors = q.clone() - targets.clone().autodiff();
        let loss = (loss::huber(errors) * vector(&batch.weights).autodiff()).mean();
        let gradients = GradientsParams::from_grads(loss.backward(), &online);
        let (online, norm) =
            self.adam.step(online, gradients, learning_rate, config.max_gradient_norm, config.average_decay);
        self.sync_target(&online, config.target);
        self.online = Some(online);
        let values = |tensor: Tensor<1>| tensor.inner().into_data().try_into_vec::<f32>().expect("values are f32");
        let (q_values, targets) = (values(q), values(targets));
        let td_abs = q_values.iter().zip(&targets).map(|(q, target)| (q - target).abs()).collect();
        GradientStep { loss: values(loss)[0].into(), gradient_norm: norm.into(), q_values, td_abs }
    }

    fn sync_target(&mut self, online: &N, sync: TargetSync) {
        match sync {
            TargetSync::Hard { every } if self.adam.steps.is_multiple_of(every) => self.target = online.valid(),
            TargetSync::Hard { .. } => {}
            TargetSync::Polyak { tau } => {
                let online = parameters(online);
                self.target = map_values(self.target.clone(), online.iter(), |own, new| {
                    own.iter_mut().zip(&new.values).for_each(|(own, new)| *own += tau * (new - *own));
                });
            }
        }
    }
}

/// Environments and replay.
struct Actor {
    env: VectorEnv,
    buffers: Buffers<f32>,
    windows: Vec<NStep>,
    packer: Packer,
    replay: Replay,
    encoder: Encoder,
    scratch: Position,
}

impl Actor {
    fn new(env: VectorEnv, config: &TrainConfig) -> Actor {
        let rules = env.config().rules;
        let packer = Packer::new(rules);
        Actor {
            buffers: Buffers::new(&env),
            windows: vec![NStep::default(); env.num_envs()],
            packer,
            replay: Replay::new(config.replay.capacity, packer, config.replay.priority_exponent > 0.0),
            encoder: Encoder::new(env.config().observation, rules.board()),
            scratch: env.position(0).clone(),
            env,
        }
    }

    /// Steps every environment once and returns the episodes that finished.
    fn act<N: QNetwork>(
        &mut self,
        network: &N,
        device: &Device,
        epsilon: f64,
        draws: &mut Generator,
        config: &TrainConfig,
    ) -> Vec<EpisodeStats> {
        const BUFFERS: &str = "the buffers are made for this environment";
        let (envs, kind) = (self.env.num_envs(), self.env.config().action);
        self.env.observe(&mut self.buffers.batch()).expect(BUFFERS);
        let observations = TensorData::new(self.buffers.observations.clone(), [envs, self.env.space().len()]);
        let q = network.q_values(Tensor::from_data(observations, device));
        let q = q.into_data().try_into_vec::<f32>().expect("Q-values are f32");
        let masks = self.buffers.masks.chunks_exact(kind.count());
        let choose = |(q, mask): (&[f32], &[bool])| choose(q, mask, kind, epsilon, draws);
        let actions: Vec<u8> = q.chunks_exact(kind.count()).zip(masks).map(choose).collect();
        let states: Vec<Vec<u8>> = (0..envs).map(|env| self.pack(env)).collect();
        let Batch { rewards, signals, .. } = self.buffers.batch();
        let mut unseen = Batch::<f32> {
            observations: &mut [],
            final_observations: &mut [],
            rewards,
            signals,
            masks: &mut [],
            final_masks: &mut [],
        };
        self.env.step(&actions, &mut unseen).expect("ended environments were restarted");
        let mut finished = Vec::new();
        for (env, state) in states.into_iter().enumerate() {
            let signal = self.buffers.signals[env];
            let outcome = Outcome {
                reward: self.buffers.rewards[env],
                terminated: signal.terminated(),
                ended: signal.ended(),
                next_state: &self.pack(env),
                next_mask: self.env.action_bits(env),
                losing: self.env.config().reward.losing(self.env.position(env)),
            };
            let replay = &mut self.replay;
            let emit = |transition| replay.push(&transition);
            self.windows[env].push(config.n_step, config.discount, state, actions[env], &outcome, emit);
            if signal.ended() {
                finished.extend(self.env.last_episode(env));
                self.env.restart(env);
            }
        }
        finished
    }

    fn pack(&self, env: usize) -> Vec<u8> {
        let mut bytes = vec![0; self.packer.bytes()];
        self.packer.pack(self.env.position(env), &mut bytes);
        bytes
    }

    /// Draws and encodes a batch; the replay buffer must not be empty.
    fn sample(&mut self, draws: &mut Generator, config: &TrainConfig) -> Minibatch {
        let kind = self.env.config().action;
        let sample = self.replay.sample(config.batch_size, config.replay.importance_exponent, draws);
        let (rows, values) = (config.batch_size, self.encoder.space().len());
        let mut batch = Minibatch {
            ids: sample.ids,
            weights: sample.weights,
            observations: vec![0.0; rows * values],
            actions: Vec::with_capacity(rows),
            rewards: Vec::with_capacity(rows),
            discounts: Vec::with_capacity(rows),
            next_observations: vec![0.0; rows * values],
            next_masks: Vec::with_capacity(rows * kind.count()),
        };
        for (row, &id) in batch.ids.iter().enumerate() {
            let mirrored = config.mirror && rng::below(draws, 2) == 1;
            let turn = |action| if mirrored { kind.mirrored(action) } else { action };
            let (state, next_state, action, next_mask, reward, discount) = self.replay.get(id);
            self.packer.unpack(state, mirrored, &mut self.scratch);
            self.encoder.encode(&self.scratch, &mut batch.observations[row * values..][..values]);
            self.packer.unpack(next_state, mirrored, &mut self.scratch);
            self.encoder.encode(&self.scratch, &mut batch.next_observations[row * values..][..values]);
            batch.actions.push(turn(action).into());
            batch.rewards.push(reward);
            batch.discounts.push(discount);
            batch.next_masks.extend((0..kind.count() as u8).map(|action| next_mask >> turn(action) & 1 == 1));
        }
        batch
    }
}

/// A random allowed action with probability epsilon, else the best allowed one.
fn choose(q: &[f32], mask: &[bool], kind: ActionKind, epsilon: f64, draws: &mut Generator) -> u8 {
    let bits = mask.iter().rev().fold(0, |bits, &allowed| bits << 1 | u8::from(allowed));
    if unit(draws) >= epsilon {
        return best(q, bits, kind);
    }
    let nth = rng::below(draws, bits.count_ones().into()) as usize;
    (0..kind.count() as u8).filter(|action| bits >> action & 1 == 1).nth(nth).expect("nth < allowed")
}

#[derive(Serialize, Deserialize)]
struct State {
    kind: String,
    env: EnvConfig,
    config: TrainConfig,
    seed: u64,
    counters: Counters,
    windows: Vec<NStep>,
    environments: Vec<Snapshot>,
    pending: Pending,
    has_batch: bool,
    adam_steps: u64,
    pushed: u64,
}

const CHECKPOINT: &str = "checkpoint";

impl<N: QNetwork> Trainer<N> {
    /// Writes a checkpoint into a run folder and removes old ones.
    ///
    /// # Errors
    /// When writing fails; earlier checkpoints are left whole then.
    pub fn save(&mut self, run: &Path) -> Result<(), CheckpointError> {
        self.counters.saved_at = self.counters.step;
        let Trainer { config, learner, actor, .. } = &*self;
        let (pushed, records, priorities) = actor.replay.parts();
        let state = State {
            kind: CHECKPOINT.to_owned(),
            env: actor.env.config().clone(),
            config: config.clone(),
            seed: self.seed,
            counters: self.counters.clone(),
            windows: actor.windows.clone(),
            environments: (0..actor.env.num_envs()).map(|env| actor.env.snapshot(env)).collect(),
            pending: self.pending.clone(),
            has_batch: self.batch.is_some(),
            adam_steps: learner.adam.steps,
            pushed,
        };
        let mut arrays = Arrays::new();
        let online = parameters(learner.online());
        checkpoint::put_parameters(&mut arrays, "online", &online);
        checkpoint::put_parameters(&mut arrays, "target", &parameters(&learner.target));
        let Adam { first, second, average, .. } = &learner.adam;
        for (prefix, values) in [("adam.first", first), ("adam.second", second), ("average", average)] {
            for (parameter, values) in online.iter().zip(values) {
                let array = checkpoint::floats(parameter.shape.clone(), values);
                arrays.insert(format!("{prefix}.{}", parameter.name), array);
            }
        }
        arrays.insert("replay".to_owned(), (vec![records.len()], Dtype::U8, records.to_vec()));
        let bytes = priorities.iter().flat_map(|priority| priority.to_le_bytes()).collect();
        arrays.insert("priorities".to_owned(), (vec![priorities.len()], Dtype::F64, bytes));
        checkpoint::write(&checkpoint::checkpoint_path(run, self.counters.step), &state, &arrays)?;
        checkpoint::prune(run, config.keep_checkpoints)
    }

    /// Puts a new trainer, made with the same configurations, into the state of a checkpoint; `total_steps` and what
    /// only reports may differ.
    ///
    /// # Errors
    /// When the file is not a whole checkpoint of this version, board, observation, configuration and network.
    pub fn restore(&mut self, path: &Path) -> Result<(), CheckpointError> {
        let corrupt = |reason: &str| CheckpointError::Corrupt { path: path.to_owned(), reason: reason.to_owned() };
        let Contents { state, mut arrays } = checkpoint::read::<serde_json::Value>(path)?;
        checkpoint::expect_same(path, "the kind of file", &CHECKPOINT, &state["kind"])?;
        checkpoint::expect_same(path, "env", self.actor.env.config(), &state["env"])?;
        checkpoint::expect_same(path, "seed", &self.seed, &state["seed"])?;
        let state: State = serde_json::from_value(state).map_err(|error| corrupt(&error.to_string()))?;
        let reporting_as_ours = TrainConfig {
            total_steps: self.config.total_steps,
            evaluate_every: self.config.evaluate_every,
            evaluation_games: self.config.evaluation_games,
            checkpoint_every: self.config.checkpoint_every,
            keep_checkpoints: self.config.keep_checkpoints,
            log_every: self.config.log_every,
            ..state.config.clone()
        };
        checkpoint::expect_same(path, "train", &self.config, &reporting_as_ours)?;
        if state.environments.len() != self.config.num_envs || state.windows.len() != self.config.num_envs {
            return Err(corrupt("the number of environments is another"));
        }

        let like = parameters(self.learner.online());
        let mut take = |prefix| checkpoint::take_parameters(&mut arrays, prefix, &like, path);
        let (online, target) = (take("online")?, take("target")?);
        self.learner.adam.first = take("adam.first")?;
        self.learner.adam.second = take("adam.second")?;
        if self.config.average_decay > 0.0 {
            self.learner.adam.average = take("average")?;
        }
        self.learner.adam.steps = state.adam_steps;
        let network = self.learner.online.take().expect("no gradient step is under way");
        self.learner.online = Some(with_values(network, online.iter().map(Vec::as_slice)));
        self.learner.target = with_values(self.learner.target.clone(), target.iter().map(Vec::as_slice));

        let (_, _, records) = arrays.remove("replay").ok_or_else(|| corrupt("no replay buffer"))?;
        let (_, _, bytes) = arrays.remove("priorities").ok_or_else(|| corrupt("no priorities"))?;
        let priorities = bytes.chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().expect("eight bytes")));
        if !self.actor.replay.restore(state.pushed, records, &priorities.collect::<Vec<f64>>()) {
            return Err(corrupt("the replay buffer is of another size"));
        }
        for (env, snapshot) in state.environments.iter().enumerate() {
            self.actor.env.restore(env, snapshot).map_err(|error| corrupt(&error.to_string()))?;
        }
        self.actor.windows = state.windows;
        self.counters = state.counters;
        self.pending = state.pending;
        // The batch was drawn from this very buffer, before the pending priorities come in.
        self.batch = state.has_batch.then(|| {
            let mut draws = rng::keyed(self.seed, SAMPLING, self.counters.gradient_steps);
            self.actor.sample(&mut draws, &self.config)
        });
        Ok(())
    }
}

/// Trains until all steps are taken or the watcher interrupts: evaluates, keeps the best weights as
/// `policy.safetensors`, saves checkpoints, reports curves.
///
/// # Errors
/// When a file can't be written.
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
        if evaluate && !interrupted {
            match watcher.evaluate(&trainer.agent()) {
                Some(score) => trainer.take_score(score, watcher, run)?,
                None => interrupted = true,
            }
        }
        let stop = interrupted || trainer.finished();
        if stop || is_due(step, trainer.counters.saved_at, trainer.config.checkpoint_every) {
            trainer.save(run)?;
            watcher.saved(step);
        }
        if stop {
            return Ok(if interrupted { Stop::Interrupted } else { Stop::Finished });
        }
        let gradient_step = trainer.round();
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
