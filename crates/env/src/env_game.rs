//! What plays the game of one environment: a whole [`Game`] where a filter asks for its position or
//! the board is very large, else a lean one.

use hognose_game::{
    Allowed, Direction, Directions, Event, Game, LeanGame, LeanRules, LeanSight, MoveFilter,
    Position, Rules, Sight, Status, Unsupported, expect_stateless,
};
use std::borrow::Cow;

/// A game that an environment plays, under what guides it.
pub(crate) trait EnvGame: Send + 'static {
    /// What all games of the same rules share.
    type Rules: Send + Sync;
    /// What an observer sees of the game.
    type Sight<'a>: Sight
    where
        Self: 'a;

    /// The index of the board that it is on, where environments have several.
    #[inline(always)]
    fn board(&self) -> usize {
        0
    }

    /// What an observer sees.
    fn sight<'a>(&'a self, rules: &'a Self::Rules) -> Self::Sight<'a>;
    /// The whole game.
    fn game<'a>(&'a self, rules: &Self::Rules) -> Cow<'a, Game>;
    /// Whether it goes on.
    fn status(&self) -> Status;
    /// The heading.
    fn heading(&self) -> Direction;
    /// What the filter allows; without one, all legal moves.
    fn allowed(&mut self) -> Allowed;
    /// The moves that the filter allows; without one, all legal moves.
    fn moves(&mut self) -> Directions;
    /// Begins a game at a start of the rules.
    fn restart(&mut self, rules: &Self::Rules, seed: u64);
    /// Begins a game at a position.
    fn restart_from(&mut self, rules: &Self::Rules, position: &Position, seed: u64);
    /// Moves the head one cell and replaces an eaten food.
    fn step(&mut self, rules: &Self::Rules, direction: Direction) -> Event;
    /// The filter's state; empty without a filter.
    fn filter_state(&self) -> Vec<u16>;
    /// Becomes this game, with its filter in this state; an error changes nothing.
    fn restore(
        &mut self,
        rules: &Self::Rules,
        game: &Game,
        filter: &[u16],
    ) -> Result<(), Unsupported>;
}

/// A game with its position, and perhaps a filter.
pub(crate) struct WholeGame {
    game: Game,
    /// `None`: all legal moves are allowed.
    filter: Option<Box<dyn MoveFilter>>,
    /// What the filter answered for the position at hand.
    allowed: Option<Allowed>,
}

impl WholeGame {
    pub(crate) fn new(rules: Rules, filter: Option<Box<dyn MoveFilter>>) -> WholeGame {
        WholeGame {
            game: Game::new(rules, 0),
            filter,
            allowed: None,
        }
    }

    fn reset_filter(&mut self) {
        self.allowed = None;
        if let Some(filter) = &mut self.filter {
            filter
                .reset(self.game.position())
                .expect("the filter accepts all starts");
        }
    }
}

impl EnvGame for WholeGame {
    type Rules = Rules;
    type Sight<'a> = &'a Position;

    fn sight<'a>(&'a self, _: &'a Rules) -> &'a Position {
        self.game.position()
    }

    fn game<'a>(&'a self, _: &Rules) -> Cow<'a, Game> {
        Cow::Borrowed(&self.game)
    }

    fn status(&self) -> Status {
        self.game.position().status()
    }

    fn heading(&self) -> Direction {
        self.game.position().heading()
    }

    fn allowed(&mut self) -> Allowed {
        let position = self.game.position();
        match &mut self.filter {
            Some(filter) => *self.allowed.get_or_insert_with(|| filter.allowed(position)),
            None => position.legal_moves().into(),
        }
    }

    fn moves(&mut self) -> Directions {
        self.allowed().moves
    }

    fn restart(&mut self, rules: &Rules, seed: u64) {
        if self.game.position().rules() == *rules {
            self.game.restart(seed);
        } else {
            self.game = Game::new(*rules, seed);
        }
        self.reset_filter();
    }

    fn restart_from(&mut self, _: &Rules, position: &Position, seed: u64) {
        self.game = Game::from_position(position.clone(), seed);
        self.reset_filter();
    }

    fn step(&mut self, _: &Rules, direction: Direction) -> Event {
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

    fn filter_state(&self) -> Vec<u16> {
        self.filter
            .as_ref()
            .map_or_else(Vec::new, |filter| filter.state())
    }

    fn restore(&mut self, _: &Rules, game: &Game, filter: &[u16]) -> Result<(), Unsupported> {
        match &mut self.filter {
            Some(own) => own.restore(game.position(), filter)?,
            None => expect_stateless(filter)?,
        }
        self.game.clone_from(game);
        self.allowed = None;
        Ok(())
    }
}

impl<const N: usize> EnvGame for LeanGame<N> {
    type Rules = LeanRules<N>;
    type Sight<'a> = LeanSight<'a, N>;

    #[inline]
    fn sight<'a>(&'a self, rules: &'a LeanRules<N>) -> LeanSight<'a, N> {
        LeanGame::sight(self, rules)
    }

    fn game<'a>(&'a self, rules: &LeanRules<N>) -> Cow<'a, Game> {
        Cow::Owned(self.to_game(rules))
    }

    fn status(&self) -> Status {
        LeanGame::status(self)
    }

    #[inline]
    fn heading(&self) -> Direction {
        LeanGame::heading(self)
    }

    fn allowed(&mut self) -> Allowed {
        self.legal_moves().into()
    }

    #[inline]
    fn moves(&mut self) -> Directions {
        self.legal_moves()
    }

    fn restart(&mut self, rules: &LeanRules<N>, seed: u64) {
        LeanGame::restart(self, rules, seed);
    }

    fn restart_from(&mut self, rules: &LeanRules<N>, position: &Position, seed: u64) {
        LeanGame::restart_from(self, rules, position, seed);
    }

    #[inline(always)]
    fn step(&mut self, rules: &LeanRules<N>, direction: Direction) -> Event {
        LeanGame::step(self, rules, direction)
    }

    fn filter_state(&self) -> Vec<u16> {
        Vec::new()
    }

    fn restore(
        &mut self,
        rules: &LeanRules<N>,
        game: &Game,
        filter: &[u16],
    ) -> Result<(), Unsupported> {
        expect_stateless(filter)?;
        LeanGame::restore(self, rules, game);
        Ok(())
    }
}
