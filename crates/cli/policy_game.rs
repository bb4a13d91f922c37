//! Games that a policy plays: which ones, and the moves of each. Or duels, where the options name
//! two bots.

use crate::arguments::{LimitArguments, ProgramArguments, RulesArguments};
use crate::duel_game::{DuelArguments, Duels};
use crate::embedded::agents_for;
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::complain;
use crate::records::ending_at;
use hognose_eval::{Evaluation, PolicyGame};
use hognose_policies::NamedPolicy;

/// Which games are played, and who plays.
#[derive(clap::Args)]
pub(crate) struct GameArguments {
    /// Policy; `hognose policies` lists them [default: the binary's agent for the board, or
    /// certified]
    #[arg(long)]
    policy: Option<String>,
    #[command(flatten)]
    programs: ProgramArguments,
    /// Seed that games are derived from, as in `evaluate` and in `duel`
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Number of the game, from 0: game N of this seed is the N-th game of `evaluate`, or of `duel`
    /// between two bots
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
        let Some(bots) = self.duel.bots(&self.programs.catalog())? else {
            return Ok(None);
        };
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
    /// The name of the policy.
    pub(crate) fn name(&self) -> &str {
        self.policy.name()
    }

    /// The game that comes so many games after the first one, before its first move.
    pub(crate) fn game(&self, number: usize) -> Result<PolicyGame> {
        let index = self.evaluation.first + number;
        let game = PolicyGame::new(&*self.policy.single_player(), &self.evaluation, index);
        game.map_err(|error| Error::from(error).context(self.name()))
    }
}

/// Says why the policy gave its game up, if it did. Then the game is a failed one.
pub(crate) fn tell_forfeit(game: &PolicyGame) -> Outcome {
    let Some(reason) = game.forfeit() else {
        return Outcome::Done;
    };
    complain(format_args!("the game was forfeited: {reason}"));
    Outcome::Failed
}

/// How a game ended, in words.
pub(crate) fn ending(game: &PolicyGame) -> String {
    let how = ending_at(game.position(), game.steps());
    match game.forfeit() {
        Some(reason) => format!("{how}, since it was forfeited: {reason}"),
        None => how,
    }
}
