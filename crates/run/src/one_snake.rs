//! Runs of one snake.

use crate::error::RunError;
use crate::experiment::Experiment;
use crate::selection::{self, Selection};
use crate::subject::{Players, Round, Scored, Subject};
use hognose_agent::{Agent, LearningRate, Metric, Network, Score, Trainer};
use hognose_env::EnvConfig;
use hognose_eval::{MOST_GAMES, Summary};
use hognose_game::{Board, Unsupported};
use std::path::{Path, PathBuf};

impl Subject for Experiment {
    type Trainer = Trainer<Network>;
    /// By board.
    type Selected = Vec<Summary>;
    type Results = Summary;

    const VALUES: &'static str = "train/q_values";
    /// The discount of shaping is always the agent's.
    const NOT_LEARNED_FROM: &'static [&'static str] = &["env.reward.discount"];

    /// Shaping leaves the best policy the best only with the agent's own discount: there is no
    /// other to set.
    fn settled(mut self) -> Experiment {
        self.env.reward.discount = self.train.discount;
        self
    }

    /// Where starvation is the default of the board, it stays so on another board.
    fn changed_from(mut self, before: &Experiment) -> Experiment {
        let default = |experiment: &Experiment| EnvConfig::new(experiment.env.rules).starvation;
        let (starvation, was) = (self.env.starvation, before.env.starvation);
        if self.env.rules.board() != before.env.rules.board()
            && starvation == was
            && was == default(before)
        {
            self.env.starvation = default(&self);
        }
        self
    }

    /// There was no starvation then.
    fn completed_from(mut self, text: &toml::Table) -> Experiment {
        if text
            .get("env")
            .is_some_and(|env| env.get("starvation").is_none())
        {
            self.env.starvation = None;
        }
        self
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn with_seed(self, seed: u64) -> Experiment {
        Experiment { seed, ..self }
    }

    fn seeds(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("seed", self.seed),
            ("evaluation.seed", self.evaluation.seed),
        ]
    }

    fn init(&self) -> Option<&PathBuf> {
        self.init.as_ref()
    }

    fn with_init(self, init: Option<PathBuf>) -> Result<Experiment, RunError> {
        Ok(Experiment { init, ..self })
    }

    fn title(&self) -> String {
        if self.env.boards.is_empty() {
            self.board().to_string()
        } else {
            self.env.range().to_string()
        }
    }

    fn board(&self) -> Board {
        self.env.rules.board()
    }

    fn total_steps(&self) -> u64 {
        self.train.total_steps
    }

    fn schedule_steps(&self) -> Option<u64> {
        self.train.schedule_steps
    }

    fn with_schedule_steps(mut self, steps: Option<u64>) -> Experiment {
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
        let counts = [
            ("evaluation.games", self.evaluation.games),
            ("train.evaluation_games", self.train.evaluation_games),
        ];
        if let Some((key, got)) = counts
            .into_iter()
            .find(|(_, games)| !(1..=MOST_GAMES).contains(games))
        {
            let problem = format!("{key} must be at least 1 and at most {MOST_GAMES}, got {got}");
            return Err(RunError::Experiment(problem));
        }
        let (range, board) = (self.env.range(), self.env.rules.board());
        if !range.contains(board) {
            let problem = "env.rules.board must be one of the range of env.boards, since the final \
                           games are played on it";
            return Err(RunError::Experiment(format!(
                "{problem}: expected one of {range}, got {board}"
            )));
        }
        players.policies().policies(&self.evaluation.policies)?;
        Ok(())
    }

    fn trainer(&self, players: &Players) -> Result<Trainer<Network>, RunError> {
        Experiment::trainer(self, &players.device)
    }

    fn select(
        &self,
        agent: &Agent<Network>,
        round: Round,
        _players: &Players,
        threads: usize,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Option<Scored<Experiment>>, Unsupported> {
        let games =
            Selection::new(self, round, threads).map_err(|error| Unsupported(error.to_string()))?;
        Ok(games
            .play(agent, goes_on)?
            .map(|boards| (selection::score(&boards), boards)))
    }

    /// Over several boards weights are chosen by the geometric mean of the shares of games won,
    /// which is no share of games: that is the arithmetic mean.
    fn reported(score: Score, boards: &Vec<Summary>) -> Score {
        let wins: f64 = boards.iter().map(|board| board.win_rate).sum();
        Score {
            win_rate: wins / boards.len() as f64,
            ..score
        }
    }

    fn reports_what_it_chooses_by(&self) -> bool {
        self.env.boards.is_empty()
    }

    fn curves(score: &Score, _selected: &Vec<Summary>) -> Vec<(String, f64)> {
        let Score {
            win_rate,
            mean_length,
            mean_steps_won,
        } = *score;
        let steps = mean_steps_won.map(|steps| (Metric::MeanStepsWon, steps));
        let points = [
            (Metric::WinRate, win_rate),
            (Metric::MeanLength, mean_length),
        ]
        .into_iter()
        .chain(steps);
        points
            .map(|(metric, value)| (metric.name().to_owned(), value))
            .collect()
    }

    fn agent_name(folder: &Path) -> String {
        format!("dqn:{}", folder.display())
    }
}
