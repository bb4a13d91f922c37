//! The games that choose the best weights of a run.

use crate::experiment::Experiment;
use crate::subject::Round;
use hognose_agent::{Agent, Network, Score};
use hognose_env::ConfigError;
use hognose_eval::{EvalError, Evaluation, Progress, SELECTION, Summary};
use hognose_game::{Board, Rules, Unsupported};
use std::ops::ControlFlow;

/// The games that choose the best weights of a run. Neither training nor the final evaluation plays
/// them. Where episodes draw their boards, they are played on each board that is held out, or on
/// all boards if none is.
///
/// ```
/// use hognose_run::{Experiment, Round, Selection, Subject};
///
/// let experiment = Experiment::parse("env.rules.board = \"4x4\"\ntrain.evaluation_games = 3")?;
/// let trainer = experiment.trainer("cpu")?;
/// let boards = Selection::new(&experiment, Round::First, 1)?
///     .play(&trainer.agent(), || true)?
///     .expect("nobody stops it");
/// assert!(boards[0].win_rate <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Selection {
    /// By board.
    evaluations: Vec<Evaluation>,
}

impl Selection {
    /// A round of the selection games of an experiment, played on so many threads.
    ///
    /// # Errors
    /// When the boards of the experiment do not go together.
    pub fn new(
        experiment: &Experiment,
        round: Round,
        threads: usize,
    ) -> Result<Selection, ConfigError> {
        let Experiment {
            seed, env, train, ..
        } = experiment;
        let held_out: Vec<Board> = env.held_out_boards().collect();
        let rules: Vec<Rules> = if held_out.is_empty() {
            env.rules_on_boards()?
        } else {
            held_out
                .into_iter()
                .map(|board| env.rules.on(board))
                .collect::<Result<_, _>>()?
        };
        let indices = round.games(train.evaluation_games);
        let games = |rules| Evaluation {
            purpose: SELECTION,
            first: indices.start,
            threads,
            ..Evaluation::new(rules, *seed, indices.len())
        };
        Ok(Selection {
            evaluations: rules.into_iter().map(games).collect(),
        })
    }

    /// Plays them, and asks all the while whether to go on; `None` when it should not. There is a
    /// summary for each board, of the board's name.
    ///
    /// # Errors
    /// When the agent can't play them.
    pub fn play(
        &self,
        agent: &Agent<Network>,
        goes_on: impl Fn() -> bool,
    ) -> Result<Option<Vec<Summary>>, Unsupported> {
        let mut summaries = Vec::new();
        for evaluation in &self.evaluations {
            let player = || hognose_policies::player(agent);
            let asked = |_: Progress<'_>| {
                if goes_on() {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            };
            let board = evaluation.rules.board();
            match hognose_eval::evaluate(player, evaluation, asked) {
                Ok(played) => summaries.push(Summary::new(&board.to_string(), board, &played)),
                Err(EvalError::Interrupted) => return Ok(None),
                Err(EvalError::Unsupported(refusal)) => return Err(refusal),
                Err(error) => return Err(Unsupported(error.to_string())),
            }
        }
        Ok(Some(summaries))
    }
}

/// The score of selection games on one board, or on several, each of which counts as much.
pub(crate) fn score(boards: &[Summary]) -> Score {
    if let [
        Summary {
            win_rate,
            mean_length,
            mean_steps_won,
            ..
        },
    ] = *boards
    {
        return Score {
            win_rate,
            mean_length,
            mean_steps_won,
        };
    }
    let mean = |of: &dyn Fn(&Summary) -> f64| geometric_mean(boards.iter().map(of));
    let won_everywhere = boards.iter().all(|board| board.wins > 0);
    Score {
        win_rate: mean(&|board| board.win_rate),
        mean_length: mean(&|board| board.mean_length),
        mean_steps_won: won_everywhere
            .then(|| mean(&|board| board.mean_steps_won.unwrap_or(f64::NAN))),
    }
}

fn geometric_mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len() as f64;
    (numbers.map(f64::ln).sum::<f64>() / count).exp()
}
