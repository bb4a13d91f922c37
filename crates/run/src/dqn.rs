//! Experiments with one snake, trained by deep Q-learning.

use crate::error::{RunError, as_experiment};
use crate::selection::{Round, Selection, SelectionGames};
use hognose_agent::{Agent, AgentSpec, Network, NetworkConfig, Score, TrainConfig, Trainer};
use hognose_env::EnvConfig;
use hognose_eval::{EvalError, Evaluation, MOST_GAMES, SELECTION, Summary};
use hognose_game::{Board, Rules, Unsupported};
use hognose_policies::Catalog;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// An experiment with one snake that learns by deep Q-learning. Every key except `env.rules.board`
/// has a default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DqnExperiment {
    /// The seed of weights, games, exploration and sampling.
    #[serde(default)]
    pub seed: u64,
    /// The policy file, or a folder that holds one, whose weights training starts from. Without it,
    /// weights are random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub init: Option<PathBuf>,
    /// The environment.
    pub env: EnvConfig,
    /// The network.
    #[serde(default)]
    pub network: NetworkConfig,
    /// The training configuration.
    #[serde(default)]
    pub train: TrainConfig,
    /// The final games.
    #[serde(default)]
    pub evaluation: FinalEvaluation,
}

/// The final games after training, which compare the agent with other policies.
///
/// ```
/// use hognose_run::{Experiment, FinalEvaluation};
///
/// let short = FinalEvaluation {
///     policies: vec!["greedy".to_owned()],
///     games: 100,
///     ..FinalEvaluation::default()
/// };
/// let text = "env.rules.board = \"5x5\"\nevaluation = { policies = [\"greedy\"], games = 100 }";
/// assert!(matches!(Experiment::parse(text)?, Experiment::Dqn(its) if its.evaluation == short));
/// # Ok::<(), hognose_run::RunError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FinalEvaluation {
    /// Policies to compare with; the first is the reference of paired differences.
    pub policies: Vec<String>,
    /// Number of games per policy, at least 1.
    pub games: usize,
    /// The seed that the games are derived from.
    pub seed: u64,
}

impl Default for FinalEvaluation {
    fn default() -> FinalEvaluation {
        let policies = ["hamiltonian", "shortcut", "greedy", "random"]
            .map(str::to_owned)
            .to_vec();
        FinalEvaluation {
            policies,
            games: 1000,
            seed: 0,
        }
    }
}

impl DqnExperiment {
    /// Creates a trainer of this experiment before its first step, without threads, on the device
    /// with this name.
    ///
    /// # Errors
    /// Fails if the experiment can't be trained, or the initial weights don't fit.
    pub fn trainer(&self, device: &str) -> Result<Trainer<Network>, RunError> {
        let DqnExperiment {
            seed,
            init,
            env,
            network,
            train,
            ..
        } = self;
        let device = hognose_agent::device(device)?;
        let spec = AgentSpec::new(env, train);
        let mut built = network
            .build(spec.inputs(), spec.outputs(), *seed, &device)
            .map_err(RunError::Experiment)?;
        if let Some(init) = init {
            built = hognose_agent::load_weights(init, &spec, built)?;
        }
        let description = serde_json::to_value(built.config()).map_err(as_experiment)?;
        let solvers = hognose_policies::training_solvers();
        Ok(Trainer::new(
            train.clone(),
            env.clone(),
            &solvers,
            built,
            description,
            *seed,
            &device,
        )?)
    }

    /// Sets the discount of shaping to the agent's: only then does shaping leave the best policy
    /// unchanged.
    pub(crate) fn settled(mut self) -> DqnExperiment {
        self.env.reward.discount = self.train.discount;
        self
    }

