//! Duels of a document: pairs of bots, their published numbers, and claims about them.

use super::row::{Row, verdict_of_claim};
use crate::error::{Error, Result};
use crate::output::plain;
use crate::progress;
use hognose_eval::stats::{self, Moments};
use hognose_eval::tournament::{PlayedDuel, Schedule, Tournament, TournamentError};
use hognose_game::duel::{DuelRules, DuelRulesError, DuelStart, Seat};
use hognose_policies::{Catalog, NamedBot};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Games of two bots with one set of rules, and their published numbers.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DuelCase {
    pub(super) name: String,
    pub(super) bots: [String; 2],
    pub(super) rules: DuelRulesOf,
    pub(super) games: Option<usize>,
    #[serde(default)]
    pub(super) published: Vec<Results>,
}

/// Rules given by name, or by their differences from named rules.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum DuelRulesOf {
    Name(String),
    Changed(Changed),
}

/// Rules that differ from named ones.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Changed {
    name: String,
    foods: Option<u16>,
    second: Option<DuelStart>,
}

/// The published numbers of games that the first bot won, lost and drew, and their place.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Results {
    place: String,
    wins: usize,
    losses: usize,
    draws: usize,
    note: Option<String>,
}

/// A claim that compares the first bot of a case with the first bot of another, or with its
/// opponent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DuelClaim {
    place: String,
    says: String,
    pub(super) duel: String,
    /// The other case; without it, the reference is one half.
    pub(super) reference: Option<String>,
    #[serde(default)]
    what: DuelMeasure,
    expect: Claimed,
    note: Option<String>,
}

/// The measure that a claim is about.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum DuelMeasure {
    /// Points per game of the first bot, where a draw counts half.
    #[default]
    Score,
    /// The share of games that the first bot won.
    Wins,
    /// The share of decided games that the first bot won.
    WinningRatio,
    /// Points per game of the first seat.
    FirstSeat,
}

/// The claimed relation of a number to its reference.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Claimed {
    Higher,
    Lower,
    Same,
}

/// The results of our own games of a case.
#[derive(Serialize)]
pub(super) struct DuelResult {
    name: String,
    bots: [String; 2],
    rules: DuelRules,
    pub(super) games: usize,
    wins: usize,
    losses: usize,
    draws: usize,
    mean_steps: f64,
}

/// A mean and its standard error.
#[derive(Clone, Copy)]
struct Estimate {
    value: f64,
    error: f64,
}

impl DuelRulesOf {
    pub(super) fn rules(&self) -> std::result::Result<DuelRules, DuelRulesError> {
        let Changed {
            name,
            foods,
            second,
        } = match self {
            DuelRulesOf::Name(name) => return DuelRules::named(name),
            DuelRulesOf::Changed(changed) => changed,
        };
        let mut rules = DuelRules::named(name)?;
        if let Some(second) = *second {
            rules = rules.with_board(rules.board(), [rules.start(Seat::First), second])?;
        }
        foods.map_or(Ok(rules), |foods| rules.with_foods(foods))
    }
}

impl DuelCase {
    /// Checks that its bots and rules exist.
    pub(super) fn check(&self) -> Result<()> {
        Catalog::default().bots(&self.bots)?;
        for Results {
            wins,
            losses,
            draws,
            ..
        } in &self.published
        {
            if wins + losses + draws < 2 {
                return Err(Error::new(
                    "expected results of at least two published games",
                ));
            }
        }
        self.rules.rules()?;
        Ok(())
    }

    /// Plays `games` games. The inner error says why they were not finished.
    pub(super) fn play(
        &self,
        seed: u64,
        games: usize,
        threads: usize,
    ) -> Result<std::result::Result<Tournament, TournamentError>> {
        let bots = Catalog::default().bots(&self.bots)?;
        let makers: Vec<_> = bots.iter().map(NamedBot::maker).collect();
        let names = self.bots.clone();
        let mut tournament =
            Tournament::new(Schedule::new(self.rules.rules()?, names, games, seed)?);
        let bar = progress::bar(games, plain(&self.name))?;
        let played = tournament.play(&makers, threads, |progress| {
            progress::tick(&bar, progress.played.len())
        });
        bar.finish_and_clear();
        Ok(played.map(|()| tournament))
    }

    /// Returns the results of its games.
    pub(super) fn result(&self, played: &Tournament) -> Result<DuelResult> {
        let duels = played.duels();
        let won = |points: f64| {
            duels
                .iter()
                .filter(|duel| points_of_first_bot(duel) == points)
                .count()
        };
        let steps: Vec<f64> = duels.iter().map(|duel| f64::from(duel.steps)).collect();
        Ok(DuelResult {
            name: self.name.clone(),
            bots: self.bots.clone(),
            rules: self.rules.rules()?,
            games: duels.len(),
            wins: won(1.0),
            losses: won(0.0),
            draws: won(0.5),
            mean_steps: stats::mean(&steps).unwrap_or(0.0),
        })
    }

