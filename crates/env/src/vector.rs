//! Vectorized environments that write into the caller's buffers.

use crate::element::sealed::AnyBatch;
use crate::env_game::{EnvGame, WholeGame};
use crate::share::Workers;
use crate::snake::{MakeReward, Setup, SnakeEnv, State};
use crate::vectorized::{Env, Vectorized};
use crate::{
    Batch, Buffers, ConfigError, Element, Encoder, EnvConfig, EnvError, EpisodeStats, Mask, Reward,
    RewardFunction, Snapshot, Space, StepError,
};
use hognose_game::rng::{self, Purpose};
use hognose_game::{
    Allowed, Direction, Game, LeanGame, LeanRules, LegalMoves, MakeFilter, MoveFilter, Position,
    Rules, Sight, Status, Unsupported,
};
use std::borrow::Cow;
use std::sync::Arc;

const ENVIRONMENT: Purpose = Purpose::new("environment");
const FORK: Purpose = Purpose::new("fork");

/// Any number of environments with one configuration, stepped together. Methods that take the index
/// of an environment panic if it is out of range. Environment i depends only on (configuration,
/// seed, i, its actions), not on the number of environments or threads.
///
/// ```
/// use hognose_env::{Buffers, EnvConfig, VectorEnv};
/// use hognose_game::{Board, Rules};
///
/// let mut env = VectorEnv::new(EnvConfig::new(Rules::new(Board::new(6, 6)?)), 2, 0)?;
/// let mut buffers = Buffers::<u8>::new(&env);
/// env.reset(&mut buffers.batch())?;
/// // Both snakes go straight on.
/// env.step(&[1, 1], &mut buffers.batch())?;
/// assert_eq!(buffers.rewards.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct VectorEnv {
    environments: Box<dyn Environments>,
    make_filter: Option<MakeFilter>,
    /// Checks whether an episode may begin at a position; it follows no game.
    probe: Option<Box<dyn MoveFilter>>,
    workers: Workers,
}

impl std::fmt::Debug for VectorEnv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VectorEnv")
            .field("config", self.config())
            .field("num_envs", &self.num_envs())
            .finish()
    }
}

impl VectorEnv {
    /// Creates `num_envs` environments, each at the start of its first episode, with one thread;
    /// all legal moves are allowed. Environment i has its own seed, derived from (seed, i).
    ///
    /// # Errors
    /// Fails if the configuration is invalid, its mask is not [`Mask::Legal`], or `num_envs` is 0.
    pub fn new(config: EnvConfig, num_envs: usize, seed: u64) -> Result<VectorEnv, EnvError> {
        if config.mask != Mask::Legal {
            return Err(EnvError::NoFilter);
        }
        VectorEnv::with_filters(config, num_envs, seed, None)
    }

    /// Creates `num_envs` environments, each with a filter that limits the allowed moves; otherwise
    /// like [`new`](Self::new).
    ///
    /// # Errors
    /// Fails if the configuration is invalid, `num_envs` is 0, or the filter rejects a start of the
    /// rules.
    pub fn filtered(
        config: EnvConfig,
        num_envs: usize,
        seed: u64,
        make: MakeFilter,
    ) -> Result<VectorEnv, EnvError> {
        VectorEnv::with_filters(config, num_envs, seed, Some(make))
    }

    fn with_filters(
        config: EnvConfig,
        num_envs: usize,
        seed: u64,
        make_filter: Option<MakeFilter>,
    ) -> Result<VectorEnv, EnvError> {
        let setup = Setup::new(config)?;
        if num_envs == 0 {
            return Err(EnvError::NoEnvs);
        }
        let mut probe = make_filter.as_ref().map(|make| make());
        check_starts(&setup, &mut probe)?;
        let workers = Workers::one(encoders(&setup));
        let make_reward: MakeReward<Reward> = Arc::new(Arc::new);
        let mut env = VectorEnv {
            environments: environments(setup, num_envs, make_filter.as_ref(), make_reward),
            probe,
            make_filter,
            workers,
        };
        env.reseed(seed);
        Ok(env)
    }

