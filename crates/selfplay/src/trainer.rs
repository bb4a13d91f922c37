//! The self-play trainer, and its training rounds.
//!
//! Each round advances the duels and takes one gradient step, in parallel with two or more threads.
//! The duels use the weights from before this round's gradient step, whose batch was drawn in the
//! previous round. Results therefore depend neither on timing nor on the number of threads.

use crate::config::SelfplayConfig;
use crate::duels::{DuelEnd, Duels, Learner, Player, Setting};
use crate::learner::{ValueBatch, ValueLearner};
use crate::network::ValueModule;
use crate::replay::Positions;
use burn::tensor::Device;
use hognose_agent::parts::{Adam, start_threads};
use hognose_agent::{Curves, Metric, Progress, TrainError, Training};
use hognose_duel::{DuelEncoder, InputSizes, ValueFile, ValueNetwork};
use hognose_game::Unsupported;
use hognose_game::duel::{DuelRules, MakeBot, Seat};
use hognose_game::rng::{self, Purpose};
use hognose_store::{StoreError, expect_same};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

const SAMPLING: Purpose = Purpose::new("sampling");
/// The number of last duels that the curves consider.
const RECENT_DUELS: usize = 1000;
/// The maximum number of duels of each kind that are averaged.
const AVERAGED: usize = 500;

/// A trainer of an agent for duels by self-play. It holds the network, the optimizer, the duels and
/// the replay buffer. Results do not depend on threads.
pub struct SelfplayTrainer<N> {
    pub(crate) config: SelfplayConfig,
    pub(crate) seed: u64,
    pub(crate) sizes: InputSizes,
    device: Device,
    pub(crate) learner: ValueLearner<N>,
    pub(crate) duels: Duels,
    pub(crate) older: Vec<ValueNetwork>,
    pub(crate) positions: Positions,
    /// The batch of the next round's gradient step, drawn from the positions of earlier rounds;
    /// `None` if that round takes no gradient step.
    pub(crate) batch: Option<ValueBatch>,
    pub(crate) progress: Progress,
    /// The step at which the last older version was stored.
    pub(crate) kept_at: u64,
    /// The last duels that ended.
    pub(crate) ended: VecDeque<DuelEnd>,
    pool: Option<rayon::ThreadPool>,
}

impl<N: ValueModule> SelfplayTrainer<N> {
    /// Makes a trainer before its first step, which starts no threads. The network takes the inputs
    /// of the encoder, and is on `device`. `bots` are those that the configuration names, in the
    /// same order.
    ///
    /// # Errors
    /// Fails if the configuration is invalid, or a bot does not support these rules or depends on a
    /// clock.
    pub fn new(
        config: SelfplayConfig,
        rules: DuelRules,
        encoder: Arc<dyn DuelEncoder>,
        bots: Vec<Arc<dyn MakeBot>>,
        network: N,
        seed: u64,
        device: &Device,
    ) -> Result<SelfplayTrainer<N>, TrainError> {
        config.validate()?;
        if bots.iter().any(|bot| bot.depends_on_clock()) {
            let reason = "training opponents must not depend on a clock: give their budgets as \
                          depths or positions";
            return Err(Unsupported(reason.to_owned()).into());
        }
        let sizes = encoder.sizes();
        network.plain(sizes).map_err(Unsupported)?;
        let duels = Duels::new(
            Setting {
                rules,
                encoder,
                bots,
                late_starts: config.late_starts,
                seed,
            },
            &config,
        )?;
        let network = network.train();
        let adam = Adam::new(&network, config.average_decay > 0.0);
        Ok(SelfplayTrainer {
            positions: Positions::new(config.capacity, sizes.record()),
            config,
            seed,
            sizes,
            device: device.clone(),
            learner: ValueLearner {
                network: Some(network),
                adam,
            },
            duels,
            older: Vec::new(),
            batch: None,
            progress: Progress::default(),
            kept_at: 0,
            ended: VecDeque::new(),
            pool: None,
        })
    }

    /// Returns the configuration; after a restore, with the schedule of the resumed run.
    pub fn config(&self) -> &SelfplayConfig {
        &self.config
    }

    /// Uses a pool of `threads` threads. Results do not depend on their number.
    ///
    /// # Errors
    /// Fails if `threads` is 0, or they can't be started.
    pub fn with_threads(self, threads: usize) -> Result<SelfplayTrainer<N>, TrainError> {
        Ok(SelfplayTrainer {
            pool: Some(start_threads(threads)?),
            ..self
        })
    }

    /// Returns the network that plays: with averaged weights if an average is kept.
    fn network(&self) -> ValueNetwork {
        let network = self.learner.network().valid();
        let averaged = self.learner.adam.averaged(network);
        averaged
            .plain(self.sizes)
            .expect("weights are finite after each gradient step")
    }

    /// Draws the batch of the next gradient step.
    pub(crate) fn draw(&self) -> Option<ValueBatch> {
        let SelfplayTrainer {
            config,
            progress,
            positions,
            ..
        } = self;
        if progress.step < config.learning_starts || positions.len() == 0 {
            return None;
        }
        let draws = &mut rng::keyed(self.seed, SAMPLING, progress.gradient_steps);
        let slots: Vec<usize> = (0..config.batch_size)
            .map(|_| rng::below(draws, positions.len() as u64) as usize)
            .collect();
        Some(ValueBatch::new(
            self.sizes,
            slots.iter().map(|&slot| positions.get(slot)),
        ))
    }
}

