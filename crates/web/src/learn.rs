//! Training of an agent in the page.

use crate::answer::{Answer, json, text};
use crate::choices::parse_seed;
use crate::selection::{Evaluated, Point};
use crate::tables::{self, Progress};
use crate::view::picture;
use crate::watch::reporter;
use hognose_agent::{
    Agent, AgentSpec, Metric, MoveAgent, Network, TargetSync, TrainError, Trainer, Training,
};
use hognose_eval::{End, Evaluation, LimitedGame, SELECTION};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Allowed, Board, Direction, MoveFilter, Overlay};
use hognose_run::Experiment;
use js_sys::Function;
use serde::Serialize;
use std::collections::BTreeSet;
use wasm_bindgen::prelude::wasm_bindgen;

/// The experiment of the page; boards and masks are settings.
const EXPERIMENT: &str = include_str!("../../../experiments/page.toml");

/// The area of the largest board that is solved, to show the optimum.
const SOLVED_AT_ONCE: usize = 16;

/// The steps of the game on show for which its end stays.
const REST: u32 = 8;

/// The number of transitions of a batch whose positions are shown.
const SAMPLES: usize = 3;

/// The draws of random moves in the games on show.
const SHOWN: Purpose = Purpose::new("exploration on show");

/// An agent in training as in `hognose train`, with evaluations between rounds, and two games on
/// show: one of the agent as it is now, and the first one, of the agent before it learned.
#[wasm_bindgen]
pub struct Learn {
    settings: Vec<String>,
    trainer: Trainer<Network>,
    /// The evaluation games, the same as the selection games of a run.
    selection: Evaluation,
    /// The current evaluation, if any.
    evaluated: Option<Evaluated>,
    points: Vec<Point>,
    losses: Vec<Loss>,
    optimum: Option<f64>,
    /// The agent before it learned.
    newborn: MoveAgent<Network>,
    first: Shown,
    present: Shown,
}

/// A game on show, played as training games are: sometimes a move is random.
struct Shown {
    number: usize,
    game: LimitedGame,
    filter: Box<dyn MoveFilter>,
    allowed: Allowed,
    /// The value of each action in the position.
    q_values: Vec<f32>,
    /// Whether the last move was random; `None` before the first one.
    random: Option<bool>,
    /// Steps since the end of the game.
    rested: u32,
}

/// The mean loss of the gradient steps up to an environment step.
#[derive(Serialize)]
struct Loss {
    step: u64,
    value: f64,
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
    epsilon: f64,
    learning_rate: f64,
    buffer: Share,
    /// The gradient steps since the target network was copied, of those between two copies.
    target: Option<Share>,
    points: &'a [Point],
    losses: &'a [Loss],
    /// The expected steps to win of optimal play, if the board is solved.
    optimum: Option<f64>,
    first: GameFacts,
    game: GameFacts,
}

/// A part of a whole.
#[derive(Serialize)]
struct Share {
    now: u64,
    of: u64,
}

/// Facts about a game on show.
#[derive(Serialize)]
struct GameFacts {
    number: usize,
    step: u64,
    length: usize,
    area: usize,
    end: Option<End>,
    /// The column and the row of the head.
    head: [usize; 2],
    /// The agent's value of each move: up, right, down, left; `null` if it is not allowed.
    q_values: [Option<f32>; 4],
    random: Option<bool>,
}

/// What the network computes for the position after a move.
#[derive(Serialize)]
struct Look {
    /// The number of the direction.
    direction: usize,
    q_value: f32,
    /// `None` if the value needs no network.
    insight: Option<Inside>,
}

/// The input of a network by planes, and what its layers make of it.
#[derive(Serialize)]
struct Inside {
    /// The side length of a plane.
    side: usize,
    planes: Vec<f32>,
    hidden: Vec<Vec<f32>>,
    terms: Vec<f32>,
}

/// The batch of the last gradient step.
#[derive(Serialize)]
struct Batch<'a> {
    q_values: &'a [f32],
    targets: &'a [f32],
    /// The transitions with the largest TD errors, as their numbers in the batch, with pictures of
    /// the positions that they begin at.
    samples: Vec<(usize, Vec<f32>)>,
}

/// The values of the sliders.
#[derive(Serialize)]
struct Values {
    rate: f64,
    discount: f64,
    epsilon: f64,
    death: f64,
    n: usize,
}

