//! Two snakes on one board: the game of the AI Snakes competition (IEEE Conference on Games, 2020
//! and 2021).
//!
//! Both players choose a move from the same [`DuelPosition`], without knowing the other's. A
//! [`Duel`] adds the seed that decides where food appears. As in games of one snake, the n-th food
//! is a function of (seed, n), so whoever plays a seed meets the same foods, and a whole game is a
//! [`DuelRecord`]: rules, seed, moves.
//!
//! In a step, things happen in this order:
//!
//! 1. The cell that each head is about to enter is known. A snake eats if a food lies there; both
//!    may eat the same one.
//! 2. The tail of each snake leaves its cell, unless the snake eats or has growth pending.
//! 3. A snake that leaves the board or enters its own body dies, and its head does not move.
//! 4. Each head that moved is tested against the other snake as it lies then. So the cell that the
//!    other's tail has just left may be entered. Two heads that enter one cell, or that change
//!    places, meet *head-on* and both die.
//! 5. If one died, the other wins. If both died, the longer wins, food of this step counted; with
//!    equal lengths the game is drawn. The rules may call every head-on a draw.
//! 6. At the step limit the longer wins. Else, food appears where some was eaten, or where nobody
//!    ate for too long.
//!
//! ```
//! use hognose_game::duel::{Duel, DuelRules, Seat};
//!
//! let mut duel = Duel::new(DuelRules::ai_snakes_2021(), 42);
//! while duel.position().outcome().is_none() {
//!     let straight = Seat::BOTH.map(|seat| duel.position().snake(seat).heading());
//!     duel.step(straight);
//! }
//! // Both went straight into walls in the same step, with equal lengths.
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
