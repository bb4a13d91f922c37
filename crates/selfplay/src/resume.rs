//! Saving and restoring a self-play trainer.

use crate::config::SelfplayConfig;
use crate::duels::{DuelEnd, Player, TrainingDuel};
use crate::network::ValueModule;
use crate::trainer::SelfplayTrainer;
use hognose_agent::Progress;
use hognose_agent::parts::{self, Adam, parameters, with_values};
use hognose_duel::ValueNetwork;
use hognose_game::Direction;
use hognose_game::duel::DuelRules;
use hognose_store::{Arrays, Contents, StoreError, floats};
use safetensors::Dtype;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::path::Path;

/// The progress of training, and the duels that its curves average.
#[derive(Serialize, Deserialize)]
struct Counters {
    #[serde(flatten)]
    progress: Progress,
    kept_at: u64,
    ended: VecDeque<DuelEnd>,
}

#[derive(Serialize, Deserialize)]
struct State {
    kind: String,
    rules: DuelRules,
    config: SelfplayConfig,
    seed: u64,
    counters: Counters,
    duels: Vec<SavedDuel>,
    older: usize,
    adam_steps: u64,
    pushed: u64,
}

/// A saved ongoing duel.
#[derive(Serialize, Deserialize)]
struct SavedDuel {
    index: u64,
    players: [Player; 2],
    /// The letters of both seats' moves, step by step.
    moves: String,
}

const CHECKPOINT: &str = "duel-checkpoint";

impl<N: ValueModule> SelfplayTrainer<N> {
    /// Writes a checkpoint, from which training resumes exactly.
    ///
    /// # Errors
    /// Fails if writing fails.
    pub fn save(&self, path: &Path) -> Result<(), StoreError> {
        let SelfplayTrainer {
            config,
            learner,
            duels,
            positions,
            ..
        } = self;
        let duel = |duel: &TrainingDuel| SavedDuel {
            index: duel.index,
            players: duel.players,
            moves: duel
                .moves
                .iter()
                .flatten()
                .map(|direction| direction.letter())
                .collect(),
        };
        let state = State {
            kind: CHECKPOINT.to_owned(),
            rules: duels.setting.rules,
            config: SelfplayConfig {
                schedule_steps: Some(config.schedule()),
                ..config.clone()
            },
            seed: self.seed,
            counters: Counters {
                progress: self.progress.clone(),
                kept_at: self.kept_at,
                ended: self.ended.clone(),
            },
            duels: duels.games.iter().map(duel).collect(),
            older: self.older.len(),
            adam_steps: learner.adam.steps,
            pushed: positions.pushed,
        };
        let mut arrays = Arrays::new();
        let weights = parameters(learner.network());
        parts::put_parameters(&mut arrays, "network", &weights);
        learner.adam.put(&mut arrays, &weights);
        for (number, older) in self.older.iter().enumerate() {
            let values: Vec<f32> = older
                .layers()
                .iter()
                .flat_map(|(weights, bias)| [weights, bias])
                .flatten()
                .copied()
                .collect();
            arrays.insert(
                format!("older.{number}"),
                floats(vec![values.len()], &values),
            );
        }
        let visits = duels.games.iter().flat_map(|duel| &duel.visits);
        let values: Vec<f32> = visits.map(|visit| visit.value).collect();
        arrays.insert(
            "visits.values".to_owned(),
            floats(vec![values.len()], &values),
        );
        arrays.insert(
            "records".to_owned(),
            (
                vec![positions.records.len()],
                Dtype::U8,
                positions.records.clone(),
            ),
        );
        arrays.insert(
            "targets".to_owned(),
            floats(vec![positions.targets.len()], &positions.targets),
        );
        hognose_store::write(path, &state, &arrays)
    }

