//! Reports of several policies on identical games, for `evaluate` and for the end of training runs.

mod pictures;
mod tables;

pub(crate) use pictures::draw_boards;
pub(crate) use tables::print_boards;

use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::say;
use crate::version::{COMMIT, NUMBER};
use crate::{interrupt, progress};
use hognose_eval::{Episode, EvalError, Evaluation, Played, RefusedGames, Regret, Summary};
use hognose_game::{Board, Rules};
use hognose_policies::NamedPolicy;
use hognose_tablebase::Table;
use serde::Serialize;

/// How to handle a policy that can't play the games.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unplayable {
    /// Fail without a report.
    Fail,
    /// Leave it out of the report.
    LeaveOut,
}

/// The results of several policies on the same games.
#[derive(Serialize)]
pub(crate) struct Report {
    version: &'static str,
    commit: &'static str,
    board: Board,
    rules: Rules,
    seed: u64,
    games: usize,
    starvation: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    starvation_per_cell: Option<u32>,
    time_limit: Option<u32>,
    policies: Vec<Summary>,
    /// By policy: the seconds spent on setting up its games, summed over threads.
    setup_seconds: Vec<f64>,
    /// Policies that were not played to the end, after an interruption.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<String>,
    /// By policy, if requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    regrets: Vec<Regret>,
    #[serde(skip)]
    played: Vec<Played>,
}

impl Report {
    /// Creates a report of these games before any is played. Policies may refuse some of them.
    pub(crate) fn new(config: &Evaluation) -> Report {
        let Evaluation {
            rules,
            seed,
            games,
            limits,
            ..
        } = *config;
        Report {
            version: NUMBER,
            commit: COMMIT,
            board: rules.board(),
            rules,
            seed,
            games,
            starvation: limits.starvation,
            starvation_per_cell: limits.starvation_per_cell,
            time_limit: limits.time_limit,
            policies: Vec::new(),
            setup_seconds: Vec::new(),
            missing: Vec::new(),
            regrets: Vec::new(),
            played: Vec::new(),
        }
    }

    /// Plays every policy on the same games, except those that it refuses. After an interruption or
    /// a failure, the report contains the policies before it.
    pub(crate) fn play(
        &mut self,
        config: &Evaluation,
        policies: &[NamedPolicy],
        unplayable: Unplayable,
    ) -> Result<Outcome> {
        let config = &Evaluation {
            refused: RefusedGames::LeaveOut,
            ..config.clone()
        };
        for (index, policy) in policies.iter().enumerate() {
            let name = policy.name();
            let bar = progress::bar(config.games, format!("{name} on {}", self.board))?;
            let outcome = match progress::play(policy, config, &bar) {
                Ok(Played {
                    episodes,
                    refusal: Some(refusal),
                    ..
                }) if episodes.is_empty() => match unplayable {
                    Unplayable::LeaveOut => {
                        say!("left out {name}: {refusal}");
                        continue;
                    }
                    Unplayable::Fail => Err(Error::new(refusal).context(name)),
                },
                Ok(played) => {
                    self.add(name, played);
                    continue;
                }
                Err(EvalError::Interrupted) => Ok(Outcome::Interrupted),
                Err(error) => Err(error.into()),
            };
            self.missing = policies[index..]
                .iter()
                .map(|policy| policy.name().to_owned())
                .collect();
            return outcome;
        }
        Ok(Outcome::Done)
    }

    /// Returns whether no policy was played.
    pub(crate) fn is_empty(&self) -> bool {
        self.policies.is_empty()
    }

    /// Adds the games of a policy, compared with those of the first policy.
    fn add(&mut self, name: &str, played: Played) {
        let mut summary = Summary::new(name, self.board, &played);
        if let (Some(reference), Some(its)) = (self.policies.first(), self.played.first()) {
            summary = summary.paired_with(&reference.name, &its.episodes, &played.episodes);
        }
        self.policies.push(summary);
        self.setup_seconds.push(played.setup.as_secs_f64());
        self.played.push(played);
    }

    /// Plays again and compares every move with an exact table. After an interruption or a failure,
    /// the report contains the games before it.
    pub(crate) fn ask(
        &mut self,
        table: &Table,
        config: &Evaluation,
        policies: &[NamedPolicy],
    ) -> Result<Outcome> {
        let config = &Evaluation {
            refused: RefusedGames::LeaveOut,
            ..config.clone()
        };
        for policy in policies {
            let bar = progress::bar(config.games, format!("{} asked", policy.name()))?;
            let regret = hognose_eval::regret(
                policy.single_player(),
                config,
                |position| table.moves(position),
                |position| policy.value(position),
                |games| progress::tick(&bar, games),
            );
            bar.finish_and_clear();
            self.regrets
                .push(regret.map_err(|error| Error::from(error).context(policy.name()))?);
            if interrupt::asked() {
                return Ok(Outcome::Interrupted);
            }
        }
        Ok(Outcome::Done)
    }

    /// Returns the summary of a policy, if it was played.
    pub(crate) fn of(&self, name: &str) -> Option<&Summary> {
        self.policies.iter().find(|summary| summary.name == name)
    }

    /// Returns the policies that were played.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.policies.iter().map(|summary| summary.name.as_str())
    }

    /// Returns every game as a row of CSV.
    pub(crate) fn csv(&self) -> Result<Vec<u8>> {
        let mut rows = csv::Writer::from_writer(Vec::new());
        rows.write_record(["policy", "game", "seed", "steps", "length", "foods", "end"])?;
        for (name, played) in self.names().zip(&self.played) {
            let games = (0..).filter(|game| played.refused.binary_search(game).is_err());
            for (game, episode) in games.zip(&played.episodes) {
                let Episode {
                    seed,
                    steps,
                    length,
                    foods,
                    end,
                    ..
                } = *episode;
                rows.serialize((name, game, seed, steps, length, foods, end))?;
            }
        }
        Ok(rows.into_inner()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_policies::Catalog;
    use indicatif::ProgressBar;

    /// The agent comes first and a solver follows, as if the agent were not the last to play.
    #[test]
    fn results_are_found_by_name() {
        let config = Evaluation::new(Rules::new("4x4".parse().unwrap()), 0, 5);
        let mut report = Report::new(&config);
        for name in ["random", "hamiltonian"] {
            let policy = Catalog::default().policy(name).unwrap();
            let played = progress::play(&policy, &config, &ProgressBar::hidden()).unwrap();
            report.add(name, played);
        }
        assert_eq!(report.of("random").unwrap().wins, 0);
        assert_eq!(report.of("hamiltonian").unwrap().wins, 5);
        assert!(report.of("dqn:left-out").is_none());
    }
}
