//! How well policies play: games on identical seeds, their statistics, and reports. Never sees rewards.

mod evaluate;
pub mod stats;
mod summary;

pub use evaluate::{EVALUATION, End, Episode, EvalError, Evaluation, Played, Progress, Refused, SELECTION, evaluate};
pub use stats::Interval;
pub use summary::{Ends, Paired, Summary};