    /// Uses `threads` threads for steps.
    ///
    /// # Errors
    /// Fails if `threads` is 0 or more than 256, or threads can't be started.
    pub fn with_threads(mut self, threads: usize) -> Result<VectorEnv, EnvError> {
        self.workers = self.workers.with_threads(threads)?;
        Ok(self)
    }

    /// Lets a share of episodes, in 0..=1, begin at one of these positions, all equally likely,
    /// instead of at [`EnvConfig::starts`]; if there are no positions, all episodes begin as in the
    /// rules. Restarts all environments.
    ///
    /// # Errors
    /// Fails if the share is not in 0..=1, or a position has other rules, is finished, or is
    /// rejected by the filter.
    pub fn with_starts(
        mut self,
        positions: Vec<Position>,
        share: f64,
    ) -> Result<VectorEnv, EnvError> {
        self.set_starts(positions, share)?;
        for env in 0..self.num_envs() {
            self.reseed_one(env, self.environments.progress(env).seed);
        }
        Ok(self)
    }

    /// Lets a share of the next episodes begin at one of these positions, like
    /// [`with_starts`](Self::with_starts), without restarting the environments.
    ///
    /// # Errors
    /// Like [`with_starts`](Self::with_starts); nothing has changed then.
    pub fn set_starts(&mut self, positions: Vec<Position>, share: f64) -> Result<(), EnvError> {
        if !(0.0..=1.0).contains(&share) {
            return Err(ConfigError::StartShare(share).into());
        }
        positions
            .iter()
            .try_for_each(|position| self.check_start(position))?;
        let setup = self.environments.setup_mut();
        (setup.starts, setup.start_share) = (positions, share);
        Ok(())
    }

    /// Changes the configuration between episodes: the current episodes end under the rules, limits
    /// and rewards under which they began, and the next ones follow the new configuration, including
    /// its [`starts`](EnvConfig::starts). A custom reward stays.
    ///
    /// ```
    /// use hognose_env::{EnvConfig, Observation, VectorEnv};
    /// use hognose_game::Rules;
    ///
    /// let small = EnvConfig {
    ///     observation: Observation::Centered,
    ///     ..EnvConfig::new(Rules::new("6x6".parse()?))
    /// };
    /// let large = EnvConfig {
    ///     observation: Observation::Centered,
    ///     ..EnvConfig::new(Rules::new("10x10".parse()?))
    /// };
    /// let mut env = VectorEnv::new(small, 8, 0)?;
    /// env.configure(large)?;
    /// assert_eq!(env.position(0).board().to_string(), "6x6");
    /// env.restart(0);
    /// assert_eq!(env.position(0).board().to_string(), "10x10");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the configuration is invalid, its observations have another shape, or the kind of
    /// observation, the actions, the mask or the autoreset mode differs; nothing has changed then.
    pub fn configure(&mut self, config: EnvConfig) -> Result<(), EnvError> {
        let setup = Setup::new(config)?;
        let fixed = |config: &EnvConfig, rules: &[Rules]| {
            let planes = config.observation.space(rules[0].board()).planes;
            [
                (
                    "observation",
                    format!("{:?} of {planes:?}", config.observation),
                ),
                ("actions", format!("{:?}", config.action)),
                ("mask", format!("{:?}", config.mask)),
                ("autoreset mode", format!("{:?}", config.autoreset)),
            ]
        };
        EnvError::check_fixed(
            fixed(self.config(), self.rules()),
            fixed(&setup.config, &setup.rules),
        )?;
        check_starts(&setup, &mut self.probe)?;
        self.set_up(setup);
        Ok(())
    }

    /// Replaces what the environments share. Their episodes go on, on boards that this adds to the
    /// setup if they are missing.
    fn set_up(&mut self, mut setup: Setup) {
        let snapshots: Vec<Snapshot> = (0..self.num_envs())
            .map(|env| self.environments.snapshot(env))
            .collect();
        for snapshot in &snapshots {
            let terms = snapshot.terms.expect("environments give their terms");
            setup.admit(snapshot.game.position().rules(), terms);
        }
        self.workers.encode_with(&encoders(&setup));
        self.environments = self.environments.rebuilt(setup, self.make_filter.as_ref());
        for (env, snapshot) in snapshots.iter().enumerate() {
            self.environments
                .restore(env, snapshot)
                .expect("its filter and rules are the same");
        }
    }

