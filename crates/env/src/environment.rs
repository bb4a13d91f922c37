//! One environment: a game, its episode, and what an agent is told of them.

use crate::env_game::EnvGame;
use crate::episode::{Episode, Limits};
use crate::mask::{mask, write_mask};
use crate::snapshot::Version;
use crate::{
    ConfigError, Element, Encoder, EnvConfig, EpisodeStats, RewardFunction, Signal, Snapshot,
    Termination, Truncation, steps_on,
};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Cause, Event, Position, Rules, Sight, Status, Unsupported};

/// An encoder for each board.
pub(crate) type Encoders = Vec<Encoder>;

const EPISODE: Purpose = Purpose::new("episode");
const STARTS: Purpose = Purpose::new("starts");

/// One environment. What every step touches lies together.
#[repr(C, align(64))]
pub(crate) struct Environment<G> {
    pub(crate) episode: Episode,
    pub(crate) game: G,
    pub(crate) seed: u64,
    /// How many episodes were before this one.
    episodes: u64,
    pub(crate) last_episode: Option<EpisodeStats>,
}

/// What all environments have in common.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) config: EnvConfig,
    /// The rules on each board that episodes are played on.
    pub(crate) rules: Vec<Rules>,
    /// Boards by their indices, as episodes draw them: one that is listed twice is drawn twice as
    /// often.
    pub(crate) draws: Vec<usize>,
    /// By board.
    pub(crate) limits: Vec<Limits>,
    /// Where episodes may begin beside the starts of the rules.
    pub(crate) starts: Vec<Position>,
    /// The share of episodes that begin there.
    pub(crate) start_share: f64,
}

/// What all environments have in common, and the time: how many steps they have taken together.
pub(crate) struct Common<'a, G: EnvGame, R> {
    pub(crate) setup: &'a Setup,
    pub(crate) rules: &'a G::Rules,
    pub(crate) reward: &'a R,
    pub(crate) now: u64,
}

impl Setup {
    /// A configuration that is valid.
    pub(crate) fn new(config: EnvConfig) -> Result<Setup, ConfigError> {
        config.validate()?;
        let drawn = config.drawn()?;
        let rules = config.rules_on_boards()?;
        let index = |one: &Rules| {
            rules
                .iter()
                .position(|rules| rules == one)
                .expect("it was put there")
        };
        let draws = drawn.iter().map(index).collect();
        let steps_on = |limit: Option<u32>, rules: &Rules| {
            limit.map(|steps| steps_on(steps, config.rules.board(), rules.board()))
        };
        let limits = rules
            .iter()
            .map(|rules| {
                Limits::new(
                    steps_on(config.time_limit, rules),
                    steps_on(config.starvation, rules),
                )
            })
            .collect();
        let starts = config.start_positions(&rules)?;
        let start_share = config.start_share;
        Ok(Setup {
            limits,
            rules,
            draws,
            starts,
            start_share,
            config,
        })
    }
}

impl<G: EnvGame, R> Clone for Common<'_, G, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: EnvGame, R> Copy for Common<'_, G, R> {}

impl<G: EnvGame> Environment<G> {
    pub(crate) fn new(game: G) -> Environment<G> {
        Environment {
            episode: Episode::default(),
            game,
            seed: 0,
            episodes: 0,
            last_episode: None,
        }
    }

    /// Begins the first episode under a seed.
    pub(crate) fn reseed<R>(&mut self, common: Common<'_, G, R>, seed: u64) {
        (self.seed, self.episodes, self.last_episode) = (seed, 0, None);
        self.begin(common);
    }

    /// Begins the next episode.
    pub(crate) fn next_episode<R>(&mut self, common: Common<'_, G, R>) {
        self.episodes = self.episodes.wrapping_add(1);
        self.begin(common);
    }

    /// Begins the next episode at a position.
    pub(crate) fn next_episode_from<R>(&mut self, common: Common<'_, G, R>, position: &Position) {
        self.episodes = self.episodes.wrapping_add(1);
        self.begin_from(common, position);
    }

    #[cold]
    fn begin<R>(&mut self, common: Common<'_, G, R>) {
        let Setup {
            starts,
            start_share,
            ..
        } = common.setup;
        if !starts.is_empty() {
            let mut draws = rng::keyed(self.seed, STARTS, self.episodes);
            const ONE: u64 = 1 << 53;
            if (rng::below(&mut draws, ONE) as f64) < start_share * ONE as f64 {
                let index = rng::below(&mut draws, starts.len() as u64) as usize;
                return self.begin_from(common, &starts[index]);
            }
        }
        self.game.restart(common.rules, self.game_seed());
        self.begin_episode(common);
    }

