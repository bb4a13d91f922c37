//! Duels between bots: their selection, and the steps of each.

use crate::arguments::trimmed;
use crate::duel_rules::DuelTerms;
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::complain;
use hognose_eval::tournament::Schedule;
use hognose_game::duel::{Bot, Duel, DuelPosition, DuelRecord, DuelRules, MakeBot, Seat};
use hognose_game::{Board, Direction, Forfeit};
use hognose_policies::{Catalog, NamedBot};
use hognose_viewer::{DuelNames, Legend};

/// The bots of a duel, and its rules.
#[derive(clap::Args)]
#[command(next_help_heading = "Duels")]
#[command(group = clap::ArgGroup::new("bots").args(["duel", "bot"]).multiple(true))]
#[command(group = clap::ArgGroup::new("terms").args(TERMS).multiple(true).requires("bots"))]
pub(crate) struct DuelArguments {
    /// Two comma-separated bots that play a duel; see `hognose policies`
    #[arg(
        long,
        value_name = "FIRST,SECOND",
        value_delimiter = ',',
        value_parser = trimmed::<String>
    )]
    #[arg(conflicts_with_all = SINGLE, conflicts_with_all = SINGLE_RULES)]
    duel: Vec<String>,
    /// Bot of a duel, whose name may contain commas; repeat it for the second bot
    ///
    /// For example, --bot "exec:python3 bot.py a,b".
    #[arg(long, conflicts_with_all = SINGLE, conflicts_with_all = SINGLE_RULES)]
    bot: Vec<String>,
    #[command(flatten)]
    terms: DuelTerms,
}

/// The options for the rules of a duel.
pub(crate) const TERMS: [&str; 7] = [
    "rules",
    "first_start",
    "second_start",
    "head_on",
    "redraw_after",
    "step_limit",
    "values",
];

/// The options for rules that only games of one snake have.
pub(crate) const SINGLE_RULES: [&str; 4] =
    ["start_length", "start_margin", "start_at", "no_tail_entry"];

/// The other options that only games of one snake have.
const SINGLE: [&str; 4] = ["policy", "starvation", "starvation_per_cell", "time_limit"];

impl DuelArguments {
    /// Returns the two bots that the options name, if any.
    pub(crate) fn bots(&self, catalog: &Catalog) -> Result<Option<[NamedBot; 2]>> {
        let names: Vec<&String> = self.duel.iter().chain(&self.bot).collect();
        if names.is_empty() {
            return Ok(None);
        }
        if names.len() != 2 {
            let got = names
                .iter()
                .map(|name| name.as_str())
                .collect::<Vec<_>>()
                .join(", ");
            return Err(Error::new(format!(
                "expected two bots for a duel, got {}: {got}",
                names.len()
            )));
        }
        Ok(Some([catalog.bot(names[0])?, catalog.bot(names[1])?]))
    }

    /// Returns the rules given by the options, on this board and with this number of foods, if
    /// given.
    pub(crate) fn rules(&self, board: Option<Board>, foods: Option<u16>) -> Result<DuelRules> {
        self.terms.rules(board, foods)
    }
}

/// The duels of two bots, as in a tournament of the two: the seats are swapped in every second
/// duel.
#[derive(Clone)]
pub(crate) struct Duels {
    bots: [NamedBot; 2],
    schedule: Schedule,
    /// The index of the first duel.
    first: usize,
}

impl Duels {
    /// Creates the duels starting from the one with this index.
    pub(crate) fn new(
        bots: [NamedBot; 2],
        rules: DuelRules,
        seed: u64,
        first: usize,
    ) -> Result<Duels> {
        let names = bots.each_ref().map(|bot| bot.name().to_owned());
        // A schedule can also return games beyond its last one.
        Ok(Duels {
            bots,
            schedule: Schedule::new(rules, names, 2, seed)?,
            first,
        })
    }

