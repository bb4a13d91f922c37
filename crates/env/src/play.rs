//! What plays the game of one environment: a whole [`Game`] where a filter or an encoder asks for its position, else a lean one.

use crate::encode::{Encoder, Mark, Sight, Trail};
use crate::{Element, Observation, Reward};
use hognose_game::{
    Allowed, Cell, Direction, Directions, Event, Game, LeanGame, LeanRules, MoveFilter, Position, Rules, Status,
    Unsupported, expect_stateless,
};
use std::borrow::Cow;

/// A game that an environment plays.
pub(crate) trait Play: Send + 'static {
    /// What all games of the same rules share.
    type Shared: Send + Sync;
    /// How many games are worth a thread of their own: waking one takes some 10 microseconds.
    fn grain(encoder: &Encoder) -> usize;
    /// [`Game::restart`].
    fn restart(&mut self, shared: &Self::Shared, seed: u64);
    /// [`Game::from_position`].
    fn restart_from(&mut self, shared: &Self::Shared, position: &Position, seed: u64);
    /// Becomes the same game as this one, its filter in this state; an error changes nothing.
    fn restore(&mut self, shared: &Self::Shared, game: &Game, filter: &[u16]) -> Result<(), Unsupported>;
    /// The game with everything.
    fn game<'a>(&'a self, shared: &Self::Shared) -> Cow<'a, Game>;
    /// [`MoveFilter::state`]; empty without a filter.
    fn filter_state(&self) -> Vec<u16>;
    /// [`Game::step`].
    fn step(&mut self, shared: &Self::Shared, direction: Direction) -> Event;
    /// What the filter allows; without one, all legal moves.
    fn allowed(&mut self) -> Allowed;
    /// The moves of [`allowed`](Self::allowed).
    fn moves(&mut self) -> Directions {
        self.allowed().moves
    }
    /// The heading.
    fn heading(&self) -> Direction;
    /// The snake's length.
    fn len(&self) -> usize;
    /// Whether it is won or lost.
    fn is_over(&self) -> bool;
    /// [`Reward::potential`].
    fn potential(&self, shared: &Self::Shared, reward: &Reward) -> f32;
    /// Writes an observation.
    fn encode<T: Element>(&mut self, shared: &Self::Shared, encoder: &mut Encoder, out: &mut [T]);
    /// What [`update`](Self::update) must know of the position before a step; `None` where it has no short way.
    fn mark(&self, shared: &Self::Shared, encoder: &Encoder) -> Option<Mark>;
    /// Makes the observation of the position before the last step that of the position after it.
    fn update<T: Element>(&self, shared: &Self::Shared, encoder: &Encoder, mark: &Mark, out: &mut [T]);
}

/// A game with all that a position can be asked, and its filter.
pub(crate) struct Whole {
    game: Game,
    /// `None`: all legal moves are allowed.
    filter: Option<Box<dyn MoveFilter>>,
    /// What it answered for the position at hand.
    allowed: Option<Allowed>,
}

impl Whole {
    pub(crate) fn new(rules: Rules, filter: Option<Box<dyn MoveFilter>>) -> Whole {
        Whole { game: Game::new(rules, 0), filter, allowed: None }
    }

    fn reset_filter(&mut self) {
        self.allowed = None;
        if let Some(filter) = &mut self.filter {
            filter.reset(self.game.position()).expect("the filter accepts all starts");
        }
    }
}

impl Play for Whole {
    type Shared = ();

    fn grain(_: &Encoder) -> usize {
        8
    }

    fn restart(&mut self, (): &(), seed: u64) {
        self.game.restart(seed);
        self.reset_filter();
    }

    fn restart_from(&mut self, (): &(), position: &Position, seed: u64) {
        self.game = Game::from_position(position.clone(), seed);
        self.reset_filter();
    }

    fn restore(&mut self, (): &(), game: &Game, filter: &[u16]) -> Result<(), Unsupported> {
        match &mut self.filter {
            Some(own) => own.restore(game.position(), filter)?,
            None => expect_stateless(filter)?,
        }
        self.game.clone_from(game);
        self.allowed = None;
        Ok(())
    }

