//! Many environments stepped at once, over buffers that the caller owns.

use crate::play::Whole;
use crate::slot::{Alike, Fleet, Job, Starts};
use crate::{
    Autoreset, Batch, ConfigError, Element, Encoder, EnvConfig, EpisodeStats, Mask, Observation, Snapshot, Space,
};
use hognose_game::rng::{self, Purpose};
use hognose_game::{
    Allowed, Direction, LeanGame, LeanRules, MakeFilter, MoveFilter, Position, Rules, Status, Unsupported,
};
use std::borrow::Cow;

const ENVIRONMENT: Purpose = Purpose::new("environment");
const FORK: Purpose = Purpose::new("fork");

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
    /// A state is of another filter, or of another position.
    #[error(transparent)]
    Filter(#[from] Unsupported),
    /// The filter does not know of a safe move from a start.
    #[error("mask \"safe\" can't be kept from the start {start}: {refusal}")]
    Unsafe {
        /// The head's cell, the heading and the length.
        start: String,
        /// What the filter says.
        refusal: Unsupported,
    },
    /// An episode can't begin where the game is over.
    #[error("an episode must begin at a game that goes on, got one that is {0}")]
    Finished(Status),
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

/// Any number of environments of one configuration. What environment i does depends on (configuration, seed, i, its
/// actions) alone: not on how many environments there are, nor on threads.
pub struct VectorEnv {
    config: EnvConfig,
    space: Space,
    starts: Starts,
    /// Tells whether an episode may begin at a position; it follows none.
    filter: Option<Box<dyn MoveFilter>>,
    fleet: Box<dyn Fleet>,
    /// One for each thread.
    encoders: Vec<Encoder>,
    pool: Option<rayon::ThreadPool>,
}

impl std::fmt::Debug for VectorEnv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VectorEnv").field("config", &self.config).field("num_envs", &self.fleet.len()).finish()
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

    /// Environments with a filter each, whose moves are those allowed; else as [`new`](Self::new).
    ///
    /// # Errors
    /// When the configuration is not valid, `num_envs` is 0, or the filter refuses a start of the rules.
    pub fn filtered(config: EnvConfig, num_envs: usize, seed: u64, make: MakeFilter) -> Result<VectorEnv, EnvError> {
        VectorEnv::with_filters(config, num_envs, seed, Some(&make))
    }

    fn with_filters(
        config: EnvConfig,
        num_envs: usize,
        seed: u64,
        make: Option<&MakeFilter>,
    ) -> Result<VectorEnv, EnvError> {
        config.validate()?;
        if num_envs == 0 {
            return Err(EnvError::NoEnvs);
        }
        let encoder = Encoder::new(config.observation, config.rules.board());
        let mut env = VectorEnv {
            space: encoder.space(),
            starts: Starts::default(),
            filter: make.map(|make| make()),
            fleet: fleet(&config, num_envs, make),
            encoders: vec![encoder],
            pool: None,
            config,
        };
        if env.filter.is_some() {
            env.config.rules.starts().try_for_each(|start| env.check_start(&start))?;
        }
        env.reseed(seed);
        Ok(env)
    }

    /// Shares the steps of these environments among `threads` threads.
    ///
    /// # Errors
    /// When `threads` is 0 or they can't be started.
    pub fn with_threads(mut self, threads: usize) -> Result<VectorEnv, EnvError> {
        if threads == 0 {
            return Err(EnvError::NoThreads);
        }
        let pool = || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads - 1).build();
            pool.map_err(|error| EnvError::Threads { threads, reason: error.to_string() })
        };
        self.pool = if threads == 1 { None } else { Some(pool()?) };
        let encoder = self.encoders[0].clone();
        self.encoders.resize(threads, encoder);
        Ok(self)
    }

    /// Begins a share of the episodes, in 0..=1, at one of these positions, each as likely. All environments begin anew.
    ///
    /// # Errors
    /// When the share is out of range, or a position is of other rules, finished, or refused by the filter.
    pub fn with_starts(mut self, positions: Vec<Position>, share: f64) -> Result<VectorEnv, EnvError> {
        if !(0.0..=1.0).contains(&share) {
            return Err(EnvError::StartShare(share));
        }
        positions.iter().try_for_each(|position| self.check_start(position))?;
        self.starts = Starts { positions, share };
        let seeds: Vec<u64> = (0..self.num_envs()).map(|env| self.fleet.story(env).seed).collect();
        self.reseed_each(&seeds);
        Ok(self)
    }

    /// The configuration.
    pub fn config(&self) -> &EnvConfig {
        &self.config
    }

    /// How many environments there are.
    pub fn num_envs(&self) -> usize {
        self.fleet.len()
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
    pub fn position(&self, env: usize) -> Cow<'_, Position> {
        match self.fleet.game(env) {
            Cow::Borrowed(game) => Cow::Borrowed(game.position()),
            Cow::Owned(game) => Cow::Owned(game.position().clone()),
        }
    }

    /// The last finished episode of an environment.
    pub fn last_episode(&self, env: usize) -> Option<EpisodeStats> {
        self.fleet.story(env).last_episode
    }

    /// The steps of the episode at hand of an environment.
    pub fn episode_steps(&self, env: usize) -> u32 {
        self.fleet.steps(env)
    }

    /// Whether an environment has left the start of its episode: it has moved or ended.
    pub fn has_moved(&self, env: usize) -> bool {
        self.fleet.steps(env) > 0 || self.fleet.ended(env)
    }

    /// The heading of an environment's snake.
    pub fn heading(&self, env: usize) -> Direction {
        self.fleet.heading(env)
    }

    /// Whether the episode at hand of an environment has ended: it waits to be reset.
    pub fn has_ended(&self, env: usize) -> bool {
        self.fleet.ended(env)
    }

    /// What is allowed in an environment.
    pub fn allowed(&mut self, env: usize) -> Allowed {
        self.fleet.allowed(env)
    }

    /// The allowed moves as bits of actions; none where no move is legal.
    pub fn action_bits(&mut self, env: usize) -> u8 {
        self.config.action.bits(self.allowed(env).moves, self.heading(env))
    }

    /// The seed that an environment gets from the one seed of them all.
    pub fn seed_of(seed: u64, env: usize) -> u64 {
        rng::derive(seed, ENVIRONMENT, env as u64)
    }

    /// Begins the first episode of every environment anew, under seeds derived from this one ([`seed_of`](Self::seed_of)).
    pub fn reseed(&mut self, seed: u64) {
        (0..self.num_envs()).for_each(|env| self.reseed_one(env, VectorEnv::seed_of(seed, env)));
    }

    /// Begins the first episode of one environment anew, under its own seed.
    pub fn reseed_one(&mut self, env: usize, seed: u64) {
        self.fleet.reseed(env, seed, &self.starts);
    }

    /// Begins the first episode of every environment anew, under a seed for each.
    ///
    /// # Panics
    /// When there are not as many seeds as environments.
    pub fn reseed_each(&mut self, seeds: &[u64]) {
        assert_eq!(seeds.len(), self.num_envs(), "one seed for each environment");
        seeds.iter().enumerate().for_each(|(env, &seed)| self.reseed_one(env, seed));
    }

    /// Begins the next episode of every environment that has moved or ended, and observes them all.
    ///
    /// # Errors
    /// When a buffer is of the wrong length.
    pub fn reset<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError> {
        let which: Vec<bool> = (0..self.num_envs()).map(|env| self.has_moved(env)).collect();
        self.reset_where(&which, batch)
    }

    /// Begins the next episode of the environments whose entry is true, and observes them all.
    ///
    /// # Errors
    /// When a buffer is of the wrong length.
    pub fn reset_where<T: Element>(&mut self, which: &[bool], batch: &mut Batch<'_, T>) -> Result<(), StepError> {
        check_len("the reset mask", which.len(), self.num_envs())?;
        self.check_buffers(batch)?;
        for (env, _) in which.iter().enumerate().filter(|(_, which)| **which) {
            self.fleet.next_episode(env, &self.starts);
        }
        self.observe(batch)
    }

    /// Begins the next episode of an environment, without observing.
    pub fn restart(&mut self, env: usize) {
        self.fleet.next_episode(env, &self.starts);
    }

    /// Begins the next episode of an environment at a position, without observing; its foods follow from the episode.
    ///
    /// # Errors
    /// When the position is of other rules, finished, or refused by the filter.
    pub fn restart_from(&mut self, env: usize, position: Position) -> Result<(), EnvError> {
        self.check_start(&position)?;
        self.fleet.next_episode_from(env, &position);
        Ok(())
    }

    /// Writes observations and masks of all environments as they stand.
    ///
    /// # Errors
    /// When a buffer is of the wrong length.
    pub fn observe<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError> {
        self.check_buffers(batch)?;
        self.fleet.observe(&self.config, &mut self.encoders[0], T::any(batch.reborrow()));
        Ok(())
    }

    /// Steps every environment and observes it.
    ///
    /// # Errors
    /// When an action or a buffer is not as it must be; no environment has moved then.
    pub fn step<T: Element>(&mut self, actions: &[u8], batch: &mut Batch<'_, T>) -> Result<(), StepError> {
        check_len("actions", actions.len(), self.num_envs())?;
        self.check_buffers(batch)?;
        let count = self.num_actions();
        let greatest = actions.iter().fold(0, |greatest, &action| action.max(greatest));
        if usize::from(greatest) >= count {
            let env = actions.iter().position(|&action| usize::from(action) >= count).expect("the greatest is one");
            return Err(StepError::Action { env, action: actions[env], actions: count });
        }
        if self.config.autoreset == Autoreset::Disabled
            && let Some(env) = (0..self.num_envs()).find(|&env| self.fleet.ended(env))
        {
            return Err(StepError::NeedsReset { env });
        }
        let job = Job { config: &self.config, starts: &self.starts, pool: self.pool.as_ref() };
        self.fleet.step(&job, &mut self.encoders, actions, T::any(batch.reborrow()));
        Ok(())
    }

    /// All of an environment's state.
    pub fn snapshot(&self, env: usize) -> Snapshot {
        self.fleet.snapshot(env)
    }

    /// Puts an environment into a state, its future included.
    ///
    /// # Errors
    /// When the state is of other rules or of another filter; the environment is then as it was.
    pub fn restore(&mut self, env: usize, snapshot: &Snapshot) -> Result<(), EnvError> {
        self.check_rules(snapshot.game.position())?;
        Ok(self.fleet.restore(env, snapshot)?)
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

    /// Whether an episode may begin at a position.
    fn check_start(&mut self, position: &Position) -> Result<(), EnvError> {
        self.check_rules(position)?;
        if position.status() != Status::Ongoing {
            return Err(EnvError::Finished(position.status()));
        }
        let Some(Err(refusal)) = self.filter.as_mut().map(|filter| filter.reset(position)) else { return Ok(()) };
        let (board, head) = (position.board(), position.head());
        let (column, row, heading) = (board.column(head), board.row(head), position.heading());
        let start = format!("column {column} row {row} heading {heading} length {}", position.len());
        Err(EnvError::Unsafe { start, refusal })
    }

    fn check_rules(&self, position: &Position) -> Result<(), EnvError> {
        let (expected, got) = (self.config.rules, position.rules());
        if expected == got { Ok(()) } else { Err(EnvError::OtherRules { expected, got }) }
    }

    fn check_buffers<T>(&self, batch: &Batch<'_, T>) -> Result<(), StepError> {
        let n = self.num_envs();
        check_len("rewards", batch.rewards.len(), n)?;
        check_len("signals", batch.signals.len(), n)?;
        let optional = |name, got, expected| if got == 0 { Ok(()) } else { check_len(name, got, expected) };
        optional("observations", batch.observations.len(), n * self.space.len())?;
        optional("final_observations", batch.final_observations.len(), n * self.space.len())?;
        optional("masks", batch.masks.len(), n * self.num_actions())?;
        optional("final_masks", batch.final_masks.len(), n * self.num_actions())
    }
}

/// Lean games where nothing asks for a position, in the least size that the board fits in.
fn fleet(config: &EnvConfig, n: usize, make: Option<&MakeFilter>) -> Box<dyn Fleet> {
    fn lean<const N: usize>(config: &EnvConfig, n: usize) -> Box<dyn Fleet> {
        Box::new(Alike::new(config, LeanRules::<N>::new(config.rules), n, |shared| LeanGame::new(shared, 0)))
    }
    let seen = matches!(config.observation, Observation::Planes | Observation::Window);
    let whole = || Box::new(Alike::new(config, (), n, |()| Whole::new(config.rules, make.map(|make| make()))));
    if make.is_some() || !seen {
        return whole();
    }
    match config.rules.board().area() {
        0..64 => lean::<64>(config, n),
        64..256 => lean::<256>(config, n),
        256..1024 => lean::<1024>(config, n),
        1024..4096 => lean::<4096>(config, n),
        4096..16384 => lean::<16384>(config, n),
        _ => whole(),
    }
}

fn check_len(buffer: &'static str, got: usize, expected: usize) -> Result<(), StepError> {
    if got == expected { Ok(()) } else { Err(StepError::Buffer { buffer, expected, got }) }
}
