//! What a run trains.

use crate::error::RunError;
use crate::files;
use hognose_agent::{LearningRate, Training};
use hognose_duel::EmbeddedDuelAgent;
use hognose_game::{Board, Unsupported};
use hognose_policies::EmbeddedAgent;
use serde::{Serialize, de::DeserializeOwned};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The file in a run's folder that has its experiment with every key.
pub const EXPERIMENT: &str = "experiment.toml";

/// Which selection games are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// Those that weights play while training goes on.
    First,
    /// Five times as many others, which the best few weights play when it ends.
    Last,
}

impl Round {
    /// The games of this round, by their indices, if there are so many in the first round.
    pub fn games(self, first: usize) -> Range<usize> {
        match self {
            Round::First => 0..first,
            Round::Last => first..6 * first,
        }
    }
}

/// An experiment that a [`Run`](crate::Run) can train: what it depends on, its trainer, and the
/// games that choose the best weights. It is read from a TOML file, and written back with every
/// key.
pub trait Subject: Clone + PartialEq + Serialize + DeserializeOwned {
    /// What trains it.
    type Trainer: Training;
    /// What the selection games tell.
    type Selected;
    /// What the final games tell of the agent.
    type Results: Clone + Serialize + DeserializeOwned;

    /// The name of the histogram of what the network tells of a batch.
    const VALUES: &'static str;
    /// Keys that say nothing of how it learns, or repeat others.
    const NOT_LEARNED_FROM: &'static [&'static str];

    /// The experiment with the keys that follow from others.
    fn settled(self) -> Self {
        self
    }

    /// The experiment with the defaults that a setting has changed.
    fn changed_from(self, _before: &Self) -> Self {
        self
    }

    /// What a run's folder of an earlier version left out, as it was then.
    fn completed_from(self, _text: &toml::Table) -> Self {
        self
    }

    /// Decides weights, games, exploration and sampling.
    fn seed(&self) -> u64;

    /// The experiment with another seed.
    fn with_seed(self, seed: u64) -> Self;

    /// All seeds, with their keys.
    fn seeds(&self) -> Vec<(&'static str, u64)>;

    /// The policy file, or the folder that holds one, whose weights training starts from.
    fn init(&self) -> Option<&PathBuf>;

    /// The experiment that starts from other weights.
    ///
    /// # Errors
    /// When it can't start from a file.
    fn with_init(self, init: Option<PathBuf>) -> Result<Self, RunError>;

    /// What it is called where runs of one kind are compared, such as its board.
    fn title(&self) -> String;

    /// The board.
    fn board(&self) -> Board;

    /// Environment steps in all.
    fn total_steps(&self) -> u64;

    /// Environment steps over which schedules fall, where that is told.
    fn schedule_steps(&self) -> Option<u64>;

    /// The experiment with schedules of so many steps.
    fn with_schedule_steps(self, steps: Option<u64>) -> Self;

    /// Adam's step size.
    fn learning_rate(&self) -> LearningRate;

    /// Largest global norm of a gradient.
    fn max_gradient_norm(&self) -> f32;

    /// Fails where the experiment can't be trained and evaluated.
    ///
    /// # Errors
    /// What is wrong.
    fn check(&self, players: &Players) -> Result<(), RunError>;

    /// A trainer before its first step, without threads.
    ///
    /// # Errors
    /// When the experiment can't be trained, or the weights that it starts from do not fit.
    fn trainer(&self, players: &Players) -> Result<Self::Trainer, RunError>;

    /// Plays the selection games on so many threads, and asks all the while whether to go on;
    /// `None` when it should not.
    ///
    /// # Errors
    /// When the agent can't play them.
    fn select(
        &self,
        agent: &<Self::Trainer as Training>::Agent,
        round: Round,
        players: &Players,
        threads: usize,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Option<Scored<Self>>, Unsupported>;

    /// The score of selection games as it is reported, where that is not the score that weights are
    /// chosen by.
    fn reported(
        score: <Self::Trainer as Training>::Score,
        _selected: &Self::Selected,
    ) -> <Self::Trainer as Training>::Score {
        score
    }

    /// Whether weights are chosen by the score that is reported. Otherwise a run that goes on has
    /// none to report before it plays selection games.
    fn reports_what_it_chooses_by(&self) -> bool {
        true
    }

    /// The curves of the selection games: names in TensorBoard, and values.
    fn curves(
        score: &<Self::Trainer as Training>::Score,
        selected: &Self::Selected,
    ) -> Vec<(String, f64)>;

    /// The name by which the best weights of a run's folder play.
    fn agent_name(folder: &Path) -> String;

    /// Reads the text of an experiment file.
    ///
    /// # Errors
    /// When it is no TOML, or has other keys or values than an experiment of this kind.
    fn parse(text: &str) -> Result<Self, RunError> {
        let experiment: Self = toml::from_str(text)
            .map_err(|error| RunError::Experiment(error.to_string().trim_end().to_owned()))?;
        Ok(experiment.settled())
    }

    /// Reads an experiment file.
    ///
    /// # Errors
    /// When there is no such file, or it is no experiment of this kind.
    fn read(path: &Path) -> Result<Self, RunError> {
        parse_file(path, &files::read(path)?)
    }

    /// Reads the experiment in a run's folder, then applies settings of the form `key=value`. What
    /// a folder of an earlier version leaves out is as it was then: schedules went over all steps
    /// that the run began with.
    ///
    /// # Errors
    /// When there is none, or a setting is none that an experiment can have.
    fn of_run(folder: &Path, settings: &[String]) -> Result<Self, RunError> {
        let path = folder.join(EXPERIMENT);
        let text = files::read(&path)?;
        let experiment: Self = parse_file(&path, &text)?;
        let experiment = experiment.completed_from(&text.parse().map_err(as_experiment)?);
        let steps = experiment
            .schedule_steps()
            .unwrap_or(experiment.total_steps());
        experiment
            .with_schedule_steps(Some(steps))
            .with_all(settings)
    }

    /// The experiment changed by settings, one after another: see [`with`](Self::with).
    ///
    /// # Errors
    /// The first setting that an experiment can't have.
    fn with_all(self, settings: &[String]) -> Result<Self, RunError> {
        settings
            .iter()
            .try_fold(self, |experiment, setting| experiment.with(setting))
    }

    /// The experiment changed by a setting of the form `key=value`. Keys are dotted, values are
    /// TOML or bare strings.
    ///
    /// # Errors
    /// When an experiment can't have it.
    fn with(&self, setting: &str) -> Result<Self, RunError> {
        let wrong = |reason: String| RunError::Setting {
            setting: setting.to_owned(),
            reason,
        };
        let (key, value) = setting
            .split_once('=')
            .ok_or_else(|| wrong("expected key=value".to_owned()))?;
        // A second line could set another key.
        let value = toml::from_str::<toml::Table>(&format!("value = {value}"))
            .ok()
            .filter(|table| table.len() == 1)
            .and_then(|mut table| table.remove("value"))
            .unwrap_or_else(|| toml::Value::String(value.to_owned()));
        check_seeds(self)?;
        let mut root = toml::Table::try_from(self).map_err(as_experiment)?;
        let mut table = &mut root;
        let mut names = key.split('.').peekable();
        while let Some(name) = names.next() {
            if names.peek().is_none() {
                table.insert(name.to_owned(), value);
                break;
            }
            let next = table
                .entry(name)
                .or_insert_with(|| toml::Value::Table(toml::Table::new()));
            table = next
                .as_table_mut()
                .ok_or_else(|| wrong(format!("{name:?} has no keys of its own")))?;
        }
        let changed: Result<Self, toml::de::Error> = root.try_into();
        let changed = changed.map_err(|error| wrong(error.to_string().trim_end().to_owned()))?;
        Ok(changed.changed_from(self).settled())
    }

    /// Every key that training depends on but the seed, dotted, with its value; lists as text.
    ///
    /// # Errors
    /// When a value can't be written as TOML, such as a seed from 2^63 on.
    fn hyperparameters(&self) -> Result<BTreeMap<String, toml::Value>, RunError> {
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
        check_seeds(self)?;
        let mut keys = BTreeMap::new();
        for (name, value) in toml::Table::try_from(self).map_err(as_experiment)? {
            if name != "seed" && name != "evaluation" {
                flatten(&name, value, &mut keys);
            }
        }
        keys.retain(|key, _| !Self::NOT_LEARNED_FROM.contains(&key.as_str()));
        Ok(keys)
    }

    /// A name that runs share if they differ in their seeds alone.
    ///
    /// # Errors
    /// When a value can't be written as TOML, such as a seed from 2^63 on.
    fn group(&self) -> Result<String, RunError> {
        let keys = self.hyperparameters()?;
        let checksum = crc32fast::hash(format!("{keys:?}").as_bytes());
        Ok(format!("{} {checksum:08x}", self.title()))
    }

    /// The file's text with every key.
    ///
    /// # Errors
    /// When a value can't be written as TOML, such as a seed from 2^63 on.
    fn text(&self) -> Result<String, RunError> {
        check_seeds(self)?;
        toml::to_string(self).map_err(as_experiment)
    }
}

/// How the selection games went: the score that weights are chosen by, and what is told of it.
pub type Scored<S> = (
    <<S as Subject>::Trainer as Training>::Score,
    <S as Subject>::Selected,
);

/// Where tensors live, and whom an experiment may name besides those in files.
#[derive(Clone, Debug)]
pub struct Players {
    /// Where tensors live: a name that [`hognose_agent::device`] knows.
    pub device: String,
    /// Agents that play alone.
    pub agents: &'static [EmbeddedAgent],
    /// Agents that play duels.
    pub duel_agents: &'static [EmbeddedDuelAgent],
}

impl Default for Players {
    fn default() -> Players {
        Players {
            device: "cpu".to_owned(),
            agents: &[],
            duel_agents: &[],
        }
    }
}

impl Players {
    /// Where policies are looked up. Programs are refused, since names come from files.
    pub fn policies(&self) -> hognose_policies::Catalog {
        hognose_policies::Catalog::default()
            .on(&self.device)
            .with_agents(self.agents)
    }

    /// Where bots for duels are looked up. Programs are refused, since names come from files.
    pub fn bots(&self) -> hognose_duel::Catalog {
        hognose_duel::Catalog::default().with_agents(self.duel_agents)
    }
}

fn parse_file<S: Subject>(path: &Path, text: &str) -> Result<S, RunError> {
    S::parse(text).map_err(|error| RunError::Experiment(format!("{}: {error}", path.display())))
}

/// TOML has no integers from 2^63 on.
fn check_seeds<S: Subject>(experiment: &S) -> Result<(), RunError> {
    for (key, seed) in experiment.seeds() {
        if i64::try_from(seed).is_err() {
            return Err(RunError::Experiment(format!(
                "{key} must be in 0..={}, got {seed}",
                i64::MAX
            )));
        }
    }
    Ok(())
}

/// Takes what a library says of an experiment.
pub(crate) fn as_experiment(error: impl std::error::Error) -> RunError {
    RunError::Experiment(error.to_string())
}
