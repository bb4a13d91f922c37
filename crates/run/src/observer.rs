//! Who hears how far a run is.

use crate::selection::{Round, Selection};
use hognose_agent::Progress;

/// Hears how far a run is, and says when to stop. Nothing has to be heard: `()` is an observer that
/// lets a run go on to its end.
///
/// ```
/// use hognose_run::{Observer, Progress, Rates};
///
/// /// Stops once so many environment steps are taken.
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
    /// The folder is ready, and training begins here.
    fn started(&mut self, _progress: &Progress) {}

    /// A round was trained.
    fn progress(&mut self, _progress: &Progress, _rates: Rates) {}

    /// A round of the selection games was played with the weights of this step. When training ends,
    /// the best few weights play the last round, and the run keeps the best of them.
    fn selected(&mut self, _step: u64, _round: Round, _selection: &Selection) {}

    /// Something failed that does not stop training, such as a full disk under the curves.
    fn warned(&mut self, _warning: &str) {}

    /// Whether training goes on. Otherwise it writes a checkpoint and stops.
    fn goes_on(&self) -> bool {
        true
    }
}

impl Observer for () {}

/// How fast training was between the last two points of the curves; 0 before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// Environment steps each second.
    pub steps: f64,
    /// Gradient steps each second, of which there are none before learning starts.
    pub gradient_steps: f64,
}
