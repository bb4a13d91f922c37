//! What training tells others while it runs.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// A curve. Each is defined here once; the x axis is always environment steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Mean undiscounted reward of the last 100 finished episodes.
    EpisodeReward,
    /// Mean steps of the last 100 finished episodes.
    EpisodeSteps,
    /// The probability of a random action.
    Epsilon,
    /// Environment steps each second since the last point. Training has no clock: recorders make
    /// this curve.
    StepsPerSecond,
    /// Gradient steps each second since the last point. Training has no clock: recorders make this
    /// curve.
    GradientStepsPerSecond,
    /// Mean Huber loss of the gradient steps since the last point.
    Loss,
    /// Adam's step size.
    LearningRate,
    /// Mean global gradient norm, before clipping, of the gradient steps since the last point.
    GradientNorm,
    /// Mean Q-value of the actions of the last batch.
    QMean,
    /// Mean |TD error| of the last batch.
    TdAbsMean,
    /// Transitions in the replay buffer.
    BufferSize,
    /// Share of the selection games won; over several boards the arithmetic mean of their shares.
    WinRate,
    /// Mean length at the end of the selection games, in cells; over several boards the geometric
    /// mean of their means.
    MeanLength,
    /// Mean steps of the selection games won; over several boards the geometric mean of their
    /// means.
    MeanStepsWon,
    /// Score of the selection duels: wins, and half of the draws, as a share of all.
    DuelScore,
    /// Share of the selection duels drawn.
    DuelDraws,
    /// Share of the last 500 duels of training against oneself that were drawn.
    DrawRate,
    /// Mean steps of the last 500 duels of training against oneself.
    DuelSteps,
    /// Score of the last 500 duels of training against older selves.
    ScoreAgainstOlder,
    /// Score of the last 500 duels of training against bots.
    ScoreAgainstBots,
    /// Positions of duels kept for learning.
    Positions,
}

impl Metric {
    /// The curve's name in TensorBoard.
    pub fn name(self) -> &'static str {
        match self {
            Metric::EpisodeReward => "rollout/ep_rew_mean",
            Metric::EpisodeSteps => "rollout/ep_len_mean",
            Metric::Epsilon => "rollout/exploration_rate",
            Metric::StepsPerSecond => "time/fps",
            Metric::GradientStepsPerSecond => "time/grad_steps_per_s",
            Metric::Loss => "train/loss",
            Metric::LearningRate => "train/learning_rate",
            Metric::GradientNorm => "train/grad_norm",
            Metric::QMean => "train/q_mean",
            Metric::TdAbsMean => "train/td_abs_mean",
            Metric::BufferSize => "buffer/size",
            Metric::WinRate => "eval/win_rate",
            Metric::MeanLength => "eval/mean_length",
            Metric::MeanStepsWon => "eval/mean_steps_won",
            Metric::DuelScore => "eval/score",
            Metric::DuelDraws => "eval/draws",
            Metric::DrawRate => "rollout/draws",
            Metric::DuelSteps => "rollout/duel_len_mean",
            Metric::ScoreAgainstOlder => "rollout/score_against_older",
            Metric::ScoreAgainstBots => "rollout/score_against_bots",
            Metric::Positions => "buffer/positions",
        }
    }
}

/// Takes down curves.
pub trait Recorder {
    /// Points of curves follow, at so many environment steps and gradient steps. A recorder with a
    /// clock can tell rates here.
    fn point(&mut self, _step: u64, _gradient_steps: u64) {}

    /// A point of a curve.
    fn record(&mut self, step: u64, metric: Metric, value: f64);

    /// What the network tells of a batch: Q-values of the actions taken, or values of positions of
    /// duels.
    fn record_values(&mut self, step: u64, values: &[f32]);
}

/// How well an agent played the selection games, as the best weights are chosen by it. Over several
/// boards these are geometric means, so that a tenth more steps counts as much on each: `win_rate`
/// is no share of games then.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Share of games won.
    pub win_rate: f64,
    /// Mean length at the end, in cells.
    pub mean_length: f64,
    /// Mean steps of the games won; `None` where there is a board with none.
    pub mean_steps_won: Option<f64>,
}

impl Score {
    /// A score is better if it needs fewer steps a win, where games that are not won count as long
    /// as the others. The share of wins alone would choose by luck: some hundred games can't tell
    /// 97 from 98 %. While fewer than half of the games are won, whose steps are those of a lucky
    /// few, longer snakes are better.
    pub(crate) fn is_better_than(&self, other: &Score) -> bool {
        let steps = |score: &Score| match score.mean_steps_won {
            Some(steps) if score.win_rate >= 0.5 => steps / score.win_rate,
            _ => f64::INFINITY,
        };
        let order = steps(other).total_cmp(&steps(self));
        order.then(self.mean_length.total_cmp(&other.mean_length)) == Ordering::Greater
    }
}

/// How well an agent played the selection duels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DuelScore {
    /// Wins, and half of the draws, as a share of all.
    pub score: f64,
    /// Share of duels drawn.
    pub draws: f64,
}

/// How far training is; `S` is how well an agent played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<S> {
    /// Environment steps taken.
    pub step: u64,
    /// Environment steps in all.
    pub total: u64,
    /// Gradient steps taken.
    pub gradient_steps: u64,
    /// The loss, lately; `None` before the first gradient step.
    pub loss: Option<f64>,
    /// The last evaluation.
    pub score: Option<S>,
}

impl<S> Default for Progress<S> {
    fn default() -> Progress<S> {
        Progress {
            step: 0,
            total: 0,
            gradient_steps: 0,
            loss: None,
            score: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_better_score_needs_fewer_steps_a_win() {
        let score = |win_rate, mean_length, mean_steps_won| Score {
            win_rate,
            mean_length,
            mean_steps_won,
        };
        let ascending = [
            score(0.0, 5.0, None),
            score(0.01, 9.6, Some(150.0)),
            score(0.0, 20.3, None),
            score(0.4, 30.0, Some(200.0)),
            score(0.5, 29.0, Some(250.0)),
            score(0.98, 35.9, Some(170.0)),
            score(0.97, 35.8, Some(160.0)),
            score(1.0, 36.0, Some(160.0)),
        ];
        for (index, score) in ascending.iter().enumerate() {
            let worse = ascending
                .iter()
                .filter(|other| score.is_better_than(other))
                .count();
            assert_eq!(worse, index, "{score:?}");
        }
    }
}
