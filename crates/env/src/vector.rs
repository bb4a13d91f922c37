//! Many environments stepped at once, over buffers that the caller owns.

use crate::{Autoreset, ConfigError, Element, Encoder, EnvConfig, Mask, Space};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Allowed, Cause, Event, Game, MakeFilter, MoveFilter, Position, Rules, Status, Unsupported};
use serde::{Deserialize, Serialize};

const ENVIRONMENT: Purpose = Purpose::new("environment");
const EPISODE: Purpose = Purpose::new("episode");
const STARTS: Purpose = Purpose::new("starts");
const FORK: Purpose = Purpose::new("fork");

/// What an environment answers to a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Signal {
    /// The episode goes on.
    #[default]
    Running,
    /// The game is over: what follows is worth nothing.
    Terminated(Termination),
    /// The episode is cut off, though the game would go on: what follows keeps its value.
    Truncated(Truncation),
}

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Termination {
    /// The body fills the board.
    Won,
    /// The snake left the board.
    Wall,
    /// The snake hit itself.
    Body,
}

/// Why an episode is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Truncation {
    /// It had as many steps as the time limit allows.
    TimeLimit,
    /// It had as many steps without food as the starvation limit allows.
    Starvation,
}

impl Signal {
    /// Whether the episode ended in this step.
    #[inline]
    pub fn ended(self) -> bool {
        self != Signal::Running
    }

    /// Whether the game is over.
    pub fn terminated(self) -> bool {
        matches!(self, Signal::Terminated(_))
    }

    /// Whether the episode was cut off.
    pub fn truncated(self) -> bool {
        matches!(self, Signal::Truncated(_))
    }
}

/// A finished episode.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpisodeStats {
    /// The undiscounted sum of rewards.
    pub reward: f64,
    /// The number of steps.
    pub steps: u32,
    /// The snake's length at the end, in cells.
    pub length: usize,
    /// How it ended.
    pub signal: Signal,
}

/// All of one environment's state, its future foods and episodes included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    game: Game,
    seed: u64,
    episode: u64,
    steps: u32,
    hunger: u32,
    reward: f64,
    ended: bool,
    last_episode: Option<EpisodeStats>,
    #[serde(default)]
    filter: Vec<u16>,
}

impl Snapshot {
    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }
}

/// The caller's buffers for one step of `n` environments; row i belongs to environment i.
#[derive(Debug)]
pub struct Batch<'a, T> {
    /// n x [`Space::len`] values; may be empty, then no observation is made.
    pub observations: &'a mut [T],
    /// The same for the last observations of episodes that end (same-step autoreset); other rows are left as they are.
    pub final_observations: &'a mut [T],
    /// n rewards.
    pub rewards: &'a mut [f32],
    /// n signals.
    pub signals: &'a mut [Signal],
    /// n x number of actions: whether the move filter allows an action; all true where no move is legal. May be empty.
    pub masks: &'a mut [bool],
    /// The same for the final observations.
    pub final_masks: &'a mut [bool],
}

impl<T> Batch<'_, T> {
    /// The same buffers for a shorter time.
    pub fn reborrow(&mut self) -> Batch<'_, T> {
        Batch {
            observations: self.observations,
            final_observations: self.final_observations,
            rewards: self.rewards,
            signals: self.signals,
            masks: self.masks,
            final_masks: self.final_masks,
        }
    }

    /// The first `n` rows and the rest.
    fn split(self, n: usize, of: usize) -> (Self, Self) {
        fn at<U>(slice: &mut [U], n: usize, of: usize) -> (&mut [U], &mut [U]) {
            let row = slice.len() / of;
            slice.split_at_mut(n * row)
        }
        let (observations, observations_rest) = at(self.observations, n, of);
        let (final_observations, final_observations_rest) = at(self.final_observations, n, of);
        let (rewards, rewards_rest) = at(self.rewards, n, of);
        let (signals, signals_rest) = at(self.signals, n, of);
        let (masks, masks_rest) = at(self.masks, n, of);
        let (final_masks, final_masks_rest) = at(self.final_masks, n, of);
        (
            Batch { observations, final_observations, rewards, signals, masks, final_masks },
            Batch {
                observations: observations_rest,
                final_observations: final_observations_rest,
                rewards: rewards_rest,
                signals: signals_rest,
                masks: masks_rest,
                final_masks: final_masks_rest,
            },
        )
    }
}

