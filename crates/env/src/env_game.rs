//! The game of one environment: a [`Game`] if there is a filter or the board is very large, else a
//! lean game.

use hognose_game::{
    Allowed, Direction, Directions, Event, Game, LeanGame, LeanRules, MoveFilter, Position, Rules,
    Sight, Unsupported, expect_stateless,
};
use std::borrow::Cow;
use std::sync::Arc;

/// A game in an environment, with its filter if it has one.
pub(crate) trait EnvGame: Send + 'static {
    /// The rules in the form that games share.
    type Rules: Send + Sync;
    /// An observer's view of the game.
    type Sight<'a>: Sight
    where
        Self: 'a;

    fn sight(&self) -> Self::Sight<'_>;
    fn game(&self) -> Cow<'_, Game>;
    /// Returns what the filter allows; without one, all legal moves.
    fn allowed(&mut self) -> Allowed;
    /// Returns the moves that the filter allows; without one, all legal moves.
    #[inline(always)]
    fn moves(&mut self) -> Directions {
        self.allowed().moves
    }
    /// Starts a game at a start of the rules.
    fn restart(&mut self, rules: &Self::Rules, seed: u64);
    /// Starts a game at a position.
    fn restart_from(&mut self, rules: &Self::Rules, position: &Position, seed: u64);
    /// Moves the head one cell, and replaces food that was eaten.
    fn step(&mut self, direction: Direction) -> Event;
    /// Returns the filter's state; empty without a filter.
    fn filter_state(&self) -> Vec<u16>;
    /// Restores a game with a filter state; an error changes nothing.
    fn restore(
        &mut self,
        rules: &Self::Rules,
        game: &Game,
        filter: &[u16],
    ) -> Result<(), Unsupported>;
}

/// A [`Game`] with a filter.
pub(crate) struct WholeGame {
    game: Game,
    filter: Box<dyn MoveFilter>,
    /// The filter's answer for the current position.
    allowed: Option<Allowed>,
}

impl WholeGame {
    pub(crate) fn new(rules: Rules, filter: Box<dyn MoveFilter>) -> WholeGame {
        WholeGame {
            game: Game::new(rules, 0),
            filter,
            allowed: None,
        }
    }

    fn reset_filter(&mut self) {
        self.allowed = None;
        self.filter
            .reset(self.game.position())
            .expect("the filter accepts all starts");
    }
}

impl EnvGame for WholeGame {
    type Rules = Rules;
    type Sight<'a> = &'a Position;

    fn sight(&self) -> &Position {
        self.game.position()
    }

    fn game(&self) -> Cow<'_, Game> {
        Cow::Borrowed(&self.game)
    }

    fn allowed(&mut self) -> Allowed {
        *self
            .allowed
            .get_or_insert_with(|| self.filter.allowed(self.game.position()))
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

    fn step(&mut self, direction: Direction) -> Event {
        self.allowed();
        self.allowed = None;
        self.filter.commit(direction);
        self.game.step(direction)
    }

    fn filter_state(&self) -> Vec<u16> {
        self.filter.state()
    }

    fn restore(&mut self, _: &Rules, game: &Game, filter: &[u16]) -> Result<(), Unsupported> {
        self.filter.restore(game.position(), filter)?;
        self.game.clone_from(game);
        self.allowed = None;
        Ok(())
    }
}

impl<const N: usize> EnvGame for LeanGame<N> {
    type Rules = Arc<LeanRules<N>>;
    type Sight<'a> = &'a LeanGame<N>;

    #[inline]
    fn sight(&self) -> &LeanGame<N> {
        self
    }

    fn game(&self) -> Cow<'_, Game> {
        Cow::Owned(self.to_game())
    }

    #[inline]
    fn allowed(&mut self) -> Allowed {
        self.legal_moves().into()
    }

    fn restart(&mut self, rules: &Arc<LeanRules<N>>, seed: u64) {
        LeanGame::restart(self, rules, seed);
    }

    fn restart_from(&mut self, rules: &Arc<LeanRules<N>>, position: &Position, seed: u64) {
        LeanGame::restart_from(self, rules, position, seed);
    }

    #[inline(always)]
    fn step(&mut self, direction: Direction) -> Event {
        LeanGame::step(self, direction)
    }

    fn filter_state(&self) -> Vec<u16> {
        Vec::new()
    }

    fn restore(
        &mut self,
        rules: &Arc<LeanRules<N>>,
        game: &Game,
        filter: &[u16],
    ) -> Result<(), Unsupported> {
        expect_stateless(filter)?;
        LeanGame::restore(self, rules, game);
        Ok(())
    }
}
