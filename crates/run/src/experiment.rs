//! Experiments with one snake.

use crate::error::RunError;
use crate::subject::as_experiment;
use hognose_agent::{AgentSpec, Network, NetworkConfig, TrainConfig, Trainer};
use hognose_env::EnvConfig;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Everything that a training run depends on. Every key but `env.rules.board` has a default.
///
/// ```
/// use hognose_run::{Experiment, Subject};
///
/// let experiment = Experiment::parse("seed = 7\nenv.rules.board = \"5x5\"\ntrain.n_step = 3")?;
/// assert_eq!((experiment.seed, experiment.train.n_step), (7, 3));
/// assert_eq!(experiment.with("train.n_step=5")?.train.n_step, 5);
/// # Ok::<(), hognose_run::RunError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Decides weights, games, exploration and sampling.
    #[serde(default)]
    pub seed: u64,
    /// The policy file, or the folder that holds one, whose weights training starts from. Without
    /// it they are drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub init: Option<PathBuf>,
    /// The environment.
    pub env: EnvConfig,
    /// The network.
    #[serde(default)]
    pub network: NetworkConfig,
    /// How it is trained.
    #[serde(default)]
    pub train: TrainConfig,
    /// The games at the end.
    #[serde(default)]
    pub evaluation: FinalEvaluation,
}

/// The games at the end of training, which tell how well the agent plays beside other policies.
///
/// ```
/// use hognose_run::{Experiment, FinalEvaluation, Subject};
///
/// let short = FinalEvaluation {
///     policies: vec!["greedy".to_owned()],
///     games: 100,
///     ..FinalEvaluation::default()
/// };
/// let text = "env.rules.board = \"5x5\"\nevaluation = { policies = [\"greedy\"], games = 100 }";
/// assert_eq!(Experiment::parse(text)?.evaluation, short);
/// # Ok::<(), hognose_run::RunError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FinalEvaluation {
    /// Policies beside the agent; the first is the reference of paired differences.
    pub policies: Vec<String>,
    /// How many games each policy plays, at least 1.
    pub games: usize,
    /// The seed that the games are derived from.
    pub seed: u64,
}

impl Default for FinalEvaluation {
    fn default() -> FinalEvaluation {
        let policies = ["hamiltonian", "shortcut", "greedy", "random"]
            .map(str::to_owned)
            .to_vec();
        FinalEvaluation {
            policies,
            games: 1000,
            seed: 0,
        }
    }
}

impl Experiment {
    /// A trainer of this experiment before its first step, without threads, on the device of this
    /// name.
    ///
    /// # Errors
    /// When the experiment can't be trained, or the weights that it starts from do not fit.
    pub fn trainer(&self, device: &str) -> Result<Trainer<Network>, RunError> {
        let Experiment {
            seed,
            init,
            env,
            network,
            train,
            ..
        } = self;
        let device = hognose_agent::device(device)?;
        let spec = AgentSpec::new(env, train);
        let mut built = network
            .build(spec.inputs(), spec.outputs(), *seed, &device)
            .map_err(RunError::Experiment)?;
        if let Some(init) = init {
            built = hognose_agent::load_weights(init, &spec, built)?;
        }
        let description = serde_json::to_value(built.config()).map_err(as_experiment)?;
        let guides = hognose_policies::guides();
        Ok(Trainer::new(
            train.clone(),
            env.clone(),
            &guides,
            built,
            description,
            *seed,
            &device,
        )?)
    }
}
