//! Everything that learning by self-play needs, and a round of it.
//!
//! Each round plays duels on and takes one gradient step, side by side where there are two threads:
//! duels are played with the weights from before this round's gradient step, whose batch was drawn
//! in the round before. So nothing depends on timing or on the number of threads.

use super::config::SelfplayConfig;
use super::duels::{DuelEnd, Duels, Learner, Player, Setting};
use super::learner::{ValueBatch, ValueLearner, ValueStep};
use super::network::ValueModule;
use super::replay::Positions;
use crate::checkpoint::{Candidates, best_path};
use crate::error::TrainError;
use crate::optimizer::Adam;
use crate::parameters::with_values;
use crate::recorder::{DuelScore, Metric, Recorder};
use crate::trainer::start;
use crate::training::{Due, Training, has_come_round};
use burn::tensor::Device;
use hognose_duel::{DuelEncoder, InputSizes, ValueFile, ValueNetwork};
use hognose_game::Unsupported;
use hognose_game::duel::{DuelRules, MakeDuelist, Seat};
use hognose_game::rng::{self, Purpose};
use hognose_store::StoreError;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

const SAMPLING: Purpose = Purpose::new("sampling");
/// Finished duels that the curves look at.
const RECENT_DUELS: usize = 1000;
/// Of each kind, so many of these are averaged.
const AVERAGED: usize = 500;

/// Everything that learning by self-play needs, in memory: the network, the optimizer, duels and
/// positions to learn from. [`train`](crate::train) runs one to its end and writes files.
pub struct SelfplayTrainer<N> {
    pub(crate) config: SelfplayConfig,
    pub(crate) seed: u64,
    pub(crate) sizes: InputSizes,
    device: Device,
    pub(crate) learner: ValueLearner<N>,
    pub(crate) duels: Duels,
    pub(crate) older: Vec<ValueNetwork>,
    pub(crate) positions: Positions,
    /// Whether the next round takes a gradient step; its batch is drawn from the positions of the
    /// round before.
    pub(crate) batch: Option<ValueBatch>,
    pub(crate) counters: SelfplayCounters,
    pool: Option<rayon::ThreadPool>,
}

/// How far training is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SelfplayCounters {
    /// Steps of duels.
    pub(crate) step: u64,
    pub(crate) gradient_steps: u64,
    /// The steps of the last evaluation, checkpoint, point of the curves, and older self.
    pub(crate) evaluated_at: u64,
    pub(crate) saved_at: u64,
    pub(crate) logged_at: u64,
    pub(crate) kept_at: u64,
    pub(crate) last_score: Option<DuelScore>,
    pub(crate) candidates: Candidates<DuelScore>,
    pub(crate) ended: VecDeque<DuelEnd>,
    /// Since the last point of the curves.
    pub(crate) loss_sum: f64,
    pub(crate) gradient_norm_sum: f64,
    pub(crate) losses: u64,
}

