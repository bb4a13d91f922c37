//! The choices that the page offers.

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

/// A policy on offer.
#[derive(Serialize)]
struct Choice {
    name: &'static str,
    description: &'static str,
    wins: Option<&'static str>,
}

/// Returns the policies as JSON: name, description, and where each wins every game.
#[wasm_bindgen]
pub fn policies() -> String {
    let choices = SOLVERS.iter().map(|known| Choice {
        name: known.name,
        description: known.description,
        wins: known.wins,
    });
    json(&choices.collect::<Vec<_>>())
}

/// Returns the behavior checksum that `hognose bench` prints.
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

/// Parses rules: a board, or full rules as JSON.
pub(crate) fn parse_rules(rules: &str) -> Answer<Rules> {
    if rules.starts_with('{') {
        return serde_json::from_str(rules).map_err(|error| format!("expected rules: {error}"));
    }
    rules.trim().parse().map(Rules::new).map_err(text)
}

/// Parses a seed.
pub(crate) fn parse_seed(seed: &str) -> Answer<u64> {
    seed.trim()
        .parse()
        .map_err(|_| format!("expected a seed from 0 to {}, got {seed:?}", u64::MAX))
}

/// Looks up a policy: a solver, or a fetched agent.
pub(crate) fn named(policy: &str) -> Answer<NamedPolicy> {
    agents::catalog().policy(policy).map_err(text)
}

/// Returns the factory of a policy's players on a board. `optimal` solves the board first, and
/// reports progress.
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
