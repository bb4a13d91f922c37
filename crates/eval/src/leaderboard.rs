//! Leaderboards: policies on several boards, with as many games as precise numbers need.

use crate::places::rank_by;
use crate::{Evaluation, Interval, Played, Summary, stats};
use hognose_game::Rules;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// The format version of leaderboards.
const FORMAT: u32 = 1;

/// Policies ranked on several boards. All of them play the same games on a board, and each board
/// has as many games as precise numbers need.
///
/// Each board begins with [`FIRST_ROUND`](Self::FIRST_ROUND) games per policy. Every further round
/// doubles them, until the mean steps to win are precise: half of their 95 % interval is less than
/// [`PRECISION`](Self::PRECISION) of the mean, for every policy that wins at least half of its
/// games. The numbers of games thus depend only on the policies, the boards and the seed, unless
/// the caller stops earlier.
///
/// It contains no times or speeds, so the same games give the same leaderboard.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Leaderboard {
    /// The format version.
    pub format: u32,
    /// The seed that the games are derived from.
    pub seed: u64,
    /// The policies over all boards, best first.
    pub policies: Vec<Overall>,
    /// The boards.
    pub boards: Vec<Standings>,
    /// The policies in playing order.
    #[serde(skip)]
    names: Vec<String>,
}

/// The results of a policy over the boards that it plays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Overall {
    /// The policy.
    pub policy: String,
    /// The number of boards that it plays.
    pub boards: usize,
    /// The mean of its win rates on these boards.
    pub win_rate: f64,
    /// Its mean steps to win relative to the first policy: the geometric mean over those of these
    /// boards on which the first policy won. `None` if there is no such board, or if this policy
    /// won no game on one of them.
    pub relative_steps: Option<f64>,
}

/// The results of all policies on one board.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Standings {
    /// The rules.
    pub rules: Rules,
    /// Games per policy; 0 if not even the first round was finished.
    pub games: usize,
    /// Why there are no more games; `None` while they are played.
    pub ended_by: Option<EndedBy>,
    /// Half of the widest 95 % interval of mean steps, as a fraction of the mean, over the policies
    /// that win at least half of their games; `None` if there is none.
    pub widest: Option<f64>,
    /// The policies that play this board, best first.
    pub rows: Vec<Standing>,
    /// By policy; `None` for policies that refuse the board.
    #[serde(skip)]
    played: Vec<Option<Played>>,
}

/// Why a board has no more games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EndedBy {
    /// The numbers are precise enough.
    Precision,
    /// The requested number of games is reached.
    Games,
    /// The time is over.
    Time,
    /// The caller stopped, or a game failed.
    Interruption,
}

/// The results of a policy on one board. Shares have Wilson intervals, means Student's t intervals,
/// all at 95 %.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// Its place, from 1: one more than the number of better policies. See [`rank`].
    pub place: usize,
    /// The policy.
    pub policy: String,
    /// Games won.
    pub wins: usize,
    /// Share of games won.
    pub win_rate: f64,
    /// The interval of the share of games won.
    pub win_rate_interval: Interval,
    /// Mean steps of the games won; `None` if none was won.
    pub mean_steps_won: Option<f64>,
    /// The interval of the mean steps of the games won.
    pub mean_steps_won_interval: Option<Interval>,
    /// Standard deviation of the steps of the games won.
    pub sd_steps_won: Option<f64>,
    /// Mean final length of all games, in cells.
    pub mean_length: f64,
    /// Games that the policy forfeited.
    pub forfeits: usize,
    /// The reason of the first forfeit; `None` if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forfeit: Option<String>,
    /// Whether moves depend on the clock, so that games may differ on another machine.
    pub depends_on_clock: bool,
}

impl Leaderboard {
    /// Games per policy in the first round on a board.
    pub const FIRST_ROUND: usize = 100;
    /// A board has enough games once half of each interval is less than this fraction of the mean.
    pub const PRECISION: f64 = 0.01;
    /// Policies that win less than this share of their games don't extend the games of a board.
    pub const COUNTS: f64 = 0.5;

