//! Several policies play the same games, as many as time allows.

use crate::answer::{Answer, json, text};
use crate::choices::{maker, named, parse_rules, parse_seed};
use crate::watch::reporter;
use hognose_eval::stats::Histogram;
use hognose_eval::{Episode, Evaluation, LimitedGame, Measure, Played, Summary};
use hognose_game::{MakePolicy, Policy};
use js_sys::Function;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use wasm_bindgen::prelude::wasm_bindgen;

/// Games of several policies, one after another, the same as in `hognose evaluate`. All policies
/// play a game before the next one begins.
#[wasm_bindgen]
pub struct Race {
    evaluation: Evaluation,
    runners: Vec<Runner>,
    /// The number of the current game.
    game: usize,
    /// The number of games that a policy refused. They count for no policy.
    refused: usize,
}

/// A policy with its games.
struct Runner {
    name: String,
    maker: Arc<dyn MakePolicy>,
    /// The current game, once it has begun.
    game: Option<(LimitedGame, Box<dyn Policy>)>,
    /// All games that it has played, at most one more than others.
    episodes: Vec<Episode>,
}

/// The results of the games so far.
#[derive(Serialize)]
struct Result {
    games: usize,
    refused: usize,
    runners: Vec<RunnerResult>,
}

/// The results of a policy. Others are compared with the first policy.
#[derive(Serialize)]
struct RunnerResult {
    summary: Summary,
    /// The histogram of the steps of games won, with the same bins for all policies.
    histogram: Option<Histogram>,
}

/// The approximate number of bins of a histogram.
const BINS: usize = 40;

#[wasm_bindgen]
impl Race {
    /// Creates a race before its first game. If the board must be solved first, `progress` receives
    /// the completed share, from 0 to 1.
    ///
    /// # Errors
    /// Fails if there are no policies, if a policy, the rules or the seed are invalid, or if a
    /// policy refuses the first game.
    #[wasm_bindgen(constructor)]
    pub fn new(
        policies: Vec<String>,
        rules: &str,
        seed: &str,
        progress: &Function,
    ) -> Answer<Race> {
        Race::of(policies, rules, seed, &mut reporter(progress))
    }

    /// Plays up to `steps` more steps over all policies, and up to `games` games in total.
    ///
    /// # Errors
    /// Fails if a policy forfeits a game.
    pub fn advance(&mut self, steps: usize, games: usize) -> Answer<()> {
        let mut left = steps;
        while left > 0 && self.game < games {
            let game = self.game;
            match self
                .runners
                .iter_mut()
                .find(|runner| runner.episodes.len() == game)
            {
                Some(runner) => {
                    match runner.advance(&self.evaluation, game + self.refused, left)? {
                        Some(made) => left = left.saturating_sub(made.max(1)),
                        None => self.refuse(),
                    }
                }
                None => self.game += 1,
            }
        }
        Ok(())
    }

    /// Returns the results of the games that all policies have played, as JSON.
    pub fn result(&self) -> String {
        let all = || {
            self.runners
                .iter()
                .map(|runner| &runner.episodes[..self.game])
        };
        if self.game == 0 {
            return json(&Result {
                games: 0,
                refused: self.refused,
                runners: Vec::new(),
            });
        }
        let steps: Vec<Vec<f64>> = all()
            .map(|episodes| Measure::MeanStepsWon.values(episodes))
            .collect();
        let samples: Vec<&[f64]> = steps.iter().map(Vec::as_slice).collect();
        let histograms = Histogram::of_samples(&samples, BINS);
        let first = &self.runners[0];
        let runners =
            self.runners
                .iter()
                .zip(all())
                .enumerate()
                .map(|(index, (runner, episodes))| {
                    let summary = Summary::new(
                        &runner.name,
                        self.evaluation.rules.board(),
                        &played(episodes),
                    );
                    let summary = match index {
                        0 => summary,
                        _ => {
                            summary.paired_with(&first.name, &first.episodes[..self.game], episodes)
                        }
                    };
                    RunnerResult {
                        summary,
                        histogram: histograms
                            .as_ref()
                            .map(|histograms| histograms[index].clone()),
                    }
                });
        json(&Result {
            games: self.game,
            refused: self.refused,
            runners: runners.collect(),
        })
    }
}

impl Race {
    /// Like [`new`](Self::new), for callers without JavaScript.
    ///
    /// # Errors
    /// Fails like `new`.
    pub fn of(
        policies: Vec<String>,
        rules: &str,
        seed: &str,
        progress: &mut dyn FnMut(f64),
    ) -> Answer<Race> {
        if policies.is_empty() {
            return Err("expected at least one policy".to_owned());
        }
        let rules = parse_rules(rules)?;
        let seed = parse_seed(seed)?;
        let runners = policies.into_iter().map(|name| {
            let maker = maker(&named(&name)?, rules.board(), progress)?;
            Ok(Runner {
                name,
                maker,
                game: None,
                episodes: Vec::new(),
            })
        });
        let runners = runners.collect::<Answer<Vec<Runner>>>()?;
        let mut race = Race {
            evaluation: Evaluation::new(rules, seed, 1),
            runners,
            game: 0,
            refused: 0,
        };
        for runner in &mut race.runners {
            runner
                .begin(&race.evaluation, 0)
                .map_err(|error| format!("{}: {error}", runner.name))?;
        }
        Ok(race)
    }

