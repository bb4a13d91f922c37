//! The environment of one snake: how its episodes begin, proceed and end.

use crate::boards::draw_board;
use crate::env_game::EnvGame;
use crate::episode::{Episode, Flags, Limits};
use crate::share::Workers;
use crate::snapshot::Version;
use crate::vectorized::{Env, Rows, Settled, Spec};
use crate::{
    ActionKind, ConfigError, Element, Encoder, EnvConfig, EpisodeStats, RewardFunction, Signal,
    Snapshot, StepError, Termination, Truncation, steps_on,
};
use hognose_game::rng::{self, Purpose};
use hognose_game::{
    Cause, Direction, Directions, Event, Position, Rules, Sight, Status, Unsupported,
};
use itertools::Itertools;

const EPISODE: Purpose = Purpose::new("episode");
const STARTS: Purpose = Purpose::new("starts");

/// What all environments of a vector share.
pub(crate) struct SnakeEnv<G: EnvGame, R> {
    pub(crate) setup: Setup,
    /// One entry per board.
    pub(crate) rules: Vec<G::Rules>,
    pub(crate) reward: R,
    pub(crate) grain: usize,
}

/// What they share, independent of game type and reward.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) config: EnvConfig,
    /// The rules on each board that episodes use.
    pub(crate) rules: Vec<Rules>,
    /// Indices of boards, as episodes draw them: a board listed twice is drawn twice as often.
    draws: Vec<u16>,
    /// One entry per board.
    limits: Vec<Limits>,
    /// Positions at which episodes may begin, besides the starts of the rules.
    pub(crate) starts: Vec<Position>,
    /// The share of episodes that begin at them.
    pub(crate) start_share: f64,
    /// The number of steps that the environments have taken together, starting at [`BEGIN`].
    now: u64,
}

/// Late enough that every restored episode can begin before it.
const BEGIN: u64 = 1 << 32;

/// One environment. Data that every step uses is adjacent.
#[repr(C, align(64))]
pub(crate) struct State<G> {
    episode: Episode,
    pub(crate) game: G,
    pub(crate) seed: u64,
    /// The number of earlier episodes.
    episodes: u64,
    pub(crate) last_episode: Option<EpisodeStats>,
}

impl Setup {
    /// Checks a configuration and prepares it.
    pub(crate) fn new(config: EnvConfig) -> Result<Setup, ConfigError> {
        config.validate()?;
        let drawn = config.drawn()?;
        let rules: Vec<Rules> = drawn.iter().copied().unique().collect();
        let draws = drawn
            .iter()
            .map(|one| {
                let index = rules.iter().position(|rules| rules == one);
                index.expect("all drawn rules are listed") as u16
            })
            .collect();
        let scaled = |limit: Option<u32>, rules: &Rules| {
            limit.map(|steps| steps_on(steps, config.rules.board(), rules.board()))
        };
        let limits = rules
            .iter()
            .map(|rules| {
                Limits::new(
                    scaled(config.time_limit, rules),
                    scaled(config.starvation, rules),
                )
            })
            .collect();
        Ok(Setup {
            draws,
            limits,
            starts: config.start_positions(&rules)?,
            start_share: config.start_share,
            now: BEGIN,
            rules,
            config,
        })
    }

    fn board_of(&self, position: &Position) -> u16 {
        let index = self
            .rules
            .iter()
            .position(|&rules| rules == position.rules());
        index.expect("the rules were checked") as u16
    }
}

impl<G> State<G> {
    pub(crate) fn new(game: G) -> State<G> {
        State {
            episode: Episode::default(),
            game,
            seed: 0,
            episodes: 0,
            last_episode: None,
        }
    }

    pub(crate) fn ended(&self) -> bool {
        self.episode.flags.ended
    }

    fn game_seed(&self) -> u64 {
        rng::derive(self.seed, EPISODE, self.episodes)
    }
}

impl<G: EnvGame, R: RewardFunction> SnakeEnv<G, R> {
    /// Returns the number of steps of the current episode.
    pub(crate) fn steps(&self, state: &State<G>) -> u32 {
        state.episode.steps(self.setup.now)
    }

    /// Starts the first episode with a seed.
    pub(crate) fn reseed(&self, state: &mut State<G>, seed: u64) {
        (state.seed, state.episodes, state.last_episode) = (seed, 0, None);
        self.begin(state);
    }

    /// Starts the next episode at a position.
    pub(crate) fn next_episode_from(&self, state: &mut State<G>, position: &Position) {
        state.episodes = state.episodes.wrapping_add(1);
        self.begin_from(state, position);
    }

    #[cold]
    fn begin(&self, state: &mut State<G>) {
        let Setup {
            draws,
            starts,
            start_share,
            ..
        } = &self.setup;
        if !starts.is_empty() {
            let mut draws = rng::keyed(state.seed, STARTS, state.episodes);
            const ONE: u64 = 1 << 53;
            if (rng::below(&mut draws, ONE) as f64) < start_share * ONE as f64 {
                let index = rng::below(&mut draws, starts.len() as u64) as usize;
                return self.begin_from(state, &starts[index]);
            }
        }
        let seed = state.game_seed();
        let board = *draw_board(draws, seed);
        state.game.restart(&self.rules[usize::from(board)], seed);
        self.begin_episode(state, board);
    }