    /// Uses a custom reward instead of [`EnvConfig::reward`], which [`config`](Self::config) still
    /// returns. Restarts all environments.
    #[must_use]
    pub fn with_reward(mut self, reward: impl RewardFunction) -> VectorEnv {
        let setup = self.environments.setup().clone();
        let reward = Arc::new(reward);
        let make_reward: MakeReward<_> = Arc::new(move |_| Arc::clone(&reward));
        let filter = self.make_filter.as_ref();
        let made = environments(setup, self.num_envs(), filter, make_reward);
        let before = std::mem::replace(&mut self.environments, made);
        for env in 0..self.num_envs() {
            self.reseed_one(env, before.progress(env).seed);
        }
        self
    }

    /// Returns the configuration.
    pub fn config(&self) -> &EnvConfig {
        &self.environments.setup().config
    }

    /// Returns the rules on each board that episodes use: the configured rules, or one entry for
    /// each board that episodes draw.
    pub fn rules(&self) -> &[Rules] {
        &self.environments.setup().rules
    }

    /// Returns the number of environments.
    pub fn num_envs(&self) -> usize {
        self.environments.len()
    }

    /// Returns the shape of one observation.
    pub fn space(&self) -> Space {
        self.config().observation.space(self.rules()[0].board())
    }

    /// Returns the number of actions: 4 absolute or 3 relative.
    pub fn num_actions(&self) -> usize {
        self.config().action.count()
    }

