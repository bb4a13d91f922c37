//! Measures of a policy's games.

use crate::{Comparison, End, Episode, Estimate, Published, Statistic};
use serde::{Deserialize, Serialize};

/// A number that summarizes a policy's games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Share of games won.
    WinRate,
    /// Mean final length of all games, in cells.
    MeanLength,
    /// Maximum final length of a game, in cells.
    MaxLength,
    /// Mean steps of all games.
    MeanSteps,
    /// Mean steps of the games won.
    MeanStepsWon,
    /// Standard deviation of the steps of the games won.
    SdStepsWon,
}

impl Measure {
    /// Returns the value of each game that counts.
    pub fn values(self, episodes: &[Episode]) -> Vec<f64> {
        let won = |episode: &Episode| episode.end == End::Won;
        let all = |value: fn(&Episode) -> f64| episodes.iter().map(value).collect();
        match self {
            Measure::WinRate => episodes
                .iter()
                .map(|episode| f64::from(u8::from(won(episode))))
                .collect(),
            Measure::MeanLength | Measure::MaxLength => all(|episode| episode.length as f64),
            Measure::MeanSteps => all(|episode| episode.steps as f64),
            Measure::MeanStepsWon | Measure::SdStepsWon => episodes
                .iter()
                .filter(|episode| won(episode))
                .map(|episode| episode.steps as f64)
                .collect(),
        }
    }

    /// Returns the statistic that is computed from these values.
    pub fn statistic(self) -> Statistic {
        match self {
            Measure::WinRate => Statistic::Share,
            Measure::MeanLength | Measure::MeanSteps | Measure::MeanStepsWon => Statistic::Mean,
            Measure::SdStepsWon => Statistic::Deviation,
            Measure::MaxLength => Statistic::Maximum,
        }
    }

    /// Computes the measure from these games; `None` if too few of them count.
    pub fn estimate(self, episodes: &[Episode]) -> Option<Estimate> {
        self.statistic().estimate(&self.values(episodes))
    }

    /// Compares a published number with our own games, as [`Statistic::compare`] does.
    pub fn compare(
        self,
        published: Published,
        episodes: &[Episode],
        level: f64,
        rows: usize,
    ) -> Option<Comparison> {
        self.statistic()
            .compare(published, &self.values(episodes), level, rows)
    }
}
