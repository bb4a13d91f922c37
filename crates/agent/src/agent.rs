//! Learned policies.

use crate::estimator::Estimator;
use crate::move_agent::MoveAgent;
use crate::network::QNetwork;
use crate::plan_agent::PlanAgent;
use crate::spec::AgentSpec;
use burn::tensor::Device;

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
