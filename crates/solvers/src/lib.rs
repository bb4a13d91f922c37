//! Policies that are computed from the board: nothing is learned, and nothing of the food to come
//! is known.
//!
//! There are three families, each in a folder of its own:
//!
//! - `paths`: policies that search for a path to the food and may lose.
//! - `cycles`: policies that stay on a cycle of the board or near one, and win.
//! - `certified`: policies that look for a new cycle around each body that they plan for, and win.
//!
//! [`Random`] belongs to none of them. It is the shortest solver, and a good one to begin a new one
//! from: a public type with the settings, which makes a policy for each game, and a private type
//! with the state of one game.
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

/// The example of the README is tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