#[wasm_bindgen]
impl Learn {
    /// Creates a training before its first step, on a board, with the mask of safe or legal moves,
    /// and with further settings, one per line. If the board is solved, `progress` receives the
    /// completed share, from 0 to 1.
    ///
    /// # Errors
    /// Fails if the board, the seed or a setting is invalid.
    #[wasm_bindgen(constructor)]
    pub fn new(
        board: &str,
        safe: bool,
        seed: &str,
        changes: &str,
        progress: &Function,
    ) -> Answer<Learn> {
        Learn::of(board, safe, seed, changes, &mut reporter(progress))
    }

    /// Returns the settings of `hognose train page` for this training, one per line.
    pub fn settings(&self) -> String {
        self.settings.join("\n")
    }

    /// Returns the values of the sliders, as JSON.
    pub fn values(&self) -> String {
        let config = self.trainer.config();
        // The shortest text of a 32-bit number, not of the same number with 64 bits.
        let short = |number: f32| number.to_string().parse().expect("a number is one");
        json(&Values {
            rate: config.learning_rate.start,
            discount: short(config.discount),
            epsilon: config.epsilon.start,
            death: short(self.trainer.env().reward.death),
            n: config.n_step,
        })
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

    /// Plays `steps` steps of the games on show, with the agent as it is now and as it was at first.
    /// A while after its end, the next game begins, or the first game again.
    ///
    /// # Errors
    /// Fails if an agent can't play.
    pub fn play(&mut self, steps: usize) -> Answer<()> {
        let agent = move_agent(&self.trainer)?;
        let config = self.trainer.config();
        let epsilon = config.epsilon_at(self.trainer.step());
        for _ in 0..steps {
            if self.present.is_over() {
                self.present = Shown::new(&agent, &self.selection, self.present.number + 1)?;
            } else {
                self.present.step(&agent, epsilon);
            }
            if self.first.is_over() {
                self.first = Shown::new(&self.newborn, &self.selection, 0)?;
            } else {
                self.first.step(&self.newborn, config.epsilon_at(0));
            }
        }
        Ok(())
    }

    /// Returns the picture of the present game, or of the first one.
    pub fn picture(&self, first: bool) -> Vec<f32> {
        let shown = if first { &self.first } else { &self.present };
        picture(shown.game.position(), &Overlay::default(), None)
    }

    /// Returns facts about the training and the games on show, as JSON, with the evaluations from
    /// number `points` and the losses from number `losses` on.
    pub fn facts(&self, points: usize, losses: usize) -> String {
        let config = self.trainer.config();
        let step = self.trainer.step();
        let gradient_steps = self.trainer.gradient_steps();
        json(&Facts {
            step,
            total: config.total_steps,
            gradient_steps,
            finished: self.trainer.finished() && self.evaluated.is_none(),
            evaluating: self.evaluated.is_some(),
            epsilon: config.epsilon_at(step),
            learning_rate: config.learning_rate_at(step),
            buffer: Share {
                now: self.trainer.transitions() as u64,
                of: config.replay.capacity as u64,
            },
            target: match config.target {
                TargetSync::Hard { every } => Some(Share {
                    now: gradient_steps % every,
                    of: every,
                }),
                TargetSync::Polyak { .. } => None,
            },
            points: &self.points[points.min(self.points.len())..],
            losses: &self.losses[losses.min(self.losses.len())..],
            optimum: self.optimum,
            first: self.first.facts(self.newborn.spec()),
            game: self.present.facts(self.newborn.spec()),
        })
    }

    /// Returns what the network computes for each move of the present game, as JSON.
    ///
    /// # Errors
    /// Never fails: the trained agent chooses moves.
    pub fn network(&self) -> Answer<String> {
        let agent = move_agent(&self.trainer)?;
        let Shown { game, allowed, .. } = &self.present;
        let position = game.position();
        let [planes, side, _] = agent.spec().inputs().planes;
        let insights = agent.insights(position, allowed).into_iter();
        let looks = insights.zip(&self.present.q_values).zip(0..);
        let looks = looks.filter_map(|((insight, &q_value), action)| {
            let direction = agent.spec().action.direction(action, position.heading());
            allowed.moves.contains(direction).then(|| Look {
                direction: direction.index(),
                q_value,
                insight: insight.map(|insight| Inside {
                    side,
                    planes: insight.input[..planes * side * side].to_vec(),
                    hidden: insight.hidden,
                    terms: insight.terms,
                }),
            })
        });
        Ok(json(&looks.collect::<Vec<_>>()))
    }

    /// Returns the batch of the last gradient step, as JSON; `null` before the first one.
    pub fn batch(&mut self) -> String {
        let Some(learned) = self.trainer.gradient_step().cloned() else {
            return json(&());
        };
        let mut order: Vec<usize> = (0..learned.td_abs.len()).collect();
        order.sort_by(|&one, &other| learned.td_abs[other].total_cmp(&learned.td_abs[one]));
        // A transition may be drawn twice.
        let mut seen = BTreeSet::new();
        order.retain(|&index| seen.insert(learned.transitions[index]));
        let samples = order.into_iter().take(SAMPLES).filter_map(|index| {
            let position = self.trainer.position_of(learned.transitions[index])?;
            Some((index, picture(&position, &Overlay::default(), None)))
        });
        let samples = samples.collect();
        json(&Batch {
            q_values: &learned.q_values,
            targets: &learned.targets,
            samples,
        })
    }

    /// Returns the bytes of a policy file with the current weights.
    ///
    /// # Errors
    /// Never fails: the description of the network has a form in JSON.
    pub fn policy(&self) -> Answer<Vec<u8>> {
        self.trainer.policy().map_err(text)
    }
}

impl Learn {
    /// Like [`new`](Self::new), for callers without JavaScript.
    pub(crate) fn of(
        board: &str,
        safe: bool,
        seed: &str,
        changes: &str,
        progress: Progress<'_>,
    ) -> Answer<Learn> {
        let board = board.parse::<Board>().map_err(text)?;
        let seed = parse_seed(seed)?;
        let mut settings = settings(board, safe);
        settings.extend(changes.lines().map(str::to_owned));
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
        let newborn = move_agent(&trainer)?;
        let first = Shown::new(&newborn, &selection, 0)?;
        let present = Shown::new(&newborn, &selection, 0)?;
        let evaluated = Some(Evaluated::begin(&trainer, &selection)?);
        Ok(Learn {
            settings,
            trainer,
            selection,
            evaluated,
            points: Vec::new(),
            losses: Vec::new(),
            optimum,
            newborn,
            first,
            present,
        })
    }