/// Buffers of the right sizes, for callers that have none of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffers<T> {
    /// See [`Batch::observations`].
    pub observations: Vec<T>,
    /// See [`Batch::final_observations`].
    pub final_observations: Vec<T>,
    /// See [`Batch::rewards`].
    pub rewards: Vec<f32>,
    /// See [`Batch::signals`].
    pub signals: Vec<Signal>,
    /// See [`Batch::masks`].
    pub masks: Vec<bool>,
    /// See [`Batch::final_masks`].
    pub final_masks: Vec<bool>,
}

impl<T: Element> Buffers<T> {
    /// Buffers for an environment.
    pub fn new(env: &VectorEnv) -> Buffers<T> {
        let (n, values, actions) = (env.num_envs(), env.space().len(), env.num_actions());
        Buffers {
            observations: vec![T::ZERO; n * values],
            final_observations: vec![T::ZERO; n * values],
            rewards: vec![0.0; n],
            signals: vec![Signal::Running; n],
            masks: vec![false; n * actions],
            final_masks: vec![false; n * actions],
        }
    }

    /// Lends all of them to one step.
    pub fn batch(&mut self) -> Batch<'_, T> {
        Batch {
            observations: &mut self.observations,
            final_observations: &mut self.final_observations,
            rewards: &mut self.rewards,
            signals: &mut self.signals,
            masks: &mut self.masks,
            final_masks: &mut self.final_masks,
        }
    }
}

/// Why an environment can't be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EnvError {
    /// The configuration is not valid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// There would be no environment.
    #[error("num_envs must be at least 1, got 0")]
    NoEnvs,
    /// There would be no thread.
    #[error("threads must be at least 1, got 0")]
    NoThreads,
    /// Nobody knows which moves are safe.
    #[error("mask \"safe\" needs a move filter, got none")]
    NoFilter,
    /// A state is of another filter.
    #[error(transparent)]
    Filter(#[from] Unsupported),
    /// A position is of other rules.
    #[error("the environment plays by {expected}, the position is of {got}")]
    OtherRules {
        /// The environment's rules.
        expected: Rules,
        /// The position's rules.
        got: Rules,
    },
    /// The share of given starts is out of range.
    #[error("the share of episodes from given positions must be in 0..=1, got {0}")]
    StartShare(f64),
    /// The threads could not be started.
    #[error("can't start {threads} threads: {reason}")]
    Threads {
        /// How many.
        threads: usize,
        /// Why not.
        reason: String,
    },
}

/// Why a step was refused; no environment has moved then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// A buffer is of the wrong length.
    #[error("{buffer} must have {expected} values, got {got}")]
    Buffer {
        /// The buffer's name.
        buffer: &'static str,
        /// Its right length.
        expected: usize,
        /// Its length.
        got: usize,
    },
    /// An action is out of range.
    #[error("the action of environment {env} must be in 0..{actions}, got {action}")]
    Action {
        /// The environment.
        env: usize,
        /// The action.
        action: u8,
        /// How many actions there are.
        actions: usize,
    },
    /// An ended environment must be reset first (autoreset disabled).
    #[error("the episode of environment {env} has ended: reset it before the next step")]
    NeedsReset {
        /// The environment.
        env: usize,
    },
}

/// Where episodes may begin beside the start of the rules.
#[derive(Clone, Debug, Default)]
struct Starts {
    positions: Vec<Position>,
    share: f64,
}

/// One environment.
struct Slot {
    state: Snapshot,
    /// `None`: all legal moves are allowed.
    filter: Option<Box<dyn MoveFilter>>,
    /// What it answered for the position at hand.
    allowed: Option<Allowed>,
}

/// Any number of environments of one configuration. What environment i does depends on (configuration, seed, i, its
/// actions) alone: not on how many environments there are, nor on threads.
pub struct VectorEnv {
    config: EnvConfig,
    space: Space,
    starts: Starts,
    slots: Vec<Slot>,
    /// One for each thread.
    encoders: Vec<Encoder>,
    pool: Option<rayon::ThreadPool>,
}

impl std::fmt::Debug for VectorEnv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VectorEnv").field("config", &self.config).field("num_envs", &self.slots.len()).finish()
    }
}

impl VectorEnv {
    /// `num_envs` environments, each at the start of its first episode; one thread; all legal moves are allowed. Environment i
    /// has its own seed, derived from (seed, i).
    ///
    /// # Errors
    /// When the configuration is not valid, its mask is not [`Mask::Legal`], or `num_envs` is 0.
    pub fn new(config: EnvConfig, num_envs: usize, seed: u64) -> Result<VectorEnv, EnvError> {
        if config.mask != Mask::Legal {
            return Err(EnvError::NoFilter);
        }
        VectorEnv::with_filters(config, num_envs, seed, None)
    }

