//! Vectorized duels that write into the caller's buffers.

use crate::duel::config::DuelEnvConfig;
use crate::duel::env::{DuelEnv, DuelEpisode, DuelState, Terms};
use crate::duel::opponent::{LearnerSeat, Opponents};
use crate::duel::snapshot::{DuelSnapshot, other};
use crate::share::Workers;
use crate::vectorized::{Env, Vectorized};
use crate::{Batch, Buffers, Element, Encoder, EnvError, Space, StepError, VectorEnv};
use hognose_game::duel::{Duel, MakeBot, Seat};
use std::sync::Arc;

/// Any number of duels with one configuration, stepped together. Rows 2i and 2i + 1 of a [`Batch`]
/// are the first and the second seat of duel i, so an agent that learns from rows learns by
/// self-play. With [`against`](Self::against), an opponent plays one seat and each duel has one
/// row. A duel ends for both players in the same step.
///
/// Methods that take the index of a duel or row panic if it is out of range. Duel i depends only on
/// (configuration, seed, i, its actions), not on the number of duels or threads.
///
/// ```
/// use hognose_env::{Buffers, DuelEnvConfig, DuelVectorEnv};
/// use hognose_game::duel::DuelRules;
///
/// let mut env = DuelVectorEnv::new(DuelEnvConfig::new(DuelRules::ai_snakes_2020()), 2, 0)?;
/// let mut buffers = Buffers::<u8>::for_duels(&env);
/// env.reset(&mut buffers.batch())?;
/// // Both players go straight on in both duels.
/// env.step(&[1; 4], &mut buffers.batch())?;
/// assert_eq!(buffers.rewards.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DuelVectorEnv {
    duels: Vectorized<DuelEnv>,
    workers: Workers,
}

impl std::fmt::Debug for DuelVectorEnv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("DuelVectorEnv");
        debug
            .field("config", self.config())
            .field("num_duels", &self.num_duels())
            .field("num_rows", &self.num_rows());
        debug.finish()
    }
}

impl DuelVectorEnv {
    /// Creates `num_duels` duels between learners, each at the start of its first episode, with one
    /// thread. Duel i has its own seed, derived from (seed, i).
    ///
    /// # Errors
    /// Fails if the configuration is invalid, or `num_duels` is 0.
    pub fn new(
        config: DuelEnvConfig,
        num_duels: usize,
        seed: u64,
    ) -> Result<DuelVectorEnv, EnvError> {
        config.reward.validate()?;
        if num_duels == 0 {
            return Err(EnvError::NoEnvs);
        }
        let encoder = Encoder::for_duels(config.observation, config.rules.board());
        let terms = Terms::new(config, None)?;
        let states = (0..num_duels)
            .map(|_| DuelState::new(Arc::clone(&terms)))
            .collect();
        let env = DuelEnv { terms };
        let mut env = DuelVectorEnv {
            duels: Vectorized { env, states },
            workers: Workers::one(vec![encoder]),
        };
        env.reseed(seed);
        Ok(env)
    }

    /// Uses `threads` threads for steps.
    ///
    /// # Errors
    /// Fails if `threads` is 0 or more than 256, or threads can't be started.
    pub fn with_threads(mut self, threads: usize) -> Result<DuelVectorEnv, EnvError> {
        self.workers = self.workers.with_threads(threads)?;
        Ok(self)
    }

    /// Lets bots play one seat of each duel, which leaves one row per duel. Restarts all duels.
    ///
    /// # Errors
    /// Fails if the bot can't play from the start of the rules.
    pub fn against(
        mut self,
        maker: Arc<dyn MakeBot>,
        learner: LearnerSeat,
    ) -> Result<DuelVectorEnv, EnvError> {
        self.duels.env.terms = Terms::new(self.config().clone(), Some((maker, learner)))?;
        for duel in 0..self.num_duels() {
            self.reseed_one(duel, self.duels.states[duel].seed);
        }
        Ok(self)
    }

