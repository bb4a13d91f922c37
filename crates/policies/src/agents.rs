//! Trained agents by their names, and what training needs of the solvers.

use crate::source::Source;
use crate::{PolicyError, safe_moves};
use hognose_agent::{Agent, Guides, MakePlans, Mask, Network};
use hognose_game::{Player, Position};
use hognose_solvers::CertifiedPlans;
use std::path::Path;
use std::sync::Arc;

/// What training needs of the solvers: moves after which winning is still certain, and plans.
pub fn guides() -> Guides {
    Guides { safe_moves: Some(safe_moves()), plans: Some(plans()) }
}

fn plans() -> MakePlans {
    Arc::new(|search| Box::new(CertifiedPlans::new(search.effort).with_alternatives(search.margin, search.most)))
}

/// A player of an agent that plays as it was trained to.
pub fn player(agent: &Agent<Network>) -> Player {
    player_under(agent, agent.spec().mask)
}

fn player_under(agent: &Agent<Network>, mask: Mask) -> Player {
    match agent {
        Agent::Plans(agent) => Player::Single(Arc::new(agent.clone().maker(plans()))),
        Agent::Moves(agent) => Player::Batch(Box::new(agent.clone()), mask.filter(&safe_moves())),
    }
}

/// An agent that plays under a mask.
struct MaskedAgent {
    agent: Agent<Network>,
    mask: Mask,
}

/// Loads an agent onto the device of a name. It plays under its own mask or, if it is to be safe, only safe moves.
pub(crate) fn load(path: &str, safe: bool, device: &str) -> Result<Box<dyn Source>, PolicyError> {
    let agent = hognose_agent::load_policy(Path::new(path), &hognose_agent::device(device)?)?;
    let mask = if safe { Mask::Safe } else { agent.spec().mask };
    Ok(Box::new(MaskedAgent { agent, mask }))
}

impl Source for MaskedAgent {
    fn claims_to_win(&self) -> bool {
        self.mask == Mask::Safe || matches!(self.agent, Agent::Plans(_))
    }

    fn player(&self) -> Player {
        player_under(&self.agent, self.mask)
    }

    /// The highest Q-value of an allowed action; agents that choose among plans have none.
    fn value(&self, position: &Position) -> Option<f64> {
        let MaskedAgent { agent: Agent::Moves(agent), mask } = self else { return None };
        let action = agent.spec().action;
        let mut filter = mask.filter(&safe_moves())();
        // After a refusal it allows all legal moves.
        let _ = filter.reset(position);
        let allowed = filter.allowed(position);
        let bits = action.bits(allowed.moves, position.heading());
        let q_values = agent.q_values(&[position], &[allowed]);
        let of_allowed = (0..).zip(q_values).filter(|(action, _)| bits >> action & 1 == 1);
        of_allowed.map(|(_, value)| f64::from(value)).reduce(f64::max)
    }
}
