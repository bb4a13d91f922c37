//! One environment: a game, its episode, and what an agent is told of them.

use crate::env_game::EnvGame;
use crate::episode::{Episode, Limits};
use crate::mask::{mask, write_mask};
use crate::snapshot::Version;
use crate::{Element, Encoder, EnvConfig, EpisodeStats, RewardFunction, Signal, Snapshot, Termination};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Cause, Event, Position, Sight, Status, Unsupported};

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
    pub(crate) limits: Limits,
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
    /// A configuration whose episodes begin at starts of the rules.
    pub(crate) fn new(config: EnvConfig) -> Setup {
        Setup {
            limits: Limits::new(config.time_limit, config.starvation),
            starts: Vec::new(),
            start_share: 0.0,
            config,
        }
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
        Environment { episode: Episode::default(), game, seed: 0, episodes: 0, last_episode: None }
    }

    /// Begins the first episode under a seed.
    pub(crate) fn reseed<R>(&mut self, common: Common<'_, G, R>, seed: u64) {
        (self.seed, self.episodes, self.last_episode) = (seed, 0, None);
        self.begin(common);
    }

    /// Begins the next episode.
    pub(crate) fn next_episode<R>(&mut self, common: Common<'_, G, R>) {
        self.episodes += 1;
        self.begin(common);
    }

    /// Begins the next episode at a position.
    pub(crate) fn next_episode_from<R>(&mut self, common: Common<'_, G, R>, position: &Position) {
        self.episodes += 1;
        self.begin_from(common, position);
    }

    #[cold]
    fn begin<R>(&mut self, common: Common<'_, G, R>) {
        let Setup { starts, start_share, limits, .. } = common.setup;
        if !starts.is_empty() {
            let mut draws = rng::keyed(self.seed, STARTS, self.episodes);
            const ONE: u64 = 1 << 53;
            if (rng::below(&mut draws, ONE) as f64) < start_share * ONE as f64 {
                let index = rng::below(&mut draws, starts.len() as u64) as usize;
                return self.begin_from(common, &starts[index]);
            }
        }
        self.game.restart(common.rules, self.game_seed());
        self.episode = Episode::begin(common.now, *limits, self.is_over());
    }

    fn begin_from<R>(&mut self, common: Common<'_, G, R>, position: &Position) {
        self.game.restart_from(common.rules, position, self.game_seed());
        self.episode = Episode::begin(common.now, common.setup.limits, self.is_over());
    }

    fn game_seed(&self) -> u64 {
        rng::derive(self.seed, EPISODE, self.episodes)
    }

    fn is_over(&self) -> bool {
        self.game.status() != Status::Ongoing
    }

    /// The reward and the signal of a step, where it is more than a move that pays nothing.
    #[cold]
    pub(crate) fn settle<R: RewardFunction>(
        &mut self,
        common: Common<'_, G, R>,
        before: R::Before,
        event: Event,
    ) -> (f32, Signal) {
        let Environment { episode, game, last_episode, .. } = self;
        let Common { setup, rules, now, .. } = common;
        let unseen = event == Event::Moved && !common.reward.looks_at_every_step();
        let reward = if unseen { 0.0 } else { common.reward.reward(before, event, game.sight(rules)) };
        episode.reward += f64::from(reward);
        if event == Event::Ate {
            episode.eat(now, setup.limits);
        }
        let signal = match event {
            Event::Won => Signal::Terminated(Termination::Won),
            Event::Lost(Cause::Wall) => Signal::Terminated(Termination::Wall),
            Event::Lost(Cause::Body) => Signal::Terminated(Termination::Body),
            Event::Moved | Event::Ate => {
                episode.truncation(now, setup.limits).map_or(Signal::Running, Signal::Truncated)
            }
        };
        if signal.ended() {
            episode.ended = true;
            let length = game.sight(rules).len();
            *last_episode = Some(EpisodeStats { reward: episode.reward, steps: episode.steps(now), length, signal });
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
    pub(crate) fn encode<T: Element>(&mut self, rules: &G::Rules, encoder: &mut Encoder, out: &mut [T]) {
        let moves = self.game.moves();
        encoder.encode(self.game.sight(rules), moves, out);
    }

    /// Writes observation and mask, each if a row is given for it.
    pub(crate) fn show<T: Element, R>(
        &mut self,
        common: Common<'_, G, R>,
        encoder: &mut Encoder,
        observation: &mut [T],
        mask: &mut [bool],
    ) {
        if !observation.is_empty() {
            self.encode(common.rules, encoder, observation);
        }
        if !mask.is_empty() {
            write_mask(common.setup.config.action, self.game.moves(), self.game.heading(), mask);
        }
    }

    /// All of the state.
    pub(crate) fn snapshot<R>(&self, common: Common<'_, G, R>) -> Snapshot {
        let Environment { episode, game, seed, episodes, last_episode } = self;
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
    pub(crate) fn restore<R>(&mut self, common: Common<'_, G, R>, snapshot: &Snapshot) -> Result<(), Unsupported> {
        self.game.restore(common.rules, &snapshot.game, &snapshot.filter)?;
        let &Snapshot { seed, episode, steps, hunger, reward, ended, last_episode, .. } = snapshot;
        self.episode = Episode::resume(common.now, common.setup.limits, steps, hunger, reward, ended);
        (self.seed, self.episodes, self.last_episode) = (seed, episode, last_episode);
        Ok(())
    }
}
