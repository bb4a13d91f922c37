//! Agents that choose among plans.

use crate::afterstates::AfterPlan;
use crate::agent::Agent;
use crate::chooser::greatest;
use crate::guides::MakePlans;
use crate::network::QNetwork;
use hognose_game::{Cell, Direction, Overlay, Plan, PlanSource, Policy, Position, Unsupported};

/// Plays what an agent thinks best of the plans that a source proposes.
pub struct PlanAgent<N> {
    agent: Agent<N>,
    source: Box<dyn PlanSource>,
    plans: Vec<Plan>,
    cycle: Vec<Cell>,
    /// The rest of the plan, last move first.
    rest: Vec<Direction>,
}

impl<N: QNetwork> PlanAgent<N> {
    /// A player; `agent` was trained to choose among plans, `make` makes their source.
    ///
    /// # Panics
    /// When the agent was trained to choose moves.
    pub fn new(agent: Agent<N>, make: &MakePlans) -> PlanAgent<N> {
        let search = agent.spec().plans.expect("the agent chooses among plans");
        PlanAgent { agent, source: make(search), plans: Vec::new(), cycle: Vec::new(), rest: Vec::new() }
    }
}

impl<N: QNetwork> Policy for PlanAgent<N> {
    fn reset(&mut self, position: &Position, policy_seed: u64) -> Result<(), Unsupported> {
        self.rest.clear();
        self.agent.check_board(position)?;
        self.source.reset(position, policy_seed)
    }

    fn act(&mut self, position: &Position) -> Direction {
        if self.rest.is_empty() {
            self.source.plans(position, &mut self.plans);
            let afters: Vec<AfterPlan> = self.plans.drain(..).map(|plan| AfterPlan::of(position, plan)).collect();
            let values = self.agent.outputs(&afters.iter().map(AfterPlan::view).collect::<Vec<_>>());
            let worth = afters.iter().zip(values).map(|(after, value)| after.worth(value));
            let index = greatest(&worth.collect::<Vec<f32>>());
            self.source.commit(index);
            let plan = afters.into_iter().nth(index).expect("the index of one of them").plan;
            self.cycle = plan.cycle;
            self.rest.extend(plan.moves.iter().rev());
        }
        self.rest.pop().expect("a way to the food has moves")
    }

    fn overlay(&self) -> Overlay {
        Overlay { cycle: self.cycle.clone(), plan: self.rest.iter().rev().copied().collect() }
    }
}
