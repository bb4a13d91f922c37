//! Games that a policy plays: which ones, and the moves of each. Or duels, where the options name two bots.

use crate::arguments::{LimitArguments, ProgramArguments, RulesArguments};
use crate::duel_game::{DuelArguments, Duels};
use crate::embedded::agents_for;
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::complain;
use crate::records;
use hognose_eval::{Evaluation, LimitedGame};
use hognose_game::{Direction, Forfeit, Origin, Overlay, Policy, Position, Record};
use hognose_policies::Named;

/// Which games are played, and who plays.
#[derive(clap::Args)]
pub(crate) struct GameArguments {
    /// Policy; `hognose policies` lists them [default: the binary's agent for the board, or certified]
    #[arg(long)]
    policy: Option<String>,
    #[command(flatten)]
    programs: ProgramArguments,
    /// Seed that games are derived from, as in `evaluate` and in `duel`
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Number of the game, from 0: game N of this seed is the N-th game of `evaluate`, or of `duel` between two bots
    #[arg(long, default_value_t = 0)]
    game: usize,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    rules: RulesArguments,
    #[command(flatten)]
    duel: DuelArguments,
}

impl GameArguments {
    /// The duels that the options name, if they name two bots.
    pub(crate) fn duels(&self) -> Result<Option<Duels>> {
        let Some(bots) = self.duel.bots(&self.programs.duel_catalog())? else { return Ok(None) };
        let (board, foods) = self.rules.board_and_foods();
        Duels::new(bots, self.duel.rules(board, foods)?, self.seed, self.game).map(Some)
    }

    /// The games that the options name.
    pub(crate) fn games(&self) -> Result<PolicyGames> {
        let catalog = self.programs.catalog();
        let named = catalog.policies(&self.policy)?;
        let rules = self.rules.rules(&named)?;
        let policy = match named.into_iter().next() {
            Some(policy) => policy,
            None => agents_for(&catalog, rules)?.into_iter().next().map_or_else(|| catalog.policy("certified"), Ok)?,
        };
        let limits = self.limits.limits(rules);
        Ok(PolicyGames {
            policy,
            evaluation: Evaluation { limits, first: self.game, ..Evaluation::new(rules, self.seed, 1) },
        })
    }
}

/// The games of a policy, one after another.
pub(crate) struct PolicyGames {
    policy: Named,
    evaluation: Evaluation,
}

impl PolicyGames {
    /// The name of the policy.
    pub(crate) fn name(&self) -> &str {
        self.policy.name()
    }

    /// The game that comes so many games after the first one, before its first move.
    pub(crate) fn game(&self, number: usize) -> Result<PolicyGame> {
        let game = LimitedGame::new(self.evaluation.game(self.evaluation.first + number), self.evaluation.limits);
        let made = self.policy.single_player().make(game.position(), Evaluation::policy_seed(game.seed()));
        let policy = made.map_err(|error| Error::from(error).context(self.name()))?;
        Ok(PolicyGame { policy, game, moves: Vec::new(), forfeit: None })
    }
}

/// A game that a policy plays, and the moves so far.
pub(crate) struct PolicyGame {
    policy: Box<dyn Policy>,
    game: LimitedGame,
    moves: Vec<Direction>,
    forfeit: Option<Forfeit>,
}

impl PolicyGame {
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

    /// Why the policy gave the game up, if it did.
    pub(crate) fn forfeit(&self) -> Option<&Forfeit> {
        self.forfeit.as_ref()
    }

    /// Whether the game is won, lost, cut off or forfeited.
    pub(crate) fn is_over(&self) -> bool {
        self.game.end().is_some()
    }

    /// Makes the policy's next move, if it does not give the game up.
    pub(crate) fn step(&mut self) {
        match self.game.play(&mut *self.policy) {
            Ok(direction) => self.moves.push(direction),
            Err(forfeit) => self.forfeit = Some(forfeit),
        }
    }

    /// Says why the policy gave the game up, if it did. Then the game is a failed one.
    pub(crate) fn tell_forfeit(&self) -> Outcome {
        let Some(reason) = &self.forfeit else { return Outcome::Done };
        complain(format_args!("the game was forfeited: {reason}"));
        Outcome::Failed
    }

    /// How the game ended, in words.
    pub(crate) fn ending(mut self) -> Result<String> {
        let forfeit = self.forfeit.take();
        let how = records::ending(&self.record()?)?;
        Ok(match forfeit {
            Some(reason) => format!("{how}, since it was forfeited: {reason}"),
            None => how,
        })
    }

    /// The moves so far as a record.
    pub(crate) fn record(self) -> Result<Record> {
        Ok(Record::new(Origin::Seed(self.position().rules()), self.game.seed(), self.moves)?)
    }
}
