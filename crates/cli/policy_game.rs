//! A game that a policy plays: which one, and its moves so far.

use crate::arguments::{LimitArguments, RulesArguments};
use crate::error::{Error, Result};
use hognose_eval::{Evaluation, LimitedGame};
use hognose_game::{Direction, Origin, Overlay, Policy, Position, Record};
use hognose_policies::Named;

/// Which game is played.
#[derive(clap::Args)]
pub(crate) struct GameArguments {
    /// Policy; `hognose policies` lists them
    #[arg(long, default_value = "certified")]
    pub(crate) policy: String,
    /// Seed that games are derived from, as in `evaluate`
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Number of the game, from 0: game N of this seed is the N-th game of `evaluate`
    #[arg(long, default_value_t = 0)]
    pub(crate) game: usize,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    rules: RulesArguments,
}

/// A game that a policy plays, and the moves so far.
pub(crate) struct PolicyGame {
    policy: Box<dyn Policy>,
    game: LimitedGame,
    moves: Vec<Direction>,
}

impl PolicyGame {
    /// The game of a number, before its first move.
    pub(crate) fn new(arguments: &GameArguments, policy: &Named, number: usize) -> Result<PolicyGame> {
        let rules = arguments.rules.rules()?;
        let game = Evaluation::new(rules, arguments.seed, 1).game(number);
        let game = LimitedGame::new(game, arguments.limits.limits(rules));
        let refused = |error| Error::from(error).context(&arguments.policy);
        let made = policy.single_player().make(game.position(), Evaluation::policy_seed(game.seed()));
        Ok(PolicyGame { policy: made.map_err(refused)?, game, moves: Vec::new() })
    }

    /// What the policy sees.
    pub(crate) fn position(&self) -> &Position {
        self.game.position()
    }

    /// How many moves were made.
    pub(crate) fn steps(&self) -> usize {
        self.moves.len()
    }

    /// What the policy has in mind.
    pub(crate) fn overlay(&self) -> Overlay {
        self.policy.overlay()
    }

    /// Whether the game is won, lost or cut off.
    pub(crate) fn is_over(&self) -> bool {
        self.game.end().is_some()
    }

    /// Makes the policy's next move.
    pub(crate) fn step(&mut self) {
        self.moves.push(self.game.play(&mut *self.policy));
    }

    /// The moves so far as a record.
    pub(crate) fn record(self) -> Result<Record> {
        Ok(Record::new(Origin::Seed(self.position().rules()), self.game.seed(), self.moves)?)
    }
}
