//! The duel environment: how its episodes begin, proceed and end.

use crate::duel::config::DuelEnvConfig;
use crate::duel::opponent::{LearnerSeat, Opponent, Opponents};
use crate::duel::snapshot::{DuelSnapshot, other};
use crate::episode::Flags;
use crate::share::{Parts, Workers};
use crate::snapshot::Version;
use crate::vectorized::{Env, Rows, Settled, Spec, kind};
use crate::{ActionKind, Element, Encoder, EnvError, Signal, StepError, Termination};
use hognose_game::duel::{Duel, DuelEvent, DuelView, MakeBot, Outcome, Seat};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Direction, Directions};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

const EPISODE: Purpose = Purpose::new("episode");

/// A finished episode of a duel, for one player.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DuelEpisode {
    /// The player's seat.
    pub seat: Seat,
    /// How the duel ended.
    pub outcome: Outcome,
    /// The undiscounted sum of the player's rewards.
    pub reward: f64,
    /// The number of steps.
    pub steps: u32,
    /// The lengths of both snakes at the end, seats in order, including pending growth.
    pub lengths: [usize; 2],
}

impl DuelEpisode {
    /// Returns how the duel ended for the player.
    pub(crate) fn signal(&self) -> Signal {
        Signal::Terminated(match self.outcome.winner {
            None => Termination::Drawn,
            Some(winner) if winner == self.seat => Termination::Won,
            Some(_) => Termination::Lost,
        })
    }
}

/// What all duels share: the terms of the next episodes.
pub(crate) struct DuelEnv {
    pub(crate) terms: Arc<Terms>,
}

/// What an episode keeps until its end.
pub(crate) struct Terms {
    pub(crate) config: DuelEnvConfig,
    /// `None` if learners play both seats.
    pub(crate) opponents: Option<Opponents>,
    /// A duel under the rules. Its copies lie closer together in memory than new duels.
    start: Duel,
}

impl Terms {
    /// Creates the terms of the next episodes. `opponent` is the bot and the learner's seat, or
    /// `None` if learners play both seats.
    ///
    /// # Errors
    /// Fails if the bot can't play from the start of the rules.
    pub(crate) fn new(
        config: DuelEnvConfig,
        opponent: Option<(Arc<dyn MakeBot>, LearnerSeat)>,
    ) -> Result<Arc<Terms>, EnvError> {
        let start = Duel::new(config.rules, 0);
        let opponents = opponent
            .map(|(maker, learner)| Opponents::new(maker, learner, start.position()))
            .transpose()?;
        Ok(Arc::new(Terms {
            config,
            opponents,
            start,
        }))
    }
}

/// One duel. Each row is a learner: learner 0 alone, or learners 0 and 1 on both seats in order.
pub(crate) struct DuelState {
    pub(crate) terms: Arc<Terms>,
    pub(crate) duel: Duel,
    pub(crate) flags: Flags,
    pub(crate) opponent: Option<Opponent>,
    /// The sum of rewards of each learner.
    rewards: [f64; 2],
    pub(crate) seed: u64,
    /// The number of earlier episodes.
    episodes: u64,
    last_episodes: Option<[DuelEpisode; 2]>,
}

impl DuelState {
    /// Creates a duel whose first episode [`DuelEnv::reseed`] begins.
    pub(crate) fn new(terms: Arc<Terms>) -> DuelState {
        DuelState {
            duel: terms.start.clone(),
            terms,
            flags: Flags::default(),
            opponent: None,
            rewards: [0.0; 2],
            seed: 0,
            episodes: 0,
            last_episodes: None,
        }
    }

    /// Returns why the opponent forfeits the episode, if it does.
    pub(crate) fn gives_up(&self) -> Option<&str> {
        self.opponent.as_ref()?.gives_up()
    }

    /// Asks the opponent for its move unless the episode has ended.
    fn ask_opponent(&mut self) {
        if !self.flags.ended
            && let Some(opponent) = &mut self.opponent
        {
            opponent.ask(self.duel.position());
        }
    }

