//! Learned policies: agents that choose moves, and agents that choose among plans.

use crate::afterstates::{AfterMove, AfterPlan, steps_in_a_unit};
use crate::config::PlanSearch;
use crate::epsilon_greedy::{EpsilonGreedy, best, greatest};
use crate::estimator::{Estimator, Insight};
use crate::network::{Network, QNetwork};
use crate::network_view::NetworkView;
use crate::solvers::MakePlans;
use crate::spec::AgentSpec;
use burn::tensor::Device;
use hognose_env::Mask;
use hognose_game::rng::Generator;
use hognose_game::{
    Allowed, BatchPolicy, Cell, Choice, Direction, MakePolicy, Overlay, Plan, PlanSource, Policy,
    Position, Route, Unsupported,
};
use std::sync::{Mutex, PoisonError};

/// A learned policy. Its kind of action decides how it is played.
///
/// ```
/// use hognose_agent::{Agent, AgentSpec, NetworkConfig, TrainConfig, device};
/// use hognose_env::EnvConfig;
/// use hognose_game::{Board, Game, Rules};
///
/// let rules = Rules::new(Board::new(4, 4)?);
/// let spec = AgentSpec::new(&EnvConfig::new(rules), &TrainConfig::default());
/// let device = device("cpu")?;
/// let network = NetworkConfig {
///     hidden: vec![16],
///     ..NetworkConfig::default()
/// }
/// .build(spec.inputs(), spec.outputs(), 0, &device)?;
/// let Agent::Moves(agent) = Agent::new(spec, network, device) else {
///     panic!("actions are moves by default")
/// };
/// let game = Game::new(rules, 0);
/// let legal = game.position().legal_moves();
/// assert_eq!(
///     agent.q_values(&[game.position()], &[legal.into()]).len(),
///     spec.action.count()
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub enum Agent<N: QNetwork> {
    /// Chooses moves, in many games at once.
    Moves(MoveAgent<N>),
    /// Chooses among plans proposed by a source.
    Plans(PlanAgent<N>),
}

impl<N: QNetwork> Agent<N> {
    /// Creates an agent whose network parameters are on `device`. `spec` decides its kind.
    pub fn new(spec: AgentSpec, network: N, device: Device) -> Agent<N> {
        let estimator = Estimator::new(spec, network, device);
        match spec.plans {
            Some(search) => Agent::Plans(PlanAgent::new(estimator, search)),
            None => Agent::Moves(MoveAgent::new(estimator)),
        }
    }

    /// Returns what the network was trained to see and do.
    pub fn spec(&self) -> AgentSpec {
        match self {
            Agent::Moves(agent) => agent.spec(),
            Agent::Plans(agent) => agent.spec(),
        }
    }

    /// Returns the network.
    pub fn network(&self) -> &N {
        match self {
            Agent::Moves(agent) => agent.network(),
            Agent::Plans(agent) => agent.network(),
        }
    }
}

/// Plays the allowed action with the highest Q-value, in many games at once. An agent that was
/// trained with a mask must be played with that mask.
///
/// Created by [`Agent::new`] and [`load_policy`](crate::load_policy).
#[derive(Clone, Debug)]
pub struct MoveAgent<N: QNetwork> {
    estimator: Estimator<N>,
}

impl<N: QNetwork> MoveAgent<N> {
    pub(crate) fn new(estimator: Estimator<N>) -> MoveAgent<N> {
        MoveAgent { estimator }
    }

    /// Returns what the network was trained to see and do.
    pub fn spec(&self) -> AgentSpec {
        self.estimator.spec
    }

    /// Returns the network.
    pub fn network(&self) -> &N {
        &self.estimator.network
    }

    /// Returns the network's Q-values of observations, one row after another,
    /// [`ActionKind::count`](hognose_env::ActionKind::count) each, or `None` if the network values
    /// afterstates, which no observation shows. Mirror images of observations are not used here.
    ///
    /// # Panics
    /// Panics unless `observations` consists of whole rows.
    pub fn values_of(&self, observations: &[f32]) -> Option<Vec<f32>> {
        self.spec()
            .afterstates
            .is_none()
            .then(|| self.estimator.outputs_of_rows(observations))
    }

    /// Returns the Q-values of positions, given what is allowed there,
    /// [`ActionKind::count`](hognose_env::ActionKind::count) each.
    pub fn q_values(&self, positions: &[&Position], allowed: &[Allowed]) -> Vec<f32> {
        if self.spec().afterstates.is_none() {
            let views = positions
                .iter()
                .zip(allowed)
                .map(|(position, allowed)| NetworkView::new(position, allowed.moves));
            return self.estimator.outputs(&views.collect::<Vec<_>>());
        }
        let afters: Vec<AfterMove> = positions
            .iter()
            .copied()
            .zip(allowed)
            .flat_map(|(position, allowed)| AfterMove::of_all(position, allowed, self.spec()))
            .collect();
        let mut values = self
            .estimator
            .outputs(&AfterMove::open(&afters))
            .into_iter();
        afters
            .iter()
            .map(|after| after.branch.q_value(&mut values))
            .collect()
    }

