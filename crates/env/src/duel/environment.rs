//! One duel of many, and what its players are told of it.

use crate::duel::config::DuelEnvConfig;
use crate::duel::opponent::{Opponent, Opponents};
use crate::duel::snapshot::{DuelSnapshot, other};
use crate::mask::{mask, write_mask};
use crate::snapshot::Version;
use crate::{Element, Encoder, EnvError, Signal, Termination};
use hognose_game::Direction;
use hognose_game::duel::{Duel, DuelEvent, DuelView, Outcome, Seat};
use hognose_game::rng::{self, Purpose};
use serde::{Deserialize, Serialize};

const EPISODE: Purpose = Purpose::new("episode");

/// A finished episode of a duel, as one of its players knows it.
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
    /// The lengths of both snakes at the end, in the order of seats; growth that is pending counts.
    pub lengths: [usize; 2],
}

/// What all duels have in common.
pub(crate) struct Setup {
    pub(crate) config: DuelEnvConfig,
    /// `None`: learners have both seats.
    pub(crate) opponents: Option<Opponents>,
}

/// One duel. A row is a learner: learner 0 alone, or 0 and 1 on both seats in order.
pub(crate) struct Environment {
    pub(crate) duel: Duel,
    pub(crate) ended: bool,
    /// Whether the duel stands as it was observed last.
    pub(crate) observed: bool,
    pub(crate) opponent: Option<Opponent>,
    /// The sums of the rewards of the learners.
    rewards: [f64; 2],
    pub(crate) seed: u64,
    /// How many episodes were before this one.
    episodes: u64,
    last_episodes: Option<[DuelEpisode; 2]>,
}

impl Environment {
    /// A duel at the start of its first episode. `duel` is any one of the rules: copies of one
    /// share tables.
    pub(crate) fn new(setup: &Setup, duel: Duel, seed: u64) -> Environment {
        let mut environment = Environment {
            duel,
            ended: false,
            observed: false,
            opponent: None,
            rewards: [0.0; 2],
            seed: 0,
            episodes: 0,
            last_episodes: None,
        };
        environment.reseed(setup, seed);
        environment
    }

    /// Begins the first episode under a seed.
    pub(crate) fn reseed(&mut self, setup: &Setup, seed: u64) {
        (self.seed, self.episodes, self.last_episodes) = (seed, 0, None);
        self.begin(setup);
    }

    /// Begins the next episode.
    pub(crate) fn next_episode(&mut self, setup: &Setup) {
        self.episodes = self.episodes.wrapping_add(1);
        self.begin(setup);
    }

    fn begin(&mut self, setup: &Setup) {
        let Environment { seed, episodes, .. } = *self;
        self.duel.restart(rng::derive(seed, EPISODE, episodes));
        (self.ended, self.observed, self.rewards) = (false, false, [0.0; 2]);
        let opponents = setup.opponents.as_ref();
        self.opponent =
            opponents.map(|opponents| opponents.make(self.duel.position(), seed, episodes));
    }

    /// All of its state.
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