    /// Returns the position of an environment: borrowed if there is a filter, else a copy, which
    /// allocates.
    pub fn position(&self, env: usize) -> Cow<'_, Position> {
        match self.environments.game(env) {
            Cow::Borrowed(game) => Cow::Borrowed(game.position()),
            Cow::Owned(game) => Cow::Owned(game.into_position()),
        }
    }

    /// Returns the last finished episode of an environment.
    pub fn last_episode(&self, env: usize) -> Option<EpisodeStats> {
        self.environments.progress(env).last_episode
    }

    /// Returns the number of steps of an environment's current episode.
    pub fn episode_steps(&self, env: usize) -> u32 {
        self.environments.progress(env).steps
    }

    /// Returns whether an environment has left the start of its episode.
    pub fn has_moved(&self, env: usize) -> bool {
        let progress = self.environments.progress(env);
        progress.steps > 0 || progress.ended
    }

    /// Returns the heading of an environment's snake.
    pub fn heading(&self, env: usize) -> Direction {
        self.environments.progress(env).heading
    }

    /// Returns whether an environment's current episode has ended.
    pub fn has_ended(&self, env: usize) -> bool {
        self.environments.progress(env).ended
    }

    /// Returns the allowed moves of an environment.
    pub fn allowed(&mut self, env: usize) -> Allowed {
        self.environments.allowed(env)
    }

    /// Returns the allowed moves as action bits; 0 if no move is legal.
    pub fn action_bits(&mut self, env: usize) -> u8 {
        self.config()
            .action
            .bits(self.allowed(env).moves, self.heading(env))
    }

    /// Returns the seed of one environment, derived from the seed of all.
    pub fn seed_of(seed: u64, env: usize) -> u64 {
        rng::derive(seed, ENVIRONMENT, env as u64)
    }

    /// Restarts every environment at its first episode, with seeds derived from `seed`
    /// ([`seed_of`](Self::seed_of)).
    pub fn reseed(&mut self, seed: u64) {
        (0..self.num_envs()).for_each(|env| self.reseed_one(env, VectorEnv::seed_of(seed, env)));
    }

    /// Restarts one environment at its first episode, with its own seed.
    pub fn reseed_one(&mut self, env: usize, seed: u64) {
        self.environments.reseed(env, seed);
    }

    /// Starts the next episode of every environment that has moved or ended, and observes all
    /// environments.
    ///
    /// # Errors
    /// Fails if a buffer has the wrong length.
    pub fn reset<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError> {
        let which: Vec<bool> = (0..self.num_envs())
            .map(|env| self.has_moved(env))
            .collect();
        self.reset_where(&which, batch)
    }

    /// Starts the next episode of the environments whose entry is true, and observes all
    /// environments.
    ///
    /// # Errors
    /// Fails if a buffer has the wrong length.
    pub fn reset_where<T: Element>(
        &mut self,
        which: &[bool],
        batch: &mut Batch<'_, T>,
    ) -> Result<(), StepError> {
        let batch = T::any(batch.reborrow());
        self.environments
            .reset_where(&mut self.workers, which, batch)
    }

    /// Starts the next episode of an environment, without observing.
    pub fn restart(&mut self, env: usize) {
        self.environments.next_episode(env);
    }

    /// Starts the next episode of an environment at a position, without observing; the episode's
    /// seed decides its foods.
    ///
    /// # Errors
    /// Fails if the position has other rules, is finished, or is rejected by the filter.
    pub fn restart_from(&mut self, env: usize, position: Position) -> Result<(), EnvError> {
        self.check_start(&position)?;
        self.environments.next_episode_from(env, &position);
        Ok(())
    }

    /// Writes the current observations and masks of all environments.
    ///
    /// # Errors
    /// Fails if a buffer has the wrong length.
    pub fn observe<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError> {
        let batch = T::any(batch.reborrow());
        self.environments.observe(&mut self.workers, batch)
    }

    /// Steps and observes every environment.
    ///
    /// # Errors
    /// Fails if an action is invalid or a buffer has the wrong length; no environment has moved
    /// then.
    pub fn step<T: Element>(
        &mut self,
        actions: &[u8],
        batch: &mut Batch<'_, T>,
    ) -> Result<(), StepError> {
        let batch = T::any(batch.reborrow());
        self.environments.step(&mut self.workers, actions, batch)
    }

    /// Returns the complete state of an environment.
    pub fn snapshot(&self, env: usize) -> Snapshot {
        let mut snapshot = self.environments.snapshot(env);
        let rules = snapshot.game.position().rules();
        let board = self.environments.setup().find(rules, snapshot.terms);
        if board.is_some_and(|board| board < self.rules().len()) {
            snapshot.terms = None;
        }
        snapshot
    }

    /// Restores a state of an environment, including its future.
    ///
    /// # Errors
    /// When the state has other rules or another filter; the environment is then unchanged.
    pub fn restore(&mut self, env: usize, snapshot: &Snapshot) -> Result<(), EnvError> {
        let position = snapshot.game.position();
        let rules = position.rules();
        let setup = self.environments.setup();
        if setup.find(rules, snapshot.terms).is_none() {
            let observation = setup.config.observation;
            let fits = observation.space(position.board()) == self.space();
            let Some(terms) = snapshot.terms.filter(|_| fits) else {
                return self.check_rules(position);
            };
            let mut setup = setup.clone();
            setup.forget_earlier();
            setup.admit(rules, terms);
            self.set_up(setup);
        }
        Ok(self.environments.restore(env, snapshot)?)
    }

    /// Copies one environment's game and counters to others. With `reseed`, copy k gets its own
    /// future, drawn from (reseed, k), since a planner must not see future foods. Without it, all
    /// copies have the same future.
    pub fn fork(&mut self, from: usize, to: &[usize], reseed: Option<u64>) {
        let source = self.snapshot(from);
        for (copy, &env) in to.iter().enumerate() {
            let mut snapshot = source.clone();
            if let Some(reseed) = reseed {
                snapshot.seed = rng::derive(reseed, FORK, copy as u64);
                snapshot.game.reseed(rng::derive(snapshot.seed, FORK, 0));
            }
            self.restore(env, &snapshot)
                .expect("all environments have the same rules and filters");
        }
    }

    /// Checks that an episode may begin at a position.
    fn check_start(&mut self, position: &Position) -> Result<(), EnvError> {
        self.check_rules(position)?;
        check_start(position, &mut self.probe)
    }

    fn check_rules(&self, position: &Position) -> Result<(), EnvError> {
        let got = position.rules();
        if self.rules().contains(&got) {
            Ok(())
        } else {
            Err(EnvError::OtherRules {
                expected: self.rules()[0],
                got,
            })
        }
    }
}

