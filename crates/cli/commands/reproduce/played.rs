//! The games of a document's cases.

use super::document::{Document, Shown};
use hognose_eval::tournament::Tournament;
use hognose_eval::{End, Episode};

/// The games of the cases that were played.
pub(super) struct PlayedCases<'a> {
    pub(super) document: &'a Document,
    /// Of each case, in the order of the document, as far as they were played.
    pub(super) games: Vec<Vec<Episode>>,
    /// Of each case of duels, likewise.
    pub(super) duels: Vec<Tournament>,
}

impl PlayedCases<'_> {
    /// A case's games; `None` if it was not played.
    pub(super) fn of(&self, name: &str) -> Option<&[Episode]> {
        let index = self
            .document
            .cases
            .iter()
            .position(|case| case.name == name)
            .expect("names were checked");
        self.games.get(index).map(Vec::as_slice)
    }

    /// The games of a case of duels; `None` if it was not played.
    pub(super) fn duels_of(&self, name: &str) -> Option<&Tournament> {
        let index = self
            .document
            .duels
            .iter()
            .position(|case| case.name == name)
            .expect("names were checked");
        self.duels.get(index)
    }
}

/// What is shown of games, of each that counts.
pub(super) fn values(shown: Shown, episodes: &[Episode]) -> Vec<f64> {
    let won = episodes.iter().filter(|episode| episode.end == End::Won);
    match shown {
        Shown::Steps => episodes
            .iter()
            .map(|episode| episode.steps as f64)
            .collect(),
        Shown::StepsWon => won.map(|episode| episode.steps as f64).collect(),
        Shown::Length => episodes
            .iter()
            .map(|episode| episode.length as f64)
            .collect(),
    }
}
