//! Whom experiments may name.

use hognose_duel::EmbeddedDuelAgent;
use hognose_policies::EmbeddedAgent;

/// Where tensors live, and whom an experiment may name besides those in files.
#[derive(Clone, Debug)]
pub struct Players {
    /// Where tensors live: a name that [`hognose_agent::device`] knows.
    pub device: String,
    /// Agents that play alone.
    pub agents: &'static [EmbeddedAgent],
    /// Agents that play duels.
    pub duel_agents: &'static [EmbeddedDuelAgent],
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
    /// Where policies are looked up. Programs are refused, since names come from files.
    pub fn policies(&self) -> hognose_policies::Catalog {
        hognose_policies::Catalog::default()
            .on(&self.device)
            .with_agents(self.agents)
    }

    /// Where bots for duels are looked up. Programs are refused, since names come from files.
    pub fn bots(&self) -> hognose_duel::Catalog {
        hognose_duel::Catalog::default().with_agents(self.duel_agents)
    }
}
