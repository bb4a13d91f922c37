//! What the page offers to choose from.

use crate::agents;
use crate::answer::{Answer, json, text};
use crate::tables::{self, Progress};
use hognose_eval::Behavior;
use hognose_game::{Board, MakePolicy, Rules};
use hognose_policies::{Catalog, NamedPolicy, SOLVERS};
use hognose_tablebase::Optimal;
use serde::Serialize;
use std::sync::Arc;
use wasm_bindgen::prelude::wasm_bindgen;

/// A policy that can be chosen.
#[derive(Serialize)]
struct Choice {
    name: &'static str,
    description: &'static str,
    wins: Option<&'static str>,
}

/// The policies to choose from, as JSON: name, description, and where each wins for sure.
#[wasm_bindgen]
pub fn policies() -> String {
    let choices = SOLVERS.iter().map(|known| Choice {
        name: known.name,
        description: known.description,
        wins: known.wins,
    });
    json(&choices.collect::<Vec<_>>())
}

/// The behavior checksum, as `hognose bench` prints it.
#[wasm_bindgen]
pub fn behavior() -> Answer<String> {
    let catalog = Catalog::default();
    let solvers = SOLVERS
        .iter()
        .map(|known| Ok((known.name, catalog.policy(known.name)?.single_player())));
    let solvers = solvers
        .collect::<Result<Vec<_>, hognose_policies::NameError>>()
        .map_err(text)?;
    Behavior::of(&solvers).map(text).map_err(text)
}

/// Reads rules: a board, or all of them as JSON.
pub(crate) fn parse_rules(rules: &str) -> Answer<Rules> {
    if rules.starts_with('{') {
        return serde_json::from_str(rules).map_err(|error| format!("these are no rules: {error}"));
    }
    rules.trim().parse().map(Rules::new).map_err(text)
}

/// Reads a seed.
pub(crate) fn parse_seed(seed: &str) -> Answer<u64> {
    seed.trim()
        .parse()
        .map_err(|_| format!("expected a seed from 0 to {}, got {seed:?}", u64::MAX))
}

/// The policy of a name: a solver, or an agent that was fetched.
pub(crate) fn named(policy: &str) -> Answer<NamedPolicy> {
    agents::catalog().policy(policy).map_err(text)
}

/// What makes the players of a policy on a board. `optimal` solves the board first, which the
/// caller hears about.
pub(crate) fn maker(
    policy: &NamedPolicy,
    board: Board,
    progress: Progress<'_>,
) -> Answer<Arc<dyn MakePolicy>> {
    match policy.name() {
        "optimal" if tables::can_solve(board) => {
            Ok(Arc::new(Optimal::by(tables::solved(board, progress)?)))
        }
        _ => Ok(policy.single_player()),
    }
}