    /// The same with a filter for each environment, whose moves are those allowed. From a start that it refuses, all legal
    /// moves are.
    ///
    /// # Errors
    /// When the configuration is not valid or `num_envs` is 0.
    pub fn filtered(config: EnvConfig, num_envs: usize, seed: u64, make: MakeFilter) -> Result<VectorEnv, EnvError> {
        VectorEnv::with_filters(config, num_envs, seed, Some(make))
    }

    fn with_filters(
        config: EnvConfig,
        num_envs: usize,
        seed: u64,
        make: Option<MakeFilter>,
    ) -> Result<VectorEnv, EnvError> {
        config.validate()?;
        if num_envs == 0 {
            return Err(EnvError::NoEnvs);
        }
        let slot = || Slot {
            state: Snapshot {
                game: Game::new(config.rules, 0),
                seed: 0,
                episode: 0,
                steps: 0,
                hunger: 0,
                reward: 0.0,
                ended: false,
                last_episode: None,
                filter: Vec::new(),
            },
            filter: make.map(|make| make()),
            allowed: None,
        };
        let encoder = Encoder::new(config.observation, config.rules.board());
        let mut env = VectorEnv {
            space: encoder.space(),
            starts: Starts::default(),
            slots: (0..num_envs).map(|_| slot()).collect(),
            encoders: vec![encoder],
            pool: None,
            config,
        };
        env.reseed(seed);
        Ok(env)
    }

