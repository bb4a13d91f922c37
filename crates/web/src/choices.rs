//! The choices that the page offers.

use crate::agents;
use crate::answer::{Answer, json, text};
use crate::tables::{self, Progress};
use hognose_eval::{Behavior, Evaluation};
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

/// A solver that refuses a game.
#[derive(Serialize)]
struct Refusal {
    name: &'static str,
    why: String,
    /// The board of the most similar size that it plays.
    board: Option<&'static str>,
}

/// Why `optimal` refuses a board. Other programs read larger tables from files.
const UNSOLVED: &str = "only boards of up to 25 cells and without a torus are solved here";

/// The boards that the page offers in place of one that a policy refuses.
const OFFERS: [&str; 9] = [
    "4x4", "5x5", "6x6", "7x7", "8x8", "9x9", "10x10", "16x16", "20x20",
];

/// Returns the solvers that refuse the first game of these rules and this seed, as JSON: name,
/// reason, and a board that they play.
///
/// # Errors
/// Fails if the rules or the seed are invalid.
#[wasm_bindgen]
pub fn refusals(rules: &str, seed: &str) -> Answer<String> {
    let rules = parse_rules(rules)?;
    let seed = parse_seed(seed)?;
    let mut offers: Vec<(&'static str, Board)> = OFFERS
        .iter()
        .map(|&name| (name, name.parse().expect("the boards on offer are valid")))
        .collect();
    offers.sort_by_key(|(_, board)| board.area().abs_diff(rules.board().area()));
    let mut refusals = Vec::new();
    for known in SOLVERS {
        let policy = named(known.name)?;
        if let Some(why) = refusal(&policy, rules, seed) {
            let board = offers
                .iter()
                .find(|&&(_, board)| refusal(&policy, Rules::new(board), seed).is_none())
                .map(|&(name, _)| name);
            let name = known.name;
            refusals.push(Refusal { name, why, board });
        }
    }
    Ok(json(&refusals))
}

/// Returns why a solver refuses the first game; `None` if it plays.
fn refusal(policy: &NamedPolicy, rules: Rules, seed: u64) -> Option<String> {
    if policy.name() == "optimal" {
        let solvable = tables::can_solve(rules.board());
        return (!solvable).then(|| UNSOLVED.to_owned());
    }
    let game = Evaluation::new(rules, seed, 1).game(0);
    let made = policy
        .single_player()
        .make(game.position(), Evaluation::policy_seed(game.seed()));
    made.err().map(text)
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
        "optimal" => Err(UNSOLVED.to_owned()),
        _ => Ok(policy.single_player()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_have_a_reason_and_a_board_that_is_played() {
        for board in ["4x4", "5x5", "7x7", "10x10", "8x8-torus", "2x9"] {
            let rules = parse_rules(board).unwrap();
            let all: Vec<serde_json::Value> =
                serde_json::from_str(&refusals(board, "0").unwrap()).unwrap();
            for refused in &all {
                let name = refused["name"].as_str().unwrap();
                let why = refused["why"].as_str().unwrap();
                assert!(
                    !why.contains("hognose") && !why.contains("--"),
                    "{name}: {why}"
                );
                let offer: Board = refused["board"].as_str().expect(name).parse().unwrap();
                assert_ne!(offer, rules.board(), "{name}");
            }
            let refuses = |name: &str| all.iter().any(|refused| refused["name"] == name);
            assert_eq!(refuses("optimal"), !["4x4", "5x5", "2x9"].contains(&board));
            assert_eq!(
                refuses("cell-tree"),
                !["4x4", "10x10", "8x8-torus"].contains(&board)
            );
            assert!(!refuses("greedy"), "{board}");
        }
    }
}
