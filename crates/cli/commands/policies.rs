//! `hognose policies`

use crate::embedded::agent_names;
use crate::error::Result;
use crate::outcome::Outcome;
use crate::output::say;
use hognose_policies::{BOTS, EXPLOIT, LEARNED, PROGRAM, SOLVERS};

/// List all policies, and the bots for duels
#[derive(clap::Args)]
pub(crate) struct Arguments {}

/// Prints every policy with its description and its guarantee to win, and then the bots.
pub(crate) fn run(_arguments: &Arguments) -> Result<Outcome> {
    for known in SOLVERS {
        let wins = known.wins.map_or("no guarantee".to_owned(), |wins| {
            format!("wins every game: {wins}")
        });
        entry(known.name, known.description);
        entry("", &wins);
    }
    for (name, description) in LEARNED {
        entry(name, description);
    }
    entry("", &format!("built in: {}", agent_names().join(" and ")));
    let (name, description) = PROGRAM;
    entry(name, description);
    say!("\n{ADVICE}");
    say!("\nBots for duels of two snakes:\n");
    for known in BOTS {
        entry(known.name, known.description);
        if let Some(budget) = known.budget() {
            entry("", &format!("without a budget: {}:{budget}", known.name));
        }
    }
    entry(EXPLOIT.0, EXPLOIT.1);
    entry(name, description);
    say!("\n{BUDGETS}");
    Ok(Outcome::Done)
}

/// The maximum width of a line, in columns.
const COLUMNS: usize = 100;

/// The advice at the end of the list.
const ADVICE: &str = "\
Fewest steps: optimal on small boards, certified on others; a higher effort saves more steps.
Most decisions per second: hamiltonian.
In between, from fast to good: shortcut, reroute, certified:10.
None of these loses a game where it claims to win.

Claims assume the default rules unless a line says otherwise. \"Tail entry\" means that the claim
requires that the snake may enter the cell that its tail is leaving.";

/// The explanation at the end of the list of bots.
const BUDGETS: &str = "\
The budget per move follows the name of a bot that searches: search depth in moves of each snake
(adder:4), positions searched (adder:500n, adder:20kn), or CPU time (adder:10ms).";

/// Prints a name and its description, wrapped at [`COLUMNS`] columns.
fn entry(name: &str, text: &str) {
    let mut line = format!("{name:24}");
    for word in text.split(' ') {
        if line.chars().count() + 1 + word.chars().count() > COLUMNS {
            say!("{line}");
            line = format!("{:24}", "");
        }
        line.push(' ');
        line.push_str(word);
    }
    say!("{line}");
}