impl<N: ValueModule> SelfplayTrainer<N> {
    /// A trainer before its first step, which starts no threads. The network takes the inputs of
    /// the encoder, and lies on `device`. `bots` are those that the configuration names, in its
    /// order.
    ///
    /// # Errors
    /// When the configuration is not valid, or a bot does not play by these rules, or not always
    /// the same.
    pub fn new(
        config: SelfplayConfig,
        rules: DuelRules,
        encoder: Arc<dyn DuelEncoder>,
        bots: Vec<Arc<dyn MakeDuelist>>,
        network: N,
        seed: u64,
        device: &Device,
    ) -> Result<SelfplayTrainer<N>, TrainError> {
        config.validate()?;
        if bots.iter().any(|bot| bot.depends_on_clock()) {
            let reason = "bots that training plays against must not depend on a clock: give them \
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
            counters: SelfplayCounters::default(),
            pool: None,
        })
    }

    /// The configuration; after a restore with the schedule of the run that goes on.
    pub fn config(&self) -> &SelfplayConfig {
        &self.config
    }

    /// The value that plays: that of the averaged weights, where an average is kept.
    fn network(&self) -> ValueNetwork {
        let network = self.learner.network().valid();
        let average = &self.learner.adam.average;
        let network = if average.is_empty() {
            network
        } else {
            with_values(network, average.iter().map(Vec::as_slice))
        };
        network
            .plain(self.sizes)
            .expect("weights are finite after each gradient step")
    }

    /// The batch of the next gradient step.
    pub(crate) fn draw(&self) -> Option<ValueBatch> {
        let SelfplayTrainer {
            config,
            counters,
            positions,
            ..
        } = self;
        if counters.step < config.learning_starts || positions.len() == 0 {
            return None;
        }
        let draws = &mut rng::keyed(self.seed, SAMPLING, counters.gradient_steps);
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
    type Score = DuelScore;
    type GradientStep = f64;

    fn with_threads(self, threads: usize) -> Result<Self, TrainError> {
        Ok(SelfplayTrainer {
            pool: Some(start(threads)?),
            ..self
        })
    }

    fn restore(&mut self, checkpoint: &Path) -> Result<(), StoreError> {
        SelfplayTrainer::restore(self, checkpoint)
    }

    fn schedule(&self) -> u64 {
        self.config.schedule()
    }

    fn step(&self) -> u64 {
        self.counters.step
    }

    fn total_steps(&self) -> u64 {
        self.config.total_steps
    }

    fn gradient_steps(&self) -> u64 {
        self.counters.gradient_steps
    }

    fn score(&self) -> Option<DuelScore> {
        self.counters.last_score
    }

    fn interval(&self, what: Due) -> (u64, u64) {
        match what {
            Due::Evaluation => (self.counters.evaluated_at, self.config.evaluate_every),
            Due::Checkpoint => (self.counters.saved_at, self.config.checkpoint_every),
            Due::Point => (self.counters.logged_at, self.config.log_every),
        }
    }

    fn next_loss(&self) -> f32 {
        self.batch
            .as_ref()
            .map_or(0.0, |batch| self.learner.loss_on(batch, &self.device))
    }

    fn agent(&self) -> ValueFile {
        ValueFile {
            rules: self.duels.setting.rules,
            network: self.network(),
        }
    }

    fn is_better(one: &DuelScore, other: &DuelScore) -> bool {
        one.score > other.score
    }

    fn take_score(&mut self, score: DuelScore, run: &Path) -> Result<(), StoreError> {
        self.counters.evaluated_at = self.counters.step;
        self.counters.last_score = Some(score);
        let (agent, step) = (self.agent(), self.counters.step);
        self.counters
            .candidates
            .take(run, (step, score), Self::is_better, |path| {
                agent.write(path)
            })
    }

    fn candidates(&self, run: &Path) -> Result<Vec<(u64, ValueFile)>, StoreError> {
        let own = self.agent();
        let shape = |file: &ValueFile| -> Vec<[usize; 2]> {
            file.network
                .layers()
                .iter()
                .map(|(weights, bias)| [weights.len(), bias.len()])
                .collect()
        };
        self.counters.candidates.read(run, |path| {
            let file = ValueFile::read(path)?;
            hognose_store::expect_same(path, "duel", &own.rules, &file.rules)?;
            hognose_store::expect_same(
                path,
                "the numbers of weights",
                &shape(&own),
                &shape(&file),
            )?;
            Ok(file)
        })
    }

    fn choose(&self, agent: &ValueFile, run: &Path) -> Result<(), StoreError> {
        agent.write(&best_path(run))
    }

    fn save(&mut self, run: &Path) -> Result<(), StoreError> {
        SelfplayTrainer::save(self, run)
    }

    fn round(&mut self) -> Result<Option<f64>, TrainError> {
        let batch = self.batch.take();
        let network = self.network();
        let SelfplayTrainer {
            config,
            device,
            learner,
            duels,
            older,
            counters,
            pool,
            ..
        } = self;
        let rate = config.learning_rate_at(counters.step);
        let (parallel, config, older) = (pool.is_some(), &*config, &older[..]);
        let mut act = || {
            duels.act(
                Learner {
                    network: &network,
                    older,
                    config,
                },
                config.steps_per_gradient_step,
                parallel,
            )
        };
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
        let (finished, gradient_step) = match pool {
            Some(pool) => pool.install(|| rayon::join(act, learn)),
            None => (act(), learn()),
        };
        if let Some(ValueStep {
            loss,
            gradient_norm,
            is_sound: false,
        }) = gradient_step
        {
            let SelfplayCounters {
                step,
                gradient_steps,
                ..
            } = *counters;
            return Err(TrainError::Diverged {
                step,
                gradient_steps,
                loss,
                gradient_norm,
            });
        }
        counters.step += (config.num_envs * config.steps_per_gradient_step) as u64;
        for ended in finished {
            ended
                .positions
                .iter()
                .for_each(|(record, target)| self.positions.push(record, *target));
            counters.ended.push_back(ended.end);
        }
        let excess = counters.ended.len().saturating_sub(RECENT_DUELS);
        counters.ended.drain(..excess);
        if let Some(ValueStep {
            loss,
            gradient_norm,
            ..
        }) = gradient_step
        {
            counters.gradient_steps += 1;
            counters.losses += 1;
            counters.loss_sum += f64::from(loss);
            counters.gradient_norm_sum += f64::from(gradient_norm);
        }
        if has_come_round(
            self.counters.step,
            self.counters.kept_at,
            self.config.opponents.older_every,
        ) {
            self.counters.kept_at = self.counters.step;
            self.older.push(self.network());
        }
        self.batch = self.draw();
        Ok(gradient_step.map(|done| done.loss.into()))
    }

    fn loss(gradient_step: &f64) -> f64 {
        *gradient_step
    }

    fn record(&mut self, _gradient_step: Option<&f64>, recorder: &mut impl Recorder) {
        let counters = &mut self.counters;
        let step = counters.step;
        counters.logged_at = step;
        recorder.point(step, counters.gradient_steps);
        // Duels that began late end sooner, and more of them are drawn.
        let whole = || counters.ended.iter().rev().filter(|end| !end.began_late);
        let recent = |is_meant: &dyn Fn([Player; 2]) -> bool| {
            whole()
                .filter(|end| is_meant(end.players))
                .take(AVERAGED)
                .copied()
                .collect::<Vec<DuelEnd>>()
        };
        let mut record = |metric, value: f64| recorder.record(step, metric, value);
        let own = recent(&|players| players == [Player::Learner; 2]);
        if !own.is_empty() {
            let mean =
                |of: &dyn Fn(&DuelEnd) -> f64| own.iter().map(of).sum::<f64>() / own.len() as f64;
            record(
                Metric::DrawRate,
                mean(&|end| f64::from(u8::from(end.winner.is_none()))),
            );
            record(Metric::DuelSteps, mean(&|end| end.steps.into()));
        }
        let others = [
            (
                Metric::ScoreAgainstOlder,
                recent(&|players| {
                    players
                        .iter()
                        .any(|player| matches!(player, Player::Older(_)))
                }),
            ),
            (
                Metric::ScoreAgainstBots,
                recent(&|players| {
                    players
                        .iter()
                        .any(|player| matches!(player, Player::Bot(_)))
                }),
            ),
        ];
        for (metric, ended) in others {
            if !ended.is_empty() {
                record(
                    metric,
                    ended.iter().map(learners_score).sum::<f64>() / ended.len() as f64,
                );
            }
        }
        record(Metric::Positions, self.positions.len() as f64);
        record(Metric::LearningRate, self.config.learning_rate_at(step));
        if counters.losses > 0 {
            record(Metric::Loss, counters.loss_sum / counters.losses as f64);
            record(
                Metric::GradientNorm,
                counters.gradient_norm_sum / counters.losses as f64,
            );
        }
        (
            counters.loss_sum,
            counters.gradient_norm_sum,
            counters.losses,
        ) = (0.0, 0.0, 0);
        let network = self.network();
        let values: Vec<f32> = (0..self.positions.len().min(AVERAGED))
            .map(|slot| network.value(self.positions.get(slot).0))
            .collect();
        recorder.record_values(step, &values);
    }
}

/// What the learner got of a duel against another player: 1, 1/2 or 0.
fn learners_score(end: &DuelEnd) -> f64 {
    match end.winner {
        None => 0.5,
        Some(seat) if end.players[Seat::index(seat)] == Player::Learner => 1.0,
        Some(_) => 0.0,
    }
}
