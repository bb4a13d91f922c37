//! What `hognose train` tells of runs of each kind.

mod one_snake;
mod two_snakes;

use crate::error::Result;
use crate::outcome::Outcome;
use hognose_agent::Training;
use hognose_run::{Round, Run, Subject};

/// An experiment that `hognose train` trains and tells of.
pub(crate) trait Trains: Subject {
    /// A few words on a score, for the progress bar.
    fn score_words(score: &<Self::Trainer as Training>::Score) -> String;

    /// What is told of selection games.
    fn selection_words(&self, round: Round, selected: &Self::Selected) -> String;

    /// Plays the best weights on games that neither training nor selection saw.
    fn final_games(run: &Run<Self>) -> Result<Outcome>;

    /// Prints the runs of several seeds side by side.
    fn compare(runs: &[Run<Self>]) -> Result<()>;
}
