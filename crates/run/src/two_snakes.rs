//! Runs of two snakes.

use crate::duel_experiment::DuelExperiment;
use crate::error::RunError;
use crate::subject::{Players, Round, Scored, Subject};
use hognose_agent::{DuelScore, LearningRate, Metric, SelfplayTrainer, ValueMlp};
use hognose_duel::{Bot, Budget, Selfplay, ValueFile};
use hognose_eval::MOST_GAMES;
use hognose_eval::tournament::rating::{Points, ratings};
use hognose_eval::tournament::{Schedule, ScheduleError, Tournament, TournamentError};
use hognose_game::duel::MakeDuelist;
use hognose_game::rng::{self, Purpose};
use hognose_game::{Board, Unsupported};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The purpose of the seed of selection duels, which neither training nor the final tournament
/// plays.
const SELECTION: Purpose = Purpose::new("selection");

/// The moves of each that agents look ahead where selection and the final tournament play them.
pub(crate) const DEPTH: u32 = 1;

/// How an agent played the duels of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DuelSummary {
    /// Duels played.
    pub games: usize,
    /// Wins, and half of the draws, as a share of all.
    pub score: f64,
    /// The 95 % interval of the score, by bootstrap over seeds.
    pub score_interval: Option<[f64; 2]>,
    /// Share of duels drawn.
    pub draws: f64,
    /// The score against each bot.
    pub against: Vec<(String, f64)>,
}

impl DuelSummary {
    /// The rating of the bot among those that it played against, on the scale of Elo (Bradley and
    /// Terry, 1952). The mean of the others is 0.
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

    /// How the bot of this number played.
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

impl DuelExperiment {
    /// A round of the selection duels against an anchor.
    fn against(&self, anchor: &Bot, round: Round) -> Result<Schedule, ScheduleError> {
        let names = ["selfplay".to_owned(), anchor.name().to_owned()];
        let games = round
            .games(self.train.evaluation_pairs)
            .len()
            .saturating_mul(2);
        Schedule::new(
            self.duel,
            names,
            games,
            rng::derive(self.seed, SELECTION, round as u64),
        )
    }
}

impl Subject for DuelExperiment {
    type Trainer = SelfplayTrainer<ValueMlp>;
    type Selected = DuelSummary;
    type Results = DuelSummary;

    const VALUES: &'static str = "train/values";
    const NOT_LEARNED_FROM: &'static [&'static str] = &[];

    fn seed(&self) -> u64 {
        self.seed
    }

    fn with_seed(self, seed: u64) -> DuelExperiment {
        DuelExperiment { seed, ..self }
    }

