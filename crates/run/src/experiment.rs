//! Experiments: everything that training runs depend on.

use crate::dqn::DqnExperiment;
use crate::error::{RunError, as_experiment};
use crate::files;
use crate::selfplay::SelfplayExperiment;
use hognose_agent::LearningRate;
use hognose_game::Board;
use hognose_policies::Catalog;
use serde::{Serialize, de::DeserializeOwned};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The file in a run's folder that contains its experiment with every key.
pub const EXPERIMENT: &str = "experiment.toml";

/// Everything that a training run depends on. It is read from a TOML file and written back with
/// every key.
///
/// ```
/// use hognose_run::Experiment;
///
/// let experiment = Experiment::parse("seed = 7\nenv.rules.board = \"5x5\"\ntrain.n_step = 3")?;
/// assert_eq!((experiment.seed(), experiment.title().as_str()), (7, "5x5"));
/// let Experiment::Dqn(longer) = experiment.with("train.total_steps=2_560_000")? else {
///     panic!("one snake learns by Q-learning")
/// };
/// assert_eq!((longer.train.total_steps, longer.train.n_step), (2_560_000, 3));
/// # Ok::<(), hognose_run::RunError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Experiment {
    /// One snake, trained by deep Q-learning.
    Dqn(Box<DqnExperiment>),
    /// Two snakes, trained by self-play.
    Selfplay(Box<SelfplayExperiment>),
}

impl From<DqnExperiment> for Experiment {
    fn from(experiment: DqnExperiment) -> Experiment {
        Experiment::Dqn(Box::new(experiment))
    }
}

impl From<SelfplayExperiment> for Experiment {
    fn from(experiment: SelfplayExperiment) -> Experiment {
        Experiment::Selfplay(Box::new(experiment))
    }
}

/// Evaluates an expression for fields that both kinds of experiments have.
macro_rules! both {
    ($experiment:expr, $its:ident => $value:expr) => {
        match $experiment {
            Experiment::Dqn($its) => $value,
            Experiment::Selfplay($its) => $value,
        }
    };
}

/// The intervals of a run's periodic work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intervals {
    /// Environment steps between selection games.
    pub evaluate: u64,
    /// Environment steps between checkpoints.
    pub checkpoint: u64,
    /// Environment steps between points of the curves.
    pub log: u64,
    /// Number of checkpoints kept.
    pub kept: usize,
}

impl Experiment {
    /// Parses the text of an experiment file.
    ///
    /// # Errors
    /// Fails if it is not TOML, or has invalid keys or values.
    pub fn parse(text: &str) -> Result<Experiment, RunError> {
        // Only experiments with two snakes have this key.
        let is_duel = text
            .parse::<Table>()
            .is_ok_and(|table| table.contains_key("duel"));
        Ok(if is_duel {
            Experiment::Selfplay(parse(text)?)
        } else {
            Experiment::Dqn(Box::new(parse::<DqnExperiment>(text)?.settled()))
        })
    }

    /// Reads an experiment file.
    ///
    /// # Errors
    /// Fails if the file can't be read or is not an experiment.
    pub fn read(path: &Path) -> Result<Experiment, RunError> {
        Experiment::parse(&files::read(path)?)
            .map_err(|error| RunError::Experiment(format!("{}: {error}", path.display())))
    }

    /// Reads the experiment in a run's folder, then applies settings of the form `key=value`.
    ///
    /// # Errors
    /// Fails if there is none, or a setting is invalid.
    pub fn of_run(folder: &Path, settings: &[String]) -> Result<Experiment, RunError> {
        Experiment::read(&folder.join(EXPERIMENT))?.with_all(settings)
    }

    /// Returns the experiment changed by settings, one after another: see [`with`](Self::with).
    ///
    /// # Errors
    /// Fails with the first setting that is invalid.
    pub fn with_all(self, settings: &[String]) -> Result<Experiment, RunError> {
        settings
            .iter()
            .try_fold(self, |experiment, setting| experiment.with(setting))
    }