    /// Creates a leaderboard of these policies on these boards, before any game. Steps are compared
    /// with those of the first policy.
    pub fn new(
        seed: u64,
        policies: impl IntoIterator<Item = impl Into<String>>,
        boards: &[Rules],
    ) -> Leaderboard {
        Leaderboard {
            format: FORMAT,
            seed,
            policies: Vec::new(),
            boards: boards
                .iter()
                .map(|&rules| Standings {
                    rules,
                    games: 0,
                    ended_by: None,
                    widest: None,
                    rows: Vec::new(),
                    played: Vec::new(),
                })
                .collect(),
            names: policies.into_iter().map(Into::into).collect(),
        }
    }

    /// Plays rounds on all boards in turn, until each has as many games as it needs, or `games` if
    /// given. `play` plays games with the policy of an index, and returns `None` if the policy
    /// refuses the board. If it fails, the leaderboard keeps the finished rounds; then call
    /// [`end`](Self::end) to record why there are no more.
    ///
    /// ```
    /// use hognose_eval::{Leaderboard, evaluate};
    /// use hognose_game::{MakePolicy, Player, Rules};
    /// use hognose_solvers::{Certified, Hamiltonian};
    /// use std::ops::ControlFlow;
    /// use std::sync::Arc;
    ///
    /// let policies: [Arc<dyn MakePolicy>; 2] = [
    ///     Arc::new(Hamiltonian::default()),
    ///     Arc::new(Certified::default()),
    /// ];
    /// let mut leaderboard = Leaderboard::new(
    ///     0,
    ///     ["hamiltonian", "certified"],
    ///     &[Rules::new("4x4".parse()?)],
    /// );
    /// leaderboard.play(Some(20), |policy, games| {
    ///     evaluate(
    ///         || Player::Single(policies[policy].clone()),
    ///         games,
    ///         |_| ControlFlow::Continue(()),
    ///     )
    ///     .map(Some)
    /// })?;
    /// assert_eq!(leaderboard.boards[0].rows[0].policy, "certified");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `play` fails.
    pub fn play<E>(
        &mut self,
        games: Option<usize>,
        mut play: impl FnMut(usize, &Evaluation) -> Result<Option<Played>, E>,
    ) -> Result<(), E> {
        let mut round = Leaderboard::FIRST_ROUND;
        while self.boards.iter().any(|board| board.ended_by.is_none()) {
            for board in 0..self.boards.len() {
                let standings = &mut self.boards[board];
                if standings.ended_by.is_none() {
                    standings.play_up_to(
                        games.map_or(round, |games| games.min(round)),
                        self.seed,
                        &self.names,
                        &mut play,
                    )?;
                    standings.ended_by = standings.enough(games);
                    self.policies = self.overall();
                }
            }
            round *= 2;
        }
        Ok(())
    }

    /// Records why the unfinished boards have no more games.
    pub fn end(&mut self, by: EndedBy) {
        for board in &mut self.boards {
            board.ended_by.get_or_insert(by);
        }
    }

    /// Returns the policy that steps are compared with.
    pub fn reference(&self) -> Option<&str> {
        self.names.first().map(String::as_str)
    }

    /// Returns the policies over all boards, ordered by win rate and then by fewer steps.
    fn overall(&self) -> Vec<Overall> {
        let mut policies: Vec<Overall> = self
            .names
            .iter()
            .filter_map(|name| self.overall_of(name))
            .collect();
        policies.sort_by(|a, b| {
            better(
                (a.win_rate, a.relative_steps),
                (b.win_rate, b.relative_steps),
            )
        });
        policies
    }

    fn overall_of(&self, policy: &str) -> Option<Overall> {
        let rows: Vec<(&Standings, &Standing)> = self
            .boards
            .iter()
            .filter_map(|board| Some((board, board.of(policy)?)))
            .collect();
        let win_rates: Vec<f64> = rows.iter().map(|(_, row)| row.win_rate).collect();
        let ratios = rows.iter().filter_map(|(board, row)| {
            let steps = board.of(self.reference()?)?.mean_steps_won?;
            Some(row.mean_steps_won.map(|own| (own / steps).ln()))
        });
        let logarithms = ratios.collect::<Option<Vec<f64>>>();
        Some(Overall {
            policy: policy.to_owned(),
            boards: rows.len(),
            win_rate: stats::mean(&win_rates)?,
            relative_steps: logarithms
                .and_then(|logarithms| stats::mean(&logarithms))
                .map(f64::exp),
        })
    }
}