    /// Returns the move of the policy that training explores with, given the position's
    /// [`q_values`](Self::q_values) and the probability `epsilon` of a random move, and whether it
    /// is random.
    pub fn explore(
        &self,
        position: &Position,
        allowed: &Allowed,
        q_values: &[f32],
        epsilon: f64,
        draws: Generator,
    ) -> (Direction, bool) {
        let kind = self.spec().action;
        let heading = position.heading();
        let mut policy = EpsilonGreedy {
            network: self.network(),
            device: self.estimator.device(),
            epsilon,
            draws,
        };
        let bits = kind.bits(allowed.moves, heading);
        let (action, random) = policy.action(q_values, bits, kind);
        (kind.direction(action, heading), random)
    }
}

impl MoveAgent<Network> {
    /// Returns what the network computes for the position after each action, in action order, if it
    /// values afterstates; `None` for actions whose value needs no network.
    pub fn insights(&self, position: &Position, allowed: &Allowed) -> Vec<Option<Insight>> {
        if self.spec().afterstates.is_none() {
            return Vec::new();
        }
        let afters: Vec<AfterMove> = AfterMove::of_all(position, allowed, self.spec()).collect();
        let mut insights = self
            .estimator
            .insights(&AfterMove::open(&afters))
            .into_iter();
        let is_open = |after: &AfterMove| after.branch.known.is_none();
        afters
            .iter()
            .map(|after| is_open(after).then(|| insights.next()).flatten())
            .collect()
    }
}

impl<N: QNetwork> BatchPolicy for MoveAgent<N> {
    fn check(&self, position: &Position) -> Result<(), Unsupported> {
        self.estimator.check_board(position)
    }

    fn act_all(&self, positions: &[&Position], allowed: &[Allowed], choices: &mut [Choice]) {
        let legal: Vec<Allowed> = positions
            .iter()
            .map(|position| position.legal_moves().into())
            .collect();
        let seen = if self.spec().mask == Mask::Legal {
            &legal
        } else {
            allowed
        };
        let q = self.q_values(positions, seen);
        let rows = q.chunks_exact(self.spec().action.count());
        for ((((position, q), legal), allowed), choice) in positions
            .iter()
            .zip(rows)
            .zip(&legal)
            .zip(allowed)
            .zip(choices)
        {
            let action = self.spec().action;
            let heading = position.heading();
            let best = |Allowed { moves, .. }: &Allowed| {
                action.direction(best(q, action.bits(*moves, heading), action), heading)
            };
            let direction = best(allowed);
            let preferred = best(legal);
            // An agent trained with the mask never learned the values of forbidden moves.
            let forbidden = self.spec().mask == Mask::Legal && direction != preferred;
            *choice = Choice {
                direction,
                forbidden,
            };
        }
    }
}

/// Chooses among the plans that a source proposes. [`maker`](Self::maker) combines it with plan
/// sources to play games.
///
/// Created by [`Agent::new`] and [`load_policy`](crate::load_policy).
#[derive(Clone, Debug)]
pub struct PlanAgent<N: QNetwork> {
    estimator: Estimator<N>,
    search: PlanSearch,
}

impl<N: QNetwork> PlanAgent<N> {
    pub(crate) fn new(estimator: Estimator<N>, search: PlanSearch) -> PlanAgent<N> {
        PlanAgent { estimator, search }
    }

    /// Returns what the network was trained to see and do.
    pub fn spec(&self) -> AgentSpec {
        self.estimator.spec
    }

    /// Returns the network.
    pub fn network(&self) -> &N {
        &self.estimator.network
    }

    /// Returns, for each first move, the cost in steps of the best plan that begins with it, in a
    /// game that begins at `position`: the plan's steps to the food plus the estimated later cost
    /// of the body after it. Costs are comparable only among moves of one position. Directions are
    /// up, right, down, left; a move is `None` if no plan of the source begins with it.
    ///
    /// # Errors
    /// Fails if the agent or the source of plans does not support games that begin there.
    pub fn costs(
        &self,
        position: &Position,
        make_plans: &MakePlans,
    ) -> Result<[Option<f64>; 4], Unsupported> {
        self.estimator.check_board(position)?;
        let mut source = make_plans(self.search);
        let mut plans = Vec::new();
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

    /// Returns a maker of policies, one per game, each with its own source of plans.
    pub fn maker(self, make_plans: MakePlans) -> impl MakePolicy {
        // Each game plays with a copy: an estimator has a buffer that can't be shared between
        // threads.
        let agent = Mutex::new(self);
        move |position: &Position, seed: u64| {
            let PlanAgent { estimator, search } =
                agent.lock().unwrap_or_else(PoisonError::into_inner).clone();
            estimator.check_board(position)?;
            let mut source = make_plans(search);
            source.reset(position, seed)?;
            let plans = Vec::new();
            let cycle = Vec::new();
            let route = Route::default();
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

/// Estimates of a position are always the same.
const SEED: u64 = 0;

/// Returns the outcomes of plans, and the value of each.
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

/// Plays one game by choosing plans.
struct PlanPolicy<N> {
    estimator: Estimator<N>,
    source: Box<dyn PlanSource>,
    plans: Vec<Plan>,
    cycle: Vec<Cell>,
    /// The rest of the current plan.
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
            .expect("the index of a plan")
            .plan;
        self.cycle = plan.cycle;
        self.route
            .begin(plan.moves)
            .expect("a path to the food has moves")
    }

    fn overlay(&self) -> Overlay {
        self.route.overlay(self.cycle.clone())
    }
}
