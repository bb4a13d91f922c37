//! Experiment files.

use crate::error::{Error, Result};
use crate::files;
use hognose_agent::{NetworkConfig, TrainConfig};
use hognose_env::EnvConfig;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The file in a run's folder that has its experiment with every key.
pub(crate) const EXPERIMENT: &str = "experiment.toml";

/// Everything that a training run depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Experiment {
    /// Decides weights, games, exploration and sampling.
    #[serde(default)]
    pub(crate) seed: u64,
    pub(crate) env: EnvConfig,
    #[serde(default)]
    pub(crate) network: NetworkConfig,
    #[serde(default)]
    pub(crate) train: TrainConfig,
    #[serde(default)]
    pub(crate) evaluation: FinalEvaluation,
}

/// The table at the end of training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct FinalEvaluation {
    /// Policies beside the agent; the first is the reference of paired differences.
    pub(crate) policies: Vec<String>,
    /// Games of each.
    pub(crate) games: usize,
    /// The seed that the games are derived from.
    pub(crate) seed: u64,
}

impl Default for FinalEvaluation {
    fn default() -> FinalEvaluation {
        let policies = ["hamiltonian", "shortcut", "greedy", "random"].map(str::to_owned).to_vec();
        FinalEvaluation { policies, games: 1000, seed: 0 }
    }
}

impl Experiment {
    /// Reads a file, then applies `key=value` settings; keys are dotted, values are TOML (or bare strings).
    pub(crate) fn read(path: &Path, settings: &[String]) -> Result<Experiment> {
        Experiment::parse(path, &files::read(path)?)?.with_all(settings)
    }

    /// Reads the experiment in a run's folder, then applies settings. What a folder of an earlier version leaves out is as it was
    /// then: no starvation, and schedules over all steps that the run began with.
    pub(crate) fn of_run(folder: &Path, settings: &[String]) -> Result<Experiment> {
        let path = folder.join(EXPERIMENT);
        let text = files::read(&path)?;
        let mut experiment = Experiment::parse(&path, &text)?;
        let table: toml::Table = text.parse()?;
        if table.get("env").is_some_and(|env| env.get("starvation").is_none()) {
            experiment.env.starvation = None;
        }
        experiment.train.schedule_steps.get_or_insert(experiment.train.total_steps);
        experiment.with_all(settings)
    }

    fn parse(path: &Path, text: &str) -> Result<Experiment> {
        let wrong = |error: toml::de::Error| format!("{}: {}", path.display(), error.to_string().trim_end());
        toml::from_str(text).map_err(|error| Error::new(wrong(error)))
    }

    fn with_all(self, settings: &[String]) -> Result<Experiment> {
        let mut experiment = settings.iter().try_fold(self, |experiment, setting| {
            experiment.with(setting).map_err(|error| error.context(format_args!("--set {setting}")))
        })?;
        // Shaping leaves the best policy the best only with the agent's own discount: there is no other to set.
        experiment.env.reward.discount = experiment.train.discount;
        Ok(experiment)
    }

    fn with(&self, setting: &str) -> Result<Experiment> {
        let (key, value) = setting.split_once('=').ok_or_else(|| Error::new("expected key=value"))?;
        let value = toml::from_str::<toml::Table>(&format!("value = {value}"))
            .ok()
            .and_then(|mut table| table.remove("value"))
            .unwrap_or_else(|| toml::Value::String(value.to_owned()));
        let mut root = toml::Table::try_from(self)?;
        let mut table = &mut root;
        let mut names = key.split('.').peekable();
        while let Some(name) = names.next() {
            if names.peek().is_none() {
                table.insert(name.to_owned(), value);
                break;
            }
            let next = table.entry(name).or_insert_with(|| toml::Value::Table(toml::Table::new()));
            table = next.as_table_mut().ok_or_else(|| Error::new(format!("{name:?} has no keys of its own")))?;
        }
        root.try_into().map_err(|error: toml::de::Error| Error::new(error.to_string().trim_end()))
    }

    /// Every key that training depends on but the seed, dotted, with its value; lists as text.
    pub(crate) fn hyperparameters(&self) -> Result<BTreeMap<String, toml::Value>> {
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
        let mut keys = BTreeMap::new();
        for (name, value) in toml::Table::try_from(self)? {
            if name != "seed" && name != "evaluation" {
                flatten(&name, value, &mut keys);
            }
        }
        keys.remove("env.reward.discount"); // always train.discount
        Ok(keys)
    }

    /// A name that runs share if they differ in their seeds alone.
    pub(crate) fn group(&self) -> Result<String> {
        let keys = self.hyperparameters()?;
        let checksum = crc32fast::hash(format!("{keys:?}").as_bytes());
        Ok(format!("{} {checksum:08x}", self.env.rules.board()))
    }

    /// The file's text with every key.
    pub(crate) fn text(&self) -> Result<String> {
        Ok(toml::to_string(self)?)
    }
}