    /// Trains one round, and logs and begins an evaluation if they are due.
    fn round(&mut self) -> Answer<()> {
        self.trainer.round().map_err(|error| match error {
            TrainError::Diverged { step, .. } => format!(
                "training diverged after {step} environment steps: the numbers grew without bound, \
                 as a high learning rate can make them; start over with other settings"
            ),
            other => text(other),
        })?;
        let log_every = self.trainer.config().log_every;
        let evaluate_every = self.trainer.config().evaluate_every;
        let finished = self.trainer.finished();
        let progress = self.trainer.progress();
        let evaluates = progress.has_come_round(progress.evaluated_at, evaluate_every) || finished;
        if evaluates {
            progress.evaluated_at = progress.step;
        }
        if progress.has_come_round(progress.logged_at, log_every) {
            let step = self.trainer.step();
            let curves = self.trainer.curves().points.into_iter();
            let losses = curves.filter(|(metric, _)| *metric == Metric::Loss);
            self.losses
                .extend(losses.map(|(_, value)| Loss { step, value }));
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
    /// Begins game `number`.
    fn new(agent: &MoveAgent<Network>, selection: &Evaluation, number: usize) -> Answer<Shown> {
        let games = Evaluation {
            purpose: hognose_eval::EVALUATION,
            ..selection.clone()
        };
        let game = LimitedGame::new(games.game(number), games.limits);
        let mut filter = agent.spec().mask.filter(&hognose_policies::safe_moves())();
        filter.reset(game.position()).map_err(text)?;
        let mut shown = Shown {
            number,
            allowed: filter.allowed(game.position()),
            game,
            filter,
            q_values: Vec::new(),
            random: None,
            rested: 0,
        };
        shown.look(agent);
        Ok(shown)
    }

    /// Returns whether the next game is due.
    fn is_over(&self) -> bool {
        self.rested >= REST
    }

    /// Plays a step, or rests after the end of the game.
    fn step(&mut self, agent: &MoveAgent<Network>, epsilon: f64) {
        if self.game.end().is_some() {
            self.rested += 1;
            return;
        }
        self.look(agent);
        let draws = rng::keyed(self.game.seed(), SHOWN, self.game.steps());
        let position = self.game.position();
        let (direction, random) =
            agent.explore(position, &self.allowed, &self.q_values, epsilon, draws);
        self.filter.commit(direction);
        self.game.step(direction);
        self.random = Some(random);
        if self.game.end().is_none() {
            self.allowed = self.filter.allowed(self.game.position());
            self.look(agent);
        }
    }

    /// Computes the values of the actions.
    fn look(&mut self, agent: &MoveAgent<Network>) {
        self.q_values = agent.q_values(&[self.game.position()], &[self.allowed]);
    }

    fn facts(&self, spec: AgentSpec) -> GameFacts {
        let position = self.game.position();
        let board = position.board();
        let value = |direction| {
            let action = spec.action.action(direction, position.heading())?;
            let goes_on = self.game.end().is_none() && self.allowed.moves.contains(direction);
            goes_on.then(|| self.q_values[usize::from(action)])
        };
        GameFacts {
            number: self.number,
            step: self.game.steps(),
            length: position.len(),
            area: board.area(),
            end: self.game.end(),
            head: [board.column(position.head()), board.row(position.head())],
            q_values: Direction::ALL.map(value),
            random: self.random,
        }
    }
}

/// Returns the agent in training with its current weights.
fn move_agent(trainer: &Trainer<Network>) -> Answer<MoveAgent<Network>> {
    match trainer.agent() {
        Agent::Moves(agent) => Ok(agent),
        Agent::Plans(_) => Err("expected an agent that chooses moves".to_owned()),
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
            let mut learn = Learn::of(board, safe, "1", "", &mut |_| ()).unwrap();
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
                learn.trainer.gradient_steps() > 0 && learn.facts(0, 0).contains("\"points\":[{"),
                "{board}"
            );
            assert_eq!(learn.optimum.is_some(), board == "4x4");
        }
    }