/// Checks that episodes may begin at every start of a setup.
fn check_starts(setup: &Setup, probe: &mut Option<Box<dyn MoveFilter>>) -> Result<(), EnvError> {
    if probe.is_some() {
        for start in setup.rules.iter().flat_map(|rules| rules.starts()) {
            check_start(&start, probe)?;
        }
    }
    setup
        .starts
        .iter()
        .try_for_each(|position| check_start(position, probe))
}

/// Checks that a game at a position goes on, and that the filter accepts it.
fn check_start(
    position: &Position,
    probe: &mut Option<Box<dyn MoveFilter>>,
) -> Result<(), EnvError> {
    if position.status() != Status::Ongoing {
        return Err(EnvError::Finished(position.status()));
    }
    let Some(Err(refusal)) = probe.as_mut().map(|filter| filter.reset(position)) else {
        return Ok(());
    };
    let board = position.board();
    let head = position.head();
    let column = board.column(head);
    let row = board.row(head);
    let heading = position.heading();
    let start = format!(
        "column {column} row {row} heading {heading} length {}",
        position.len()
    );
    Err(EnvError::Unsafe { start, refusal })
}

/// Returns an encoder for each board.
fn encoders(setup: &Setup) -> Vec<Encoder> {
    let boards = setup.boards.iter().map(|(rules, _)| rules.board());
    boards
        .map(|board| Encoder::new(setup.config.observation, board))
        .collect()
}

impl<T: Element> Buffers<T> {
    /// Allocates buffers for an environment.
    pub fn new(env: &VectorEnv) -> Buffers<T> {
        Buffers::with_sizes(env.num_envs(), env.space().len(), env.num_actions())
    }
}

/// Environments addressed by index, independent of game type and reward.
trait Environments: Send {
    fn len(&self) -> usize;
    fn setup(&self) -> &Setup;
    fn setup_mut(&mut self) -> &mut Setup;
    /// Returns as many new environments with another setup and the same reward.
    fn rebuilt(&self, setup: Setup, filter: Option<&MakeFilter>) -> Box<dyn Environments>;
    fn progress(&self, env: usize) -> Progress;
    fn game(&self, env: usize) -> Cow<'_, Game>;
    fn allowed(&mut self, env: usize) -> Allowed;
    fn reseed(&mut self, env: usize, seed: u64);
    fn next_episode(&mut self, env: usize);
    fn next_episode_from(&mut self, env: usize, position: &Position);
    fn snapshot(&self, env: usize) -> Snapshot;
    fn restore(&mut self, env: usize, snapshot: &Snapshot) -> Result<(), Unsupported>;
    fn reset_where(
        &mut self,
        workers: &mut Workers,
        which: &[bool],
        batch: AnyBatch<'_>,
    ) -> Result<(), StepError>;
    fn observe(&mut self, workers: &mut Workers, batch: AnyBatch<'_>) -> Result<(), StepError>;
    fn step(
        &mut self,
        workers: &mut Workers,
        actions: &[u8],
        batch: AnyBatch<'_>,
    ) -> Result<(), StepError>;
}

/// The progress of an environment.
struct Progress {
    seed: u64,
    /// The number of steps of the current episode.
    steps: u32,
    /// Whether the current episode has ended.
    ended: bool,
    heading: Direction,
    last_episode: Option<EpisodeStats>,
}

impl<G: EnvGame, R: RewardFunction> Environments for Vectorized<SnakeEnv<G, R>> {
    fn len(&self) -> usize {
        self.states.len()
    }

    fn setup(&self) -> &Setup {
        &self.env.setup
    }

    fn setup_mut(&mut self) -> &mut Setup {
        &mut self.env.setup
    }

    fn rebuilt(&self, setup: Setup, filter: Option<&MakeFilter>) -> Box<dyn Environments> {
        environments(setup, self.len(), filter, Arc::clone(&self.env.make_reward))
    }

    fn progress(&self, env: usize) -> Progress {
        let state = &self.states[env];
        Progress {
            seed: state.seed,
            steps: self.env.steps(state),
            ended: state.ended(),
            heading: state.game.sight().heading(),
            last_episode: state.last_episode,
        }
    }