    /// The same with steps shared among `threads` threads.
    ///
    /// # Errors
    /// When `threads` is 0 or they can't be started.
    pub fn with_threads(mut self, threads: usize) -> Result<VectorEnv, EnvError> {
        if threads == 0 {
            return Err(EnvError::NoThreads);
        }
        let pool = || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.map_err(|error| EnvError::Threads { threads, reason: error.to_string() })
        };
        self.pool = if threads == 1 { None } else { Some(pool()?) };
        let encoder = self.encoders[0].clone();
        self.encoders.resize(threads, encoder);
        Ok(self)
    }

    /// The same with a share of the episodes, in 0..=1, begun at one of these positions, each as likely. Begins anew.
    ///
    /// # Errors
    /// When the share is out of range or a position is of other rules.
    pub fn with_starts(mut self, positions: Vec<Position>, share: f64) -> Result<VectorEnv, EnvError> {
        if !(0.0..=1.0).contains(&share) {
            return Err(EnvError::StartShare(share));
        }
        positions.iter().try_for_each(|position| self.check_rules(position))?;
        self.starts = Starts { positions, share };
        let seeds: Vec<u64> = self.slots.iter().map(|slot| slot.state.seed).collect();
        self.reseed_each(&seeds);
        Ok(self)
    }

    /// The configuration.
    pub fn config(&self) -> &EnvConfig {
        &self.config
    }

    /// How many environments there are.
    pub fn num_envs(&self) -> usize {
        self.slots.len()
    }

    /// The shape of one observation.
    pub fn space(&self) -> Space {
        self.space
    }

    /// How many actions there are: 4 absolute, 3 relative.
    pub fn num_actions(&self) -> usize {
        self.config.action.count()
    }

    /// The position of an environment.
    pub fn position(&self, env: usize) -> &Position {
        self.slots[env].state.game.position()
    }

    /// The last finished episode of an environment.
    pub fn last_episode(&self, env: usize) -> Option<EpisodeStats> {
        self.slots[env].state.last_episode
    }

    /// The steps of the episode at hand of an environment.
    pub fn episode_steps(&self, env: usize) -> u32 {
        self.slots[env].state.steps
    }

    /// What is allowed in an environment.
    pub fn allowed(&mut self, env: usize) -> Allowed {
        self.slots[env].allowed()
    }

    /// The allowed moves as bits of actions; none where no move is legal.
    pub fn action_bits(&mut self, env: usize) -> u8 {
        self.config.action.bits(self.allowed(env).moves, self.position(env).heading())
    }

    /// Begins the first episode of every environment anew, under seeds derived from this one.
    pub fn reseed(&mut self, seed: u64) {
        let seeds: Vec<u64> = (0..self.slots.len()).map(|env| rng::derive(seed, ENVIRONMENT, env as u64)).collect();
        self.reseed_each(&seeds);
    }

    /// Begins the first episode of every environment anew, under a seed for each.
    ///
    /// # Panics
    /// When there are not as many seeds as environments.
    pub fn reseed_each(&mut self, seeds: &[u64]) {
        assert_eq!(seeds.len(), self.slots.len(), "one seed for each environment");
        for (slot, &seed) in self.slots.iter_mut().zip(seeds) {
            slot.state.seed = seed;
            slot.state.episode = 0;
            slot.state.last_episode = None;
            slot.begin_episode(&self.starts);
        }
    }

    /// Begins the next episode of every environment that has moved or ended, and observes them all.
    ///
    /// # Errors
    /// When a buffer is of the wrong length.
    pub fn reset<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError> {
        let all: Vec<bool> = self.slots.iter().map(|slot| slot.state.steps > 0 || slot.state.ended).collect();
        self.reset_where(&all, batch)
    }

    /// Begins the next episode of the environments whose entry is true, and observes them all.
    ///
    /// # Errors
    /// When a buffer is of the wrong length.
    pub fn reset_where<T: Element>(&mut self, which: &[bool], batch: &mut Batch<'_, T>) -> Result<(), StepError> {
        check_len("the reset mask", which.len(), self.slots.len())?;
        self.check_buffers(batch)?;
        for (slot, _) in self.slots.iter_mut().zip(which).filter(|(_, which)| **which) {
            slot.next_episode(&self.starts);
        }
        self.observe(batch)
    }

    /// Begins the next episode of an environment, without observing.
    pub fn restart(&mut self, env: usize) {
        self.slots[env].next_episode(&self.starts);
    }

    /// Begins the next episode of an environment at a position, without observing; its foods follow from the episode.
    ///
    /// # Errors
    /// When the position is of other rules.
    pub fn restart_from(&mut self, env: usize, position: Position) -> Result<(), EnvError> {
        self.check_rules(&position)?;
        let slot = &mut self.slots[env];
        slot.state.episode += 1;
        slot.begin_from(position);
        Ok(())
    }

    /// Writes observations and masks of all environments as they stand.
    ///
    /// # Errors
    /// When a buffer is of the wrong length.
    pub fn observe<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError> {
        self.check_buffers(batch)?;
        let mut rows = Rows::new(batch, self.slots.len());
        for (env, slot) in self.slots.iter_mut().enumerate() {
            rows.observe(env, slot, &self.config, &mut self.encoders[0]);
        }
        Ok(())
    }

    /// Steps every environment and observes it.
    ///
    /// # Errors
    /// When an action or a buffer is not as it must be; no environment has moved then.
    pub fn step<T: Element>(&mut self, actions: &[u8], batch: &mut Batch<'_, T>) -> Result<(), StepError> {
        let n = self.slots.len();
        check_len("actions", actions.len(), n)?;
        self.check_buffers(batch)?;
        let count = self.num_actions();
        if let Some(env) = actions.iter().position(|&action| usize::from(action) >= count) {
            return Err(StepError::Action { env, action: actions[env], actions: count });
        }
        if self.config.autoreset == Autoreset::Disabled
            && let Some(env) = self.slots.iter().position(|slot| slot.state.ended)
        {
            return Err(StepError::NeedsReset { env });
        }
        let part = Part { slots: &mut self.slots, encoders: &mut self.encoders, actions, batch: batch.reborrow() };
        match &self.pool {
            None => part.step(&self.config, &self.starts),
            Some(pool) => pool.install(|| part.step(&self.config, &self.starts)),
        }
        Ok(())
    }

    /// All of an environment's state.
    pub fn snapshot(&self, env: usize) -> Snapshot {
        let Slot { state, filter, .. } = &self.slots[env];
        let filter = filter.as_ref().map_or_else(Vec::new, |filter| filter.state());
        Snapshot { filter, ..state.clone() }
    }

    /// Puts an environment into a state, its future included.
    ///
    /// # Errors
    /// When the state is of other rules or of another filter.
    pub fn restore(&mut self, env: usize, snapshot: &Snapshot) -> Result<(), EnvError> {
        self.check_rules(snapshot.game.position())?;
        let slot = &mut self.slots[env];
        slot.state.clone_from(snapshot);
        slot.allowed = None;
        let state = std::mem::take(&mut slot.state.filter);
        if let Some(filter) = &mut slot.filter {
            filter.restore(slot.state.game.position(), &state)?;
        }
        Ok(())
    }

    /// Copies one environment's game and counters into others. With `reseed` copy k has a future of its own, drawn from
    /// (reseed, k): a planner must not see the foods to come. Without, all have the same future.
    pub fn fork(&mut self, from: usize, to: &[usize], reseed: Option<u64>) {
        let source = self.snapshot(from);
        for (copy, &env) in to.iter().enumerate() {
            let mut snapshot = source.clone();
            if let Some(reseed) = reseed {
                snapshot.seed = rng::derive(reseed, FORK, copy as u64);
                snapshot.game.reseed(rng::derive(snapshot.seed, FORK, 0));
            }
            self.restore(env, &snapshot).expect("all environments are of the same rules and filters");
        }
    }

    fn check_rules(&self, position: &Position) -> Result<(), EnvError> {
        let (expected, got) = (self.config.rules, position.rules());
        if expected == got { Ok(()) } else { Err(EnvError::OtherRules { expected, got }) }
    }

    fn check_buffers<T>(&self, batch: &Batch<'_, T>) -> Result<(), StepError> {
        let n = self.slots.len();
        check_len("rewards", batch.rewards.len(), n)?;
        check_len("signals", batch.signals.len(), n)?;
        let optional = |name, got, expected| if got == 0 { Ok(()) } else { check_len(name, got, expected) };
        optional("observations", batch.observations.len(), n * self.space.len())?;
        optional("final_observations", batch.final_observations.len(), n * self.space.len())?;
        optional("masks", batch.masks.len(), n * self.num_actions())?;
        optional("final_masks", batch.final_masks.len(), n * self.num_actions())
    }
}