    #[inline(always)]
    pub(crate) fn seat(&self, learner: usize) -> Seat {
        match &self.opponent {
            None => Seat::BOTH[learner],
            Some(opponent) => opponent.seat.other(),
        }
    }

    #[inline(always)]
    pub(crate) fn view(&self, learner: usize) -> DuelView<'_> {
        self.duel.position().view(self.seat(learner))
    }

    /// Returns the moves of both snakes, from the learners' actions and the opponent's answer.
    #[inline(always)]
    fn joint<const ACTIONS: usize, const ROWS: usize>(
        &mut self,
        actions: [u8; ROWS],
    ) -> [Direction; 2] {
        let position = self.duel.position();
        let direction = |seat: Seat, action: u8| {
            kind::<ACTIONS>().direction(action, position.snake(seat).heading())
        };
        match &mut self.opponent {
            None => Seat::BOTH.map(|seat| direction(seat, actions[seat.index()])),
            Some(opponent) => opponent.joint(direction(opponent.seat.other(), actions[0])),
        }
    }

    /// Returns the rewards and signals of a step that has a reward or ends the duel.
    #[cold]
    fn settle<const ROWS: usize>(
        &mut self,
        potentials: [f32; ROWS],
        event: DuelEvent,
    ) -> ([f32; ROWS], [Signal; ROWS]) {
        let reward = &self.terms.config.reward;
        let paid = std::array::from_fn(|row| reward.of(potentials[row], event, self.view(row)));
        for (sum, reward) in self.rewards.iter_mut().zip(paid) {
            *sum += f64::from(reward);
        }
        let Some(outcome) = event.outcome else {
            return (paid, [Signal::Running; ROWS]);
        };
        let position = self.duel.position();
        let lengths = Seat::BOTH.map(|seat| position.length(seat));
        if let Some(opponent) = &mut self.opponent {
            opponent.end(position);
        }
        self.flags.ended = true;
        let episodes = [0, 1].map(|learner: usize| DuelEpisode {
            seat: self.seat(learner.min(ROWS - 1)),
            outcome,
            reward: self.rewards[learner],
            steps: position.steps(),
            lengths,
        });
        self.last_episodes = Some(episodes);
        (
            paid,
            std::array::from_fn(|learner| episodes[learner].signal()),
        )
    }

    pub(crate) fn last_episode(&self, learner: usize) -> Option<DuelEpisode> {
        self.last_episodes.map(|episodes| episodes[learner])
    }

    pub(crate) fn snapshot(&self) -> DuelSnapshot {
        DuelSnapshot {
            version: Version,
            duel: self.duel.clone(),
            seed: self.seed,
            episode: self.episodes,
            rewards: self.rewards,
            last_episodes: self.last_episodes,
            opponent: self.opponent.as_ref().map(Opponent::played),
        }
    }
}

impl DuelEnv {
    /// Starts the first episode with a seed.
    pub(crate) fn reseed(&self, state: &mut DuelState, seed: u64) {
        (state.seed, state.episodes, state.last_episodes) = (seed, 0, None);
        self.begin(state);
    }

    fn begin(&self, state: &mut DuelState) {
        let DuelEnv { terms } = self;
        let DuelState { seed, episodes, .. } = *state;
        if !Arc::ptr_eq(terms, &state.terms) {
            state.terms = Arc::clone(terms);
            state.duel = terms.start.clone();
        }
        state.duel.restart(rng::derive(seed, EPISODE, episodes));
        state.flags = Flags::default();
        state.rewards = [0.0; 2];
        let opponents = terms.opponents.as_ref();
        state.opponent =
            opponents.map(|opponents| opponents.make(state.duel.position(), seed, episodes));
    }

