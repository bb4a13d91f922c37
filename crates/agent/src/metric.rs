//! The curves of training.

/// A curve. Each is defined here once; the x axis is always environment steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Mean undiscounted reward of the last 100 finished episodes.
    EpisodeReward,
    /// Mean steps of the last 100 finished episodes.
    EpisodeSteps,
    /// The probability of a random action.
    Epsilon,
    /// Environment steps each second since the last point. Training has no clock: its loop makes
    /// this curve.
    StepsPerSecond,
    /// Gradient steps each second since the last point. Training has no clock: its loop makes this
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
    /// Histogram of the Q-values of the actions of the last batch.
    QValues,
    /// Histogram of the values of 500 positions of duels.
    Values,
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
            Metric::QValues => "train/q_values",
            Metric::Values => "train/values",
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
