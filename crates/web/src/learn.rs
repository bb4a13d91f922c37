//! An agent learns, and somebody watches.

use crate::answer::{Answer, json, text};
use crate::choices::parse_seed;
use crate::selection::{Evaluated, Point};
use crate::tables::{self, Progress};
use crate::view::picture;
use crate::watch::told;
use hognose_agent::{Network, Trainer, Training};
use hognose_eval::{End, Evaluation, LimitedGame, SELECTION};
use hognose_game::{Board, Overlay, Policy};
use hognose_run::Experiment;
use js_sys::Function;
use serde::Serialize;
use std::collections::BTreeMap;
use wasm_bindgen::prelude::wasm_bindgen;

/// What learns here; boards and masks are settings of it.
const EXPERIMENT: &str = include_str!("../../../experiments/page.toml");

/// Boards up to this size are solved at once, so that the optimum can be shown.
const SOLVED_AT_ONCE: usize = 16;

/// An agent that learns: the rounds of `hognose train`, games between them that tell how well it
/// plays, and one game that is shown.
#[wasm_bindgen]
pub struct Learn {
    settings: Vec<String>,
    trainer: Trainer<Network>,
    /// The games that tell how well it plays, which are those that choose the best weights of a
    /// run.
    selection: Evaluation,
    /// The games with the weights of a step that is evaluated now.
    evaluated: Option<Evaluated>,
    points: Vec<Point>,
    /// The last point of each curve of training, by its name.
    latest: BTreeMap<&'static str, f64>,
    optimum: Option<f64>,
    shown: Shown,
}

/// The game that is shown.
struct Shown {
    number: usize,
    game: LimitedGame,
    policy: Box<dyn Policy>,
    /// The gradient steps of the agent that plays.
    gradient_steps: u64,
}

/// What is known of the training.
#[derive(Serialize)]
struct Facts<'a> {
    step: u64,
    total: u64,
    gradient_steps: u64,
    finished: bool,
    /// Whether games are played that tell how well it plays.
    evaluating: bool,
    latest: &'a BTreeMap<&'static str, f64>,
    points: &'a [Point],
    /// Expected steps to win by the best possible play, where the board is solved.
    optimum: Option<f64>,
    game: GameFacts,
}

/// What is known of the game that is shown.
#[derive(Serialize)]
struct GameFacts {
    number: usize,
    step: u64,
    length: usize,
    area: usize,
    end: Option<End>,
    /// The gradient steps of the agent that plays.
    gradient_steps: u64,
}

#[wasm_bindgen]
impl Learn {
    /// A training before its first step: on a board, and under the mask of safe moves or free.
    /// `progress` hears from 0 to 1 how much is done where the board is solved.
    ///
    /// # Errors
    /// When there is no such board or seed.
    #[wasm_bindgen(constructor)]
    pub fn new(board: &str, safe: bool, seed: &str, progress: &Function) -> Answer<Learn> {
        Learn::of(board, safe, seed, &mut told(progress))
    }

    /// The settings of `hognose train page` that make this training, one in a line.
    pub fn settings(&self) -> String {
        self.settings.join("\n")
    }

    /// So many times a round of training or, when games are due that tell how well it plays, a step
    /// of them all.
    ///
    /// # Errors
    /// When training diverges.
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

    /// Makes so many steps of the game that is shown. After its end, the agent as it stands begins
    /// a new one.
    ///
    /// # Errors
    /// When the agent can't play.
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

    /// The picture of the game that is shown.
    pub fn picture(&self) -> Vec<f32> {
        picture(self.shown.game.position(), &Overlay::default(), None)
    }

    /// What is known of the training and of the game that is shown, as JSON, with the points of
    /// curves from this number on.
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
    /// As [`new`](Self::new), for callers without JavaScript.
    pub(crate) fn of(board: &str, safe: bool, seed: &str, progress: Progress<'_>) -> Answer<Learn> {
        let board = board.parse::<Board>().map_err(text)?;
        let seed = parse_seed(seed)?;
        let settings = settings(board, safe);
        let experiment =
            Experiment::parse(EXPERIMENT).and_then(|experiment| experiment.with_all(&settings));
        let Experiment::Dqn(experiment) = experiment.map_err(text)?.with_seed(seed) else {
            unreachable!("one snake learns in the page")
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

    /// A round of training, and what is due after it.
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

    /// Makes a step of all games that tell how well the agent plays.
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
    /// The game of a number, which the agent plays as it stands.
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

/// The settings that make the training of a board, under the mask of safe moves or free.
fn settings(board: Board, safe: bool) -> Vec<String> {
    let area = board.area();
    let mut settings = vec![format!("env.rules.board={board}")];
    settings.extend(if safe {
        // After so many steps without food the mask leaves one way to it only.
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
        // There is more to learn, and it pays later.
        let larger = [
            "network.hidden=[128,64]",
            "train.discount=0.965",
            "train.total_steps=512000",
        ];
        settings.extend(larger.map(str::to_owned));
    }
    settings
}

/// Expected steps to win by the best possible play, over all cells to start from.
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

    /// A few rounds on each board, and games that tell how well the agent plays: the same as
    /// `hognose evaluate` plays.
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