    fn begin_from(&self, state: &mut State<G>, position: &Position) {
        let board = self.setup.board_of(position);
        let rules = &self.rules[usize::from(board)];
        state.game.restart_from(rules, position, state.game_seed());
        self.begin_episode(state, board);
    }

    fn begin_episode(&self, state: &mut State<G>, board: u16) {
        let over = state.game.status() != Status::Ongoing;
        let limits = self.setup.limits[usize::from(board)];
        state.episode = Episode::begin(self.setup.now, board, limits, over);
    }

    /// Returns the reward and signal of a step, except for a mere move with reward 0.
    #[cold]
    fn settle(&self, state: &mut State<G>, before: R::Before, event: Event) -> (f32, Signal) {
        let now = self.setup.now;
        let State {
            episode,
            game,
            last_episode,
            ..
        } = state;
        let limits = self.setup.limits[usize::from(episode.board)];
        let unseen = event == Event::Moved && !self.reward.looks_at_every_step();
        let mut reward = if unseen {
            0.0
        } else {
            self.reward.reward(before, event, game.sight())
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
            reward += self.reward.starvation();
        }
        episode.reward += f64::from(reward);
        if signal.ended() {
            episode.flags.ended = true;
            let sight = game.sight();
            *last_episode = Some(EpisodeStats {
                reward: episode.reward,
                steps: episode.steps(now),
                length: sight.len(),
                signal,
                board: sight.board(),
            });
        }
        (reward, signal)
    }

    pub(crate) fn snapshot(&self, state: &State<G>) -> Snapshot {
        let State {
            episode,
            game,
            seed,
            episodes,
            last_episode,
        } = state;
        Snapshot {
            version: Version,
            game: game.game().into_owned(),
            seed: *seed,
            episode: *episodes,
            steps: episode.steps(self.setup.now),
            hunger: episode.hunger(self.setup.now),
            reward: episode.reward,
            ended: episode.flags.ended,
            last_episode: *last_episode,
            filter: game.filter_state(),
        }
    }

    /// Restores a state; an error changes nothing.
    pub(crate) fn restore(
        &self,
        state: &mut State<G>,
        snapshot: &Snapshot,
    ) -> Result<(), Unsupported> {
        let board = self.setup.board_of(snapshot.game.position());
        let rules = &self.rules[usize::from(board)];
        state
            .game
            .restore(rules, &snapshot.game, &snapshot.filter)?;
        let limits = self.setup.limits[usize::from(board)];
        let now = self.setup.now;
        state.episode = Episode::resume(now, board, limits, snapshot.steps, snapshot.hunger);
        state.episode.reward = snapshot.reward;
        state.episode.flags.ended = snapshot.ended;
        state.seed = snapshot.seed;
        state.episodes = snapshot.episode;
        state.last_episode = snapshot.last_episode;
        Ok(())
    }
}

impl<G: EnvGame, R: RewardFunction> Env for SnakeEnv<G, R> {
    type State = State<G>;
    type Sight<'a> = G::Sight<'a>;

    fn spec(&self) -> Spec {
        let config = &self.setup.config;
        Spec {
            observation: config.observation,
            action: config.action,
            autoreset: config.autoreset,
            rows: 1,
            grain: self.grain,
        }
    }

    fn before_step(&mut self, _: &mut [State<G>], _: &mut Workers) -> Result<(), StepError> {
        self.setup.now += 1;
        Ok(())
    }

    #[inline(always)]
    fn flags(state: &mut State<G>) -> &mut Flags {
        &mut state.episode.flags
    }

    fn next_episode(&self, state: &mut State<G>) {
        state.episodes = state.episodes.wrapping_add(1);
        self.begin(state);
    }

    #[inline(always)]
    fn board(state: &State<G>) -> usize {
        state.episode.board.into()
    }

    #[inline(always)]
    fn sight<'a>(&'a self, state: &'a State<G>, _row: usize) -> G::Sight<'a> {
        state.game.sight()
    }

    #[inline(always)]
    fn moves(&self, state: &mut State<G>, _row: usize) -> Directions {
        state.game.moves()
    }

    #[inline(always)]
    fn step<const ACTIONS: usize, const ROWS: usize>(
        &self,
        state: &mut State<G>,
        actions: [u8; ROWS],
    ) -> Option<Settled<ROWS>> {
        let looks = self.reward.looks_at_every_step();
        let before = if looks {
            self.reward.before(state.game.sight())
        } else {
            R::Before::default()
        };
        let from = if ACTIONS == 4 {
            0
        } else {
            state.game.sight().heading().index() + 3
        };
        let direction = Direction::from_index(from + usize::from(actions[0]));
        let event = state.game.step(direction);
        if event == Event::Moved && state.episode.due > self.setup.now && !looks {
            return None;
        }
        let (reward, signal) = self.settle(state, before, event);
        Some(Settled {
            rewards: [reward; ROWS],
            signals: [signal; ROWS],
            foods_changed: event == Event::Ate,
        })
    }

    fn step_rows<T: Element>(&self, rows: Rows<'_, Self, T>, encoders: &mut [Encoder]) {
        match self.setup.config.action {
            ActionKind::Absolute => rows.step::<4, 1>(self, encoders),
            ActionKind::Relative => rows.step::<3, 1>(self, encoders),
        }
    }
}
