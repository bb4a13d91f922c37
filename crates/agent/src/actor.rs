//! The acting half of a round: environment steps into the replay buffer, and the batch of the next gradient step out of it.

use crate::afterstates::AfterstateGames;
use crate::agent::best;
use crate::learner::Minibatch;
use crate::plans::PlanGames;
use crate::replay::{NStep, Outcome, unit};
use crate::view::Inputs;
use crate::{AgentSpec, Packer, QNetwork, Replay, TrainConfig, View};
use burn::tensor::{Device, Tensor, TensorData};
use hognose_env::{ActionKind, Batch, Buffers, EpisodeStats, VectorEnv};
use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Game, Position, Rules};

const SAMPLING: Purpose = Purpose::new("replay sampling");

/// Games and replay.
pub(crate) struct Actor {
    pub(crate) games: Games,
    pub(crate) windows: Vec<NStep>,
    packer: Packer,
    pub(crate) replay: Replay,
    inputs: Inputs,
    scratch: Position,
}

/// What an action is decides how games are stepped.
pub(crate) enum Games {
    Moves(MoveGames),
    Afterstates(AfterstateGames),
    Plans(PlanGames),
}

/// What chooses actions: a network, and how often it explores.
pub(crate) struct Chooser<'a, N> {
    pub(crate) network: &'a N,
    pub(crate) device: &'a Device,
    /// The probability of a random action.
    pub(crate) epsilon: f64,
    pub(crate) draws: Generator,
}

impl<N: QNetwork> Chooser<'_, N> {
    /// What the network says of so many rows of observations.
    pub(crate) fn outputs(&self, observations: Vec<f32>, rows: usize) -> Vec<f32> {
        if rows == 0 {
            return Vec::new();
        }
        let values = observations.len() / rows;
        let observations = TensorData::new(observations, [rows, values]);
        let outputs = self.network.q_values(Tensor::from_data(observations, self.device));
        outputs.into_data().try_into_vec().expect("Q-values are f32")
    }

    /// One of the allowed actions; of all actions, if none is allowed.
    pub(crate) fn action(&mut self, q: &[f32], bits: u8, kind: ActionKind) -> u8 {
        let bits = if bits == 0 { kind.all_bits() } else { bits };
        if unit(&mut self.draws) >= self.epsilon {
            return best(q, bits, kind);
        }
        let nth = rng::below(&mut self.draws, bits.count_ones().into()) as usize;
        (0..kind.count() as u8).filter(|action| bits >> action & 1 == 1).nth(nth).expect("nth < allowed")
    }

    /// One of any number of things that are worth so much, by its index.
    pub(crate) fn index(&mut self, worth: &[f32]) -> usize {
        if unit(&mut self.draws) >= self.epsilon {
            return greatest(worth);
        }
        rng::below(&mut self.draws, worth.len() as u64) as usize
    }
}

/// Environments stepped move by move.
pub(crate) struct MoveGames {
    pub(crate) env: VectorEnv,
    buffers: Buffers<f32>,
    packer: Packer,
}

impl Actor {
    pub(crate) fn new(games: Games, spec: &AgentSpec, rules: Rules, config: &TrainConfig) -> Actor {
        let packer = Packer::of(spec, rules);
        Actor {
            games,
            windows: vec![NStep::default(); config.num_envs],
            packer,
            replay: Replay::new(config.replay.capacity, packer, config.replay.priority_exponent > 0.0),
            inputs: Inputs::new(spec),
            scratch: Game::new(rules, 0).position().clone(),
        }
    }