    /// A duel in the state of a snapshot of the same rules.
    pub(crate) fn restored(
        setup: &Setup,
        snapshot: &DuelSnapshot,
    ) -> Result<Environment, EnvError> {
        let &DuelSnapshot {
            ref duel,
            seed,
            episode,
            rewards,
            last_episodes,
            ..
        } = snapshot;
        let opponent = match (&setup.opponents, &snapshot.opponent) {
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
                    return Err(other("a duel that its moves lead to", "another one"));
                }
                Some(opponent)
            }
        };
        Ok(Environment {
            duel: duel.clone(),
            ended: duel.position().outcome().is_some(),
            observed: false,
            opponent,
            rewards,
            seed,
            episodes: episode,
            last_episodes,
        })
    }

    /// Why the opponent gives the episode up, if it does.
    pub(crate) fn gives_up(&self) -> Option<&str> {
        self.opponent.as_ref()?.gives_up()
    }

    /// Asks the opponent for its move, if the duel goes on.
    pub(crate) fn ask_opponent(&mut self) {
        if !self.ended
            && let Some(opponent) = &mut self.opponent
        {
            opponent.ask(self.duel.position());
        }
    }

    /// The seat of a learner.
    #[inline(always)]
    pub(crate) fn seat(&self, learner: usize) -> Seat {
        match &self.opponent {
            None => Seat::BOTH[learner],
            Some(opponent) => opponent.seat.other(),
        }
    }

    /// What a learner sees.
    #[inline(always)]
    pub(crate) fn view(&self, learner: usize) -> DuelView<'_> {
        self.duel.position().view(self.seat(learner))
    }

    /// The moves of both snakes: of learners by their actions, of an opponent by what it has
    /// answered.
    #[inline(always)]
    pub(crate) fn moves<const ACTIONS: usize, const ROWS: usize>(
        &mut self,
        actions: [u8; ROWS],
    ) -> [Direction; 2] {
        let position = self.duel.position();
        let direction = |seat: Seat, action: u8| {
            let from = if ACTIONS == 4 {
                0
            } else {
                position.snake(seat).heading().index() + 3
            };
            Direction::from_index(from + usize::from(action))
        };
        match &mut self.opponent {
            None => Seat::BOTH.map(|seat| direction(seat, actions[seat.index()])),
            Some(opponent) => opponent.joint(direction(opponent.seat.other(), actions[0])),
        }
    }

    /// The potentials of the learners.
    #[inline(always)]
    pub(crate) fn potentials<const ROWS: usize>(&self, setup: &Setup) -> [f32; ROWS] {
        std::array::from_fn(|learner| setup.config.reward.potential(self.view(learner)))
    }

    /// The rewards and the signal of a step that pays something, or ends the duel.
    #[cold]
    pub(crate) fn settle<const ROWS: usize>(
        &mut self,
        setup: &Setup,
        potentials: [f32; ROWS],
        event: DuelEvent,
    ) -> ([f32; ROWS], [Signal; ROWS]) {
        let paid = std::array::from_fn(|row| {
            setup
                .config
                .reward
                .of(potentials[row], event, self.view(row))
        });
        self.rewards
            .iter_mut()
            .zip(paid)
            .for_each(|(sum, reward)| *sum += f64::from(reward));
        let Some(outcome) = event.outcome else {
            return (paid, [Signal::Running; ROWS]);
        };
        let position = self.duel.position();
        let lengths = Seat::BOTH.map(|seat| position.length(seat));
        if let Some(opponent) = &mut self.opponent {
            opponent.end(position);
        }
        self.ended = true;
        self.last_episodes = Some([0, 1].map(|learner: usize| DuelEpisode {
            seat: self.seat(learner.min(ROWS - 1)),
            outcome,
            reward: self.rewards[learner],
            steps: position.steps(),
            lengths,
        }));
        let signals = std::array::from_fn(|learner| {
            Signal::Terminated(match outcome.winner {
                None => Termination::Drawn,
                Some(winner) if winner == self.seat(learner) => Termination::Won,
                Some(_) => Termination::Lost,
            })
        });
        (paid, signals)
    }

    /// The last finished episode of a learner.
    pub(crate) fn last_episode(&self, learner: usize) -> Option<DuelEpisode> {
        self.last_episodes.map(|episodes| episodes[learner])
    }

    /// Which actions a learner may choose from; all where no move is legal.
    #[inline(always)]
    pub(crate) fn mask<const ACTIONS: usize>(&self, learner: usize) -> [bool; ACTIONS] {
        let view = self.view(learner);
        mask(view.legal_moves(), view.me().heading())
    }

    /// Writes the observation and the mask of a learner, each if a row is given for it.
    pub(crate) fn show<T: Element>(
        &self,
        setup: &Setup,
        learner: usize,
        encoder: &mut Encoder,
        observation: &mut [T],
        mask: &mut [bool],
    ) {
        let view = self.view(learner);
        if !observation.is_empty() {
            encoder.encode(view, view.legal_moves(), observation);
        }
        if !mask.is_empty() {
            write_mask(
                setup.config.action,
                view.legal_moves(),
                view.me().heading(),
                mask,
            );
        }
    }
}