    /// Returns the state of a snapshot under the same rules.
    pub(crate) fn restored(&self, snapshot: &DuelSnapshot) -> Result<DuelState, EnvError> {
        let &DuelSnapshot {
            ref duel,
            seed,
            episode,
            rewards,
            last_episodes,
            ..
        } = snapshot;
        let opponent = match (&self.terms.opponents, &snapshot.opponent) {
            (None, None) => None,
            (None, Some(_)) => {
                return Err(other(
                    "a duel between learners",
                    "a duel against an opponent",
                ));
            }
            (Some(_), None) => {
                return Err(other(
                    "a duel against an opponent",
                    "a duel between learners",
                ));
            }
            (Some(opponents), Some(played)) => {
                let mut again = duel.clone();
                again.restart(rng::derive(seed, EPISODE, episode));
                let opponent = opponents.replay(&mut again, seed, episode, played)?;
                if again != *duel {
                    return Err(other("the duel that the moves lead to", "another duel"));
                }
                Some(opponent)
            }
        };
        let flags = Flags {
            ended: duel.position().outcome().is_some(),
            observed: false,
        };
        Ok(DuelState {
            terms: Arc::clone(&self.terms),
            duel: duel.clone(),
            flags,
            opponent,
            rewards,
            seed,
            episodes: episode,
            last_episodes,
        })
    }
}

/// The number of opponents that justifies another thread.
const BOT_GRAIN: usize = 8;

impl Parts for &mut [DuelState] {
    fn count(&self) -> usize {
        self.len()
    }

    fn split_off(&mut self, n: usize) -> Self {
        self.split_off_mut(..n).expect("n states")
    }
}

impl Env for DuelEnv {
    type State = DuelState;
    type Sight<'a> = DuelView<'a>;

    fn spec(&self) -> Spec {
        let Terms {
            config, opponents, ..
        } = &*self.terms;
        Spec {
            observation: config.observation,
            action: config.action,
            autoreset: config.autoreset,
            rows: if opponents.is_some() { 1 } else { 2 },
            grain: config.observation.grain().div_ceil(2),
        }
    }

    /// Asks the opponent of every unfinished duel for its move.
    fn before_step(
        &mut self,
        states: &mut [DuelState],
        workers: &mut Workers,
    ) -> Result<(), StepError> {
        if self.terms.opponents.is_none() {
            return Ok(());
        }
        workers.share(&mut *states, BOT_GRAIN, |states, _| {
            states.iter_mut().for_each(DuelState::ask_opponent);
        });
        for (duel, state) in states.iter().enumerate() {
            if let Some(reason) = state.gives_up() {
                return Err(StepError::Opponent {
                    duel,
                    reason: reason.to_owned(),
                });
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn flags(state: &mut DuelState) -> &mut Flags {
        &mut state.flags
    }

    fn next_episode(&self, state: &mut DuelState) {
        state.episodes = state.episodes.wrapping_add(1);
        self.begin(state);
    }

    #[inline(always)]
    fn sight<'a>(&'a self, state: &'a DuelState, row: usize) -> DuelView<'a> {
        state.view(row)
    }

    #[inline(always)]
    fn moves(&self, state: &mut DuelState, row: usize) -> Directions {
        state.view(row).legal_moves()
    }

    #[inline(always)]
    fn step<const ACTIONS: usize, const ROWS: usize>(
        &self,
        state: &mut DuelState,
        actions: [u8; ROWS],
    ) -> Option<Settled<ROWS>> {
        let reward = state.terms.config.reward;
        let potentials = std::array::from_fn(|row| reward.potential(state.view(row)));
        let moves = state.joint::<ACTIONS, ROWS>(actions);
        let event = state.duel.step(moves);
        let foods_changed = event.redrawn || event.ate != [false; 2];
        if event.outcome.is_none() && !foods_changed && reward.pays_for_events_alone() {
            return None;
        }
        let (rewards, signals) = state.settle(potentials, event);
        Some(Settled {
            rewards,
            signals,
            foods_changed,
        })
    }

    fn step_rows<T: Element>(&self, rows: Rows<'_, Self, T>, encoders: &mut [Encoder]) {
        match (self.terms.config.action, self.spec().rows) {
            (ActionKind::Absolute, 1) => rows.step::<4, 1>(self, encoders),
            (ActionKind::Absolute, _) => rows.step::<4, 2>(self, encoders),
            (ActionKind::Relative, 1) => rows.step::<3, 1>(self, encoders),
            (ActionKind::Relative, _) => rows.step::<3, 2>(self, encoders),
        }
    }
}
