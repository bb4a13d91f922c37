//! `hognose duel --ask`

use super::Arguments;
use crate::duel_rules::seat;
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::say;
use crate::{files, records};
use hognose_game::duel::{DuelPosition, DuelRecord, DuelRules, Seat};
use hognose_policies::parse_position;
use std::io;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(next_help_heading = "One position")]
pub(super) struct AskArguments {
    /// Print the move of this bot in one position
    #[arg(long, value_name = "BOT", requires = "position", conflicts_with_all = TOURNAMENT)]
    pub(super) ask: Option<String>,
    /// File with a recorded duel, or a position line that a program received; - is standard input
    ///
    /// A record has its own rules; a line is read by the rules that options give.
    #[arg(long, value_name = "FILE", requires = "ask")]
    pub(super) position: Option<PathBuf>,
    /// Steps of the recorded duel before the position [default: all except the last]
    #[arg(long, requires = "ask")]
    step: Option<usize>,
    /// Seat of the bot: first or second; in a position line, it is the snake that is not `other`
    #[arg(long, requires = "ask", default_value = "first", value_parser = seat)]
    seat: Seat,
}

/// The options of tournaments.
const TOURNAMENT: [&str; 8] = [
    "bots", "bot", "games", "threads", "resume", "json", "csv", "plot",
];

/// Prints the move of a bot in the position of a file.
pub(super) fn ask(arguments: &Arguments, bot: &str, file: &Path) -> Result<Outcome> {
    let asked = &arguments.ask;
    let text = if file == Path::new("-") {
        io::read_to_string(io::stdin())?
    } else {
        files::read(file)?
    };
    let position = if DuelRecord::is_record(&text) {
        if arguments.rules.are_given() {
            return Err(Error::new(
                "a recorded duel has its own rules; leave out their options",
            ));
        }
        recorded(&text, asked.step)
    } else {
        if asked.step.is_some() {
            return Err(Error::new(
                "--step needs a recorded duel, got a position line",
            ));
        }
        let rules: DuelRules = arguments.rules.rules()?;
        parse_position(text.trim(), rules, asked.seat).map_err(Into::into)
    };
    let position = position.map_err(|error| error.context(file.display()))?;
    let bot = arguments.programs.catalog().bot(bot)?;
    let seed = arguments.seed.unwrap_or(0);
    let mut bot = bot.maker().make(&position, asked.seat, seed)?;
    let direction = bot
        .try_act(&position)
        .map_err(|forfeit| Error::new(forfeit.0))?;
    say!("{direction}");
    Ok(Outcome::Done)
}

/// Returns the position of a recorded duel after some steps.
fn recorded(text: &str, step: Option<usize>) -> Result<DuelPosition> {
    let record = records::duel(text)?;
    let moves = record.moves();
    let last = moves.len().saturating_sub(1);
    let step = step.unwrap_or(last);
    if step > last {
        return Err(Error::new(format!(
            "expected a step from 0 to {last}, got {step}"
        )));
    }
    let mut duel = record.start();
    moves[..step].iter().for_each(|&both| _ = duel.step(both));
    Ok(duel.position().clone())
}