    /// Updates the experiment after a setting: if starvation was the default of the board before,
    /// it becomes the default of the new board.
    pub(crate) fn changed_from(mut self, before: &DqnExperiment) -> DqnExperiment {
        let default = EnvConfig::new(before.env.rules).starvation;
        let is_default = before.env.starvation == default && self.env.starvation == default;
        if self.env.rules.board() != before.env.rules.board() && is_default {
            self.env.starvation = EnvConfig::new(self.env.rules).starvation;
        }
        self
    }

    pub(crate) fn check(&self, catalog: &Catalog) -> Result<(), RunError> {
        for (key, games) in [
            ("evaluation.games", self.evaluation.games),
            ("train.evaluation_games", self.train.evaluation_games),
        ] {
            if !(1..=MOST_GAMES).contains(&games) {
                return Err(RunError::Experiment(format!(
                    "{key} must be at least 1 and at most {MOST_GAMES}, got {games}"
                )));
            }
        }
        let range = self.env.range();
        let board = self.env.rules.board();
        if !range.contains(board) {
            return Err(RunError::Experiment(format!(
                "env.rules.board must be in the range of env.boards, since the final games are \
                 played on it: expected one of {range}, got {board}"
            )));
        }
        catalog.policies(&self.evaluation.policies)?;
        Ok(())
    }

    /// Plays a round of the selection games on `threads` threads. Neither training nor the final
    /// evaluation plays these games. If episodes draw their boards, they are played on each
    /// held-out board, or on all boards if none is held out. `go_on` is polled during the games;
    /// returns `None` if it stops them.
    ///
    /// # Errors
    /// Fails if the agent can't play them.
    pub fn select(
        &self,
        agent: &Agent<Network>,
        round: Round,
        threads: usize,
        go_on: &dyn Fn() -> ControlFlow<()>,
    ) -> Result<Option<Selection>, Unsupported> {
        let refused = |error: &dyn ToString| Unsupported(error.to_string());
        let held_out: Vec<Board> = self.env.held_out_boards().collect();
        let rules: Vec<Rules> = if held_out.is_empty() {
            self.env
                .rules_on_boards()
                .map_err(|error| refused(&error))?
        } else {
            let on = held_out.into_iter().map(|board| self.env.rules.on(board));
            on.collect::<Result<_, _>>()
                .map_err(|error| refused(&error))?
        };
        let indices = round.games(self.train.evaluation_games);
        let mut boards = Vec::new();
        for rules in rules {
            let games = Evaluation {
                purpose: SELECTION,
                first: indices.start,
                threads,
                ..Evaluation::new(rules, self.seed, indices.len())
            };
            let board = rules.board();
            match hognose_eval::evaluate(|| hognose_policies::player(agent), &games, |_| go_on()) {
                Ok(played) => boards.push(Summary::new(&board.to_string(), board, &played)),
                Err(EvalError::Interrupted) => return Ok(None),
                Err(EvalError::Unsupported(refusal)) => return Err(refusal),
                Err(error) => return Err(refused(&error)),
            }
        }
        Ok(Some(Selection {
            score: score(&boards),
            games: SelectionGames::Boards(boards),
        }))
    }
}

/// Returns the score of games on one or more boards. Each board counts the same: a tenth more steps
/// is equally bad on each.
fn score(boards: &[Summary]) -> Score {
    let wins = boards.iter().map(|board| board.win_rate);
    let share = geometric_mean(wins.clone());
    let steps = geometric_mean(boards.iter().filter_map(|board| board.mean_steps_won));
    let is_won_everywhere = boards.iter().all(|board| board.wins > 0);
    Score::Games {
        win_rate: wins.sum::<f64>() / boards.len() as f64,
        mean_length: geometric_mean(boards.iter().map(|board| board.mean_length)),
        mean_steps_won: is_won_everywhere.then_some(steps),
        steps_per_win: (share >= 0.5).then_some(steps / share),
    }
}

fn geometric_mean(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    match numbers.clone().count() {
        1 => numbers.sum(),
        count => (numbers.map(f64::ln).sum::<f64>() / count as f64).exp(),
    }
}
