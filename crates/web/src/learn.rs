//! Training of an agent in the page.

use crate::answer::{Answer, json, text};
use crate::choices::parse_seed;
use crate::selection::{Evaluated, Point};
use crate::tables::{self, Progress};
use crate::view::picture;
use crate::watch::reporter;
use hognose_agent::{Network, Trainer, Training};
use hognose_eval::{End, Evaluation, LimitedGame, SELECTION};
use hognose_game::{Board, Overlay, Policy};
use hognose_run::Experiment;
use js_sys::Function;
use serde::Serialize;
use std::collections::BTreeMap;
use wasm_bindgen::prelude::wasm_bindgen;

/// The experiment of the page; boards and masks are settings.
const EXPERIMENT: &str = include_str!("../../../experiments/page.toml");

/// The area of the largest board that is solved, to show the optimum.
const SOLVED_AT_ONCE: usize = 16;

/// An agent in training as in `hognose train`, with evaluations between rounds, and a game on show.
#[wasm_bindgen]
pub struct Learn {
    settings: Vec<String>,
    trainer: Trainer<Network>,
    /// The evaluation games, the same as the selection games of a run.
    selection: Evaluation,
    /// The current evaluation, if any.
    evaluated: Option<Evaluated>,
    points: Vec<Point>,
    /// The last point of each training curve, by name.
    latest: BTreeMap<&'static str, f64>,
    optimum: Option<f64>,
    shown: Shown,
}

/// The game on show.
struct Shown {
    number: usize,
    game: LimitedGame,
    policy: Box<dyn Policy>,
    /// The gradient steps of the agent that plays it.
    gradient_steps: u64,
}

/// Facts about the training.
#[derive(Serialize)]
struct Facts<'a> {
    step: u64,
    total: u64,
    gradient_steps: u64,
    finished: bool,
    /// Whether an evaluation is running.
    evaluating: bool,
    latest: &'a BTreeMap<&'static str, f64>,
    points: &'a [Point],
    /// The expected steps to win of optimal play, if the board is solved.
    optimum: Option<f64>,
    game: GameFacts,
}

/// Facts about the game on show.
#[derive(Serialize)]
struct GameFacts {
    number: usize,
    step: u64,
    length: usize,
    area: usize,
    end: Option<End>,
    /// The gradient steps of the agent that plays it.
    gradient_steps: u64,
}

#[wasm_bindgen]
impl Learn {
    /// Creates a training before its first step, on a board, with the mask of safe or legal moves.
    /// If the board is solved, `progress` receives the completed share, from 0 to 1.
    ///
    /// # Errors
    /// Fails if the board or the seed is invalid.
    #[wasm_bindgen(constructor)]
    pub fn new(board: &str, safe: bool, seed: &str, progress: &Function) -> Answer<Learn> {
        Learn::of(board, safe, seed, &mut reporter(progress))
    }

    /// Returns the settings of `hognose train page` for this training, one per line.
    pub fn settings(&self) -> String {
        self.settings.join("\n")
    }

    /// Does `times` rounds of training, or steps of all games of an evaluation when one is running.
    ///
    /// # Errors
    /// Fails if training diverges.
    pub fn advance(&mut self, times: usize) -> Answer<()> {
        for _ in 0..times {
            if self.evaluated.is_some() {
                self.evaluate();
            } else if !self.trainer.finished() {
                self.round()?;
            }
        }
        Ok(())
    }

    /// Plays `steps` steps of the game on show. After its end, the current agent begins a new one.
    ///
    /// # Errors
    /// Fails if the agent can't play.
    pub fn play(&mut self, steps: usize) -> Answer<()> {
        for _ in 0..steps {
            if self.shown.game.end().is_some() {
                self.shown = Shown::new(&self.trainer, &self.selection, self.shown.number + 1)?;
            } else {
                self.shown
                    .game
                    .play(&mut *self.shown.policy)
                    .map_err(text)?;
            }
        }
        Ok(())
    }

    /// Returns the picture of the game on show.
    pub fn picture(&self) -> Vec<f32> {
        picture(self.shown.game.position(), &Overlay::default(), None)
    }

    /// Returns facts about the training and the game on show, as JSON, with the evaluations from
    /// number `since` on.
    pub fn facts(&self, since: usize) -> String {
        let Shown {
            number,
            game,
            gradient_steps,
            ..
        } = &self.shown;
        json(&Facts {
            step: self.trainer.step(),
            total: self.trainer.config().total_steps,
            gradient_steps: self.trainer.gradient_steps(),
            finished: self.trainer.finished() && self.evaluated.is_none(),
            evaluating: self.evaluated.is_some(),
            latest: &self.latest,
            points: &self.points[since.min(self.points.len())..],
            optimum: self.optimum,
            game: GameFacts {
                number: *number,
                step: game.steps(),
                length: game.position().len(),
                area: game.position().board().area(),
                end: game.end(),
                gradient_steps: *gradient_steps,
            },
        })
    }
}

