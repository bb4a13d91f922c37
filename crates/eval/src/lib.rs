//! Evaluation of policies: games on identical seeds, their statistics, and reports. It never uses
//! rewards.
//!
//! [`LimitedGame`] plays one game step by step, and [`PolicyGame`] plays one with a policy.
//! [`evaluate()`] plays many games on several threads, [`Summary`] summarizes them, and
//! [`regret()`] measures what a policy loses compared with optimal play. A [`Leaderboard`] compares
//! several policies on several boards. A [`tournament`] compares bots in duels of two snakes.
//! [`stats`] works on plain numbers.

mod behavior;
mod evaluate;
mod evaluation;
mod leaderboard;
mod limited_game;
mod limits;
mod measure;
mod places;
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

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
