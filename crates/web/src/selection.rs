//! Evaluation of an agent while it learns.

use crate::answer::{Answer, text};
use crate::race::played;
use hognose_agent::{Network, Trainer};
use hognose_eval::{Episode, Evaluation, Interval, LimitedGame, Summary};
use hognose_game::{Allowed, BatchPolicy, Board, Choice, Direction, MoveFilter, Player, Position};
use serde::Serialize;

/// A running evaluation, whose games are played in parallel.
pub(crate) struct Evaluated {
    policy: Box<dyn BatchPolicy>,
    games: Vec<(LimitedGame, Box<dyn MoveFilter>)>,
    /// The finished games, in the order of their ends.
    episodes: Vec<Episode>,
    step: u64,
    gradient_steps: u64,
}

/// The results of the agent with the weights of a step.
#[derive(Clone, Serialize)]
pub(crate) struct Point {
    pub(crate) step: u64,
    pub(crate) gradient_steps: u64,
    pub(crate) games: usize,
    pub(crate) win_rate: f64,
    pub(crate) win_rate_interval: Interval,
    pub(crate) mean_length: f64,
    /// The mean steps of the games won.
    pub(crate) steps: Option<f64>,
    pub(crate) steps_interval: Option<Interval>,
}

impl Evaluated {
    /// Begins games with the current weights.
    pub(crate) fn begin(trainer: &Trainer<Network>, selection: &Evaluation) -> Answer<Evaluated> {
        let Player::Batch(policy, make_filter) = hognose_policies::player(&trainer.agent()) else {
            return Err("expected an agent that chooses moves".to_owned());
        };
        let games = (0..selection.games)
            .map(|number| {
                let game = LimitedGame::new(selection.game(number), selection.limits);
                let mut filter = make_filter();
                policy
                    .check(game.position())
                    .and_then(|()| filter.reset(game.position()))
                    .map_err(text)?;
                Ok((game, filter))
            })
            .collect::<Answer<_>>()?;
        let step = trainer.step();
        let gradient_steps = trainer.gradient_steps();
        Ok(Evaluated {
            policy,
            games,
            episodes: Vec::new(),
            step,
            gradient_steps,
        })
    }

    /// Plays a step of each game.
    pub(crate) fn advance(&mut self) {
        let Evaluated {
            policy,
            games,
            episodes,
            ..
        } = self;
        let allowed: Vec<Allowed> = games
            .iter_mut()
            .map(|(game, filter)| filter.allowed(game.position()))
            .collect();
        let positions: Vec<&Position> = games.iter().map(|(game, _)| game.position()).collect();
        let mut choices = vec![
            Choice {
                direction: Direction::Up,
                forbidden: false
            };
            games.len()
        ];
        policy.act_all(&positions, &allowed, &mut choices);
        let mut choices = choices.into_iter();
        let mut going_on = Vec::new();
        games.retain_mut(|(game, filter)| {
            let Choice { direction, .. } = choices.next().expect("one choice for each game");
            filter.commit(direction);
            game.step(direction);
            episodes.extend(game.episode());
            going_on.push(game.end().is_none());
            game.end().is_none()
        });
        policy.keep(&going_on);
    }

    /// Returns the results once all games have ended.
    pub(crate) fn point(&self, board: Board) -> Option<Point> {
        if !self.games.is_empty() {
            return None;
        }
        let summary = Summary::new("", board, &played(&self.episodes));
        Some(Point {
            step: self.step,
            gradient_steps: self.gradient_steps,
            games: self.episodes.len(),
            win_rate: summary.win_rate,
            win_rate_interval: summary.win_rate_interval,
            mean_length: summary.mean_length,
            steps: summary.mean_steps_won,
            steps_interval: summary.mean_steps_won_interval,
        })
    }
}
