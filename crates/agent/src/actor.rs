//! The acting half of a round: environment steps into the replay buffer, and the batch of the next gradient step out of
//! it.

use crate::chooser::Chooser;
use crate::config::{Actions, TrainConfig};
use crate::games::Games;
use crate::minibatch::Minibatch;
use crate::n_step::{NStep, Outcome};
use crate::network::QNetwork;
use crate::packing::{Packer, Scratch};
use crate::replay::Replay;
use crate::spec::AgentSpec;
use crate::view::Inputs;
use hognose_env::{ActionKind, EpisodeStats, discount_on, steps_on};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Board, Rules};

const SAMPLING: Purpose = Purpose::new("replay sampling");

/// Games and replay.
pub(crate) struct Actor {
    pub(crate) games: Games,
    pub(crate) windows: Vec<NStep>,
    packer: Packer,
    pub(crate) replay: Replay,
    inputs: Inputs,
    scratch: Scratch,
    /// The board that returns are meant for.
    board: Board,
}

impl Actor {
    pub(crate) fn new(games: Games, spec: &AgentSpec, rules: &[Rules], config: &TrainConfig) -> Actor {
        let packer = Packer::of(spec, rules);
        Actor {
            games,
            windows: vec![NStep::default(); config.num_envs],
            replay: Replay::new(config.replay.capacity, &packer, config.replay.priority_exponent > 0.0),
            inputs: Inputs::new(spec),
            scratch: packer.scratch(),
            packer,
            board: spec.board,
        }
    }

    /// Steps every game once and returns the episodes that finished.
    pub(crate) fn act<N: QNetwork>(&mut self, chooser: &mut Chooser<'_, N>, config: &TrainConfig) -> Vec<EpisodeStats> {
        let Actor { games, windows, packer, replay, board: meant_for, .. } = self;
        let store = |env: usize, state: Vec<u8>, action, outcome: &Outcome<'_>| {
            let board = packer.board(&state);
            let (n, discount) = (n_on(config, *meant_for, board), discount_on(config.discount, *meant_for, board));
            windows[env].push(n, discount, state, action, outcome, |transition| replay.push(&transition));
        };
        games.act(chooser, store)
    }

    /// Whether all that a checkpoint brought can be gone on with: positions of the rules, and actions that there are.
    pub(crate) fn is_sound(&mut self, config: &TrainConfig) -> bool {
        let Actor { games, windows, packer, replay, scratch, board: meant_for, .. } = self;
        let actions = games.actions().map_or(1, |kind| kind.count() as u8);
        let mut accepts = |state: &[u8]| packer.accepts(state, scratch);
        let n = |state: &[u8]| n_on(config, *meant_for, packer.board(state));
        let mut kept = replay.ids().map(|id| replay.get(id));
        kept.all(|(state, next_state, action, ..)| action < actions && accepts(state) && accepts(next_state))
            && windows.iter().all(|window| window.is_sound(n, actions, &mut accepts))
            && games.packed().into_iter().all(accepts)
    }

    /// Draws and encodes the batch of a gradient step; the replay buffer must not be empty.
    pub(crate) fn sample(&mut self, seed: u64, gradient_step: u64, config: &TrainConfig) -> Minibatch {
        let draws = &mut rng::keyed(seed, SAMPLING, gradient_step);
        let kind = self.games.actions();
        let sample = self.replay.sample(config.batch_size, config.replay.importance_exponent, draws);
        let (rows, values) = (config.batch_size, self.inputs.values());
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

/// How many rewards are summed on a board.
fn n_on(config: &TrainConfig, meant_for: Board, board: Board) -> usize {
    match config.actions {
        Actions::Moves => steps_on(config.n_step as u32, meant_for, board) as usize,
        Actions::Plans => config.n_step,
    }
}