    fn game(&self, env: usize) -> Cow<'_, Game> {
        self.states[env].game.game()
    }

    fn allowed(&mut self, env: usize) -> Allowed {
        self.states[env].game.allowed()
    }

    fn reseed(&mut self, env: usize, seed: u64) {
        self.env.reseed(&mut self.states[env], seed);
    }

    fn next_episode(&mut self, env: usize) {
        self.env.next_episode(&mut self.states[env]);
    }

    fn next_episode_from(&mut self, env: usize, position: &Position) {
        self.env.next_episode_from(&mut self.states[env], position);
    }

    fn snapshot(&self, env: usize) -> Snapshot {
        self.env.snapshot(&self.states[env])
    }

    fn restore(&mut self, env: usize, snapshot: &Snapshot) -> Result<(), Unsupported> {
        self.env.restore(&mut self.states[env], snapshot)
    }

    fn reset_where(
        &mut self,
        workers: &mut Workers,
        which: &[bool],
        batch: AnyBatch<'_>,
    ) -> Result<(), StepError> {
        match batch {
            AnyBatch::F32(mut batch) => self.reset_where(workers, which, &mut batch),
            AnyBatch::U8(mut batch) => self.reset_where(workers, which, &mut batch),
        }
    }

    fn observe(&mut self, workers: &mut Workers, batch: AnyBatch<'_>) -> Result<(), StepError> {
        match batch {
            AnyBatch::F32(mut batch) => self.observe(workers, &mut batch),
            AnyBatch::U8(mut batch) => self.observe(workers, &mut batch),
        }
    }

    fn step(
        &mut self,
        workers: &mut Workers,
        actions: &[u8],
        batch: AnyBatch<'_>,
    ) -> Result<(), StepError> {
        match batch {
            AnyBatch::F32(mut batch) => self.step(workers, actions, &mut batch),
            AnyBatch::U8(mut batch) => self.step(workers, actions, &mut batch),
        }
    }
}

/// Creates `n` environments. They play lean games of the smallest size that fits every board, or
/// whole games if there is a filter or a board has 16,384 cells or more.
fn environments<R: RewardFunction>(
    setup: Setup,
    n: usize,
    filter: Option<&MakeFilter>,
    make_reward: MakeReward<R>,
) -> Box<dyn Environments> {
    fn of<G: EnvGame, R: RewardFunction>(
        setup: Setup,
        n: usize,
        make_reward: MakeReward<R>,
        grain: usize,
        rules: impl Fn(Rules) -> G::Rules,
        game: impl Fn(&G::Rules) -> G,
    ) -> Box<dyn Environments> {
        let env = SnakeEnv::new(setup, make_reward, grain, rules);
        let states = (0..n).map(|_| State::new(game(&env.rules[0]))).collect();
        Box::new(Vectorized { env, states })
    }
    fn lean<const N: usize, R: RewardFunction>(
        setup: Setup,
        n: usize,
        make_reward: MakeReward<R>,
    ) -> Box<dyn Environments> {
        let grain = setup.config.observation.grain();
        let rules = |rules| Arc::new(LeanRules::<N>::new(rules));
        of(setup, n, make_reward, grain, rules, |rules| {
            LeanGame::new(rules, 0)
        })
    }
    let areas = setup.boards.iter().map(|(rules, _)| rules.board().area());
    match areas.max().expect("there is at least one board") {
        _ if filter.is_some() => {}
        0..64 => return lean::<64, R>(setup, n, make_reward),
        64..256 => return lean::<256, R>(setup, n, make_reward),
        256..1024 => return lean::<1024, R>(setup, n, make_reward),
        1024..4096 => return lean::<4096, R>(setup, n, make_reward),
        4096..16384 => return lean::<16384, R>(setup, n, make_reward),
        _ => {}
    }
    let make_filter = filter.cloned().unwrap_or_else(LegalMoves::maker);
    of(
        setup,
        n,
        make_reward,
        WHOLE_GRAIN,
        |rules| rules,
        |rules| WholeGame::new(*rules, make_filter()),
    )
}

/// The number of environments with whole games that justifies another thread.
const WHOLE_GRAIN: usize = 8;
