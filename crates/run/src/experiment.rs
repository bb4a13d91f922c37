//! Experiment files.

use crate::error::RunError;
use crate::files;
use hognose_agent::{AgentSpec, Network, NetworkConfig, TrainConfig, Trainer};
use hognose_env::EnvConfig;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file in a run's folder that has its experiment with every key.
pub const EXPERIMENT: &str = "experiment.toml";

/// Everything that a training run depends on. Every key but `env.rules.board` has a default.
///
/// ```
/// use hognose_run::Experiment;
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
    /// The policy file, or the folder that holds one, whose weights training starts from. Without it they are drawn.
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
/// use hognose_run::{Experiment, FinalEvaluation};
///
/// let short = FinalEvaluation { policies: vec!["greedy".to_owned()], games: 100, ..FinalEvaluation::default() };
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
        let policies = ["hamiltonian", "shortcut", "greedy", "random"].map(str::to_owned).to_vec();
        FinalEvaluation { policies, games: 1000, seed: 0 }
    }
}

impl Experiment {
    /// Reads the text of an experiment file.
    ///
    /// # Errors
    /// When it is no TOML, or has other keys or values than an experiment.
    pub fn parse(text: &str) -> Result<Experiment, RunError> {
        let experiment: Experiment =
            toml::from_str(text).map_err(|error| RunError::Experiment(error.to_string().trim_end().to_owned()))?;
        Ok(experiment.with_own_discount())
    }

    /// Reads an experiment file.
    ///
    /// # Errors
    /// When there is no such file, or it is no experiment.
    pub fn read(path: &Path) -> Result<Experiment, RunError> {
        Experiment::parse_file(path, &files::read(path)?)
    }

    fn parse_file(path: &Path, text: &str) -> Result<Experiment, RunError> {
        Experiment::parse(text).map_err(|error| RunError::Experiment(format!("{}: {error}", path.display())))
    }

    /// Reads the experiment in a run's folder, then applies settings of the form `key=value`. What a folder of an
    /// earlier version leaves out is as it was then: no starvation, and schedules over all steps that the run began
    /// with.
    ///
    /// # Errors
    /// When there is none, or a setting is none that an experiment can have.
    pub fn of_run(folder: &Path, settings: &[String]) -> Result<Experiment, RunError> {
        let path = folder.join(EXPERIMENT);
        let text = files::read(&path)?;
        let mut experiment = Experiment::parse_file(&path, &text)?;
        let table: toml::Table = text.parse().map_err(as_experiment)?;
        if table.get("env").is_some_and(|env| env.get("starvation").is_none()) {
            experiment.env.starvation = None;
        }
        experiment.train.schedule_steps.get_or_insert(experiment.train.total_steps);
        experiment.with_all(settings)
    }

    /// The experiment changed by settings, one after another: see [`with`](Self::with).
    ///
    /// # Errors
    /// The first setting that an experiment can't have.
    pub fn with_all(self, settings: &[String]) -> Result<Experiment, RunError> {
        settings.iter().try_fold(self, |experiment, setting| experiment.with(setting))
    }

    /// The experiment changed by a setting of the form `key=value`. Keys are dotted, values are TOML or bare strings.
    ///
    /// # Errors
    /// When an experiment can't have it.
    pub fn with(&self, setting: &str) -> Result<Experiment, RunError> {
        let wrong = |reason: String| RunError::Setting { setting: setting.to_owned(), reason };
        let (key, value) = setting.split_once('=').ok_or_else(|| wrong("expected key=value".to_owned()))?;
        let value = toml::from_str::<toml::Table>(&format!("value = {value}"))
            .ok()
            .and_then(|mut table| table.remove("value"))
            .unwrap_or_else(|| toml::Value::String(value.to_owned()));
        self.check_seeds()?;
        let mut root = toml::Table::try_from(self).map_err(as_experiment)?;
        let mut table = &mut root;
        let mut names = key.split('.').peekable();
        while let Some(name) = names.next() {
            if names.peek().is_none() {
                table.insert(name.to_owned(), value);
                break;
            }
            let next = table.entry(name).or_insert_with(|| toml::Value::Table(toml::Table::new()));
            table = next.as_table_mut().ok_or_else(|| wrong(format!("{name:?} has no keys of its own")))?;
        }
        let changed: Result<Experiment, toml::de::Error> = root.try_into();
        Ok(changed.map_err(|error| wrong(error.to_string().trim_end().to_owned()))?.with_own_discount())
    }

    /// Shaping leaves the best policy the best only with the agent's own discount: there is no other to set.
    fn with_own_discount(mut self) -> Experiment {
        self.env.reward.discount = self.train.discount;
        self
    }

    /// A trainer of this experiment before its first step, without threads, on the device of this name.
    ///
    /// # Errors
    /// When the experiment can't be trained, or the weights that it starts from do not fit.
    pub fn trainer(&self, device: &str) -> Result<Trainer<Network>, RunError> {
        let Experiment { seed, init, env, network, train, .. } = self;
        let device = hognose_agent::device(device)?;
        let spec = AgentSpec::new(env, train);
        let mut built = network.build(spec.inputs(), spec.outputs(), *seed, &device).map_err(RunError::Experiment)?;
        if let Some(init) = init {
            built = hognose_agent::load_weights(init, &spec, built)?;
        }
        let description = serde_json::to_value(network).map_err(as_experiment)?;
        let guides = hognose_policies::guides();
        Ok(Trainer::new(train.clone(), env.clone(), &guides, built, description, *seed, &device)?)
    }

    /// Every key that training depends on but the seed, dotted, with its value; lists as text.
    pub(crate) fn hyperparameters(&self) -> Result<BTreeMap<String, toml::Value>, RunError> {
        fn flatten(name: &str, value: toml::Value, into: &mut BTreeMap<String, toml::Value>) {
            match value {
                toml::Value::Table(table) => {
                    for (key, value) in table {
                        flatten(&format!("{name}.{key}"), value, into);
                    }
                }
                value => drop(into.insert(name.to_owned(), value)),
            }
        }
        self.check_seeds()?;
        let mut keys = BTreeMap::new();
        for (name, value) in toml::Table::try_from(self).map_err(as_experiment)? {
            if name != "seed" && name != "evaluation" {
                flatten(&name, value, &mut keys);
            }
        }
        keys.remove("env.reward.discount"); // always train.discount
        Ok(keys)
    }

    /// A name that runs share if they differ in their seeds alone.
    ///
    /// # Errors
    /// When a value can't be written as TOML, such as a seed from 2^63 on.
    pub fn group(&self) -> Result<String, RunError> {
        let keys = self.hyperparameters()?;
        let checksum = crc32fast::hash(format!("{keys:?}").as_bytes());
        Ok(format!("{} {checksum:08x}", self.env.rules.board()))
    }

    /// The file's text with every key.
    ///
    /// # Errors
    /// When a value can't be written as TOML, such as a seed from 2^63 on.
    pub fn text(&self) -> Result<String, RunError> {
        self.check_seeds()?;
        toml::to_string(self).map_err(as_experiment)
    }

    /// TOML has no integers from 2^63 on.
    fn check_seeds(&self) -> Result<(), RunError> {
        for (key, seed) in [("seed", self.seed), ("evaluation.seed", self.evaluation.seed)] {
            if i64::try_from(seed).is_err() {
                return Err(RunError::Experiment(format!("{key} must be in 0..={}, got {seed}", i64::MAX)));
            }
        }
        Ok(())
    }
}

fn as_experiment(error: impl std::error::Error) -> RunError {
    RunError::Experiment(error.to_string())
}