impl<N: ValueModule> Training for SelfplayTrainer<N> {
    type Agent = ValueFile;

    fn progress(&mut self) -> &mut Progress {
        &mut self.progress
    }

    fn round(&mut self) -> Result<(), TrainError> {
        let batch = self.batch.take();
        let network = self.network();
        let SelfplayTrainer {
            config,
            device,
            learner,
            duels,
            older,
            progress,
            pool,
            ..
        } = self;
        let rate = config.learning_rate_at(progress.step);
        let parallel = pool.is_some();
        let players = Learner {
            network: &network,
            older,
            config,
        };
        let mut act = || duels.act(players, config.steps_per_gradient_step, parallel);
        let mut learn = || {
            let batch = batch.as_ref()?;
            Some(learner.learn(
                batch,
                device,
                rate,
                config.max_gradient_norm,
                config.average_decay,
            ))
        };
        let (finished, learned) = match pool {
            Some(pool) => pool.install(|| rayon::join(act, learn)),
            None => (act(), learn()),
        };
        if let Some(learned) = learned {
            if !learned.is_sound {
                return Err(progress.diverged(learned.loss, learned.gradient_norm));
            }
            progress.count(learned.loss.into(), learned.gradient_norm.into());
        }
        progress.step += (config.num_envs * config.steps_per_gradient_step) as u64;
        for duel in finished {
            for (record, target) in &duel.positions {
                self.positions.push(record, *target);
            }
            self.ended.push_back(duel.end);
        }
        let excess = self.ended.len().saturating_sub(RECENT_DUELS);
        self.ended.drain(..excess);
        if self
            .progress
            .has_come_round(self.kept_at, self.config.opponents.older_every)
        {
            self.kept_at = self.progress.step;
            self.older.push(self.network());
        }
        self.batch = self.draw();
        Ok(())
    }

    fn curves(&mut self) -> Curves {
        let step = self.progress.step;
        let mut points = vec![
            (Metric::Positions, self.positions.len() as f64),
            (Metric::LearningRate, self.config.learning_rate_at(step)),
        ];
        let own = self.recent(|players| players == [Player::Learner; 2]);
        if !own.is_empty() {
            let draws = own
                .iter()
                .map(|end| f64::from(u8::from(end.winner.is_none())));
            let steps = own.iter().map(|end| f64::from(end.steps));
            points.push((Metric::DrawRate, draws.sum::<f64>() / own.len() as f64));
            points.push((Metric::DuelSteps, steps.sum::<f64>() / own.len() as f64));
        }
        let older = self.recent(|players| {
            players
                .iter()
                .any(|player| matches!(player, Player::Older(_)))
        });
        let bots = self.recent(|players| {
            players
                .iter()
                .any(|player| matches!(player, Player::Bot(_)))
        });
        for (metric, ended) in [
            (Metric::ScoreAgainstOlder, older),
            (Metric::ScoreAgainstBots, bots),
        ] {
            if !ended.is_empty() {
                let scores = ended.iter().map(learners_score);
                points.push((metric, scores.sum::<f64>() / ended.len() as f64));
            }
        }
        points.extend(self.progress.log());
        let network = self.network();
        let values = (0..self.positions.len().min(AVERAGED))
            .map(|slot| network.value(self.positions.get(slot).0))
            .collect();
        Curves {
            points,
            histogram: Some((Metric::Values, values)),
        }
    }

    fn check(&self) -> Result<(), TrainError> {
        let Some(batch) = &self.batch else {
            return Ok(());
        };
        self.progress
            .check(self.learner.loss_on(batch, &self.device))
    }

    fn agent(&self) -> ValueFile {
        ValueFile {
            rules: self.duels.setting.rules,
            network: self.network(),
        }
    }

    fn save_agent(&self, path: &Path) -> Result<(), StoreError> {
        self.agent().write(path)
    }

    fn load_agent(&self, path: &Path) -> Result<ValueFile, StoreError> {
        let own = self.agent();
        let file = ValueFile::read(path)?;
        expect_same(path, "duel", &own.rules, &file.rules)?;
        expect_same(path, "the numbers of weights", &shape(&own), &shape(&file))?;
        Ok(file)
    }

    fn save(&self, path: &Path) -> Result<(), StoreError> {
        SelfplayTrainer::save(self, path)
    }

    fn restore(&mut self, path: &Path) -> Result<(), StoreError> {
        SelfplayTrainer::restore(self, path)
    }
}

impl<N> SelfplayTrainer<N> {
    /// Returns the last duels of some players. Omits those that started late: they end sooner, and
    /// are drawn more often.
    fn recent(&self, is_meant: impl Fn([Player; 2]) -> bool) -> Vec<DuelEnd> {
        self.ended
            .iter()
            .rev()
            .filter(|end| !end.began_late && is_meant(end.players))
            .take(AVERAGED)
            .copied()
            .collect()
    }
}

/// Returns the numbers of weights and biases of each layer.
fn shape(file: &ValueFile) -> Vec<[usize; 2]> {
    let layers = file.network.layers().iter();
    layers
        .map(|(weights, bias)| [weights.len(), bias.len()])
        .collect()
}

/// Returns the learner's score in a duel against another player: 1, 1/2 or 0.
fn learners_score(end: &DuelEnd) -> f64 {
    match end.winner {
        None => 0.5,
        Some(seat) if end.players[Seat::index(seat)] == Player::Learner => 1.0,
        Some(_) => 0.0,
    }
}
