//! What the training loop needs of deep Q-learning.

use crate::agent::Agent;
use crate::checkpoint::best_path;
use crate::error::TrainError;
use crate::learner::GradientStep;
use crate::network::QNetwork;
use crate::policy::{load_like, save_policy};
use crate::recorder::{Metric, Recorder, Score};
use crate::trainer::Trainer;
use crate::training::{Due, Training};
use hognose_env::EpisodeStats;
use hognose_store::StoreError;
use std::path::Path;

impl<N: QNetwork> Training for Trainer<N> {
    type Agent = Agent<N>;
    type Score = Score;
    type GradientStep = GradientStep;

    fn with_threads(self, threads: usize) -> Result<Self, TrainError> {
        Trainer::with_threads(self, threads)
    }

    fn restore(&mut self, checkpoint: &Path) -> Result<(), StoreError> {
        Trainer::restore(self, checkpoint)
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

    fn score(&self) -> Option<Score> {
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
        self.batch.as_ref().map_or(0.0, |batch| {
            self.learner
                .loss_on(batch, &self.device, self.config.bootstrap)
        })
    }

    fn agent(&self) -> Agent<N> {
        Trainer::agent(self)
    }

    fn is_better(one: &Score, other: &Score) -> bool {
        one.is_better_than(other)
    }

    fn take_score(&mut self, score: Score, run: &Path) -> Result<(), StoreError> {
        self.counters.evaluated_at = self.counters.step;
        self.counters.last_score = Some(score);
        let (agent, step) = (self.agent(), self.counters.step);
        let write = |path: &Path| save_policy(path, &agent, &self.description);
        self.counters
            .candidates
            .take(run, (step, score), Self::is_better, write)
    }

    fn candidates(&self, run: &Path) -> Result<Vec<(u64, Agent<N>)>, StoreError> {
        let own = self.agent();
        self.counters
            .candidates
            .read(run, |path| load_like(path, &own, &self.device))
    }

    fn choose(&self, agent: &Agent<N>, run: &Path) -> Result<(), StoreError> {
        save_policy(&best_path(run), agent, &self.description)
    }

    fn save(&mut self, run: &Path) -> Result<(), StoreError> {
        Trainer::save(self, run)
    }

    fn round(&mut self) -> Result<Option<GradientStep>, TrainError> {
        Trainer::round(self)
    }

    fn loss(gradient_step: &GradientStep) -> f64 {
        gradient_step.loss
    }

    fn record(&mut self, gradient_step: Option<&GradientStep>, recorder: &mut impl Recorder) {
        let counters = &mut self.counters;
        let step = counters.step;
        counters.logged_at = step;
        recorder.point(step, counters.gradient_steps);
        let mut record = |metric, value: f64| recorder.record(step, metric, value);
        let mean = |of: &dyn Fn(&EpisodeStats) -> f64| {
            counters.episodes.iter().map(of).sum::<f64>() / counters.episodes.len() as f64
        };
        if !counters.episodes.is_empty() {
            record(Metric::EpisodeReward, mean(&|episode| episode.reward));
            record(Metric::EpisodeSteps, mean(&|episode| episode.steps.into()));
        }
        record(Metric::Epsilon, self.config.epsilon_at(step));
        record(Metric::BufferSize, self.actor.replay.len() as f64);
        record(Metric::LearningRate, self.config.learning_rate_at(step));
        if counters.losses > 0 {
            record(Metric::Loss, counters.loss_sum / counters.losses as f64);
            record(
                Metric::GradientNorm,
                counters.gradient_norm_sum / counters.losses as f64,
            );
        }
        if let Some(GradientStep {
            q_values, td_abs, ..
        }) = gradient_step
        {
            let mean = |values: &[f32]| {
                values.iter().map(|&x| f64::from(x)).sum::<f64>() / values.len() as f64
            };
            record(Metric::QMean, mean(q_values));
            record(Metric::TdAbsMean, mean(td_abs));
            recorder.record_values(step, q_values);
        }
        (
            counters.loss_sum,
            counters.gradient_norm_sum,
            counters.losses,
        ) = (0.0, 0.0, 0);
    }
}