    /// Returns a row for each published number; `z` is the quantile for verdicts.
    pub(super) fn rows(&self, played: &Tournament, z: f64) -> Vec<Row> {
        self.published
            .iter()
            .map(|published| self.row(published, played, z))
            .collect()
    }

    fn row(&self, published: &Results, played: &Tournament, z: f64) -> Row {
        let Results {
            place,
            wins,
            losses,
            draws,
            note,
        } = published;
        let own = DuelMeasure::Score.rounds(played);
        let Some(own) = Estimate::of(own.into_values()) else {
            return too_few(place, &self.name, "");
        };
        let n = (wins + losses + draws) as f64;
        let mean = *wins as f64 + 0.5 * *draws as f64;
        let score = mean / n;
        let squares = *wins as f64 + 0.25 * *draws as f64;
        let error = ((squares / n - score * score) / (n - 1.0)).sqrt();
        let difference = score - own.value;
        let agrees = difference.abs() <= z * error.hypot(own.error);
        if own.error == 0.0 && !agrees {
            return too_few(place, &self.name, "");
        }
        let note = note
            .as_ref()
            .map_or(String::new(), |note| format!(": {note}"));
        Row {
            place: place.clone(),
            what: format!("{}: score", self.name),
            published: format!("{score:.3} ({wins}-{losses}-{draws})"),
            measured: own.text(),
            verdict: if agrees {
                "agrees".to_owned()
            } else {
                format!("differs by {difference:+.3}{note}")
            },
            agrees: Some(agrees),
        }
    }
}

impl DuelClaim {
    /// Returns the row of a claim with too few games.
    fn too_few(&self) -> Row {
        let DuelClaim {
            place, says, duel, ..
        } = self;
        too_few(place, duel, says)
    }

    /// Returns the row of the claim.
    pub(super) fn row(&self, played: &Tournament, reference: Option<&Tournament>, z: f64) -> Row {
        let own = self.what.rounds(played);
        let differences = match reference {
            None => own.values().map(|own| own - 0.5).collect(),
            Some(reference) => paired(&own, &self.what.rounds(reference)),
        };
        let (Some(value), Some(difference)) =
            (Estimate::of(own.into_values()), Estimate::of(differences))
        else {
            return self.too_few();
        };
        let Estimate {
            value: difference,
            error,
        } = difference;
        let differs = difference.abs() > z * error;
        let holds = match self.expect {
            Claimed::Higher => differs.then_some(difference > 0.0),
            Claimed::Lower => differs.then_some(difference < 0.0),
            Claimed::Same => differs.then_some(false),
        };
        let DuelClaim {
            place,
            says,
            duel,
            reference,
            note,
            ..
        } = self;
        Row {
            place: place.clone(),
            what: reference
                .as_ref()
                .map_or(duel.clone(), |reference| format!("{duel}; {reference}")),
            published: says.clone(),
            measured: format!(
                "{difference:+.3} ± {:.3} ({} {:.3})",
                z * error,
                self.what.name(),
                value.value
            ),
            verdict: verdict_of_claim(holds, error, z, note.as_deref(), |seen| {
                format!("{seen:.3}")
            }),
            agrees: holds,
        }
    }
}

impl DuelMeasure {
    fn name(self) -> &'static str {
        match self {
            DuelMeasure::Score => "score",
            DuelMeasure::Wins => "wins",
            DuelMeasure::WinningRatio => "winning ratio",
            DuelMeasure::FirstSeat => "score of the first seat",
        }
    }

    /// Returns a number for each round of games on one seed, by round. Their mean is the measure.
    fn rounds(self, played: &Tournament) -> BTreeMap<usize, f64> {
        let mut rounds: BTreeMap<usize, Vec<&PlayedDuel>> = BTreeMap::new();
        for duel in played.duels() {
            rounds
                .entry(played.schedule().game(duel.index).round)
                .or_default()
                .push(duel);
        }
        let means = |of: &dyn Fn(&PlayedDuel) -> f64| -> BTreeMap<usize, f64> {
            let mean = |duels: &[&PlayedDuel]| {
                duels.iter().map(|duel| of(duel)).sum::<f64>() / duels.len() as f64
            };
            rounds
                .iter()
                .map(|(&round, duels)| (round, mean(duels)))
                .collect()
        };
        let wins = |duel: &PlayedDuel| f64::from(points_of_first_bot(duel) == 1.0);
        match self {
            DuelMeasure::Score => means(&points_of_first_bot),
            DuelMeasure::Wins => means(&wins),
            DuelMeasure::FirstSeat => means(&|duel| points_of_seat(duel, Seat::First)),
            DuelMeasure::WinningRatio => {
                let mut wins = means(&wins);
                let decided = means(&|duel| f64::from(points_of_first_bot(duel) != 0.5));
                let share = decided.values().sum::<f64>() / decided.len() as f64;
                if share == 0.0 {
                    return BTreeMap::new();
                }
                let ratio = wins.values().sum::<f64>() / decided.values().sum::<f64>();
                // To first order, a ratio of means is the mean of these values.
                wins.iter_mut().for_each(|(round, wins)| {
                    *wins = ratio + (*wins - ratio * decided[round]) / share
                });
                wins
            }
        }
    }
}

