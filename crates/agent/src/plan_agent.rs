//! Agents that choose among plans.

use crate::afterstates::AfterPlan;
use crate::agent::Agent;
use crate::chooser::greatest;
use crate::config::PlanSearch;
use crate::guides::MakePlans;
use crate::network::QNetwork;
use hognose_game::{Cell, Direction, MakePolicy, Overlay, Plan, PlanSource, Policy, Position, Unsupported};
use std::sync::{Mutex, PoisonError};

/// Plays what an agent thinks best of the plans that a source proposes.
pub struct PlanAgent<N> {
    /// Each game plays with a copy; an agent has a buffer that threads can't share.
    agent: Mutex<Agent<N>>,
    search: PlanSearch,
    make_plans: MakePlans,
}

impl<N: QNetwork> PlanAgent<N> {
    /// A player; `agent` was trained to choose among plans, `make_plans` makes their sources.
    ///
    /// # Panics
    /// When the agent was trained to choose moves.
    pub fn new(agent: Agent<N>, make_plans: MakePlans) -> PlanAgent<N> {
        let search = agent.spec().plans.expect("the agent chooses among plans");
        PlanAgent { agent: Mutex::new(agent), search, make_plans }
    }
}

impl<N: QNetwork> MakePolicy for PlanAgent<N> {
    fn make(&self, position: &Position, seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        let agent = self.agent.lock().unwrap_or_else(PoisonError::into_inner).clone();
        agent.check_board(position)?;
        let mut source = (self.make_plans)(self.search);
        source.reset(position, seed)?;
        Ok(Box::new(PlanPolicy { agent, source, plans: Vec::new(), cycle: Vec::new(), rest: Vec::new() }))
    }
}

struct PlanPolicy<N> {
    agent: Agent<N>,
    source: Box<dyn PlanSource>,
    plans: Vec<Plan>,
    cycle: Vec<Cell>,
    /// The rest of the plan, last move first.
    rest: Vec<Direction>,
}

impl<N: QNetwork> Policy for PlanPolicy<N> {
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
