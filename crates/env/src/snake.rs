//! The environment of one snake: how its episodes begin, proceed and end.

use crate::boards::draw_board;
use crate::env_game::EnvGame;
use crate::episode::{Episode, Flags, Limits};
use crate::share::Workers;
use crate::snapshot::{Terms, Version};
use crate::vectorized::{Env, Rows, Settled, Spec, kind};
use crate::{
    ActionKind, ConfigError, Element, Encoder, EnvConfig, EpisodeStats, Reward, RewardFunction,
    Signal, Snapshot, StepError, Termination, Truncation,
};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Cause, Directions, Event, Position, Rules, Sight, Unsupported};
use itertools::Itertools;
use std::sync::Arc;

const EPISODE: Purpose = Purpose::new("episode");
const STARTS: Purpose = Purpose::new("starts");

/// What all environments of a vector share.
pub(crate) struct SnakeEnv<G: EnvGame, R> {
    pub(crate) setup: Setup,
    /// One entry per board.
    pub(crate) rules: Vec<G::Rules>,
    pub(crate) make_reward: MakeReward<R>,
    /// One entry per board.
    rewards: Vec<Arc<R>>,
    /// Whether some reward examines every step.
    looks: bool,
    pub(crate) grain: usize,
}

/// Makes the reward of episodes whose configuration has this built-in one.
pub(crate) type MakeReward<R> = Arc<dyn Fn(Reward) -> Arc<R> + Send + Sync>;

/// What they share, independent of game type and reward.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) config: EnvConfig,
    /// The rules on each board that the configuration's episodes use.
    pub(crate) rules: Vec<Rules>,
    /// Indices of boards, as episodes draw them: a board listed twice is drawn twice as often.
    draws: Vec<u16>,
    /// Each board with its rules and terms: those of the configuration, in the order of `rules`,
    /// and then those of episodes that began under an earlier configuration.
    pub(crate) boards: Vec<(Rules, Terms)>,
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
        Ok(Setup {
            draws,
            boards: rules
                .iter()
                .map(|rules| (*rules, config.terms(rules.board())))
                .collect(),
            starts: config.start_positions(&rules)?,
            start_share: config.start_share,
            now: BEGIN,
            rules,
            config,
        })
    }

    /// Forgets the boards of earlier configurations.
    pub(crate) fn forget_earlier(&mut self) {
        self.boards.truncate(self.rules.len());
    }

    /// Adds the board of an episode that began under an earlier configuration, if it is missing.
    pub(crate) fn admit(&mut self, rules: Rules, terms: Terms) {
        if self.find(rules, Some(terms)).is_none() {
            self.boards.push((rules, terms));
        }
    }

    fn limits(&self, board: u16) -> Limits {
        self.boards[usize::from(board)].1.limits()
    }

    /// Returns the index of a board; without terms, it is one of the configuration.
    pub(crate) fn find(&self, rules: Rules, terms: Option<Terms>) -> Option<usize> {
        let searched = match terms {
            Some(_) => &self.boards[..],
            None => &self.boards[..self.rules.len()],
        };
        searched.iter().position(|(own, its_terms)| {
            *own == rules && terms.is_none_or(|terms| terms == *its_terms)
        })
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
    pub(crate) fn new(
        setup: Setup,
        make_reward: MakeReward<R>,
        grain: usize,
        rules: impl Fn(Rules) -> G::Rules,
    ) -> SnakeEnv<G, R> {
        let rewards: Vec<Arc<R>> = setup
            .boards
            .iter()
            .map(|(_, terms)| make_reward(terms.reward))
            .collect();
        SnakeEnv {
            rules: setup.boards.iter().map(|(one, _)| rules(*one)).collect(),
            looks: rewards.iter().any(|reward| reward.looks_at_every_step()),
            setup,
            make_reward,
            rewards,
            grain,
        }
    }

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
        let board = self.setup.find(position.rules(), None);
        let board = board.expect("the rules were checked");
        let seed = state.game_seed();
        state.game.restart_from(&self.rules[board], position, seed);
        self.begin_episode(state, board as u16);
    }

    fn begin_episode(&self, state: &mut State<G>, board: u16) {
        let limits = self.setup.limits(board);
        state.episode = Episode::resume(self.setup.now, board, limits, 0, 0);
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
        let limits = self.setup.limits(episode.board);
        let rewards = &*self.rewards[usize::from(episode.board)];
        let unseen = event == Event::Moved && !rewards.looks_at_every_step();
        let mut reward = if unseen {
            0.0
        } else {
            rewards.reward(before, event, game.sight())
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
            reward += rewards.starvation();
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

    /// Returns a state with its terms.
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
            terms: Some(self.setup.boards[usize::from(episode.board)].1),
        }
    }

    /// Restores a state; an error changes nothing.
    pub(crate) fn restore(
        &self,
        state: &mut State<G>,
        snapshot: &Snapshot,
    ) -> Result<(), Unsupported> {
        let rules = snapshot.game.position().rules();
        let board = self.setup.find(rules, snapshot.terms);
        let board = board.expect("the rules were checked");
        state
            .game
            .restore(&self.rules[board], &snapshot.game, &snapshot.filter)?;
        let board = board as u16;
        let limits = self.setup.limits(board);
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
        let looks = self.looks;
        let before = if looks {
            self.rewards[usize::from(state.episode.board)].before(state.game.sight())
        } else {
            R::Before::default()
        };
        let heading = state.game.sight().heading();
        let direction = kind::<ACTIONS>().direction(actions[0], heading);
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