    /// Changes the rules, the rewards and the opponent between episodes: the current episodes keep
    /// theirs until they end. `opponent` is the bot and the learner's seat, or `None` if learners
    /// play both seats.
    ///
    /// ```
    /// use hognose_env::{DuelEnvConfig, DuelReward, DuelVectorEnv};
    /// use hognose_game::duel::DuelRules;
    ///
    /// let rules = DuelRules::ai_snakes_2021();
    /// let mut env = DuelVectorEnv::new(DuelEnvConfig::new(rules), 8, 0)?;
    /// let reward = DuelReward { food: 0.1, ..DuelReward::default() };
    /// env.configure(DuelEnvConfig { reward, ..DuelEnvConfig::new(rules.with_step_limit(200)?) }, None)?;
    /// env.restart(0);
    /// assert_eq!(env.duel(0).position().rules().step_limit(), 200);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the configuration is invalid, the opponent can't play under the rules, or the board,
    /// the kind of observation, the actions, the autoreset mode or the number of learners differs;
    /// nothing has changed then.
    pub fn configure(
        &mut self,
        config: DuelEnvConfig,
        opponent: Option<(Arc<dyn MakeBot>, LearnerSeat)>,
    ) -> Result<(), EnvError> {
        config.reward.validate()?;
        let fixed = |config: &DuelEnvConfig, learners: usize| {
            [
                ("board", config.rules.board().to_string()),
                ("observation", format!("{:?}", config.observation)),
                ("actions", format!("{:?}", config.action)),
                ("autoreset mode", format!("{:?}", config.autoreset)),
                ("number of learners", learners.to_string()),
            ]
        };
        let learners = if opponent.is_some() { 1 } else { 2 };
        EnvError::check_fixed(
            fixed(self.config(), self.learners()),
            fixed(&config, learners),
        )?;
        self.duels.env.terms = Terms::new(config, opponent)?;
        Ok(())
    }

    /// Returns the configuration.
    pub fn config(&self) -> &DuelEnvConfig {
        &self.duels.env.terms.config
    }

    /// Returns whether the current episode of a duel began under the current configuration.
    pub fn has_current_config(&self, duel: usize) -> bool {
        Arc::ptr_eq(&self.duels.states[duel].terms, &self.duels.env.terms)
    }

    /// Returns the number of duels.
    pub fn num_duels(&self) -> usize {
        self.duels.states.len()
    }

    /// Returns the number of rows in a batch: two per duel, or one against an opponent.
    pub fn num_rows(&self) -> usize {
        self.learners() * self.duels.states.len()
    }

    /// Returns the number of rows per duel.
    fn learners(&self) -> usize {
        self.duels.env.spec().rows
    }

    /// Returns the shape of one observation.
    pub fn space(&self) -> Space {
        self.config()
            .observation
            .duel_space(self.config().rules.board())
    }

    /// Returns the number of actions: 4 absolute or 3 relative.
    pub fn num_actions(&self) -> usize {
        self.config().action.count()
    }

    /// Returns a duel.
    pub fn duel(&self, duel: usize) -> &Duel {
        &self.duels.states[duel].duel
    }

    /// Returns the duel and the seat of a row in the current episode.
    pub fn player(&self, row: usize) -> (usize, Seat) {
        let (duel, learner) = self.learner(row);
        (duel, self.duels.states[duel].seat(learner))
    }

    fn learner(&self, row: usize) -> (usize, usize) {
        (row / self.learners(), row % self.learners())
    }

    /// Returns the last finished episode of a row.
    pub fn last_episode(&self, row: usize) -> Option<DuelEpisode> {
        let (duel, learner) = self.learner(row);
        self.duels.states[duel].last_episode(learner)
    }

    /// Returns whether a duel has left the start of its episode.
    pub fn has_moved(&self, duel: usize) -> bool {
        self.duels.states[duel].duel.position().steps() > 0
    }

    /// Returns whether the current episode of a duel has ended.
    pub fn has_ended(&self, duel: usize) -> bool {
        self.duels.states[duel].flags.ended
    }

    /// Returns the legal moves of a row as action bits; 0 if no move is legal.
    pub fn action_bits(&self, row: usize) -> u8 {
        let (duel, learner) = self.learner(row);
        let view = self.duels.states[duel].view(learner);
        self.config()
            .action
            .bits(view.legal_moves(), view.me().heading())
    }

