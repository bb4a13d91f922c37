//! Games that a policy plays: their selection, and the moves of each. If the options name two bots,
//! these are duels.

use crate::arguments::{LimitArguments, ProgramArguments, RulesArguments};
use crate::duel_game::{DuelArguments, Duels};
use crate::embedded::agents_for;
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::complain;
use crate::records::ending_at;
use hognose_eval::{Evaluation, PolicyGame};
use hognose_policies::NamedPolicy;

/// The games to play, and the player.
#[derive(clap::Args)]
pub(crate) struct GameArguments {
    /// Policy; see `hognose policies` [default: the built-in agent for the board, or certified]
    #[arg(long)]
    policy: Option<String>,
    #[command(flatten)]
    programs: ProgramArguments,
    /// Random seed of the games, as in `evaluate` and `duel`
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Index of the game, from 0: the game with this index in `evaluate` or `duel`
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
    /// Returns the duels that the options select, if they name two bots.
    pub(crate) fn duels(&self) -> Result<Option<Duels>> {
        let Some(bots) = self.duel.bots(&self.programs.catalog())? else {
            return Ok(None);
        };
        let (board, foods) = self.rules.board_and_foods();
        Duels::new(bots, self.duel.rules(board, foods)?, self.seed, self.game).map(Some)
    }

    /// Returns the games that the options select.
    pub(crate) fn games(&self) -> Result<PolicyGames> {
        let catalog = self.programs.catalog();
        let named = catalog.policies(&self.policy)?;
        let rules = self.rules.rules(&named)?;
        let policy = match named.into_iter().next() {
            Some(policy) => policy,
            None => agents_for(&catalog, rules)?
                .into_iter()
                .next()
                .map_or_else(|| catalog.policy("certified"), Ok)?,
        };
        let limits = self.limits.limits(rules);
        Ok(PolicyGames {
            policy,
            evaluation: Evaluation {
                limits,
                first: self.game,
                ..Evaluation::new(rules, self.seed, 1)
            },
        })
    }
}

/// The games of a policy, one after another.
pub(crate) struct PolicyGames {
    policy: NamedPolicy,
    evaluation: Evaluation,
}

impl PolicyGames {
    /// Returns the name of the policy.
    pub(crate) fn name(&self) -> &str {
        self.policy.name()
    }

    /// Returns the game `number` games after the first one, before its first move.
    pub(crate) fn game(&self, number: usize) -> Result<PolicyGame> {
        let index = self.evaluation.first + number;
        let game = PolicyGame::new(&*self.policy.single_player(), &self.evaluation, index);
        game.map_err(|error| Error::from(error).context(self.name()))
    }
}

/// Reports why the policy forfeited its game, if it did, and returns the outcome.
pub(crate) fn report_forfeit(game: &PolicyGame) -> Outcome {
    let Some(reason) = game.forfeit() else {
        return Outcome::Done;
    };
    complain(format_args!("the game was forfeited: {reason}"));
    Outcome::Failed
}

/// Describes how a game ended.
pub(crate) fn ending(game: &PolicyGame) -> String {
    let how = ending_at(game.position(), game.steps());
    match game.forfeit() {
        Some(reason) => format!("{how}; forfeited: {reason}"),
        None => how,
    }
}