impl Standings {
    /// Returns the row of a policy, if it plays this board.
    pub fn of(&self, policy: &str) -> Option<&Standing> {
        self.rows.iter().find(|row| row.policy == policy)
    }

    /// Plays until each policy has `games` games.
    fn play_up_to<E>(
        &mut self,
        games: usize,
        seed: u64,
        names: &[String],
        mut play: impl FnMut(usize, &Evaluation) -> Result<Option<Played>, E>,
    ) -> Result<(), E> {
        let round = Evaluation {
            first: self.games,
            ..Evaluation::new(self.rules, seed, games - self.games)
        };
        let more = (0..names.len())
            .map(|policy| match self.played.get(policy) {
                Some(None) => Ok(None),
                _ => play(policy, &round),
            })
            .collect::<Result<Vec<_>, E>>()?;
        if self.games == 0 {
            self.played = more;
        } else {
            for (played, more) in self.played.iter_mut().zip(more) {
                match (&mut *played, more) {
                    (Some(played), Some(more)) => played.append(more),
                    _ => *played = None,
                }
            }
        }
        self.games = games;
        let rows = names.iter().zip(&self.played);
        self.rows = rows
            .filter_map(|(name, played)| Some(self.standing(name, played.as_ref()?)))
            .collect();
        rank(&mut self.rows);
        self.widest = self
            .rows
            .iter()
            .filter_map(Standing::relative_half_interval)
            .reduce(f64::max);
        Ok(())
    }

    fn standing(&self, name: &str, played: &Played) -> Standing {
        let summary = Summary::new(name, self.rules.board(), played);
        Standing {
            place: 0,
            policy: summary.name,
            wins: summary.wins,
            win_rate: summary.win_rate,
            win_rate_interval: summary.win_rate_interval,
            mean_steps_won: summary.mean_steps_won,
            mean_steps_won_interval: summary.mean_steps_won_interval,
            sd_steps_won: summary.sd_steps_won,
            mean_length: summary.mean_length,
            forfeits: summary.ends.forfeit,
            forfeit: summary.forfeit,
            depends_on_clock: summary.depends_on_clock,
        }
    }

    /// Returns why there are enough games; `None` if there are not.
    fn enough(&self, games: Option<usize>) -> Option<EndedBy> {
        match games {
            Some(games) => (self.games >= games).then_some(EndedBy::Games),
            None => self
                .widest
                .is_none_or(|widest| widest < Leaderboard::PRECISION)
                .then_some(EndedBy::Precision),
        }
    }
}

impl Standing {
    /// Returns half of the interval of the mean steps as a fraction of the mean; `None` for a
    /// policy that doesn't extend the games.
    fn relative_half_interval(&self) -> Option<f64> {
        let Interval { low, high } = self
            .mean_steps_won_interval
            .filter(|_| self.win_rate >= Leaderboard::COUNTS)?;
        Some((high - low) / 2.0 / self.mean_steps_won?)
    }
}

/// Sorts the policies of a board and assigns places. A policy is better if it wins a larger share
/// of its games or, if equal, needs fewer steps to win.
pub fn rank(rows: &mut [Standing]) {
    rank_by(
        rows,
        |a, b| {
            better(
                (a.win_rate, a.mean_steps_won),
                (b.win_rate, b.mean_steps_won),
            )
        },
        |row, place| row.place = place,
    );
}

/// Compares win rates, then steps; the better policy comes first.
fn better(a: (f64, Option<f64>), b: (f64, Option<f64>)) -> Ordering {
    let steps = |steps: Option<f64>| steps.unwrap_or(f64::INFINITY);
    b.0.total_cmp(&a.0).then(steps(a.1).total_cmp(&steps(b.1)))
}