impl Learn {
    /// Like [`new`](Self::new), for callers without JavaScript.
    pub(crate) fn of(board: &str, safe: bool, seed: &str, progress: Progress<'_>) -> Answer<Learn> {
        let board = board.parse::<Board>().map_err(text)?;
        let seed = parse_seed(seed)?;
        let settings = settings(board, safe);
        let experiment =
            Experiment::parse(EXPERIMENT).and_then(|experiment| experiment.with_all(&settings));
        let Experiment::Dqn(experiment) = experiment.map_err(text)?.with_seed(seed) else {
            unreachable!("the page's experiment trains one snake")
        };
        let trainer = experiment.trainer("cpu").map_err(text)?;
        let games = experiment.train.evaluation_games;
        let selection = Evaluation::new(experiment.env.rules, seed, games);
        let selection = Evaluation {
            purpose: SELECTION,
            ..selection
        };
        let optimum = (board.area() <= SOLVED_AT_ONCE)
            .then(|| optimum(board, progress))
            .transpose()?;
        let shown = Shown::new(&trainer, &selection, 0)?;
        let evaluated = Some(Evaluated::begin(&trainer, &selection)?);
        Ok(Learn {
            settings,
            trainer,
            selection,
            evaluated,
            points: Vec::new(),
            latest: BTreeMap::new(),
            optimum,
            shown,
        })
    }

    /// Trains one round, and logs and begins an evaluation if they are due.
    fn round(&mut self) -> Answer<()> {
        self.trainer.round().map_err(text)?;
        let log_every = self.trainer.config().log_every;
        let evaluate_every = self.trainer.config().evaluate_every;
        let finished = self.trainer.finished();
        let progress = self.trainer.progress();
        let evaluates = progress.has_come_round(progress.evaluated_at, evaluate_every) || finished;
        if evaluates {
            progress.evaluated_at = progress.step;
        }
        if progress.has_come_round(progress.logged_at, log_every) {
            let curves = self.trainer.curves().points.into_iter();
            self.latest
                .extend(curves.map(|(metric, value)| (metric.name(), value)));
        }
        if evaluates {
            self.evaluated = Some(Evaluated::begin(&self.trainer, &self.selection)?);
        }
        Ok(())
    }

    /// Plays one step of all games of the evaluation.
    fn evaluate(&mut self) {
        let Some(evaluated) = &mut self.evaluated else {
            return;
        };
        evaluated.advance();
        if let Some(point) = evaluated.point(self.selection.rules.board()) {
            self.points.push(point);
            self.evaluated = None;
        }
    }
}

impl Shown {
    /// Begins game `number` with the current agent.
    fn new(trainer: &Trainer<Network>, selection: &Evaluation, number: usize) -> Answer<Shown> {
        let games = Evaluation {
            purpose: hognose_eval::EVALUATION,
            ..selection.clone()
        };
        let game = LimitedGame::new(games.game(number), games.limits);
        let maker = hognose_policies::one_by_one(hognose_policies::player(&trainer.agent()));
        let policy = maker
            .make(game.position(), Evaluation::policy_seed(game.seed()))
            .map_err(text)?;
        Ok(Shown {
            number,
            game,
            policy,
            gradient_steps: trainer.gradient_steps(),
        })
    }
}

/// Returns the settings for a board, with the mask of safe or legal moves.
fn settings(board: Board, safe: bool) -> Vec<String> {
    let area = board.area();
    let mut settings = vec![format!("env.rules.board={board}")];
    settings.extend(if safe {
        // After this many steps without food, the mask leaves only one path to it.
        vec![
            "env.mask=safe".to_owned(),
            format!("env.starvation={}", 3 * area),
        ]
    } else {
        vec![
            "env.mask=legal".to_owned(),
            format!("env.starvation={}", 2 * area),
            "env.reward.death=-10".to_owned(),
        ]
    });
    if area > SOLVED_AT_ONCE {
        // Larger boards need more training, and their rewards are more delayed.
        let larger = [
            "network.hidden=[128,64]",
            "train.discount=0.965",
            "train.total_steps=512000",
        ];
        settings.extend(larger.map(str::to_owned));
    }
    settings
}

/// Returns the expected steps to win of optimal play, averaged over all starting cells.
fn optimum(board: Board, progress: Progress<'_>) -> Answer<f64> {
    let table = tables::solved(board, progress)?;
    Ok(board
        .cells()
        .map(|cell| table.expected(&[cell]))
        .sum::<f64>()
        / board.area() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_eval::{Summary, evaluate};
    use std::ops::ControlFlow;

    /// The evaluation agrees with `hognose evaluate`, and the agent learns and plays.
    #[test]
    fn agents_learn_and_play() {
        for (board, safe) in [("4x4", true), ("4x4", false), ("5x5", true), ("5x5", false)] {
            let mut learn = Learn::of(board, safe, "1", &mut |_| ()).unwrap();
            let agent = learn.trainer.agent();
            let player = || hognose_policies::player(&agent);
            let played = evaluate(player, &learn.selection, |_| ControlFlow::Continue(())).unwrap();
            while learn.points.is_empty() {
                learn.advance(1).unwrap();
            }
            let point = &learn.points[0];
            let summary = Summary::new("", learn.selection.rules.board(), &played);
            let apart = |(one, other): (f64, f64)| (one - other).abs();
            assert!(apart((point.win_rate, summary.win_rate)) < 1e-9, "{board}");
            assert!(
                point
                    .steps
                    .zip(summary.mean_steps_won)
                    .is_none_or(|steps| apart(steps) < 1e-9),
                "{board}"
            );
            assert!(!safe || point.win_rate == 1.0, "{board}");
            learn.advance(40).unwrap();
            learn.play(30).unwrap();
            assert!(
                learn.trainer.gradient_steps() > 0 && learn.facts(0).contains("\"points\":[{"),
                "{board}"
            );
            assert_eq!(learn.optimum.is_some(), board == "4x4");
        }
    }

    #[test]
    fn the_optimum_of_4x4_is_known() {
        let optimum = optimum("4x4".parse().unwrap(), &mut |_| ()).unwrap();
        assert!((optimum - 41.57).abs() < 0.05, "{optimum}");
    }
}
