//! Agents that the page fetched.

use hognose_policies::{Catalog, EmbeddedAgent};
use std::cell::Cell;
use std::thread::LocalKey;
use wasm_bindgen::prelude::wasm_bindgen;

type Agents = Cell<&'static [EmbeddedAgent]>;

thread_local! {
    static FETCHED: Agents = const { Cell::new(&[]) };
    static DUELISTS: Agents = const { Cell::new(&[]) };
}

/// Adds an agent from the bytes of its policy file, as `dqn:NAME` and `dqn-safe:NAME`. It stays in
/// memory as long as the worker. A damaged file is reported only when the agent plays.
#[wasm_bindgen]
pub fn add_agent(name: String, policy: Vec<u8>) {
    add(&FETCHED, name, policy);
}

/// Adds an agent for duels from the bytes of its policy file, as `selfplay:NAME`, like
/// [`add_agent`].
#[wasm_bindgen]
pub fn add_duel_agent(name: String, policy: Vec<u8>) {
    add(&DUELISTS, name, policy);
}

fn add(agents: &'static LocalKey<Agents>, name: String, policy: Vec<u8>) {
    let agent = EmbeddedAgent {
        name: name.leak(),
        bytes: policy.leak(),
    };
    let known = agents
        .get()
        .iter()
        .copied()
        .filter(|other| other.name != agent.name);
    agents.set(known.chain([agent]).collect::<Vec<_>>().leak());
}

/// Returns the catalog of solvers, bots and fetched agents.
pub(crate) fn catalog() -> Catalog {
    Catalog::default()
        .with_agents(FETCHED.get())
        .with_duel_agents(DUELISTS.get())
}

/// Returns what an agent's file says about it, as JSON: the board that it was trained on, its boards
/// if there are several, and what it chooses among.
///
/// # Errors
/// Fails if the bytes are not a complete policy file.
#[cfg(feature = "agents")]
#[wasm_bindgen]
pub fn describe_agent(name: &str, policy: &[u8]) -> crate::answer::Answer<String> {
    use crate::answer::{json, text};
    let device = hognose_agent::device("cpu").map_err(text)?;
    let agent = hognose_agent::parse_policy(policy, name, &device).map_err(text)?;
    let spec = agent.spec();
    let kind = match (spec.plans, spec.mask) {
        (Some(_), _) => "plans",
        (None, hognose_agent::Mask::Safe) => "safe",
        (None, hognose_agent::Mask::Legal) => "legal",
    };
    Ok(json(&serde_json::json!({
        "board": spec.board,
        "boards": spec.boards,
        "kind": kind,
    })))
}

/// Returns an agent's results at many positions, as JSON: the highest Q-value, or `null`, and the
/// number of its move.
///
/// # Errors
/// Fails if there is no such agent.
#[cfg(feature = "agents")]
#[wasm_bindgen]
pub fn probe_agent(policy: &str) -> crate::answer::Answer<String> {
    let agent = catalog().policy(policy).map_err(crate::answer::text)?;
    let probes = crate::probe::probe(&agent)
        .into_iter()
        .map(|probe| (probe.value, probe.direction.index()));
    Ok(crate::answer::json(&probes.collect::<Vec<_>>()))
}
