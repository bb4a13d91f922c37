//! Learned policies: agents that choose moves, and agents that choose among plans.

use crate::afterstates::{AfterMove, AfterPlan, steps_in_a_unit};
use crate::config::PlanSearch;
use crate::epsilon_greedy::{best, greatest};
use crate::estimator::Estimator;
use crate::network::QNetwork;
use crate::network_view::NetworkView;
use crate::solvers::MakePlans;
use crate::spec::AgentSpec;
use burn::tensor::Device;
use hognose_env::Mask;
use hognose_game::{
    Allowed, BatchPolicy, Cell, Choice, Direction, MakePolicy, Overlay, Plan, PlanSource, Policy,
    Position, Route, Unsupported,
};
use std::sync::{Mutex, PoisonError};

/// A learned policy: what it chooses decides how it is played.
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
    /// It chooses moves, in many games at once.
    Moves(MoveAgent<N>),
    /// It chooses among plans, and needs a source of them.
    Plans(PlanAgent<N>),
}

impl<N: QNetwork> Agent<N> {
    /// An agent of a network whose parameters lie on `device`. `spec` decides of which kind it is.
    pub fn new(spec: AgentSpec, network: N, device: Device) -> Agent<N> {
        let estimator = Estimator::new(spec, network, device);
        match spec.plans {
            Some(search) => Agent::Plans(PlanAgent::new(estimator, search)),
            None => Agent::Moves(MoveAgent::new(estimator)),
        }
    }

    /// What the network was trained to see and do.
    pub fn spec(&self) -> AgentSpec {
        match self {
            Agent::Moves(agent) => agent.spec(),
            Agent::Plans(agent) => agent.spec(),
        }
    }

    /// The network.
    pub fn network(&self) -> &N {
        match self {
            Agent::Moves(agent) => agent.network(),
            Agent::Plans(agent) => agent.network(),
        }
    }
}

/// Plays the allowed action of the highest Q-value, in many games at once. An agent that was
/// trained under a mask must be played under that mask.
///
/// [`Agent::new`] and [`load_policy`](crate::load_policy) make one.
#[derive(Clone, Debug)]
pub struct MoveAgent<N: QNetwork> {
    estimator: Estimator<N>,
}

impl<N: QNetwork> MoveAgent<N> {
    pub(crate) fn new(estimator: Estimator<N>) -> MoveAgent<N> {
        MoveAgent { estimator }
    }

    /// What the network was trained to see and do.
    pub fn spec(&self) -> AgentSpec {
        self.estimator.spec
    }

    /// The network.
    pub fn network(&self) -> &N {
        &self.estimator.network
    }

    /// The network's Q-values of observations, one after another,
    /// [`ActionKind::count`](hognose_env::ActionKind::count) each; `None` where it values positions
    /// after a move, which no observation shows. Mirror images of observations play no part here.
    ///
    /// # Panics
    /// Unless `observations` has whole rows.
    pub fn values_of(&self, observations: &[f32]) -> Option<Vec<f32>> {
        self.spec()
            .afterstates
            .is_none()
            .then(|| self.estimator.outputs_of_rows(observations))
    }

    /// The Q-values of positions and what is allowed there,
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
            // Whoever was trained under the mask never learned what other moves are worth.
            let forbidden = self.spec().mask == Mask::Legal && direction != preferred;
            *choice = Choice {
                direction,
                forbidden,
            };
        }
    }
}

/// Chooses among the plans that a source proposes. Alone it plays nothing: [`maker`](Self::maker)
/// joins it with what makes the sources of games.
///
/// [`Agent::new`] and [`load_policy`](crate::load_policy) make one.
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
