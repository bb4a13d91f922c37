//! Who hears how far a run is.

use crate::experiment::Experiment;
use crate::subject::Subject;
use hognose_agent::{Progress, Training};

/// How well an agent of this kind played the selection games.
pub type ScoreOf<S> = <<S as Subject>::Trainer as Training>::Score;

/// How far a run of this kind is.
pub type ProgressOf<S> = Progress<ScoreOf<S>>;

/// Hears how far a run is, and says when to stop. Nothing has to be heard: `()` is an observer that
/// lets a run go on to its end.
///
/// ```
/// use hognose_agent::Score;
/// use hognose_run::{Observer, Progress, Rates};
///
/// /// Stops once so many environment steps are taken.
/// struct Until {
///     enough: u64,
///     step: u64,
/// }
///
/// impl Observer for Until {
///     fn started(&mut self, progress: &Progress<Score>) {
///         self.step = progress.step;
///     }
///
///     fn progress(&mut self, progress: &Progress<Score>, _rates: Rates) {
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
/// until.progress(&Progress { step: 1008, ..Progress::default() }, Rates::default());
/// assert!(!until.goes_on());
/// ```
pub trait Observer<S: Subject = Experiment> {
    /// The folder is ready, and training begins at this step.
    fn started(&mut self, _progress: &ProgressOf<S>) {}

    /// A round was trained.
    fn progress(&mut self, _progress: &ProgressOf<S>, _rates: Rates) {}

    /// The selection games were played with the weights of this step. Over several boards the
    /// score's `win_rate` is the arithmetic mean of the boards' shares of games won.
    fn selected(&mut self, _step: u64, _score: ScoreOf<S>, _summary: &S::Selected) {}

    /// When training ends, the best few weights play other selection games, and those of this step
    /// have played. The run keeps the best of them.
    fn selected_again(&mut self, _step: u64, _score: ScoreOf<S>, _summary: &S::Selected) {}

    /// Something failed that does not stop training, such as a full disk under the curves.
    fn warned(&mut self, _warning: &str) {}

    /// Whether training goes on. Otherwise it writes a checkpoint and stops.
    fn goes_on(&self) -> bool {
        true
    }
}

impl<S: Subject> Observer<S> for () {}

/// How fast training was between the last two points of the curves; 0 before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// Environment steps each second.
    pub steps: f64,
    /// Gradient steps each second, of which there are none before learning starts.
    pub gradient_steps: f64,
}
