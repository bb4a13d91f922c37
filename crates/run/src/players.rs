//! Whom experiments may name.

use hognose_policies::{Catalog, EmbeddedAgent};

/// Where tensors live, and whom an experiment may name besides those in files.
#[derive(Clone, Debug)]
pub struct Players {
    /// Where tensors live: a name that [`hognose_agent::device`] knows.
    pub device: String,
    /// Agents that play alone.
    pub agents: &'static [EmbeddedAgent],
    /// Agents that play duels.
    pub duel_agents: &'static [EmbeddedAgent],
}

impl Default for Players {
    fn default() -> Players {
        Players {
            device: "cpu".to_owned(),
            agents: &[],
            duel_agents: &[],
        }
    }
}

impl Players {
    /// Where policies and bots are looked up. Programs are refused, since names come from files.
    pub fn catalog(&self) -> Catalog {
        Catalog::default()
            .on(&self.device)
            .with_agents(self.agents)
            .with_duel_agents(self.duel_agents)
    }
}