fn check_len(buffer: &'static str, got: usize, expected: usize) -> Result<(), StepError> {
    if got == expected { Ok(()) } else { Err(StepError::Buffer { buffer, expected, got }) }
}

/// What one thread steps.
struct Part<'a, T> {
    slots: &'a mut [Slot],
    encoders: &'a mut [Encoder],
    actions: &'a [u8],
    batch: Batch<'a, T>,
}

impl<T: Element> Part<'_, T> {
    /// Halves the work until a part has one encoder.
    fn step(self, config: &EnvConfig, starts: &Starts) {
        let (n, threads) = (self.slots.len(), self.encoders.len());
        if threads == 1 || n < 2 {
            return self.step_alone(config, starts);
        }
        let half = n * (threads / 2) / threads;
        let (slots, slots_rest) = self.slots.split_at_mut(half);
        let (encoders, encoders_rest) = self.encoders.split_at_mut(threads / 2);
        let (actions, actions_rest) = self.actions.split_at(half);
        let (batch, batch_rest) = self.batch.split(half, n);
        let first = Part { slots, encoders, actions, batch };
        let rest = Part { slots: slots_rest, encoders: encoders_rest, actions: actions_rest, batch: batch_rest };
        rayon::join(|| first.step(config, starts), || rest.step(config, starts));
    }

    fn step_alone(mut self, config: &EnvConfig, starts: &Starts) {
        let encoder = &mut self.encoders[0];
        let mut rows = Rows::new(&mut self.batch, self.slots.len());
        for (env, (slot, &action)) in self.slots.iter_mut().zip(self.actions).enumerate() {
            if slot.state.ended {
                // Next-step autoreset: `step` refuses ended environments where autoreset is disabled.
                slot.next_episode(starts);
                rows.batch.rewards[env] = 0.0;
                rows.batch.signals[env] = Signal::Running;
            } else {
                let (reward, signal) = slot.step(config, action);
                rows.batch.rewards[env] = reward;
                rows.batch.signals[env] = signal;
                if signal.ended() && config.autoreset == Autoreset::SameStep {
                    rows.observe_final(env, slot, config, encoder);
                    slot.next_episode(starts);
                }
            }
            rows.observe(env, slot, config, encoder);
        }
    }
}

impl Slot {
    fn next_episode(&mut self, starts: &Starts) {
        self.state.episode += 1;
        self.begin_episode(starts);
    }

    fn begin_episode(&mut self, starts: &Starts) {
        let Snapshot { seed, episode, .. } = self.state;
        if !starts.positions.is_empty() {
            let mut draws = rng::keyed(seed, STARTS, episode);
            const ONE: u64 = 1 << 53;
            if (rng::below(&mut draws, ONE) as f64) < starts.share * ONE as f64 {
                let index = rng::below(&mut draws, starts.positions.len() as u64) as usize;
                return self.begin_from(starts.positions[index].clone());
            }
        }
        self.state.game.restart(rng::derive(seed, EPISODE, episode));
        self.begin_counters();
    }