    /// Returns the experiment changed by a setting of the form `key=value`. Keys are dotted; values
    /// are TOML or bare strings.
    ///
    /// # Errors
    /// Fails if the setting is invalid.
    pub fn with(&self, setting: &str) -> Result<Experiment, RunError> {
        let wrong = |reason: String| RunError::Setting {
            setting: setting.to_owned(),
            reason,
        };
        let Some((key, value)) = setting.split_once('=') else {
            return Err(wrong("expected key=value".to_owned()));
        };
        // More than one key means that the value contained a second line.
        let value = toml::from_str::<Table>(&format!("value = {value}"))
            .ok()
            .filter(|table| table.len() == 1)
            .and_then(|mut table| table.remove("value"))
            .unwrap_or_else(|| Value::String(value.to_owned()));
        let mut root = self.table()?;
        let mut replaced = None;
        let mut table = &mut root;
        let mut names = key.split('.').peekable();
        while let Some(name) = names.next() {
            if names.peek().is_none() {
                let is_table = value.is_table();
                replaced = table.insert(name.to_owned(), value);
                replaced = replaced.filter(|before| before.is_table() && !is_table);
                break;
            }
            let next = table
                .entry(name)
                .or_insert_with(|| Value::Table(Table::new()));
            table = next
                .as_table_mut()
                .ok_or_else(|| wrong(format!("{name:?} has no subkeys")))?;
        }
        let refused = |error: toml::de::Error| {
            wrong(match &replaced {
                Some(before) => format!("expected a table such as {before}"),
                None => error.to_string().trim_end().to_owned(),
            })
        };
        Ok(match self {
            Experiment::Dqn(before) => {
                let changed: DqnExperiment = root.try_into().map_err(refused)?;
                Experiment::Dqn(Box::new(changed.changed_from(before).settled()))
            }
            Experiment::Selfplay(_) => Experiment::Selfplay(root.try_into().map_err(refused)?),
        })
    }

    /// Returns every key that training depends on except the seed, dotted, with its value.
    ///
    /// # Errors
    /// Fails if a value can't be written as TOML, such as a seed of 2^63 or more.
    pub fn hyperparameters(&self) -> Result<BTreeMap<String, Value>, RunError> {
        fn flatten(name: &str, value: Value, into: &mut BTreeMap<String, Value>) {
            match value {
                Value::Table(table) => {
                    for (key, value) in table {
                        flatten(&format!("{name}.{key}"), value, into);
                    }
                }
                value => drop(into.insert(name.to_owned(), value)),
            }
        }
        let mut keys = BTreeMap::new();
        for (name, value) in self.table()? {
            if name != "seed" && name != "evaluation" {
                flatten(&name, value, &mut keys);
            }
        }
        // It repeats train.discount.
        keys.remove("env.reward.discount");
        Ok(keys)
    }

    /// Returns a name shared by runs that differ only in their seeds.
    ///
    /// # Errors
    /// Fails if a value can't be written as TOML, such as a seed of 2^63 or more.
    pub fn group(&self) -> Result<String, RunError> {
        let keys = self.hyperparameters()?;
        let checksum = crc32fast::hash(format!("{keys:?}").as_bytes());
        Ok(format!("{} {checksum:08x}", self.title()))
    }

    /// Returns the text of the experiment file with every key.
    ///
    /// # Errors
    /// Fails if a value can't be written as TOML, such as a seed of 2^63 or more.
    pub fn text(&self) -> Result<String, RunError> {
        self.check_seeds()?;
        toml::to_string(self).map_err(as_experiment)
    }

    fn table(&self) -> Result<Table, RunError> {
        self.check_seeds()?;
        Table::try_from(self).map_err(as_experiment)
    }

    /// Checks that the seeds fit into TOML integers, which are below 2^63.
    fn check_seeds(&self) -> Result<(), RunError> {
        let seeds =
            both!(self, its => [("seed", its.seed), ("evaluation.seed", its.evaluation.seed)]);
        match seeds
            .into_iter()
            .find(|(_, seed)| i64::try_from(*seed).is_err())
        {
            None => Ok(()),
            Some((key, seed)) => Err(RunError::Experiment(format!(
                "{key} must be in 0..={}, got {seed}",
                i64::MAX
            ))),
        }
    }

