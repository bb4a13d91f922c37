//! Many duels stepped at once, over buffers that the caller owns.

use crate::duel::config::DuelEnvConfig;
use crate::duel::env::{DuelEnv, DuelEpisode, DuelState};
use crate::duel::opponent::{LearnerSeat, Opponents};
use crate::duel::snapshot::{DuelSnapshot, other};
use crate::share::Workers;
use crate::vectorized::{Env, Vectorized};
use crate::{Batch, Buffers, Element, Encoder, EnvError, Space, StepError, VectorEnv};
use hognose_game::duel::{Duel, MakeBot, Seat};
use std::sync::Arc;

/// Any number of duels of one configuration, stepped together. Rows 2i and 2i + 1 of a [`Batch`]
/// are the first and the second seat of duel i, so whatever learns from rows learns by playing
/// against itself. [`against`](Self::against) an opponent there is one row for each duel. A duel
/// ends for both players in the same step.
///
/// Methods that take the index of a duel, or of a row, panic where there is none of it. What duel i
/// does depends on (configuration, seed, i, its actions) alone: not on how many duels there are,
/// nor on threads.
///
/// ```
/// use hognose_env::{Buffers, DuelEnvConfig, DuelVectorEnv};
/// use hognose_game::duel::DuelRules;
///
/// let mut env = DuelVectorEnv::new(DuelEnvConfig::new(DuelRules::ai_snakes_2020()), 2, 0)?;
/// let mut buffers = Buffers::<u8>::for_duels(&env);
/// env.reset(&mut buffers.batch())?;
/// // Straight on in both duels, for both players.
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
    /// `num_duels` duels between learners, each at the start of its first episode; one thread. Duel
    /// i has its own seed, derived from (seed, i).
    ///
    /// # Errors
    /// When the configuration is not valid, or `num_duels` is 0.
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
        let any = Duel::new(config.rules, 0);
        let env = DuelEnv {
            config,
            opponents: None,
        };
        let states = (0..num_duels)
            .map(|_| DuelState::new(any.clone()))
            .collect();
        let mut env = DuelVectorEnv {
            duels: Vectorized { env, states },
            workers: Workers::one(vec![encoder]),
        };
        env.reseed(seed);
        Ok(env)
    }

    /// Shares the steps of these duels among `threads` threads.
    ///
    /// # Errors
    /// When `threads` is 0 or they can't be started.
    pub fn with_threads(mut self, threads: usize) -> Result<DuelVectorEnv, EnvError> {
        self.workers = self.workers.with_threads(threads)?;
        Ok(self)
    }

    /// Lets bots play one seat of each duel, so that there is one row for each duel. All duels
    /// begin anew.
    ///
    /// # Errors
    /// When the bot refuses the start of the rules.
    pub fn against(
        mut self,
        maker: Arc<dyn MakeBot>,
        learner: LearnerSeat,
    ) -> Result<DuelVectorEnv, EnvError> {
        let start = Duel::new(self.config().rules, 0);
        for seat in Seat::BOTH {
            maker
                .make(start.position(), seat, 0)
                .map_err(EnvError::Opponent)?;
        }
        self.duels.env.opponents = Some(Opponents { maker, learner });
        for duel in 0..self.num_duels() {
            self.reseed_one(duel, self.duels.states[duel].seed);
        }
        Ok(self)
    }

    /// The configuration.
    pub fn config(&self) -> &DuelEnvConfig {
        &self.duels.env.config
    }

    /// How many duels there are.
    pub fn num_duels(&self) -> usize {
        self.duels.states.len()
    }

    /// How many rows a batch has: two for each duel, against an opponent one.
    pub fn num_rows(&self) -> usize {
        self.learners() * self.duels.states.len()
    }

    /// The rows of a duel.
    fn learners(&self) -> usize {
        self.duels.env.spec().rows
    }

    /// The shape of one observation.
    pub fn space(&self) -> Space {
        self.config()
            .observation
            .duel_space(self.config().rules.board())
    }

    /// How many actions there are: 4 absolute, 3 relative.
    pub fn num_actions(&self) -> usize {
        self.config().action.count()
    }

    /// A duel.
    pub fn duel(&self, duel: usize) -> &Duel {
        &self.duels.states[duel].duel
    }

    /// The duel and the seat of a row, in the episode at hand.
    pub fn player(&self, row: usize) -> (usize, Seat) {
        let (duel, learner) = self.learner(row);
        (duel, self.duels.states[duel].seat(learner))
    }

    fn learner(&self, row: usize) -> (usize, usize) {
        (row / self.learners(), row % self.learners())
    }

    /// The last finished episode of a row.
    pub fn last_episode(&self, row: usize) -> Option<DuelEpisode> {
        let (duel, learner) = self.learner(row);
        self.duels.states[duel].last_episode(learner)
    }

    /// Whether a duel has left the start of its episode: it has moved or ended.
    pub fn has_moved(&self, duel: usize) -> bool {
        self.duels.states[duel].duel.position().steps() > 0
    }

    /// Whether the present episode of a duel has ended: it waits to be reset.
    pub fn has_ended(&self, duel: usize) -> bool {
        self.duels.states[duel].flags.ended
    }

    /// The legal moves of a row as bits of actions; none where no move is legal.
    pub fn action_bits(&self, row: usize) -> u8 {
        let (duel, learner) = self.learner(row);
        let view = self.duels.states[duel].view(learner);
        self.config()
            .action
            .bits(view.legal_moves(), view.me().heading())
    }

    /// The seed that a duel gets from the one seed of them all.
    pub fn seed_of(seed: u64, duel: usize) -> u64 {
        VectorEnv::seed_of(seed, duel)
    }

    /// Begins the first episode of every duel anew, under seeds derived from this one
    /// ([`seed_of`](Self::seed_of)).
    pub fn reseed(&mut self, seed: u64) {
        (0..self.num_duels())
            .for_each(|duel| self.reseed_one(duel, DuelVectorEnv::seed_of(seed, duel)));
    }

    /// Begins the first episode of one duel anew, under its own seed.
    pub fn reseed_one(&mut self, duel: usize, seed: u64) {
        let Vectorized { env, states } = &mut self.duels;
        env.reseed(&mut states[duel], seed);
    }

    /// Begins the next episode of every duel that has moved or ended, and observes them all.
    ///
    /// # Errors
    /// When a buffer is of the wrong length.
    pub fn reset<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError> {
        let which: Vec<bool> = (0..self.num_duels())
            .map(|duel| self.has_moved(duel) || self.duels.states[duel].gives_up().is_some())
            .collect();
        self.reset_where(&which, batch)
    }

    /// Begins the next episode of the duels whose entry is true, and observes them all.
    ///
    /// # Errors
    /// When a buffer is of the wrong length.
    pub fn reset_where<T: Element>(
        &mut self,
        which: &[bool],
        batch: &mut Batch<'_, T>,
    ) -> Result<(), StepError> {
        self.duels.reset_where(&mut self.workers, which, batch)
    }

    /// Begins the next episode of a duel, without observing.
    pub fn restart(&mut self, duel: usize) {
        let Vectorized { env, states } = &mut self.duels;
        env.next_episode(&mut states[duel]);
    }

    /// All of a duel's state.
    ///
    /// # Errors
    /// When the opponent may play otherwise if it is asked again ([`MakeBot::repeats`]).
    pub fn snapshot(&self, duel: usize) -> Result<DuelSnapshot, EnvError> {
        let opponents = self.duels.env.opponents.as_ref();
        opponents.map_or(Ok(()), Opponents::check_repeats)?;
        Ok(self.duels.states[duel].snapshot())
    }

    /// Puts a duel into a state, its future included. The opponent is asked about all positions of
    /// the episode so far, which takes it as long as it took before.
    ///
    /// # Errors
    /// When the state is of other rules, or of a duel against another opponent or with other seats;
    /// the duel is then as it was.
    pub fn restore(&mut self, duel: usize, snapshot: &DuelSnapshot) -> Result<(), EnvError> {
        let expected = &self.config().rules;
        let got = snapshot.duel().position().rules();
        if expected != got {
            return Err(other(
                format!("a duel by {expected}"),
                format!("a duel by {got}"),
            ));
        }
        self.duels.states[duel] = self.duels.env.restored(snapshot)?;
        Ok(())
    }

    /// Writes observations and masks of all rows as they stand.
    ///
    /// # Errors
    /// When a buffer is of the wrong length.
    pub fn observe<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError> {
        self.duels.observe(&mut self.workers, batch)
    }

    /// Steps every duel and observes it. Opponents are asked first.
    ///
    /// # Errors
    /// When an action or a buffer is not as it must be, or an opponent gives up; no duel has moved
    /// then.
    pub fn step<T: Element>(
        &mut self,
        actions: &[u8],
        batch: &mut Batch<'_, T>,
    ) -> Result<(), StepError> {
        self.duels.step(&mut self.workers, actions, batch)
    }
}

impl<T: Element> Buffers<T> {
    /// Buffers for duels.
    pub fn for_duels(env: &DuelVectorEnv) -> Buffers<T> {
        Buffers::with_sizes(env.num_rows(), env.space().len(), env.num_actions())
    }
}