/// Returns the differences between two cases in the rounds that both played. The same round of two
/// cases has the same seed and thus the same foods, so the difference excludes their common effect.
fn paired(own: &BTreeMap<usize, f64>, its: &BTreeMap<usize, f64>) -> Vec<f64> {
    own.iter()
        .filter_map(|(round, own)| Some(own - its.get(round)?))
        .collect()
}

/// Returns a row for too few games, or only games that end alike.
fn too_few(place: &str, what: &str, published: &str) -> Row {
    Row {
        place: place.to_owned(),
        what: what.to_owned(),
        published: published.to_owned(),
        measured: "-".to_owned(),
        verdict: "can't be compared: too few games, or all alike".to_owned(),
        agrees: None,
    }
}

impl Estimate {
    /// Returns the mean of numbers and its standard error; `None` if there are too few.
    fn of(values: impl IntoIterator<Item = f64>) -> Option<Estimate> {
        let moments = Moments::of(&values.into_iter().collect::<Vec<f64>>())?;
        Some(Estimate {
            value: moments.mean,
            error: moments.standard_error(),
        })
    }

    fn text(self) -> String {
        format!(
            "{:.3} ± {:.3}",
            self.value,
            stats::normal_quantile(0.95) * self.error
        )
    }
}

/// Returns the points of the first bot, which has the second seat in every second game.
fn points_of_first_bot(duel: &PlayedDuel) -> f64 {
    points_of_seat(
        duel,
        if duel.index.is_multiple_of(2) {
            Seat::First
        } else {
            Seat::Second
        },
    )
}

fn points_of_seat(duel: &PlayedDuel, seat: Seat) -> f64 {
    duel.winner.map_or(0.5, |winner| f64::from(winner == seat))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    /// Plays games of two bots with the rules of 2020 on a small board.
    fn played(bots: [&str; 2], games: usize) -> Tournament {
        let rules = DuelRules::ai_snakes_2020()
            .on("7x7".parse().unwrap())
            .unwrap()
            .with_step_limit(60)
            .unwrap();
        let makers: Vec<_> = bots
            .iter()
            .map(|bot| Catalog::default().bot(bot).unwrap().maker())
            .collect();
        let schedule = Schedule::new(rules, bots.map(str::to_owned), games, 3).unwrap();
        let mut tournament = Tournament::new(schedule);
        tournament
            .play(&makers, 1, |_| ControlFlow::Continue(()))
            .unwrap();
        tournament
    }

    #[test]
    fn rounds_have_the_measures_as_their_means() {
        let tournament = played(["greedy", "random"], 40);
        let points: Vec<f64> = tournament.duels().iter().map(points_of_first_bot).collect();
        let count =
            |points_of: f64| points.iter().filter(|&&points| points == points_of).count() as f64;
        let won = count(1.0);
        let lost = count(0.0);
        let expected = [
            (DuelMeasure::Score, points.iter().sum::<f64>() / 40.0),
            (DuelMeasure::Wins, won / 40.0),
            (DuelMeasure::WinningRatio, won / (won + lost)),
        ];
        for (measure, expected) in expected {
            let rounds = measure.rounds(&tournament);
            assert_eq!(rounds.len(), 10);
            let estimate = Estimate::of(rounds.into_values()).unwrap();
            assert!(
                (estimate.value - expected).abs() < 1e-12,
                "{}",
                measure.name()
            );
        }
    }

    /// A case compared with itself differs by exactly 0; compared with fewer games, only the common
    /// rounds count.
    #[test]
    fn cases_on_the_same_seeds_are_paired() {
        let [long, short] =
            [40, 12].map(|games| DuelMeasure::Score.rounds(&played(["greedy", "random"], games)));
        assert_eq!(paired(&long, &long), [0.0; 10]);
        assert_eq!(paired(&long, &short), [0.0; 3]);
        let other = DuelMeasure::Score.rounds(&played(["search", "random"], 40));
        let differences = paired(&long, &other);
        let [own, its] =
            [&long, &other].map(|rounds| Estimate::of(rounds.values().copied()).unwrap());
        let difference = Estimate::of(differences).unwrap();
        assert!((difference.value - (own.value - its.value)).abs() < 1e-12);
    }
}
