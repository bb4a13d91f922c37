//! How well policies play: games on identical seeds, their statistics, and reports. Never sees rewards.

mod evaluate;
mod measure;
pub mod plot;
mod regret;
pub mod stats;
mod summary;

pub use evaluate::{
    Cost, EVALUATION, End, Episode, EvalError, Evaluation, Played, Progress, Refused, SELECTION, evaluate,
};
pub use measure::{Comparison, Estimate, Measure, Published};
pub use regret::{Regret, Worth, regret};
pub use stats::Interval;
pub use summary::{Ends, Paired, Summary};