    /// Resumes exactly from a checkpoint. `total_steps`, `schedule_steps`, `learning_rate`,
    /// `max_gradient_norm` and the settings of evaluations, checkpoints and logs may differ; other
    /// differences are errors.
    ///
    /// # Errors
    /// Fails if the file is not a complete checkpoint of this version, rules, seed, configuration
    /// and network. The trainer may then be partly restored.
    pub fn restore(&mut self, path: &Path) -> Result<(), StoreError> {
        let corrupt = |reason: &str| hognose_store::corrupt(path, reason);
        let Contents { state, mut arrays } = hognose_store::read::<serde_json::Value>(path)?;
        hognose_store::expect_same(path, "the kind of file", &CHECKPOINT, &state["kind"])?;
        let state: State =
            serde_json::from_value(state).map_err(|error| corrupt(&error.to_string()))?;
        hognose_store::expect_same(path, "duel", &self.duels.setting.rules, &state.rules)?;
        hognose_store::expect_same(path, "seed", &self.seed, &state.seed)?;
        self.config
            .schedule_steps
            .get_or_insert(state.config.schedule());
        let changed_as_ours = SelfplayConfig {
            total_steps: self.config.total_steps,
            schedule_steps: self.config.schedule_steps,
            learning_rate: self.config.learning_rate,
            max_gradient_norm: self.config.max_gradient_norm,
            evaluate_every: self.config.evaluate_every,
            evaluation_pairs: self.config.evaluation_pairs,
            checkpoint_every: self.config.checkpoint_every,
            keep_checkpoints: self.config.keep_checkpoints,
            log_every: self.config.log_every,
            ..state.config.clone()
        };
        hognose_store::expect_same(path, "train", &self.config, &changed_as_ours)?;

        let like = parameters(self.learner.network());
        let weights = parts::take_parameters(&mut arrays, "network", &like, path)?;
        self.learner.adam.take(&mut arrays, &like, path)?;
        self.learner.adam.steps = state.adam_steps;
        let Adam {
            first,
            second,
            average,
            ..
        } = &self.learner.adam;
        if ![&weights, first, second, average]
            .into_iter()
            .flatten()
            .flatten()
            .all(|number| number.is_finite())
        {
            return Err(corrupt("a weight is not finite"));
        }
        let network = self
            .learner
            .network
            .take()
            .expect("no gradient step is under way");
        self.learner.network = Some(with_values(network, weights.iter().map(Vec::as_slice)));

        let mut take = |name: &str| {
            let taken = hognose_store::take_floats(&mut arrays, name).map(|(_, numbers)| numbers);
            taken.ok_or_else(|| corrupt(&format!("{name} is missing or not numeric")))
        };
        self.older = (0..state.older)
            .map(|number| {
                self.like_network(&take(&format!("older.{number}"))?)
                    .ok_or_else(|| corrupt("an older version has the wrong number of weights"))
            })
            .collect::<Result<_, _>>()?;
        let values = take("visits.values")?;
        let targets = take("targets")?;
        let (_, _, records) = arrays
            .remove("records")
            .ok_or_else(|| corrupt("records is missing"))?;
        let steps = state
            .duels
            .iter()
            .map(|duel| duel.moves.chars().count() / 2)
            .sum::<usize>();
        if steps != values.len() || !values.iter().all(|value| (-1.0..=1.0).contains(value)) {
            return Err(corrupt(
                "the values do not match the steps of the duels, or are not in -1..=1",
            ));
        }
        let count = self.config.num_envs as u64;
        let places = (0..count).zip(&state.duels);
        if state.duels.len() as u64 != count
            || places
                .clone()
                .any(|(place, duel)| duel.index % count != place)
        {
            return Err(corrupt("the number or order of the duels is wrong"));
        }
        let mut values = values.into_iter();
        for (game, saved) in self.duels.games.iter_mut().zip(&state.duels) {
            let letters: Option<Vec<Direction>> =
                saved.moves.chars().map(Direction::from_letter).collect();
            let moves = letters.ok_or_else(|| corrupt("a move is not a direction"))?;
            let (moves, _) = moves.as_chunks::<2>();
            let is_known = saved.players.into_iter().all(|player| match player {
                Player::Learner => true,
                Player::Older(older) => older < self.older.len(),
                Player::Bot(bot) => bot < self.duels.setting.bots.len(),
            });
            let setting = &self.duels.setting;
            let mut duel = is_known
                .then(|| TrainingDuel::with_players(setting, saved.players, saved.index).ok())
                .flatten()
                .ok_or_else(|| corrupt("a duel has unknown players"))?;
            duel.replay(setting, moves, &mut values)
                .ok_or_else(|| corrupt("a duel does not replay"))?;
            *game = duel;
        }
        if !self.positions.restore(state.pushed, records, targets) {
            return Err(corrupt(
                "the positions in the replay buffer have the wrong number, size or targets",
            ));
        }
        let Counters {
            progress,
            kept_at,
            ended,
        } = state.counters;
        if !progress.is_sound() || kept_at > progress.step || state.pushed >= 1 << 62 {
            return Err(corrupt("its counters are inconsistent"));
        }
        self.progress = progress;
        self.kept_at = kept_at;
        self.ended = ended;
        self.batch = self.draw();
        Ok(())
    }

    /// Returns a network with the learner's layers and these numbers, layer by layer.
    fn like_network(&self, numbers: &[f32]) -> Option<ValueNetwork> {
        let own = self.learner.network().plain(self.sizes).ok()?;
        let mut rest = numbers;
        let mut take = |count: usize| {
            let (taken, left) = rest.split_at_checked(count)?;
            rest = left;
            Some(taken.to_vec())
        };
        let layers = own
            .layers()
            .iter()
            .map(|(weights, bias)| Some((take(weights.len())?, take(bias.len())?)));
        ValueNetwork::new(self.sizes, layers.collect::<Option<_>>()?).ok()
    }
}
