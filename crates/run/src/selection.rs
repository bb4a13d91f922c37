//! The games that choose the best weights of a run.

use crate::experiment::Experiment;
use hognose_agent::{Agent, Network};
use hognose_eval::{EvalError, Evaluation, Progress, SELECTION, Summary};
use hognose_game::Unsupported;
use std::ops::ControlFlow;

/// The games that choose the best weights of a run. Neither training nor the final evaluation plays them.
///
/// ```
/// use hognose_run::{Experiment, Selection, Subject};
///
/// let experiment = Experiment::parse("env.rules.board = \"4x4\"\ntrain.evaluation_games = 3")?;
/// let trainer = experiment.trainer("cpu")?;
/// let summary = Selection::new(&experiment, 1).play(&trainer.agent(), || true)?.expect("nobody stops it");
/// assert!(summary.win_rate <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Selection {
    evaluation: Evaluation,
}

impl Selection {
    /// The selection games of an experiment, played on so many threads.
    pub fn new(experiment: &Experiment, threads: usize) -> Selection {
        let games = experiment.train.evaluation_games;
        let evaluation = Evaluation::new(experiment.env.rules, experiment.seed, games);
        Selection { evaluation: Evaluation { purpose: SELECTION, threads, ..evaluation } }
    }

    /// Plays them, and asks all the while whether to go on; `None` when it should not.
    ///
    /// # Errors
    /// When the agent can't play them.
    pub fn play(&self, agent: &Agent<Network>, goes_on: impl Fn() -> bool) -> Result<Option<Summary>, Unsupported> {
        let player = || hognose_policies::player(agent);
        let asked = |_: Progress<'_>| if goes_on() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        match hognose_eval::evaluate(player, &self.evaluation, asked) {
            Ok(played) => Ok(Some(Summary::new("selection", self.evaluation.rules.board(), &played))),
            Err(EvalError::Interrupted) => Ok(None),
            Err(EvalError::Unsupported(refusal)) => Err(refusal),
            Err(error @ EvalError::Zero(_)) => Err(Unsupported(error.to_string())),
        }
    }
}
