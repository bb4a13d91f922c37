//! The rules of Snake and nothing else: no I/O, no clock, no floats, no rewards, no limits.
//!
//! A [`Position`] is what players see; a [`Game`] adds the seed that decides where food appears.
//! Food is a pure function of (seed, spawn index), so every policy that plays a seed gets the same
//! foods, and a whole game is a [`Record`]: rules, seed, moves.
//!
//! ```
//! use hognose_game::{Board, Event, Game, Rules};
//!
//! let mut game = Game::new(Rules::new(Board::new(10, 10)?), 42);
//! let direction = game
//!     .position()
//!     .legal_moves()
//!     .iter()
//!     .next()
//!     .expect("a snake of one cell can move");
//! assert!(matches!(game.step(direction), Event::Moved | Event::Ate));
//! # Ok::<(), hognose_game::BoardError>(())
//! ```

mod board;
mod board_range;
mod direction;
pub mod duel;
mod fresh;
mod game;
mod guide;
mod lean;
mod perft;
mod policy;
mod position;
mod record;
pub mod rng;
mod route;
mod rules;
mod sight;
mod snake;
mod starts;
mod turns;

pub use board::{Board, BoardError, Cell, MAX_SIDE, MIN_SIDE};
pub use board_range::BoardRange;
pub use direction::{Direction, DirectionError, Directions, Turn};
pub use fresh::FreshMoves;
pub use game::{Game, Seed};
pub use guide::{
    Allowed, LegalMoves, MakeFilter, MoveFilter, Plan, PlanSource, Unsupported, Way,
    expect_stateless,
};
pub use lean::{LeanGame, LeanRules};
pub use perft::perft;
pub use policy::{BatchPolicy, Choice, Forfeit, MakePolicy, Overlay, Player, Policy};
pub use position::{Cause, Event, Position, PositionError, Status};
pub use record::{LineError, Origin, Record, RecordError};
pub use route::Route;
pub use rules::{Rules, RulesError, Start};
pub use sight::Sight;
pub use snake::Snake;
pub use turns::Turns;

/// Tests the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
