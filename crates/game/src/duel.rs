//! Two snakes on one board: the game of the AI Snakes competition (IEEE Conference on Games, 2020
//! and 2021).
//!
//! Both players choose a move from the same [`DuelPosition`], without knowing the other's choice. A
//! [`Duel`] adds the seed that decides where food appears. As in games of one snake, the n-th food
//! is a function of (seed, n), so all players of a seed get the same foods, and a whole game is a
//! [`DuelRecord`]: rules, seed, moves.
//!
//! A step proceeds in this order:
//!
//! 1. Each head has a target cell. A snake eats if its target holds food; both may eat the same
//!    food.
//! 2. Each tail leaves its cell, unless its snake eats or has growth pending.
//! 3. A snake that leaves the board or enters its own body dies, and its head does not move.
//! 4. Each head that moved is checked against the other snake, whose tail has already moved. Two
//!    heads that enter one cell or swap cells meet *head-on*, and both snakes die.
//! 5. If one snake dies, the other wins. If both die, the longer one wins, counting food eaten in
//!    this step; equal lengths are a draw. Under some rules, every head-on is a draw.
//! 6. At the step limit, the longer snake wins. Otherwise, new food replaces food that was eaten,
//!    or all food if nobody has eaten for too long.
//!
//! ```
//! use hognose_game::duel::{Duel, DuelRules, Seat};
//!
//! let mut duel = Duel::new(DuelRules::ai_snakes_2021(), 42);
//! while duel.position().outcome().is_none() {
//!     let straight = Seat::BOTH.map(|seat| duel.position().snake(seat).heading());
//!     duel.step(straight);
//! }
//! // Both snakes hit a wall in the same step, with equal lengths.
//! assert_eq!(duel.position().outcome().unwrap().winner, None);
//! ```

mod bot;
mod game;
mod images;
mod mixture;
mod outcome;
mod parts;
mod perft;
mod position;
mod record;
mod rules;
mod seat;
mod text;
mod view;

pub use bot::{Bot, MakeBot, Thought};
pub use game::Duel;
pub use mixture::Mixture;
pub use outcome::{DuelCause, DuelEvent, Outcome};
pub use parts::{DuelBody, DuelPositionError, Food, MOST_GROWTH};
pub use perft::perft;
pub use position::DuelPosition;
pub use record::{DuelRecord, DuelRecordError};
pub use rules::{DuelRules, DuelRulesError, DuelStart, HeadOn, MIN_LENGTH};
pub use seat::Seat;
pub use view::DuelView;
