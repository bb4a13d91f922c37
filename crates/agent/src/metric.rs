//! The curves of training.

/// A training curve. The x axis is always environment steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Mean undiscounted reward of the last 100 finished episodes.
    EpisodeReward,
    /// Mean steps of the last 100 finished episodes.
    EpisodeSteps,
    /// The probability of a random action.
    Epsilon,
    /// Environment steps per second since the last point. The training loop supplies it, since a
    /// trainer has no clock.
    StepsPerSecond,
    /// Gradient steps per second since the last point. The training loop supplies it, since a
    /// trainer has no clock.
    GradientStepsPerSecond,
    /// Mean Huber loss of the gradient steps since the last point.
    Loss,
    /// Learning rate of Adam.
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
    /// Fraction of selection games won; over several boards, the arithmetic mean of their
    /// fractions.
    WinRate,
    /// Mean final length in the selection games, in cells; over several boards, the geometric mean
    /// of their means.
    MeanLength,
    /// Mean steps of the selection games won; over several boards, the geometric mean of their
    /// means.
    MeanStepsWon,
    /// Score in the selection duels: wins plus half of the draws, as a fraction of all.
    DuelScore,
    /// Fraction of the selection duels drawn.
    DuelDraws,
    /// Fraction of the last 500 training duels of the agent against itself that were drawn.
    DrawRate,
    /// Mean steps of the last 500 training duels of the agent against itself.
    DuelSteps,
    /// Score in the last 500 training duels against older versions of the agent.
    ScoreAgainstOlder,
    /// Score in the last 500 training duels against bots.
    ScoreAgainstBots,
    /// Positions of duels in the replay buffer.
    Positions,
}

impl Metric {
    /// Returns the curve's name in TensorBoard.
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
