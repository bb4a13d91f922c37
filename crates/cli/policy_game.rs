//! A game that a policy plays: which one, and its moves so far.

use crate::arguments::RulesArguments;
use crate::error::{Error, Result};
use hognose_eval::Evaluation;
use hognose_game::{Direction, Game, Origin, Overlay, Policy, Position, Record, Status};
use hognose_policies::Named;

/// Which game is played.
#[derive(clap::Args)]
pub(crate) struct GameArguments {
    /// Policy; `hognose policies` lists them
    #[arg(long)]
    pub(crate) policy: String,
    /// Seed that games are derived from, as in `evaluate`
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Number of the game, from 0: game N of this seed is the N-th game of `evaluate`
    #[arg(long, default_value_t = 0)]
    pub(crate) game: usize,
    /// Cut the game off after this many steps without food [default: 4 x area]
    #[arg(long, value_name = "STEPS")]
    limit: Option<u32>,
    #[command(flatten)]
    rules: RulesArguments,
}

/// A game that a policy plays, and the moves so far.
pub(crate) struct PolicyGame {
    policy: Box<dyn Policy>,
    game: Game,
    moves: Vec<Direction>,
    hunger: u32,
    limit: u32,
}

impl PolicyGame {
    /// The game of a number, before its first move.
    pub(crate) fn new(arguments: &GameArguments, policy: &Named, number: usize) -> Result<PolicyGame> {
        let rules = arguments.rules.rules()?;
        let seed = Evaluation::new(rules, arguments.seed, 1).game_seed(number);
        let game = Game::new(rules, seed);
        let refused = |error| Error::from(error).context(&arguments.policy);
        let policy = policy.single_player().make(game.position(), Evaluation::policy_seed(seed)).map_err(refused)?;
        let limit = arguments.limit.unwrap_or(Evaluation::default_limit(rules));
        Ok(PolicyGame { policy, game, moves: Vec::new(), hunger: 0, limit })
    }

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

    pub(crate) fn is_over(&self) -> bool {
        self.game.position().status() != Status::Ongoing || self.hunger >= self.limit
    }

    pub(crate) fn step(&mut self) {
        let direction = self.policy.act(self.game.position());
        let length = self.game.position().len();
        self.game.step(direction);
        self.moves.push(direction);
        self.hunger = if self.game.position().len() > length { 0 } else { self.hunger + 1 };
    }

    /// The moves so far as a record.
    pub(crate) fn record(self) -> Result<Record> {
        Ok(Record::new(Origin::Seed(self.game.position().rules()), self.game.seed(), self.moves)?)
    }
}
