//! Observers of runs.

use crate::selection::{Round, Selection};
use hognose_agent::Progress;

/// Receives the progress of a run, and decides when to stop. All methods are optional: `()` is an
/// observer that lets a run finish.
///
/// ```
/// use hognose_run::{Observer, Progress, Rates};
///
/// /// Stops after a number of environment steps.
/// struct Until {
///     enough: u64,
///     step: u64,
/// }
///
/// impl Observer for Until {
///     fn progress(&mut self, progress: &Progress, _rates: Rates) {
///         self.step = progress.step;
///     }
///
///     fn goes_on(&self) -> bool {
///         self.step < self.enough
///     }
/// }
///
/// let mut until = Until { enough: 1000, step: 0 };
/// assert!(until.goes_on());
/// let mut progress = Progress::default();
/// progress.step = 1008;
/// until.progress(&progress, Rates::default());
/// assert!(!until.goes_on());
/// ```
pub trait Observer {
    /// Called when the folder is ready and training begins.
    fn started(&mut self, _progress: &Progress) {}

    /// Called after each round.
    fn progress(&mut self, _progress: &Progress, _rates: Rates) {}

    /// Called after a round of the selection games with the weights of `step`. When training ends,
    /// the best few weights play the last round, and the run keeps the best of them.
    fn selected(&mut self, _step: u64, _round: Round, _selection: &Selection) {}

    /// Called after a failure that does not stop training, such as a full disk under the curves.
    fn warned(&mut self, _warning: &str) {}

    /// Returns whether training continues. Otherwise it writes a checkpoint and stops.
    fn goes_on(&self) -> bool {
        true
    }
}

impl Observer for () {}

/// The training speed between the last two points of the curves; 0 before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// Environment steps per second.
    pub steps: f64,
    /// Gradient steps per second; 0 before learning starts.
    pub gradient_steps: f64,
}
