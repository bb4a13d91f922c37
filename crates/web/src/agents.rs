//! Agents that the page has fetched.

use duel_agents::DUEL_AGENTS;
use hognose_policies::{Catalog, EmbeddedAgent};
use std::cell::Cell;
use wasm_bindgen::prelude::wasm_bindgen;

#[path = "../../cli/duel_agents.rs"]
mod duel_agents;

thread_local! {
    static FETCHED: Cell<&'static [EmbeddedAgent]> = const { Cell::new(&[]) };
}

/// Makes an agent known, as `dqn:NAME` and `dqn-safe:NAME`, by the bytes of its policy file. It
/// stays in memory as long as the worker. Files that are damaged are told when the agent is to
/// play.
#[wasm_bindgen]
pub fn add_agent(name: String, policy: Vec<u8>) {
    let agent = EmbeddedAgent {
        name: name.leak(),
        bytes: policy.leak(),
    };
    let known = FETCHED
        .get()
        .iter()
        .copied()
        .filter(|other| other.name != agent.name);
    FETCHED.set(known.chain([agent]).collect::<Vec<_>>().leak());
}

/// Where policies and bots are looked up: those that are computed, the agents that were fetched,
/// and the agents for duels.
pub(crate) fn catalog() -> Catalog {
    Catalog::default()
        .with_agents(FETCHED.get())
        .with_duel_agents(DUEL_AGENTS)
}

/// What an agent makes of many positions, as JSON: for each its highest Q-value, or `null`, and the
/// number of its move.
///
/// # Errors
/// When there is no such agent.
#[cfg(feature = "agents")]
#[wasm_bindgen]
pub fn probe_agent(policy: &str) -> crate::answer::Answer<String> {
    let agent = catalog().policy(policy).map_err(crate::answer::text)?;
    let probes = crate::probe::probe(&agent)
        .into_iter()
        .map(|probe| (probe.value, probe.direction.index()));
    Ok(crate::answer::json(&probes.collect::<Vec<_>>()))
}