    /// Returns the name of a bot, numbered if both bots have the same name.
    pub(crate) fn name(&self, bot: usize) -> String {
        self.schedule.label(bot)
    }

    /// Returns the duel `number` duels after the first one, before its first step.
    pub(crate) fn game(&self, number: usize) -> Result<DuelGame> {
        let scheduled = self.schedule.game(self.first.saturating_add(number));
        let start = self.schedule.duel(&scheduled);
        let make = |seat: Seat| {
            let bot = &self.bots[scheduled.bots[seat.index()]];
            let made = bot.make(start.position(), seat, scheduled.bot_seeds[seat.index()]);
            made.map_err(|error| Error::from(error).context(bot.name()))
        };
        let players = [make(Seat::First)?, make(Seat::Second)?];
        let names = DuelNames::bots(scheduled.bots.map(|bot| self.name(bot)));
        Ok(DuelGame {
            bots: scheduled.bots,
            ..DuelGame::new(start, names, Source::Bots(Some(players)))
        })
    }
}

/// A duel, and the moves so far.
pub(crate) struct DuelGame {
    source: Source,
    names: DuelNames,
    /// The numbers of the bots, in seat order.
    bots: [usize; 2],
    start: Duel,
    duel: Duel,
    moves: Vec<[Direction; 2]>,
    plans: [Vec<Direction>; 2],
    forfeits: [Option<Forfeit>; 2],
}

/// The bots of a duel, in seat order.
type Players = [Box<dyn Bot>; 2];

/// Two bots that were asked for moves, and their answers.
pub(crate) struct Asked {
    players: Players,
    answers: [std::result::Result<Direction, Forfeit>; 2],
}

/// The source of moves.
enum Source {
    /// `None` while the bots are thinking, and forever if their answers were abandoned.
    Bots(Option<Players>),
    Record(std::vec::IntoIter<[Direction; 2]>),
}

impl DuelGame {
    /// Creates a recorded duel before its first step.
    pub(crate) fn recorded(record: &DuelRecord) -> DuelGame {
        DuelGame::new(
            record.start(),
            DuelNames::seats(),
            Source::Record(record.moves().to_vec().into_iter()),
        )
    }

    fn new(start: Duel, names: DuelNames, source: Source) -> DuelGame {
        let duel = start.clone();
        let moves = Vec::new();
        let plans = Default::default();
        DuelGame {
            source,
            names,
            bots: [0, 1],
            start,
            duel,
            moves,
            plans,
            forfeits: [None, None],
        }
    }

    /// Returns the names of the players.
    pub(crate) fn names(&self) -> &DuelNames {
        &self.names
    }

    /// Returns who plays, and how the duel ended for each.
    pub(crate) fn legend(&self) -> Legend {
        self.names.legend(
            self.position(),
            self.forfeits.each_ref().map(Option::is_some),
        )
    }

    /// Returns the current position.
    pub(crate) fn position(&self) -> &DuelPosition {
        self.duel.position()
    }

    /// Returns the number of steps made.
    pub(crate) fn steps(&self) -> usize {
        self.moves.len()
    }

    /// Returns the moves that each bot plans for its own snake.
    pub(crate) fn plans(&self) -> &[Vec<Direction>; 2] {
        &self.plans
    }

    /// Returns the number of the bot that won, by the rules or because the other forfeited: 0 or 1.
    /// `None` if no bot has won.
    pub(crate) fn winner(&self) -> Option<usize> {
        self.winner_by_forfeit()
            .or_else(|| self.position().outcome().and_then(|outcome| outcome.winner))
            .map(|seat| self.bots[seat.index()])
    }

    /// Returns the winner if exactly one bot forfeited.
    fn winner_by_forfeit(&self) -> Option<Seat> {
        match self.forfeits.each_ref().map(Option::is_some) {
            [true, false] => Some(Seat::Second),
            [false, true] => Some(Seat::First),
            _ => None,
        }
    }