    fn game<'a>(&'a self, (): &()) -> Cow<'a, Game> {
        Cow::Borrowed(&self.game)
    }

    fn filter_state(&self) -> Vec<u16> {
        self.filter.as_ref().map_or_else(Vec::new, |filter| filter.state())
    }

    fn step(&mut self, (): &(), direction: Direction) -> Event {
        if self.filter.is_none() {
            return self.game.step(direction);
        }
        self.allowed();
        self.allowed = None;
        let event = self.game.step(direction);
        if let Some(filter) = &mut self.filter {
            filter.commit(direction);
        }
        event
    }

    fn allowed(&mut self) -> Allowed {
        let position = self.game.position();
        match &mut self.filter {
            Some(filter) => *self.allowed.get_or_insert_with(|| filter.allowed(position)),
            None => position.legal_moves().into(),
        }
    }

    fn heading(&self) -> Direction {
        self.game.position().heading()
    }

    fn len(&self) -> usize {
        self.game.position().len()
    }

    fn is_over(&self) -> bool {
        self.game.position().status() != Status::Ongoing
    }

    fn potential(&self, (): &(), reward: &Reward) -> f32 {
        reward.potential(self.game.position())
    }

    fn encode<T: Element>(&mut self, (): &(), encoder: &mut Encoder, out: &mut [T]) {
        let moves = self.moves();
        encoder.encode(self.game.position(), moves, out);
    }

    fn mark(&self, (): &(), _: &Encoder) -> Option<Mark> {
        None
    }

    fn update<T: Element>(&self, (): &(), _: &Encoder, _: &Mark, _: &mut [T]) {}
}

impl<const N: usize> Play for LeanGame<N> {
    type Shared = LeanRules<N>;

    fn grain(encoder: &Encoder) -> usize {
        if encoder.observation() == Observation::Planes { 1024 } else { 128 }
    }

    fn restart(&mut self, rules: &LeanRules<N>, seed: u64) {
        LeanGame::restart(self, rules, seed);
    }

    fn restart_from(&mut self, rules: &LeanRules<N>, position: &Position, seed: u64) {
        LeanGame::restart_from(self, rules, position, seed);
    }

    fn restore(&mut self, rules: &LeanRules<N>, game: &Game, filter: &[u16]) -> Result<(), Unsupported> {
        expect_stateless(filter)?;
        LeanGame::restore(self, rules, game);
        Ok(())
    }

    fn game<'a>(&'a self, rules: &LeanRules<N>) -> Cow<'a, Game> {
        Cow::Owned(self.to_game(rules))
    }

    fn filter_state(&self) -> Vec<u16> {
        Vec::new()
    }

    #[inline(always)]
    fn step(&mut self, rules: &LeanRules<N>, direction: Direction) -> Event {
        LeanGame::step(self, rules, direction)
    }

    fn allowed(&mut self) -> Allowed {
        self.legal_moves().into()
    }

    #[inline]
    fn moves(&mut self) -> Directions {
        self.legal_moves()
    }

    #[inline]
    fn heading(&self) -> Direction {
        LeanGame::heading(self)
    }

    #[inline]
    fn len(&self) -> usize {
        LeanGame::len(self)
    }

    fn is_over(&self) -> bool {
        self.status() != Status::Ongoing
    }

    #[inline]
    fn potential(&self, rules: &LeanRules<N>, reward: &Reward) -> f32 {
        reward.potential_of(rules.board(), self.head(), self.foods())
    }

    #[inline(never)]
    fn encode<T: Element>(&mut self, rules: &LeanRules<N>, encoder: &mut Encoder, out: &mut [T]) {
        encoder.encode_sight(&Seen { game: self, rules }, self.legal_moves(), out);
    }

    #[inline]
    fn mark(&self, rules: &LeanRules<N>, encoder: &Encoder) -> Option<Mark> {
        encoder.mark(&Seen { game: self, rules })
    }

    #[inline(always)]
    fn update<T: Element>(&self, rules: &LeanRules<N>, encoder: &Encoder, mark: &Mark, out: &mut [T]) {
        encoder.update(&Seen { game: self, rules }, mark, out);
    }
}

/// What encoders see of a lean game.
struct Seen<'a, const N: usize> {
    game: &'a LeanGame<N>,
    rules: &'a LeanRules<N>,
}

impl<const N: usize> Sight for Seen<'_, N> {
    #[inline]
    fn head(&self) -> Cell {
        self.game.head()
    }

    #[inline]
    fn tail(&self) -> Cell {
        self.game.tail()
    }

    #[inline]
    fn heading(&self) -> Direction {
        self.game.heading()
    }

    #[inline]
    fn ahead(&self) -> Option<Cell> {
        self.rules.neighbor(self.game.head(), self.game.heading())
    }

    #[inline]
    fn len(&self) -> usize {
        self.game.len()
    }

    #[inline]
    fn foods(&self) -> &[Cell] {
        self.game.foods()
    }

    #[inline]
    fn body_cell(&self, behind: usize) -> Cell {
        self.game.body_cell(behind)
    }
}

impl<const N: usize> Trail for Seen<'_, N> {
    #[inline]
    fn cell_left_after(&self, steps: usize) -> Cell {
        self.game.cell_left_after(steps)
    }
}
