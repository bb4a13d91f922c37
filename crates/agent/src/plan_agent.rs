//! Agents that choose among plans.

use crate::afterstates::{AfterPlan, steps_in_a_unit};
use crate::chooser::greatest;
use crate::config::PlanSearch;
use crate::estimator::Estimator;
use crate::guides::MakePlans;
use crate::network::QNetwork;
use crate::spec::AgentSpec;
use hognose_game::{
    Cell, Direction, MakePolicy, Overlay, Plan, PlanSource, Policy, Position, Route, Unsupported,
};
use std::sync::{Mutex, PoisonError};

/// Chooses among the plans that a source proposes. Alone it plays nothing: [`maker`](Self::maker)
/// joins it with what makes the sources of games.
///
/// [`Agent::new`](crate::Agent::new) and [`load_policy`](crate::load_policy) make one.
#[derive(Clone, Debug)]
pub struct PlanAgent<N: QNetwork> {
    estimator: Estimator<N>,
    search: PlanSearch,
}

impl<N: QNetwork> PlanAgent<N> {
    pub(crate) fn new(estimator: Estimator<N>, search: PlanSearch) -> PlanAgent<N> {
        PlanAgent { estimator, search }
    }

    /// What the network was trained to see and do.
    pub fn spec(&self) -> AgentSpec {
        self.estimator.spec
    }

    /// The network.
    pub fn network(&self) -> &N {
        &self.estimator.network
    }

    /// The steps that the best plan costs which begins with each move, in a game that begins at the
    /// position: its own steps to the food, and what the body after it is thought to cost later. So
    /// they are good to compare moves of one position. Directions are up, right, down, left; a move
    /// is `None` where no plan of the source begins with it.
    ///
    /// # Errors
    /// When the agent, or the source of plans, does not play a game that begins there.
    pub fn costs(
        &self,
        position: &Position,
        make_plans: &MakePlans,
    ) -> Result<[Option<f64>; 4], Unsupported> {
        self.estimator.check_board(position)?;
        let (mut source, mut plans) = (make_plans(self.search), Vec::new());
        source.reset(position, SEED)?;
        source.plans(position, &mut plans);
        let (afters, worth) = rated(&self.estimator, position, plans);
        let unit = steps_in_a_unit(position.board());
        Ok(Direction::ALL.map(|direction| {
            let rated = afters
                .iter()
                .zip(&worth)
                .filter(|(after, _)| after.plan.moves.first() == Some(&direction));
            rated
                .map(|(_, &worth)| -f64::from(worth) * unit)
                .reduce(f64::min)
        }))
    }

    /// What makes the policies of games, each with a source of plans of its own.
    pub fn maker(self, make_plans: MakePlans) -> impl MakePolicy {
        // Each game plays with a copy: an estimator has a buffer that threads can't share.
        let agent = Mutex::new(self);
        move |position: &Position, seed: u64| {
            let PlanAgent { estimator, search } =
                agent.lock().unwrap_or_else(PoisonError::into_inner).clone();
            estimator.check_board(position)?;
            let mut source = make_plans(search);
            source.reset(position, seed)?;
            let (plans, cycle, route) = (Vec::new(), Vec::new(), Route::default());
            Ok(Box::new(PlanPolicy {
                estimator,
                source,
                plans,
                cycle,
                route,
            }) as Box<dyn Policy>)
        }
    }
}

/// What is thought of a position is always the same.
const SEED: u64 = 0;

/// What plans lead to, and what each of them is worth.
fn rated<N: QNetwork>(
    estimator: &Estimator<N>,
    position: &Position,
    plans: impl IntoIterator<Item = Plan>,
) -> (Vec<AfterPlan>, Vec<f32>) {
    let afters: Vec<AfterPlan> = plans
        .into_iter()
        .map(|plan| AfterPlan::of(position, plan))
        .collect();
    let values = estimator.outputs(&afters.iter().map(AfterPlan::view).collect::<Vec<_>>());
    let worth = afters
        .iter()
        .zip(values)
        .map(|(after, value)| after.worth(value))
        .collect();
    (afters, worth)
}

/// Plays one game by plans.
struct PlanPolicy<N> {
    estimator: Estimator<N>,
    source: Box<dyn PlanSource>,
    plans: Vec<Plan>,
    cycle: Vec<Cell>,
    /// The rest of the plan.
    route: Route,
}

impl<N: QNetwork> Policy for PlanPolicy<N> {
    fn act(&mut self, position: &Position) -> Direction {
        if let Some(direction) = self.route.next() {
            return direction;
        }
        self.source.plans(position, &mut self.plans);
        let (afters, worth) = rated(&self.estimator, position, self.plans.drain(..));
        let index = greatest(&worth);
        self.source.commit(index);
        let plan = afters
            .into_iter()
            .nth(index)
            .expect("the index of one of them")
            .plan;
        self.cycle = plan.cycle;
        self.route
            .begin(plan.moves)
            .expect("a way to the food has moves")
    }

    fn overlay(&self) -> Overlay {
        self.route.overlay(self.cycle.clone())
    }
}