    fn begin_from(&mut self, position: Position) {
        let seed = rng::derive(self.state.seed, EPISODE, self.state.episode);
        self.state.game = Game::from_position(position, seed);
        self.begin_counters();
    }

    fn begin_counters(&mut self) {
        self.state.steps = 0;
        self.state.hunger = 0;
        self.state.reward = 0.0;
        self.state.ended = self.state.game.position().status() != Status::Ongoing;
        self.allowed = None;
        if let Some(filter) = &mut self.filter {
            // After a refusal it allows all legal moves.
            let _ = filter.reset(self.state.game.position());
        }
    }

    #[inline]
    fn allowed(&mut self) -> Allowed {
        let position = self.state.game.position();
        match &mut self.filter {
            Some(filter) => *self.allowed.get_or_insert_with(|| filter.allowed(position)),
            None => position.legal_moves().into(),
        }
    }

    #[inline]
    fn step(&mut self, config: &EnvConfig, action: u8) -> (f32, Signal) {
        if self.filter.is_some() {
            self.allowed();
            self.allowed = None;
        }
        let state = &mut self.state;
        let direction = config.action.direction(action, state.game.position().heading());
        let potential = config.reward.potential(state.game.position());
        let event = state.game.step(direction);
        if let Some(filter) = &mut self.filter {
            filter.commit(direction);
        }
        let reward = config.reward.of(potential, event, state.game.position());
        state.steps += 1;
        state.hunger = if event == Event::Ate { 0 } else { state.hunger + 1 };
        state.reward += f64::from(reward);
        let signal = match event {
            Event::Won => Signal::Terminated(Termination::Won),
            Event::Lost(Cause::Wall) => Signal::Terminated(Termination::Wall),
            Event::Lost(Cause::Body) => Signal::Terminated(Termination::Body),
            _ if config.time_limit.is_some_and(|limit| state.steps >= limit) => {
                Signal::Truncated(Truncation::TimeLimit)
            }
            _ if config.starvation.is_some_and(|limit| state.hunger >= limit) => {
                Signal::Truncated(Truncation::Starvation)
            }
            _ => Signal::Running,
        };
        if signal.ended() {
            state.ended = true;
            state.last_episode = Some(EpisodeStats {
                reward: state.reward,
                steps: state.steps,
                length: state.game.position().len(),
                signal,
            });
        }
        (reward, signal)
    }
}

/// The rows of a batch.
struct Rows<'a, 'b, T> {
    batch: &'a mut Batch<'b, T>,
    values: usize,
    actions: usize,
    final_values: usize,
    final_actions: usize,
}

impl<'a, 'b, T: Element> Rows<'a, 'b, T> {
    fn new(batch: &'a mut Batch<'b, T>, n: usize) -> Rows<'a, 'b, T> {
        Rows {
            values: batch.observations.len() / n,
            actions: batch.masks.len() / n,
            final_values: batch.final_observations.len() / n,
            final_actions: batch.final_masks.len() / n,
            batch,
        }
    }

    fn observe(&mut self, env: usize, slot: &mut Slot, config: &EnvConfig, encoder: &mut Encoder) {
        let observation = row(self.batch.observations, env, self.values);
        let mask = row(self.batch.masks, env, self.actions);
        observe(slot, config, encoder, observation, mask);
    }

    fn observe_final(&mut self, env: usize, slot: &mut Slot, config: &EnvConfig, encoder: &mut Encoder) {
        let observation = row(self.batch.final_observations, env, self.final_values);
        let mask = row(self.batch.final_masks, env, self.final_actions);
        observe(slot, config, encoder, observation, mask);
    }
}

#[inline]
fn row<U>(buffer: &mut [U], index: usize, len: usize) -> &mut [U] {
    &mut buffer[index * len..][..len]
}

#[inline]
fn observe<T: Element>(
    slot: &mut Slot,
    config: &EnvConfig,
    encoder: &mut Encoder,
    observation: &mut [T],
    mask: &mut [bool],
) {
    if mask.is_empty() && observation.is_empty() {
        return;
    }
    let allowed = slot.allowed().moves;
    let position = slot.state.game.position();
    if !mask.is_empty() {
        let bits = match config.action.bits(allowed, position.heading()) {
            0 => config.action.all_bits(),
            bits => bits,
        };
        for (action, allowed) in mask.iter_mut().enumerate() {
            *allowed = bits >> action & 1 == 1;
        }
    }
    if !observation.is_empty() {
        encoder.encode(position, allowed, observation);
    }
}
