//! Many environments stepped at once, over buffers that the caller owns.

use crate::element::sealed::AnyBatch;
use crate::env_game::{EnvGame, WholeGame};
use crate::share::Workers;
use crate::snake::{Setup, SnakeEnv, State};
use crate::vectorized::{Env, Vectorized};
use crate::{
    Batch, Buffers, ConfigError, Element, Encoder, EnvConfig, EnvError, EpisodeStats, Mask,
    RewardFunction, Snapshot, Space, StepError,
};
use hognose_game::rng::{self, Purpose};
use hognose_game::{
    Allowed, Direction, Game, LeanGame, LeanRules, MakeFilter, MoveFilter, Position, Rules, Sight,
    Status, Unsupported,
};
use std::borrow::Cow;
use std::sync::Arc;

const ENVIRONMENT: Purpose = Purpose::new("environment");
const FORK: Purpose = Purpose::new("fork");

/// Any number of environments of one configuration, stepped together. Methods that take the index
/// of an environment panic where there is none of it. What environment i does depends on
/// (configuration, seed, i, its actions) alone: not on how many environments there are, nor on
/// threads.
///
/// ```
/// use hognose_env::{Buffers, EnvConfig, VectorEnv};
/// use hognose_game::{Board, Rules};
///
/// let mut env = VectorEnv::new(EnvConfig::new(Rules::new(Board::new(6, 6)?)), 2, 0)?;
/// let mut buffers = Buffers::<u8>::new(&env);
/// env.reset(&mut buffers.batch())?;
/// // Straight on in both environments.
/// env.step(&[1, 1], &mut buffers.batch())?;
/// assert_eq!(buffers.rewards.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct VectorEnv {
    environments: Box<dyn Environments>,
    make_filter: Option<MakeFilter>,
    /// Tells whether an episode may begin at a position; it follows none.
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
    /// `num_envs` environments, each at the start of its first episode; one thread; all legal moves
    /// are allowed. Environment i has its own seed, derived from (seed, i).
    ///
    /// # Errors
    /// When the configuration is not valid, its mask is not [`Mask::Legal`], or `num_envs` is 0.
    pub fn new(config: EnvConfig, num_envs: usize, seed: u64) -> Result<VectorEnv, EnvError> {
        if config.mask != Mask::Legal {
            return Err(EnvError::NoFilter);
        }
        VectorEnv::with_filters(config, num_envs, seed, None)
    }

    /// `num_envs` environments with a filter each, which says what moves are allowed. There is one
    /// thread, environment i has its own seed, derived from (seed, i), and all are at the start of
    /// their first episodes.
    ///
    /// # Errors
    /// When the configuration is not valid, `num_envs` is 0, or the filter refuses a start of the
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
        let reward = config.reward;
        let observation = config.observation;
        let setup = Setup::new(config)?;
        if num_envs == 0 {
            return Err(EnvError::NoEnvs);
        }
        let rules = setup.rules.clone();
        let positions = setup.starts.clone();
        let encoders = rules
            .iter()
            .map(|rules| Encoder::new(observation, rules.board()))
            .collect();
        let mut env = VectorEnv {
            environments: environments(setup, num_envs, make_filter.as_ref(), reward),
            probe: make_filter.as_ref().map(|make| make()),
            make_filter,
            workers: Workers::one(encoders),
        };
        if env.probe.is_some() {
            rules
                .iter()
                .flat_map(|rules| rules.starts())
                .try_for_each(|start| env.check_start(&start))?;
        }
        positions
            .iter()
            .try_for_each(|position| env.check_start(position))?;
        env.reseed(seed);
        Ok(env)
    }

    /// Shares the steps of these environments among `threads` threads.
    ///
    /// # Errors
    /// When `threads` is 0 or they can't be started.
    pub fn with_threads(mut self, threads: usize) -> Result<VectorEnv, EnvError> {
        self.workers = self.workers.with_threads(threads)?;
        Ok(self)
    }

    /// Begins a share of the episodes, in 0..=1, at one of these positions, each as likely, instead
    /// of [`EnvConfig::starts`]; all episodes begin by the rules if there are no positions. All
    /// environments begin anew.
    ///
    /// # Errors
    /// When the share is out of range, or a position is of other rules, finished, or refused by the
    /// filter.
    pub fn with_starts(
        mut self,
        positions: Vec<Position>,
        share: f64,
    ) -> Result<VectorEnv, EnvError> {
        if !(0.0..=1.0).contains(&share) {
            return Err(ConfigError::StartShare(share).into());
        }
        positions
            .iter()
            .try_for_each(|position| self.check_start(position))?;
        let setup = self.environments.setup_mut();
        (setup.starts, setup.start_share) = (positions, share);
        let seeds = self.seeds();
        self.reseed_each(&seeds);
        Ok(self)
    }

    /// Pays by a reward of one's own instead of [`EnvConfig::reward`], which
    /// [`config`](Self::config) still tells. All environments begin anew.
    #[must_use]
    pub fn with_reward(mut self, reward: impl RewardFunction) -> VectorEnv {
        let setup = self.environments.setup().clone();
        let seeds = self.seeds();
        self.environments = environments(setup, seeds.len(), self.make_filter.as_ref(), reward);
        self.reseed_each(&seeds);
        self
    }

    fn seeds(&self) -> Vec<u64> {
        let envs = 0..self.num_envs();
        envs.map(|env| self.environments.progress(env).seed)
            .collect()
    }

    /// The configuration.
    pub fn config(&self) -> &EnvConfig {
        &self.environments.setup().config
    }

    /// The rules on each board that episodes are played on: those of the configuration, or one for
    /// each board that episodes draw.
    pub fn rules(&self) -> &[Rules] {
        &self.environments.setup().rules
    }

    /// How many environments there are.
    pub fn num_envs(&self) -> usize {
        self.environments.len()
    }

    /// The shape of one observation.
    pub fn space(&self) -> Space {
        self.config().observation.space(self.rules()[0].board())
    }

    /// How many actions there are: 4 absolute, 3 relative.
    pub fn num_actions(&self) -> usize {
        self.config().action.count()
    }

    /// The position of an environment. It is borrowed where there is a filter; else a copy is made,
    /// which allocates.
    pub fn position(&self, env: usize) -> Cow<'_, Position> {
        match self.environments.game(env) {
            Cow::Borrowed(game) => Cow::Borrowed(game.position()),
            Cow::Owned(game) => Cow::Owned(game.into_position()),
        }
    }

    /// The last finished episode of an environment.
    pub fn last_episode(&self, env: usize) -> Option<EpisodeStats> {
        self.environments.progress(env).last_episode
    }

    /// The steps of the present episode of an environment.
    pub fn episode_steps(&self, env: usize) -> u32 {
        self.environments.progress(env).steps
    }

    /// Whether an environment has left the start of its episode: it has moved or ended.
    pub fn has_moved(&self, env: usize) -> bool {
        let progress = self.environments.progress(env);
        progress.steps > 0 || progress.ended
    }

    /// The heading of an environment's snake.
    pub fn heading(&self, env: usize) -> Direction {
        self.environments.progress(env).heading
    }

    /// Whether the present episode of an environment has ended: it waits to be reset.
    pub fn has_ended(&self, env: usize) -> bool {
        self.environments.progress(env).ended
    }

    /// What is allowed in an environment.
    pub fn allowed(&mut self, env: usize) -> Allowed {
        self.environments.allowed(env)
    }

    /// The allowed moves as bits of actions; none where no move is legal.
    pub fn action_bits(&mut self, env: usize) -> u8 {
        self.config()
            .action
            .bits(self.allowed(env).moves, self.heading(env))
    }

    /// The seed that an environment gets from the one seed of them all.
    pub fn seed_of(seed: u64, env: usize) -> u64 {
        rng::derive(seed, ENVIRONMENT, env as u64)
    }

    /// Begins the first episode of every environment anew, under seeds derived from this one
    /// ([`seed_of`](Self::seed_of)).
    pub fn reseed(&mut self, seed: u64) {
        (0..self.num_envs()).for_each(|env| self.reseed_one(env, VectorEnv::seed_of(seed, env)));
    }

    /// Begins the first episode of one environment anew, under its own seed.
    pub fn reseed_one(&mut self, env: usize, seed: u64) {
        self.environments.reseed(env, seed);
    }

    /// Begins the first episode of every environment anew, under a seed for each.
    ///
    /// # Panics
    /// When there are not as many seeds as environments.
    pub fn reseed_each(&mut self, seeds: &[u64]) {
        assert_eq!(
            seeds.len(),
            self.num_envs(),
            "one seed for each environment"
        );
        seeds
            .iter()
            .enumerate()
            .for_each(|(env, &seed)| self.reseed_one(env, seed));
    }

    /// Begins the next episode of every environment that has moved or ended, and observes them all.
    ///
    /// # Errors
    /// When a buffer is of the wrong length.
    pub fn reset<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError> {
        let which: Vec<bool> = (0..self.num_envs())
            .map(|env| self.has_moved(env))
            .collect();
        self.reset_where(&which, batch)
    }

    /// Begins the next episode of the environments whose entry is true, and observes them all.
    ///
    /// # Errors
    /// When a buffer is of the wrong length.
    pub fn reset_where<T: Element>(
        &mut self,
        which: &[bool],
        batch: &mut Batch<'_, T>,
    ) -> Result<(), StepError> {
        let batch = T::any(batch.reborrow());
        self.environments
            .reset_where(&mut self.workers, which, batch)
    }

    /// Begins the next episode of an environment, without observing.
    pub fn restart(&mut self, env: usize) {
        self.environments.next_episode(env);
    }

    /// Begins the next episode of an environment at a position, without observing; its foods follow
    /// from the episode.
    ///
    /// # Errors
    /// When the position is of other rules, finished, or refused by the filter.
    pub fn restart_from(&mut self, env: usize, position: Position) -> Result<(), EnvError> {
        self.check_start(&position)?;
        self.environments.next_episode_from(env, &position);
        Ok(())
    }

    /// Writes observations and masks of all environments as they stand.
    ///
    /// # Errors
    /// When a buffer is of the wrong length.
    pub fn observe<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError> {
        let batch = T::any(batch.reborrow());
        self.environments.observe(&mut self.workers, batch)
    }

    /// Steps every environment and observes it.
    ///
    /// # Errors
    /// When an action or a buffer is not as it must be; no environment has moved then.
    pub fn step<T: Element>(
        &mut self,
        actions: &[u8],
        batch: &mut Batch<'_, T>,
    ) -> Result<(), StepError> {
        let batch = T::any(batch.reborrow());
        self.environments.step(&mut self.workers, actions, batch)
    }

    /// All of an environment's state.
    pub fn snapshot(&self, env: usize) -> Snapshot {
        self.environments.snapshot(env)
    }

    /// Puts an environment into a state, its future included.
    ///
    /// # Errors
    /// When the state is of other rules or of another filter; the environment is then as it was.
    pub fn restore(&mut self, env: usize, snapshot: &Snapshot) -> Result<(), EnvError> {
        self.check_rules(snapshot.game.position())?;
        Ok(self.environments.restore(env, snapshot)?)
    }

    /// Copies one environment's game and counters into others. With `reseed` copy k has a future of
    /// its own, drawn from (reseed, k): a planner must not see the foods to come. Without, all have
    /// the same future.
    pub fn fork(&mut self, from: usize, to: &[usize], reseed: Option<u64>) {
        let source = self.snapshot(from);
        for (copy, &env) in to.iter().enumerate() {
            let mut snapshot = source.clone();
            if let Some(reseed) = reseed {
                snapshot.seed = rng::derive(reseed, FORK, copy as u64);
                snapshot.game.reseed(rng::derive(snapshot.seed, FORK, 0));
            }
            self.restore(env, &snapshot)
                .expect("all environments are of the same rules and filters");
        }
    }

    /// Whether an episode may begin at a position.
    fn check_start(&mut self, position: &Position) -> Result<(), EnvError> {
        self.check_rules(position)?;
        if position.status() != Status::Ongoing {
            return Err(EnvError::Finished(position.status()));
        }
        let Some(Err(refusal)) = self.probe.as_mut().map(|filter| filter.reset(position)) else {
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

impl<T: Element> Buffers<T> {
    /// Buffers for an environment.
    pub fn new(env: &VectorEnv) -> Buffers<T> {
        Buffers::with_sizes(env.num_envs(), env.space().len(), env.num_actions())
    }
}

/// Environments, each called by its index, whatever plays their games and pays for them.
trait Environments: Send {
    fn len(&self) -> usize;
    fn setup(&self) -> &Setup;
    fn setup_mut(&mut self) -> &mut Setup;
    fn progress(&self, env: usize) -> Progress;
    fn game(&self, env: usize) -> Cow<'_, Game>;
    fn allowed(&mut self, env: usize) -> Allowed;
    /// Begins the first episode under a seed.
    fn reseed(&mut self, env: usize, seed: u64);
    fn next_episode(&mut self, env: usize);
    /// Begins the next episode at a position.
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

/// How an environment stands.
struct Progress {
    seed: u64,
    /// Of the episode at hand.
    steps: u32,
    /// Whether the episode at hand has ended.
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

/// `n` environments. They play lean games, in the least size that every board fits in. Where a
/// filter asks for positions, or a board has 16,384 cells or more, they play whole games.
fn environments<R: RewardFunction>(
    setup: Setup,
    n: usize,
    filter: Option<&MakeFilter>,
    reward: R,
) -> Box<dyn Environments> {
    fn of<G: EnvGame, R: RewardFunction>(
        setup: Setup,
        n: usize,
        reward: R,
        grain: usize,
        rules: impl Fn(Rules) -> G::Rules,
        game: impl Fn(&G::Rules) -> G,
    ) -> Box<dyn Environments> {
        let rules: Vec<G::Rules> = setup.rules.iter().map(|&one| rules(one)).collect();
        let states = (0..n).map(|_| State::new(game(&rules[0]))).collect();
        let env = SnakeEnv {
            setup,
            rules,
            reward,
            grain,
        };
        Box::new(Vectorized { env, states })
    }
    fn lean<const N: usize, R: RewardFunction>(
        setup: Setup,
        n: usize,
        reward: R,
    ) -> Box<dyn Environments> {
        let grain = setup.config.observation.grain();
        let rules = |rules| Arc::new(LeanRules::<N>::new(rules));
        of(setup, n, reward, grain, rules, |rules| {
            LeanGame::new(rules, 0)
        })
    }
    let areas = setup.rules.iter().map(|rules| rules.board().area());
    match areas.max().expect("there is a board") {
        _ if filter.is_some() => {}
        0..64 => return lean::<64, R>(setup, n, reward),
        64..256 => return lean::<256, R>(setup, n, reward),
        256..1024 => return lean::<1024, R>(setup, n, reward),
        1024..4096 => return lean::<4096, R>(setup, n, reward),
        4096..16384 => return lean::<16384, R>(setup, n, reward),
        _ => {}
    }
    of(
        setup,
        n,
        reward,
        WHOLE_GRAIN,
        |rules| rules,
        |rules| WholeGame::new(*rules, filter.map(|make| make())),
    )
}

/// How many environments with whole games are worth a thread of their own.
const WHOLE_GRAIN: usize = 8;
