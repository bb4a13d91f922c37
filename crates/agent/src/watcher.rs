//! Who watches training.

use crate::recorder::{Progress, Recorder};
use crate::training::Training;
use hognose_game::Unsupported;

/// Watches training, plays the selection games, and says when to stop.
///
/// ```
/// use hognose_agent::{Agent, Metric, Network, Progress, Recorder, Score, Trainer, Watcher};
/// use hognose_game::Unsupported;
///
/// /// Trains to the end, and thinks any weights as good as the last.
/// struct Patient;
///
/// impl Recorder for Patient {
///     fn record(&mut self, _step: u64, _metric: Metric, _value: f64) {}
///
///     fn record_values(&mut self, _step: u64, _values: &[f32]) {}
/// }
///
/// impl Watcher<Trainer<Network>> for Patient {
///     fn evaluate(&mut self, _agent: &Agent<Network>) -> Result<Option<Score>, Unsupported> {
///         Ok(Some(Score {
///             win_rate: 0.0,
///             mean_length: 2.0,
///             mean_steps_won: None,
///         }))
///     }
///
///     fn choose(
///         &mut self,
///         _candidates: &[(u64, Agent<Network>)],
///     ) -> Result<Option<usize>, Unsupported> {
///         Ok(Some(0))
///     }
///
///     fn progress(&mut self, _progress: Progress<Score>) {}
///
///     fn saved(&mut self, _step: u64, _gradient_steps: u64) {}
///
///     fn interrupted(&self) -> bool {
///         false
///     }
/// }
/// ```
pub trait Watcher<T: Training>: Recorder {
    /// Plays the selection games, and records how they went; `None` when interrupted.
    ///
    /// # Errors
    /// When the agent can't play them.
    fn evaluate(&mut self, agent: &T::Agent) -> Result<Option<T::Score>, Unsupported>;

    /// Plays other selection games with the best few weights, whose steps are given: the index of
    /// the best of them; `None` when interrupted.
    ///
    /// # Errors
    /// When an agent can't play them.
    fn choose(&mut self, candidates: &[(u64, T::Agent)]) -> Result<Option<usize>, Unsupported>;

    /// A round is done.
    fn progress(&mut self, progress: Progress<T::Score>);

    /// A checkpoint was written after so many environment steps and gradient steps. What was
    /// recorded up to there should be written, too.
    fn saved(&mut self, step: u64, gradient_steps: u64);

    /// Whether to save and stop.
    fn interrupted(&self) -> bool;
}

/// Why training returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All steps are taken.
    Finished,
    /// The watcher interrupted it; everything is saved.
    Interrupted,
}