    /// Skips the current game for all policies.
    fn refuse(&mut self) {
        self.refused += 1;
        for runner in &mut self.runners {
            runner.game = None;
            runner.episodes.truncate(self.game);
        }
    }
}

impl Runner {
    fn begin(&mut self, evaluation: &Evaluation, number: usize) -> Answer<()> {
        let game = LimitedGame::new(evaluation.game(number), evaluation.limits);
        let policy = self
            .maker
            .make(game.position(), Evaluation::policy_seed(game.seed()))
            .map_err(text)?;
        self.game = Some((game, policy));
        Ok(())
    }

    /// Plays at most `most` steps of game `number`, and returns how many; `None` if the policy
    /// refuses the game.
    fn advance(
        &mut self,
        evaluation: &Evaluation,
        number: usize,
        most: usize,
    ) -> Answer<Option<usize>> {
        if self.game.is_none() && self.begin(evaluation, number).is_err() {
            return Ok(None);
        }
        let (game, policy) = self.game.as_mut().expect("the game has begun");
        let mut made = 0;
        while made < most && game.end().is_none() {
            game.play(&mut **policy).map_err(text)?;
            made += 1;
        }
        if let Some(episode) = game.episode() {
            self.episodes.push(episode);
            self.game = None;
        }
        Ok(Some(made))
    }
}

/// Returns games in the form of an evaluation, without times.
pub(crate) fn played(episodes: &[Episode]) -> Played {
    Played {
        episodes: episodes.to_vec(),
        refused: Vec::new(),
        refusal: None,
        forfeit: None,
        depends_on_clock: false,
        costs: Vec::new(),
        time: Duration::ZERO,
        setup: Duration::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_eval::evaluate;
    use hognose_game::Player;
    use hognose_policies::Catalog;
    use std::ops::ControlFlow;

    fn race(policies: &[&str], board: &str) -> Race {
        let names = policies.iter().map(|&name| name.to_owned()).collect();
        Race::of(names, board, "5", &mut |_| ()).unwrap()
    }

    /// A race has the games of `hognose evaluate`, however it is divided into calls.
    #[test]
    fn a_race_is_an_evaluation() {
        let names = ["hamiltonian", "greedy", "modified-endgame"];
        let mut race = race(&names, "6x6");
        for steps in [1, 7, 1000, 3, 20_000, 50_000] {
            race.advance(steps, usize::MAX).unwrap();
        }
        assert!(race.game > 20, "{}", race.game);
        let more = race.game + 2;
        race.advance(usize::MAX, more).unwrap();
        assert_eq!(race.game, more);
        for (name, runner) in names.into_iter().zip(&race.runners) {
            let config = Evaluation::new(race.evaluation.rules, 5, race.game);
            let maker = Catalog::default().policy(name).unwrap().single_player();
            let player = || Player::Single(Arc::clone(&maker));
            let played = evaluate(player, &config, |_| ControlFlow::Continue(())).unwrap();
            assert_eq!(runner.episodes[..race.game], played.episodes, "{name}");
        }
        let result: serde_json::Value = serde_json::from_str(&race.result()).unwrap();
        assert_eq!(result["games"], race.game);
        assert!(result["runners"][0]["summary"]["paired"].is_null());
        assert!(result["runners"][1]["summary"]["paired"]["reference"] == "hamiltonian");
        let wins: u64 = result["runners"][2]["histogram"]["counts"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|c| c.as_u64())
            .sum();
        assert_eq!(wins, race.game as u64);
    }

    /// A race fails if a policy refuses the first game, or if its input is invalid.
    #[test]
    fn invalid_races_are_refused() {
        // `cell-tree` always refuses odd boards.
        let error = Race::of(
            vec!["greedy".into(), "cell-tree".into()],
            "5x5",
            "0",
            &mut |_| (),
        )
        .err()
        .unwrap();
        assert!(error.starts_with("cell-tree: "), "{error}");
        let error = |names: &[&str], board: &str, seed: &str| {
            Race::of(
                names.iter().map(|&name| name.to_owned()).collect(),
                board,
                seed,
                &mut |_| (),
            )
            .err()
            .unwrap()
        };
        assert!(error(&[], "5x5", "0").contains("expected at least one policy"));
        assert!(error(&["gredy"], "5x5", "0").contains("did you mean greedy"));
        assert!(error(&["greedy"], "5", "0").contains("expected a board as WxH"));
        assert!(error(&["greedy"], "5x5", "-1").contains("expected a seed"));
        assert!(error(&["exec:ls"], "5x5", "1").contains("refused here"));
    }
}