    /// What is shown belongs together, and settings are those of the experiment.
    #[test]
    fn what_happens_inside_is_shown() {
        let made = |changes| Learn::of("4x4", false, "1", changes, &mut |_| ());
        let mut learn = made("train.n_step=1\ntrain.learning_rate.start=0.01").unwrap();
        let parsed = |json: &str| serde_json::from_str::<serde_json::Value>(json).unwrap();
        let usual = made("").unwrap().values();
        assert_eq!(
            parsed(&usual),
            serde_json::json!({"rate": 0.002, "discount": 0.95, "epsilon": 0.1, "death": -10.0, "n": 5})
        );
        let values = parsed(&learn.values());
        assert_eq!((&values["n"], &values["rate"]), (&1.into(), &0.01.into()));
        assert!(
            learn
                .settings()
                .ends_with("\ntrain.learning_rate.start=0.01")
        );
        for wrong in ["train.n_step=0", "train.discount=2", "hello"] {
            assert!(made(wrong).is_err(), "{wrong}");
        }
        assert_eq!(learn.batch(), "null");
        while learn.trainer.gradient_steps() < 2 {
            learn.advance(10).unwrap();
        }
        learn.play(3).unwrap();
        let batch = parsed(&learn.batch());
        let count = |key: &str| batch[key].as_array().unwrap().len();
        assert_eq!((count("targets"), count("samples")), (128, SAMPLES));
        let facts = parsed(&learn.facts(0, 0));
        let looks = parsed(&learn.network().unwrap());
        for look in looks.as_array().unwrap() {
            let direction = look["direction"].as_u64().unwrap() as usize;
            assert_eq!(look["q_value"], facts["game"]["q_values"][direction]);
        }
        assert!(facts["game"]["random"].is_boolean());
        let policy = learn.policy().unwrap();
        let device = hognose_agent::device("cpu").unwrap();
        let agent = hognose_agent::parse_policy(&policy, "policy", &device).unwrap();
        assert_eq!(agent.spec(), learn.trainer.agent().spec());
        assert!(crate::agents::describe_agent("policy", &policy[1..]).is_err());
    }

    #[test]
    fn the_optimum_of_4x4_is_known() {
        let optimum = optimum("4x4".parse().unwrap(), &mut |_| ()).unwrap();
        assert!((optimum - 41.57).abs() < 0.05, "{optimum}");
    }
}
