//! Policies that compute each move: they learn nothing and don't know where food will appear.
//!
//! There are three families, one per folder:
//!
//! - `paths`: policies that search for a path to the food and may lose.
//! - `cycles`: policies that stay on or near a cycle of the board, and win.
//! - `certified`: policies that find a new cycle for each body that they plan, and win.
//!
//! [`Random`] belongs to none of them. As the shortest solver, it is a good template for a new one:
//! a public type holds the settings and makes a policy for each game, and a private type holds the
//! state of one game.
//!
//! ```
//! use hognose_game::{Board, Game, MakePolicy, Rules, Status};
//! use hognose_solvers::Certified;
//!
//! let certified = Certified::default();
//! let mut game = Game::new(Rules::new(Board::new(4, 4)?), 7);
//! let mut policy = certified.make(game.position(), 0)?;
//! while game.position().status() == Status::Ongoing {
//!     let direction = policy.act(game.position());
//!     game.step(direction);
//! }
//! assert_eq!(game.position().status(), Status::Won);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod certified;
mod cycles;
mod frame;
mod grid;
mod paths;
mod random;

pub use certified::*;
pub use cycles::*;
pub use paths::*;
pub use random::Random;

/// Tests the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