    /// Returns whether a bot forfeited the game.
    pub(crate) fn is_forfeited(&self) -> bool {
        self.forfeits.iter().any(Option::is_some)
    }

    /// Returns whether there are no further steps.
    pub(crate) fn is_over(&self) -> bool {
        let at_end = matches!(&self.source, Source::Record(moves) if moves.as_slice().is_empty());
        at_end || self.position().outcome().is_some() || self.is_forfeited()
    }

    /// Makes the next step, and returns whether there was one.
    pub(crate) fn step(&mut self) -> bool {
        self.step_with(|ask| Ok(Some(ask())))
            .expect("asking does not fail")
    }

    /// Like [`step`](Self::step), but `wait` runs the given function, which asks both bots, on any
    /// thread. If it abandons the answers, no more steps follow.
    pub(crate) fn step_with(
        &mut self,
        wait: impl FnOnce(Box<dyn FnOnce() -> Asked + Send>) -> Result<Option<Asked>>,
    ) -> Result<bool> {
        if self.is_over() {
            return Ok(false);
        }
        let moves = match &mut self.source {
            Source::Record(moves) => moves.next().expect("the duel is not over"),
            Source::Bots(bots) => {
                let Some(mut players) = bots.take() else {
                    return Ok(false);
                };
                let position = self.duel.position().clone();
                let Some(Asked { players, answers }) = wait(Box::new(move || {
                    let answers = players.each_mut().map(|bot| bot.try_act(&position));
                    Asked { players, answers }
                }))?
                else {
                    return Ok(false);
                };
                let players = bots.insert(players);
                let moves = match answers {
                    [Ok(first), Ok(second)] => [first, second],
                    answers => {
                        self.forfeits = answers.map(|answer| answer.err());
                        self.notify_end();
                        return Ok(false);
                    }
                };
                self.plans = Seat::BOTH.map(|seat| {
                    players[seat.index()]
                        .thought()
                        .plan(seat, moves[seat.index()])
                });
                moves
            }
        };
        self.moves.push(moves);
        self.duel.step(moves);
        if self.position().outcome().is_some() {
            self.notify_end();
        }
        Ok(true)
    }

    /// Notifies the bots that did not forfeit of the duel's end.
    fn notify_end(&mut self) {
        if let Source::Bots(Some(bots)) = &mut self.source {
            for (bot, forfeit) in bots.iter_mut().zip(&self.forfeits) {
                if forfeit.is_none() {
                    bot.end(self.duel.position());
                }
            }
        }
    }

    /// Returns which bots forfeited the duel, and why.
    fn forfeits(&self) -> impl Iterator<Item = String> {
        Seat::BOTH.into_iter().filter_map(|seat| {
            let reason = self.forfeits[seat.index()].as_ref()?;
            Some(format!("{} forfeited: {reason}", self.names.of(seat)))
        })
    }

    /// Reports bots that forfeited the duel, and returns the outcome.
    pub(crate) fn report_forfeits(&self) -> Outcome {
        self.forfeits()
            .for_each(|forfeit| complain(format_args!("{forfeit}")));
        if self.is_forfeited() {
            Outcome::Failed
        } else {
            Outcome::Done
        }
    }

    /// Describes how the duel ended.
    pub(crate) fn ending(&self) -> String {
        let how = match self.winner_by_forfeit() {
            Some(winner) => self.names.won(winner, self.position(), self.steps()),
            None => self.names.ending(self.position(), self.steps()),
        };
        std::iter::once(how)
            .chain(self.forfeits())
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// Returns the moves so far as a record.
    pub(crate) fn record(self) -> Result<DuelRecord> {
        Ok(DuelRecord::new(self.start, self.moves)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Args;

    #[test]
    fn all_terms_are_listed() {
        let command = DuelTerms::augment_args(clap::Command::new("duel"));
        assert_eq!(
            command
                .get_arguments()
                .map(|argument| argument.get_id().as_str())
                .collect::<Vec<_>>(),
            TERMS
        );
    }
}
