//! Saves a trainer to a file and restores it.

use crate::config::TrainConfig;
use crate::envs::Snapshots;
use crate::n_step::NStep;
use crate::network::QNetwork;
use crate::parameters::{parameters, put_parameters, take_parameters, with_values};
use crate::trainer::{Priorities, Trainer};
use crate::training::Progress;
use hognose_env::{EnvConfig, EpisodeStats};
use hognose_store::{Arrays, Contents, StoreError};
use safetensors::Dtype;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::path::Path;

/// Training progress and the episodes that the curves average.
#[derive(Serialize, Deserialize)]
struct Counters {
    #[serde(flatten)]
    progress: Progress,
    vector_steps: u64,
    episodes: VecDeque<EpisodeStats>,
}

#[derive(Serialize, Deserialize)]
struct State {
    kind: String,
    env: EnvConfig,
    config: TrainConfig,
    seed: u64,
    counters: Counters,
    windows: Vec<NStep>,
    environments: Snapshots,
    pending: Priorities,
    has_batch: bool,
    adam_steps: u64,
    pushed: u64,
}

const CHECKPOINT: &str = "checkpoint";

impl<N: QNetwork> Trainer<N> {
    /// Writes a checkpoint from which training resumes exactly.
    ///
    /// # Errors
    /// Fails if writing fails.
    pub fn save(&self, path: &Path) -> Result<(), StoreError> {
        let Trainer {
            config,
            learner,
            rollout,
            ..
        } = self;
        let (pushed, records, priorities) = rollout.replay.parts();
        let state = State {
            kind: CHECKPOINT.to_owned(),
            env: self.env_config.clone(),
            config: TrainConfig {
                schedule_steps: Some(config.schedule()),
                ..config.clone()
            },
            seed: self.seed,
            counters: Counters {
                progress: self.progress.clone(),
                vector_steps: self.vector_steps,
                episodes: self.episodes.clone(),
            },
            windows: rollout.windows.clone(),
            environments: rollout.envs.snapshots(),
            pending: self.pending.clone(),
            has_batch: self.batch.is_some(),
            adam_steps: learner.adam.steps,
            pushed,
        };
        let mut arrays = Arrays::new();
        let online = parameters(learner.online());
        put_parameters(&mut arrays, "online", &online);
        put_parameters(&mut arrays, "target", &parameters(&learner.target));
        learner.adam.put(&mut arrays, &online);
        arrays.insert(
            "replay".to_owned(),
            (vec![records.len()], Dtype::U8, records.to_vec()),
        );
        let bytes = priorities
            .iter()
            .flat_map(|priority| priority.to_le_bytes())
            .collect();
        arrays.insert(
            "priorities".to_owned(),
            (vec![priorities.len()], Dtype::F64, bytes),
        );
        hognose_store::write(path, &state, &arrays)
    }

    /// Restores a checkpoint into a new trainer made with the same configurations. These keys may
    /// differ: `total_steps`, those that affect only reports, and those that can rescue a diverging
    /// run: `schedule_steps`, `learning_rate`, `max_gradient_norm`.
    ///
    /// # Errors
    /// Fails if the file is not a complete checkpoint of this version, board, observation,
    /// configuration and network.
    pub fn restore(&mut self, path: &Path) -> Result<(), StoreError> {
        let corrupt = |reason: &str| StoreError::Corrupt {
            path: path.to_owned(),
            reason: reason.to_owned(),
        };
        let Contents { state, mut arrays } = hognose_store::read::<serde_json::Value>(path)?;
        hognose_store::expect_same(path, "the kind of file", &CHECKPOINT, &state["kind"])?;
        let state: State =
            serde_json::from_value(state).map_err(|error| corrupt(&error.to_string()))?;
        hognose_store::expect_same(path, "seed", &self.seed, &state.seed)?;
        self.config
            .schedule_steps
            .get_or_insert(state.config.schedule());
        let changed_as_ours = TrainConfig {
            total_steps: self.config.total_steps,
            schedule_steps: self.config.schedule_steps,
            learning_rate: self.config.learning_rate,
            max_gradient_norm: self.config.max_gradient_norm,
            evaluate_every: self.config.evaluate_every,
            evaluation_games: self.config.evaluation_games,
            checkpoint_every: self.config.checkpoint_every,
            keep_checkpoints: self.config.keep_checkpoints,
            log_every: self.config.log_every,
            ..state.config.clone()
        };
        hognose_store::expect_same(path, "train", &self.config, &changed_as_ours)?;
        // The discount of rewards equals the discount of training, which is the key that is set.
        hognose_store::expect_same(path, "env", &self.env_config, &state.env)?;
        if state.environments.len() != self.config.num_envs
            || state.windows.len() != self.config.num_envs
        {
            return Err(corrupt("the number of environments differs"));
        }

        let like = parameters(self.learner.online());
        let mut take = |prefix| take_parameters(&mut arrays, prefix, &like, path);
        let online = take("online")?;
        let target = take("target")?;
        self.learner.adam.take(&mut arrays, &like, path)?;
        self.learner.adam.steps = state.adam_steps;
        let network = self
            .learner
            .online
            .take()
            .expect("no gradient step is under way");
        self.learner.online = Some(with_values(network, online.iter().map(Vec::as_slice)));
        self.learner.target = with_values(
            self.learner.target.clone(),
            target.iter().map(Vec::as_slice),
        );

        let (_, _, records) = arrays
            .remove("replay")
            .ok_or_else(|| corrupt("no replay buffer"))?;
        let (_, _, bytes) = arrays
            .remove("priorities")
            .ok_or_else(|| corrupt("no priorities"))?;
        let priorities = bytes
            .chunks_exact(8)
            .map(|bytes| f64::from_le_bytes(bytes.try_into().expect("eight bytes")));
        if !self
            .rollout
            .replay
            .restore(state.pushed, records, &priorities.collect::<Vec<f64>>())
        {
            return Err(corrupt("the size of the replay buffer differs"));
        }
        self.enter_stage(state.counters.progress.step)
            .map_err(|error| corrupt(&error.to_string()))?;
        self.rollout
            .envs
            .restore(state.environments)
            .map_err(|error| corrupt(&error))?;
        self.rollout.windows = state.windows;
        let counted = state.counters.progress.is_sound()
            && state.counters.vector_steps < 1 << 62
            && state.pushed < 1 << 62
            && state.pending.is_sound(state.pushed);
        if !counted || !self.rollout.is_sound(&self.config) || state.has_batch && state.pushed == 0
        {
            return Err(corrupt("the state is not one that training can reach"));
        }
        self.progress = state.counters.progress;
        self.vector_steps = state.counters.vector_steps;
        self.episodes = state.counters.episodes;
        self.pending = state.pending;
        // The batch was drawn from this buffer before the pending priorities were applied.
        let gradient_steps = self.progress.gradient_steps;
        self.batch = state
            .has_batch
            .then(|| self.rollout.sample(self.seed, gradient_steps, &self.config));
        Ok(())
    }
}