    fn begin_from<R>(&mut self, common: Common<'_, G, R>, position: &Position) {
        self.game
            .restart_from(common.rules, position, self.game_seed());
        self.begin_episode(common);
    }

    fn begin_episode<R>(&mut self, common: Common<'_, G, R>) {
        let over = self.game.status() != Status::Ongoing;
        self.episode = Episode::begin(common.now, common.setup.limits[self.game.board()], over);
    }

    fn game_seed(&self) -> u64 {
        rng::derive(self.seed, EPISODE, self.episodes)
    }

    /// The reward and the signal of a step, where it is more than a move that pays nothing.
    #[cold]
    pub(crate) fn settle<R: RewardFunction>(
        &mut self,
        common: Common<'_, G, R>,
        before: R::Before,
        event: Event,
    ) -> (f32, Signal) {
        let Environment {
            episode,
            game,
            last_episode,
            ..
        } = self;
        let Common {
            setup, rules, now, ..
        } = common;
        let limits = setup.limits[game.board()];
        let unseen = event == Event::Moved && !common.reward.looks_at_every_step();
        let mut reward = if unseen {
            0.0
        } else {
            common.reward.reward(before, event, game.sight(rules))
        };
        if event == Event::Ate {
            episode.eat(now, limits);
        }
        let signal = match event {
            Event::Won => Signal::Terminated(Termination::Won),
            Event::Lost(Cause::Wall) => Signal::Terminated(Termination::Wall),
            Event::Lost(Cause::Body) => Signal::Terminated(Termination::Body),
            Event::Moved | Event::Ate => episode
                .truncation(now, limits)
                .map_or(Signal::Running, Signal::Truncated),
        };
        if signal == Signal::Truncated(Truncation::Starvation) {
            reward += common.reward.starvation();
        }
        episode.reward += f64::from(reward);
        if signal.ended() {
            episode.ended = true;
            let sight = game.sight(rules);
            let reward = episode.reward;
            let steps = episode.steps(now);
            let length = sight.len();
            let board = sight.board();
            *last_episode = Some(EpisodeStats {
                reward,
                steps,
                length,
                signal,
                board,
            });
        }
        (reward, signal)
    }

    /// Which actions are allowed: 4 absolute or 3 relative ones; all where none is.
    #[inline(always)]
    pub(crate) fn mask<const ACTIONS: usize>(&mut self) -> [bool; ACTIONS] {
        let moves = self.game.moves();
        mask(moves, self.game.heading())
    }

    /// Writes the observation anew.
    #[inline(never)]
    pub(crate) fn encode<T: Element>(
        &mut self,
        rules: &G::Rules,
        encoders: &mut Encoders,
        out: &mut [T],
    ) {
        let moves = self.game.moves();
        encoders[self.game.board()].encode(self.game.sight(rules), moves, out);
    }

    /// Writes observation and mask, each if a row is given for it.
    pub(crate) fn show<T: Element, R>(
        &mut self,
        common: Common<'_, G, R>,
        encoders: &mut Encoders,
        observation: &mut [T],
        mask: &mut [bool],
    ) {
        if !observation.is_empty() {
            self.encode(common.rules, encoders, observation);
        }
        if !mask.is_empty() {
            write_mask(
                common.setup.config.action,
                self.game.moves(),
                self.game.heading(),
                mask,
            );
        }
    }

    /// All of the state.
    pub(crate) fn snapshot<R>(&self, common: Common<'_, G, R>) -> Snapshot {
        let Environment {
            episode,
            game,
            seed,
            episodes,
            last_episode,
        } = self;
        Snapshot {
            version: Version,
            game: game.game(common.rules).into_owned(),
            seed: *seed,
            episode: *episodes,
            steps: episode.steps(common.now),
            hunger: episode.hunger(common.now),
            reward: episode.reward,
            ended: episode.ended,
            last_episode: *last_episode,
            filter: game.filter_state(),
        }
    }

    /// Goes on from a state; an error changes nothing.
    pub(crate) fn restore<R>(
        &mut self,
        common: Common<'_, G, R>,
        snapshot: &Snapshot,
    ) -> Result<(), Unsupported> {
        self.game
            .restore(common.rules, &snapshot.game, &snapshot.filter)?;
        let &Snapshot {
            seed,
            episode,
            steps,
            hunger,
            reward,
            ended,
            last_episode,
            ..
        } = snapshot;
        let limits = common.setup.limits[self.game.board()];
        self.episode = Episode::resume(common.now, limits, steps, hunger, reward, ended);
        (self.seed, self.episodes, self.last_episode) = (seed, episode, last_episode);
        Ok(())
    }
}