    /// Returns the seed of weights, games, exploration and sampling.
    pub fn seed(&self) -> u64 {
        both!(self, its => its.seed)
    }

    /// Returns the experiment with another seed.
    pub fn with_seed(mut self, seed: u64) -> Experiment {
        both!(&mut self, its => its.seed = seed);
        self
    }

    /// Returns the policy file, or the folder that holds one, whose weights training starts from.
    pub fn init(&self) -> Option<&PathBuf> {
        match self {
            Experiment::Dqn(its) => its.init.as_ref(),
            Experiment::Selfplay(_) => None,
        }
    }

    /// Returns the experiment with the weights of a file as its start.
    ///
    /// # Errors
    /// Fails if it can't start from a file.
    pub fn with_init(mut self, init: PathBuf) -> Result<Experiment, RunError> {
        match &mut self {
            Experiment::Dqn(its) => its.init = Some(init),
            Experiment::Selfplay(_) => {
                let problem = "agents for duels start from random weights, not from a file";
                return Err(RunError::Experiment(problem.to_owned()));
            }
        }
        Ok(self)
    }

    /// Returns the title of the experiment where runs of one kind are compared, such as its board.
    pub fn title(&self) -> String {
        match self {
            Experiment::Dqn(its) if its.env.boards.is_empty() => self.board().to_string(),
            Experiment::Dqn(its) => its.env.range().to_string(),
            Experiment::Selfplay(its) => its.duel.to_string(),
        }
    }

    /// Returns the board of the final games.
    pub fn board(&self) -> Board {
        match self {
            Experiment::Dqn(its) => its.env.rules.board(),
            Experiment::Selfplay(its) => its.duel.board(),
        }
    }

    /// Returns the total environment steps.
    pub fn total_steps(&self) -> u64 {
        both!(self, its => its.train.total_steps)
    }

    /// Returns the environment steps over which schedules fall.
    pub fn schedule_steps(&self) -> u64 {
        both!(self, its => its.train.schedule())
    }

    /// Returns the experiment with an explicit schedule length: its own if it has one, otherwise
    /// that of `begun`.
    pub fn with_schedule_of(mut self, begun: &Experiment) -> Experiment {
        let steps = begun.schedule_steps();
        both!(&mut self, its => its.train.schedule_steps.get_or_insert(steps));
        self
    }

    /// Returns the learning rate of Adam.
    pub fn learning_rate(&self) -> LearningRate {
        both!(self, its => its.train.learning_rate)
    }

    /// Returns the maximum global gradient norm.
    pub fn max_gradient_norm(&self) -> f32 {
        both!(self, its => its.train.max_gradient_norm)
    }

    /// Returns the intervals of a run's periodic work.
    pub fn intervals(&self) -> Intervals {
        both!(self, its => Intervals {
            evaluate: its.train.evaluate_every,
            checkpoint: its.train.checkpoint_every,
            log: its.train.log_every,
            kept: its.train.keep_checkpoints,
        })
    }

    /// Checks that the experiment can be trained and evaluated.
    ///
    /// # Errors
    /// Fails if it can't.
    pub fn check(&self, catalog: &Catalog) -> Result<(), RunError> {
        both!(self, its => its.check(catalog))
    }

    /// Returns the name of the policy or bot that plays the best weights of a run's folder.
    pub fn agent_name(&self, folder: &Path) -> String {
        match self {
            Experiment::Dqn(_) => format!("dqn:{}", folder.display()),
            Experiment::Selfplay(_) => crate::selfplay::agent_name(folder),
        }
    }
}

fn parse<E: DeserializeOwned>(text: &str) -> Result<E, RunError> {
    toml::from_str(text)
        .map_err(|error| RunError::Experiment(error.to_string().trim_end().to_owned()))
}
