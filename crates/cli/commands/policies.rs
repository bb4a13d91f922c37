//! `hognose policies`

use crate::embedded::agent_names;
use crate::error::Result;
use crate::outcome::Outcome;
use crate::output::say;
use hognose_policies::{BOTS, EXPLOIT, LEARNED, PROGRAM, SOLVERS};

/// List the policies, and the bots for duels
#[derive(clap::Args)]
pub(crate) struct Arguments {}

/// Prints every name with what it stands for and where the policy wins every game, and then the
/// bots.
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
    entry(
        "",
        &format!("{} are part of the program", agent_names().join(" and ")),
    );
    let (name, description) = PROGRAM;
    entry(name, description);
    say!("\n{ADVICE}");
    say!("\nBots for duels of two snakes:\n");
    for known in BOTS {
        entry(known.name, known.description);
        if let Some(budget) = known.budget() {
            entry(
                "",
                &format!("without a budget it is {}:{budget}", known.name),
            );
        }
    }
    entry(EXPLOIT.0, EXPLOIT.1);
    entry(name, description);
    say!("\n{BUDGETS}");
    Ok(Outcome::Done)
}

/// The widest line, in columns.
const COLUMNS: usize = 100;

/// What the list ends with.
const ADVICE: &str = "\
Fewest steps: optimal on small boards, and certified on others; it needs fewer with a higher effort.
Most decisions per second: hamiltonian.
Between them, from fast to good: shortcut, cell-tree, killer, certified:10.
None of these loses a game where it claims to win.

These claims hold by the default rules unless a line says otherwise. \"Tail entry\" means: they hold
where the snake may enter the cell that its tail is just leaving.";

/// What the list of bots ends with.
const BUDGETS: &str = "\
A budget for each move follows the name of a bot that searches: moves of each snake that it looks
ahead (adder:4), positions that it looks at (adder:500n, adder:20kn), or CPU time (adder:10ms).";

/// Prints a name, and beside it what is said of it, in lines of at most [`COLUMNS`] columns.
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
