//! A game whose board each episode draws anew.

use crate::env_game::EnvGame;
use hognose_game::rng::{self, Purpose};
use hognose_game::{
    Allowed, Direction, Directions, Event, Game, Position, Rules, Seed, Status, Unsupported,
};
use std::borrow::Cow;

const BOARD: Purpose = Purpose::new("board");

/// The board that an episode draws from those of [`EnvConfig::drawn`](crate::EnvConfig::drawn), or
/// what stands for it. `seed` is that of its game.
///
/// # Panics
/// When there are none.
pub fn draw_board<T>(boards: &[T], seed: Seed) -> &T {
    &boards[rng::below(&mut rng::keyed(seed, BOARD, 0), boards.len() as u64) as usize]
}

/// A game on one board of several.
pub(crate) struct Drawn<G> {
    board: usize,
    game: G,
}

/// What games on several boards share.
pub(crate) struct DrawnRules<R> {
    /// By board.
    pub(crate) each: Vec<R>,
    /// By board, the rules.
    pub(crate) rules: Vec<Rules>,
    /// Boards by their indices; episodes draw one of these.
    pub(crate) draws: Vec<usize>,
}

impl<R> DrawnRules<R> {
    fn board_of(&self, position: &Position) -> usize {
        self.rules
            .iter()
            .position(|&rules| rules == position.rules())
            .expect("the environment has checked the rules")
    }
}

impl<G> Drawn<G> {
    /// A game on the first board.
    pub(crate) fn new(game: G) -> Drawn<G> {
        Drawn { board: 0, game }
    }
}

impl<G: EnvGame> EnvGame for Drawn<G> {
    type Rules = DrawnRules<G::Rules>;
    type Sight<'a> = G::Sight<'a>;

    #[inline]
    fn board(&self) -> usize {
        self.board
    }

    #[inline]
    fn sight<'a>(&'a self, rules: &'a Self::Rules) -> G::Sight<'a> {
        self.game.sight(&rules.each[self.board])
    }

    fn game<'a>(&'a self, rules: &Self::Rules) -> Cow<'a, Game> {
        self.game.game(&rules.each[self.board])
    }

    fn status(&self) -> Status {
        self.game.status()
    }

    #[inline]
    fn heading(&self) -> Direction {
        self.game.heading()
    }

    fn allowed(&mut self) -> Allowed {
        self.game.allowed()
    }

    #[inline]
    fn moves(&mut self) -> Directions {
        self.game.moves()
    }

    /// Draws the board from the seed of the game.
    fn restart(&mut self, rules: &Self::Rules, seed: Seed) {
        self.board = *draw_board(&rules.draws, seed);
        self.game.restart(&rules.each[self.board], seed);
    }

    fn restart_from(&mut self, rules: &Self::Rules, position: &Position, seed: Seed) {
        self.board = rules.board_of(position);
        self.game
            .restart_from(&rules.each[self.board], position, seed);
    }

    #[inline]
    fn step(&mut self, rules: &Self::Rules, direction: Direction) -> Event {
        self.game.step(&rules.each[self.board], direction)
    }

    fn filter_state(&self) -> Vec<u16> {
        self.game.filter_state()
    }

    fn restore(
        &mut self,
        rules: &Self::Rules,
        game: &Game,
        filter: &[u16],
    ) -> Result<(), Unsupported> {
        let board = rules.board_of(game.position());
        self.game.restore(&rules.each[board], game, filter)?;
        self.board = board;
        Ok(())
    }
}