    /// Returns the seed of one duel, derived from the seed of all.
    pub fn seed_of(seed: u64, duel: usize) -> u64 {
        VectorEnv::seed_of(seed, duel)
    }

    /// Restarts every duel at its first episode, with seeds derived from `seed`
    /// ([`seed_of`](Self::seed_of)).
    pub fn reseed(&mut self, seed: u64) {
        (0..self.num_duels())
            .for_each(|duel| self.reseed_one(duel, DuelVectorEnv::seed_of(seed, duel)));
    }

    /// Restarts one duel at its first episode, with its own seed.
    pub fn reseed_one(&mut self, duel: usize, seed: u64) {
        let Vectorized { env, states } = &mut self.duels;
        env.reseed(&mut states[duel], seed);
    }

    /// Starts the next episode of every duel that has moved or ended, and observes all duels.
    ///
    /// # Errors
    /// Fails if a buffer has the wrong length.
    pub fn reset<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError> {
        let which: Vec<bool> = (0..self.num_duels())
            .map(|duel| self.has_moved(duel) || self.duels.states[duel].gives_up().is_some())
            .collect();
        self.reset_where(&which, batch)
    }

    /// Starts the next episode of the duels whose entry is true, and observes all duels.
    ///
    /// # Errors
    /// Fails if a buffer has the wrong length.
    pub fn reset_where<T: Element>(
        &mut self,
        which: &[bool],
        batch: &mut Batch<'_, T>,
    ) -> Result<(), StepError> {
        self.duels.reset_where(&mut self.workers, which, batch)
    }

    /// Starts the next episode of a duel, without observing.
    pub fn restart(&mut self, duel: usize) {
        let Vectorized { env, states } = &mut self.duels;
        env.next_episode(&mut states[duel]);
    }

    /// Returns the complete state of a duel.
    ///
    /// # Errors
    /// Fails if the opponent may move differently if it is asked again ([`MakeBot::repeats`]), or if
    /// the episode began before the last [`configure`](Self::configure).
    pub fn snapshot(&self, duel: usize) -> Result<DuelSnapshot, EnvError> {
        if !self.has_current_config(duel) {
            return Err(EnvError::EarlierConfig);
        }
        let opponents = self.duels.env.terms.opponents.as_ref();
        opponents.map_or(Ok(()), Opponents::check_repeats)?;
        Ok(self.duels.states[duel].snapshot())
    }

    /// Restores a state of a duel, including its future. The opponent is asked about all positions
    /// of the episode so far, which takes as long as it took then.
    ///
    /// # Errors
    /// Fails if the state has other rules, another opponent or other seats; the duel is then
    /// unchanged.
    pub fn restore(&mut self, duel: usize, snapshot: &DuelSnapshot) -> Result<(), EnvError> {
        let expected = &self.config().rules;
        let got = snapshot.duel().position().rules();
        if expected != got {
            return Err(other(
                format!("a duel under {expected}"),
                format!("a duel under {got}"),
            ));
        }
        self.duels.states[duel] = self.duels.env.restored(snapshot)?;
        Ok(())
    }

    /// Writes the current observations and masks of all rows.
    ///
    /// # Errors
    /// When a buffer has the wrong length.
    pub fn observe<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError> {
        self.duels.observe(&mut self.workers, batch)
    }

    /// Asks opponents for their moves, then steps and observes every duel.
    ///
    /// # Errors
    /// When an action is invalid, a buffer has the wrong length, or an opponent forfeits; no duel
    /// has moved then.
    pub fn step<T: Element>(
        &mut self,
        actions: &[u8],
        batch: &mut Batch<'_, T>,
    ) -> Result<(), StepError> {
        self.duels.step(&mut self.workers, actions, batch)
    }
}

impl<T: Element> Buffers<T> {
    /// Allocates buffers for duels.
    pub fn for_duels(env: &DuelVectorEnv) -> Buffers<T> {
        Buffers::with_sizes(env.num_rows(), env.space().len(), env.num_actions())
    }
}
