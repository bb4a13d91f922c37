//! `hognose bench`: the behavior checksum.

use crate::embedded::catalog;
use crate::error::Result;
use crate::outcome::Outcome;
use crate::output::say;
use hognose_eval::Behavior;
use hognose_policies::SOLVERS;

/// Print the behavior checksum: one number over fixed games of every solver with all kinds of rules
///
/// The checksum changes if and only if the rules, the random streams, a solver or the record format
/// changes; commits that change it say so. To measure speed, use `cargo bench`.
#[derive(clap::Args)]
pub(crate) struct Arguments {}

/// Plays the games and prints the checksum over their records.
pub(crate) fn run(_arguments: &Arguments) -> Result<Outcome> {
    let catalog = catalog();
    let solvers = SOLVERS
        .iter()
        .map(|known| Ok((known.name, catalog.policy(known.name)?.single_player())));
    say!("{}", Behavior::of(&solvers.collect::<Result<Vec<_>>>()?)?);
    Ok(Outcome::Done)
}
