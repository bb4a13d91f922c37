//! Summaries of a policy's games.

use crate::stats::{self, Interval, Moments, TTest};
use crate::{End, Episode, Measure, Played};
use hognose_game::{Board, Seed};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The number of games by reason of ending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ends {
    /// The board was filled.
    pub won: usize,
    /// The snake left the board.
    pub wall: usize,
    /// The snake hit itself.
    pub body: usize,
    /// The game was cut off by starvation or by the time limit.
    pub limit: usize,
    /// The policy forfeited the game.
    #[serde(default)]
    pub forfeit: usize,
}

/// A summary of one policy's games. Shares have Wilson intervals, means Student's t intervals, all
/// at 95 %.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The policy.
    pub name: String,
    /// Games won.
    pub wins: usize,
    /// Share of games won.
    pub win_rate: f64,
    /// The interval of the share of games won.
    pub win_rate_interval: Interval,
    /// Mean final length of all games, in cells.
    pub mean_length: f64,
    /// The interval of the mean length.
    pub mean_length_interval: Option<Interval>,
    /// Mean share of the board covered at the end.
    pub coverage: f64,
    /// Mean steps of the games won; `None` if none was won.
    pub mean_steps_won: Option<f64>,
    /// The interval of the mean steps of the games won.
    pub mean_steps_won_interval: Option<Interval>,
    /// Standard deviation of the steps of the games won.
    pub sd_steps_won: Option<f64>,
    /// Mean steps from one food to the next, or from the start to the first; steps after a game's
    /// last food do not count. `None` if no food was eaten.
    pub steps_per_food: Option<f64>,
    /// Why games ended.
    pub ends: Ends,
    /// The reason of the first forfeit; `None` if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forfeit: Option<String>,
    /// Games that the policy refused to play; they count nowhere else.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refused: usize,
    /// Why it refused the first of them; `None` if it refused none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// Whether moves depend on the clock, so that games may differ on another machine.
    #[serde(default)]
    pub depends_on_clock: bool,
    /// Share of decisions in which a filter forbade the policy's choice.
    pub forbidden: f64,
    /// Decisions per second of playing time of one thread, including the rules.
    pub decisions_per_second: f64,
    /// Differences from the reference policy on the same seeds; `None` for the reference itself, or
    /// if both played no common game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paired: Option<Paired>,
}

/// The differences of a policy from the reference policy, game by game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Paired {
    /// The reference policy.
    pub reference: String,
    /// Mean difference in length over the games that both played.
    pub length: f64,
    /// The interval of the mean difference in length.
    pub length_interval: Option<Interval>,
    /// Games that both won.
    pub both_won: usize,
    /// Mean difference in steps over the games that both won.
    pub steps_won: Option<f64>,
    /// The interval of the mean difference in steps.
    pub steps_won_interval: Option<Interval>,
    /// The paired t-test of whether the mean difference in steps is 0; `None` if it does not vary.
    pub steps_won_test: Option<TTest>,
}

impl Summary {
    /// Returns the number of games.
    pub fn games(&self) -> usize {
        let Ends {
            won,
            wall,
            body,
            limit,
            forfeit,
        } = self.ends;
        won + wall + body + limit + forfeit
    }

    /// Summarizes the games of a policy, at least one.
    ///
    /// ```
    /// use hognose_eval::{Evaluation, Summary, evaluate};
    /// use hognose_game::{Player, Rules};
    /// use hognose_solvers::Hamiltonian;
    /// use std::{ops::ControlFlow, sync::Arc};
    ///
    /// let config = Evaluation::new(Rules::new("4x4".parse()?), 0, 10);
    /// let player = || Player::Single(Arc::new(Hamiltonian::default()));
    /// let played = evaluate(player, &config, |_| ControlFlow::Continue(()))?;
    /// let summary = Summary::new("hamiltonian", config.rules.board(), &played);
    /// assert_eq!((summary.wins, summary.win_rate), (10, 1.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(name: &str, board: Board, played: &Played) -> Summary {
        let episodes = &played.episodes;
        let count = |end| episodes.iter().filter(|episode| episode.end == end).count();
        let ends = Ends {
            won: count(End::Won),
            wall: count(End::Wall),
            body: count(End::Body),
            limit: count(End::Limit),
            forfeit: count(End::Forfeit),
        };
        let lengths = Measure::MeanLength.values(episodes);
        let steps_won = Measure::MeanStepsWon.values(episodes);
        let steps: u64 = episodes.iter().map(|episode| episode.steps).sum();
        let hunger: u64 = episodes.iter().map(|episode| episode.hunger).sum();
        let foods: u64 = episodes.iter().map(|episode| episode.foods).sum();
        let mean_length = stats::mean(&lengths).expect("at least one game");
        Summary {
            name: name.to_owned(),
            wins: ends.won,
            win_rate: ends.won as f64 / episodes.len() as f64,
            win_rate_interval: stats::wilson(ends.won, episodes.len()),
            mean_length,
            mean_length_interval: stats::mean_interval(&lengths),
            coverage: mean_length / board.area() as f64,
            mean_steps_won: stats::mean(&steps_won),
            mean_steps_won_interval: stats::mean_interval(&steps_won),
            sd_steps_won: stats::sd(&steps_won),
            steps_per_food: (foods > 0).then(|| (steps - hunger) as f64 / foods as f64),
            ends,
            forfeit: played.forfeit.clone(),
            refused: played.refused.len(),
            refusal: played.refusal.clone(),
            depends_on_clock: played.depends_on_clock,
            forbidden: episodes
                .iter()
                .map(|episode| episode.forbidden)
                .sum::<u64>() as f64
                / steps.max(1) as f64,
            decisions_per_second: steps as f64 / played.time.as_secs_f64().max(1e-9),
            paired: None,
        }
    }

    /// Returns this summary with the differences from a reference policy over the games that both
    /// played: `its` are the reference's games, `own` those of this policy.
    #[must_use]
    pub fn paired_with(self, reference: &str, its: &[Episode], own: &[Episode]) -> Summary {
        let by_seed: HashMap<Seed, &Episode> =
            its.iter().map(|episode| (episode.seed, episode)).collect();
        let pairs = || {
            own.iter()
                .filter_map(|own| Some((own, *by_seed.get(&own.seed)?)))
        };
        let lengths: Vec<f64> = pairs()
            .map(|(own, its)| own.length as f64 - its.length as f64)
            .collect();
        let both = pairs().filter(|(own, its)| own.end == End::Won && its.end == End::Won);
        let steps: Vec<f64> = both
            .map(|(own, its)| own.steps as f64 - its.steps as f64)
            .collect();
        let paired = stats::mean(&lengths).map(|length| Paired {
            reference: reference.to_owned(),
            length,
            length_interval: stats::mean_interval(&lengths),
            both_won: steps.len(),
            steps_won: stats::mean(&steps),
            steps_won_interval: stats::mean_interval(&steps),
            steps_won_test: Moments::of(&steps).and_then(stats::paired_test),
        });
        Summary { paired, ..self }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_zero(number: &usize) -> bool {
    *number == 0
}
