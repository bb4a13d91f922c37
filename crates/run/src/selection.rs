//! The games that choose the best weights of a run.

use hognose_agent::{Metric, Score};
use hognose_eval::Summary;
use hognose_eval::tournament::Tournament;
use hognose_eval::tournament::rating::{Points, ratings};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A round of the selection games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// The games played during training.
    First,
    /// Five times as many other games, which the best few weights play at the end: the best of many
    /// noisy scores is biased upward, and often does not belong to the best weights.
    Last,
}

impl Round {
    /// Returns the indices of the games of this round, if the first round has `first` games.
    pub fn games(self, first: usize) -> Range<usize> {
        match self {
            Round::First => 0..first,
            Round::Last => first..6 * first,
        }
    }
}

/// The results of a round of the selection games.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The score that weights are chosen by.
    pub score: Score,
    /// The games.
    pub games: SelectionGames,
}

/// The results of selection games.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SelectionGames {
    /// One snake: a summary for each board, named after it.
    Boards(Vec<Summary>),
    /// Two snakes.
    Duels(DuelSummary),
}

impl Selection {
    /// Returns the curves as names in TensorBoard and values.
    pub fn curves(&self) -> Vec<(String, f64)> {
        let points = match self.score {
            Score::Games {
                win_rate,
                mean_length,
                mean_steps_won,
                ..
            } => {
                let steps = mean_steps_won.map(|steps| (Metric::MeanStepsWon, steps));
                let points = [
                    (Metric::WinRate, win_rate),
                    (Metric::MeanLength, mean_length),
                ];
                points.into_iter().chain(steps).collect()
            }
            Score::Duels { score, draws } => {
                vec![(Metric::DuelScore, score), (Metric::DuelDraws, draws)]
            }
        };
        let mut curves: Vec<(String, f64)> = points
            .into_iter()
            .map(|(metric, value)| (metric.name().to_owned(), value))
            .collect();
        if let SelectionGames::Duels(summary) = &self.games {
            for (anchor, score) in &summary.against {
                curves.push((format!("eval/score_against/{anchor}"), *score));
            }
            curves.push(("eval/rating".to_owned(), summary.rating()));
        }
        curves
    }
}

/// The results of an agent in the duels of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DuelSummary {
    /// Duels played.
    pub games: usize,
    /// Wins plus half of the draws, as a fraction of all.
    pub score: f64,
    /// The 95 % interval of the score, by bootstrap over seeds.
    pub score_interval: Option<[f64; 2]>,
    /// Fraction of duels drawn.
    pub draws: f64,
    /// The score against each bot.
    pub against: Vec<(String, f64)>,
}

impl DuelSummary {
    /// Returns the rating of the bot among its opponents, on the scale of Elo (Bradley and Terry,
    /// 1952). The mean of the opponents is 0.
    pub fn rating(&self) -> f64 {
        let others = self.against.len();
        let games = self.games as f64 / others as f64;
        let mut points = Points::new(1 + others);
        for (other, (_, score)) in self.against.iter().enumerate() {
            points.add(0, 1 + other, score * games);
            points.add(1 + other, 0, (1.0 - score) * games);
        }
        -ratings(&points, 0)[1..].iter().sum::<f64>() / others as f64
    }

    /// Returns the results of the bot with this number.
    pub fn new(tournament: &Tournament, number: usize) -> Option<DuelSummary> {
        let ranking = tournament.ranking();
        let ranked = ranking.bots.iter().find(|bot| bot.number == number)?;
        let schedule = tournament.schedule();
        let against = (0..schedule.bots().len())
            .filter(|&other| other != number)
            .filter_map(|other| {
                let (pair, which) = ranking.pair(number, other)?;
                Some((schedule.label(other), pair.score_of(which).0))
            });
        Some(DuelSummary {
            games: ranked.games,
            score: ranked.score?,
            score_interval: ranked
                .score_interval
                .map(|interval| [interval.low, interval.high]),
            draws: ranked.draws as f64 / ranked.games as f64,
            against: against.collect(),
        })
    }
}
