//! How well policies play: games on identical seeds, their statistics, and reports. Never sees
//! rewards.
//!
//! [`LimitedGame`] plays one game, one step at a time, and [`PolicyGame`] with one policy.
//! [`evaluate()`] plays many on several threads, [`Summary`] says what they come to, and
//! [`regret()`] what a policy gives away against exact play. A [`Leaderboard`] has several policies
//! on several boards. A [`tournament`] has bots that play duels of two snakes. [`stats`]
//! takes plain numbers.

mod behavior;
mod evaluate;
mod evaluation;
mod leaderboard;
mod limited_game;
mod limits;
mod measure;
mod played;
mod policy_game;
mod published;
mod regret;
pub mod stats;
mod summary;
mod threads;
pub mod tournament;

pub use behavior::Behavior;
pub use evaluate::{EvalError, MOST_GAMES, Progress, evaluate};
pub use evaluation::{EVALUATION, Evaluation, RefusedGames, SELECTION};
pub use leaderboard::{EndedBy, Leaderboard, Overall, Standing, Standings, rank};
pub use limited_game::{End, Episode, LimitedGame};
pub use limits::Limits;
pub use measure::Measure;
pub use played::{Cost, Played};
pub use policy_game::{Asked, PolicyGame};
pub use published::{Comparison, Estimate, Published, Statistic};
pub use regret::{Regret, Worth, regret};
pub use stats::Interval;
pub use summary::{Ends, Paired, Summary};

/// The example of the README is tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