    /// Steps every game once and returns the episodes that finished.
    pub(crate) fn act<N: QNetwork>(&mut self, chooser: &mut Chooser<'_, N>, config: &TrainConfig) -> Vec<EpisodeStats> {
        let Actor { games, windows, replay, .. } = self;
        let store = |env: usize, state, action, outcome: &Outcome<'_>| {
            let emit = |transition| replay.push(&transition);
            windows[env].push(config.n_step, config.discount, state, action, outcome, emit);
        };
        match games {
            Games::Moves(games) => games.act(chooser, store),
            Games::Afterstates(games) => games.act(chooser, store),
            Games::Plans(games) => games.act(chooser, store),
        }
    }

    /// Draws and encodes the batch of a gradient step; the replay buffer must not be empty.
    pub(crate) fn sample(&mut self, seed: u64, gradient_step: u64, config: &TrainConfig) -> Minibatch {
        let draws = &mut rng::keyed(seed, SAMPLING, gradient_step);
        let kind = match &self.games {
            Games::Moves(games) => Some(games.env.config().action),
            Games::Afterstates(_) | Games::Plans(_) => None,
        };
        let sample = self.replay.sample(config.batch_size, config.replay.importance_exponent, draws);
        let (rows, values) = (config.batch_size, self.inputs.space().len());
        let mut batch = Minibatch {
            ids: sample.ids,
            weights: sample.weights,
            observations: vec![0.0; rows * values],
            actions: Vec::with_capacity(rows),
            rewards: Vec::with_capacity(rows),
            discounts: Vec::with_capacity(rows),
            next_observations: vec![0.0; rows * values],
            next_masks: Vec::with_capacity(rows * kind.map_or(0, ActionKind::count)),
        };
        for (row, &id) in batch.ids.iter().enumerate() {
            let mirrored = config.mirror && rng::below(draws, 2) == 1;
            let (state, next_state, action, reward, discount) = self.replay.get(id);
            let view = self.packer.unpack(state, mirrored, &mut self.scratch);
            self.inputs.encode(&view, &mut batch.observations[row * values..][..values]);
            let view = self.packer.unpack(next_state, mirrored, &mut self.scratch);
            self.inputs.encode(&view, &mut batch.next_observations[row * values..][..values]);
            batch.rewards.push(reward);
            batch.discounts.push(discount);
            // An afterstate has one value, whatever comes next.
            let Some(kind) = kind else {
                batch.actions.push(0);
                continue;
            };
            batch.actions.push(if mirrored { kind.mirrored(action) } else { action }.into());
            let next_bits = kind.bits(view.allowed, view.position.heading());
            batch.next_masks.extend((0..kind.count()).map(|action| next_bits >> action & 1 == 1));
        }
        batch
    }
}

impl MoveGames {
    pub(crate) fn new(env: VectorEnv) -> MoveGames {
        MoveGames { buffers: Buffers::new(&env), packer: Packer::new(env.config().rules), env }
    }

    /// Steps every environment and tells `store` of each position left behind; the episodes that finished.
    fn act<N: QNetwork>(
        &mut self,
        chooser: &mut Chooser<'_, N>,
        mut store: impl FnMut(usize, Vec<u8>, u8, &Outcome<'_>),
    ) -> Vec<EpisodeStats> {
        let (envs, kind) = (self.env.num_envs(), self.env.config().action);
        self.env.observe(&mut self.buffers.batch()).expect("the buffers are made for this environment");
        let q = chooser.outputs(self.buffers.observations.clone(), envs);
        let choose = |(env, q): (usize, &[f32])| chooser.action(q, self.env.action_bits(env), kind);
        let actions: Vec<u8> = q.chunks_exact(kind.count()).enumerate().map(choose).collect();
        let states: Vec<Vec<u8>> = (0..envs).map(|env| self.pack(env)).collect();
        let Batch { rewards, signals, .. } = self.buffers.batch();
        let mut unseen = Batch::<f32> {
            observations: &mut [],
            kept: false,
            final_observations: &mut [],
            rewards,
            signals,
            masks: &mut [],
            final_masks: &mut [],
        };
        self.env.step(&actions, &mut unseen).expect("ended environments were restarted");
        let mut finished = Vec::new();
        for (env, state) in states.into_iter().enumerate() {
            let signal = self.buffers.signals[env];
            let lost = self.env.action_bits(env) == 0;
            let outcome = Outcome {
                reward: self.buffers.rewards[env],
                terminated: signal.terminated(),
                ended: signal.ended(),
                next_state: &self.pack(env),
                lost: lost.then(|| self.env.config().reward.losing(&self.env.position(env))),
            };
            store(env, state, actions[env], &outcome);
            if signal.ended() {
                finished.extend(self.env.last_episode(env));
                self.env.restart(env);
            }
        }
        finished
    }

    fn pack(&mut self, env: usize) -> Vec<u8> {
        let allowed = self.env.allowed(env).moves;
        self.packer.packed(&View::new(&self.env.position(env), allowed))
    }
}

/// The index of the greatest value, the first of equals.
pub(crate) fn greatest(values: &[f32]) -> usize {
    (0..values.len()).reduce(|best, other| if values[other] > values[best] { other } else { best }).unwrap_or(0)
}