    fn seeds(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("seed", self.seed),
            ("evaluation.seed", self.evaluation.seed),
        ]
    }

    fn init(&self) -> Option<&PathBuf> {
        None
    }

    fn with_init(self, init: Option<PathBuf>) -> Result<DuelExperiment, RunError> {
        match init {
            None => Ok(self),
            Some(_) => Err(RunError::Experiment(
                "agents for duels start from drawn weights, not from a file".to_owned(),
            )),
        }
    }

    fn title(&self) -> String {
        self.duel.to_string()
    }

    fn board(&self) -> Board {
        self.duel.board()
    }

    fn total_steps(&self) -> u64 {
        self.train.total_steps
    }

    fn schedule_steps(&self) -> Option<u64> {
        self.train.schedule_steps
    }

    fn with_schedule_steps(mut self, steps: Option<u64>) -> DuelExperiment {
        self.train.schedule_steps = steps;
        self
    }

    fn learning_rate(&self) -> LearningRate {
        self.train.learning_rate
    }

    fn max_gradient_norm(&self) -> f32 {
        self.train.max_gradient_norm
    }

    fn check(&self, players: &Players) -> Result<(), RunError> {
        let bots = players.bots().bots(&self.evaluation.bots)?;
        let names = bots
            .iter()
            .map(|bot| bot.name().to_owned())
            .chain(["selfplay".to_owned()]);
        Schedule::new(
            self.duel,
            names,
            self.evaluation.games,
            self.evaluation.seed,
        )
        .map_err(|error| RunError::Experiment(format!("evaluation: {error}")))
        .and_then(|schedule| check_length("evaluation.games", &schedule))?;
        for anchor in players.bots().bots(&self.train.anchors)? {
            if anchor.depends_on_clock() {
                let (expected, got) = ("a depth or positions as its budget", anchor.name());
                return Err(RunError::Experiment(format!(
                    "train.anchors: expected {expected}, got {got:?}"
                )));
            }
            self.against(&anchor, Round::First)
                .map_err(|error| RunError::Experiment(format!("train.evaluation_pairs: {error}")))
                .and_then(|schedule| check_length("train.evaluation_pairs", &schedule))?;
        }
        Ok(())
    }

    fn trainer(&self, players: &Players) -> Result<SelfplayTrainer<ValueMlp>, RunError> {
        DuelExperiment::trainer(self, players)
    }

    fn select(
        &self,
        agent: &ValueFile,
        round: Round,
        players: &Players,
        threads: usize,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Option<Scored<DuelExperiment>>, Unsupported> {
        let refused = |error: &dyn std::fmt::Display| Unsupported(error.to_string());
        let anchors = players
            .bots()
            .bots(&self.train.anchors)
            .map_err(|error| refused(&error))?;
        let selfplay: Arc<dyn MakeDuelist> =
            Arc::new(Selfplay::new(agent.clone(), Budget::Depth(DEPTH)));
        let mut played = Vec::new();
        // Anchors do not play each other.
        for anchor in &anchors {
            let mut tournament = Tournament::new(
                self.against(anchor, round)
                    .map_err(|error| refused(&error))?,
            );
            let asked = |_: hognose_eval::tournament::TournamentProgress<'_>| {
                if goes_on() {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            };
            match tournament.play(&[Arc::clone(&selfplay), anchor.maker()], threads, asked) {
                Ok(()) => played.extend(DuelSummary::new(&tournament, 0)),
                Err(TournamentError::Interrupted) => return Ok(None),
                Err(error) => return Err(refused(&error)),
            }
        }
        let mean = |of: &dyn Fn(&DuelSummary) -> f64| {
            played.iter().map(of).sum::<f64>() / played.len() as f64
        };
        let summary = DuelSummary {
            games: played.iter().map(|summary| summary.games).sum(),
            score: mean(&|summary| summary.score),
            score_interval: None,
            draws: mean(&|summary| summary.draws),
            against: played
                .iter()
                .flat_map(|summary| summary.against.clone())
                .collect(),
        };
        Ok(Some((
            DuelScore {
                score: summary.score,
                draws: summary.draws,
            },
            summary,
        )))
    }

    fn curves(score: &DuelScore, selected: &DuelSummary) -> Vec<(String, f64)> {
        let DuelScore { score, draws } = *score;
        let means = [(Metric::DuelScore, score), (Metric::DuelDraws, draws)];
        let means = means.map(|(metric, value)| (metric.name().to_owned(), value));
        let scores = selected
            .against
            .iter()
            .map(|(anchor, score)| (format!("eval/score_against/{anchor}"), *score));
        means
            .into_iter()
            .chain(scores)
            .chain([("eval/rating".to_owned(), selected.rating())])
            .collect()
    }

    fn agent_name(folder: &Path) -> String {
        format!("selfplay:{}:{DEPTH}", folder.display())
    }
}

/// Fails if a key asks for more duels than anybody waits for.
fn check_length(key: &str, schedule: &Schedule) -> Result<(), RunError> {
    match schedule.len() {
        ..=MOST_GAMES => Ok(()),
        duels => Err(RunError::Experiment(format!(
            "{key}: expected at most {MOST_GAMES} duels in all, got {duels}"
        ))),
    }
}
