//! `hognose policies`

use crate::embedded::AGENTS;
use crate::error::Result;
use crate::outcome::Outcome;
use crate::output::say;
use hognose_policies::{LEARNED, PROGRAM, SOLVERS};

/// List the policies
#[derive(clap::Args)]
pub(crate) struct Arguments {}

/// Prints every name with what it stands for and where the policy wins every game.
pub(crate) fn run(_arguments: &Arguments) -> Result<Outcome> {
    for known in SOLVERS {
        let wins = known.wins.map_or("no guarantee".to_owned(), |wins| format!("wins every game: {wins}"));
        say!("{:24} {}\n{:24} {wins}", known.name, known.description, "");
    }
    for (name, description) in LEARNED {
        say!("{name:24} {description}");
    }
    let agents: Vec<String> = AGENTS.iter().map(|agent| format!("dqn:{}", agent.name)).collect();
    say!("{:24} the binary brings {} along", "", agents.join(" and "));
    let (name, description) = PROGRAM;
    say!("{name:24} {description}");
    say!(
        "\nFewest steps: optimal on small boards, elsewhere certified, the fewer the higher its effort. Most decisions per second:"
    );
    say!(
        "hamiltonian. Between them, from fast to good: shortcut, cell-tree, killer, certified:10. All of these never lose."
    );
    say!("\nGuarantees hold by the default rules unless stated; \"tail entry\": where the tail's cell may be entered.");
    Ok(Outcome::Done)
}
