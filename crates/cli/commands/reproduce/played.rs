//! The games of a document's cases.

use super::document::{Document, Shown};
use hognose_eval::tournament::Tournament;
use hognose_eval::{End, Episode};

/// The games of the cases that were played.
pub(super) struct PlayedCases<'a> {
    pub(super) document: &'a Document,
    /// The games of each case, in the order of the document, as far as played.
    pub(super) games: Vec<Vec<Episode>>,
    /// The games of each case of duels, likewise.
    pub(super) duels: Vec<Tournament>,
}

impl PlayedCases<'_> {
    /// Returns a case's games; `None` if it was not played.
    pub(super) fn of(&self, name: &str) -> Option<&[Episode]> {
        let index = self
            .document
            .cases
            .iter()
            .position(|case| case.name == name)
            .expect("names were checked");
        self.games.get(index).map(Vec::as_slice)
    }

    /// Returns the games of a case of duels; `None` if it was not played.
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

/// Returns the shown value of each game that counts.
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
