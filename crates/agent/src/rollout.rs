//! The acting half of a round: steps environments into the replay buffer, and draws the batch of
//! the next gradient step.

use crate::afterstates::{AfterMove, Branch};
use crate::config::{Actions, TrainConfig};
use crate::dqn::Minibatch;
use crate::envs::RolloutEnvs;
use crate::epsilon_greedy::EpsilonGreedy;
use crate::n_step::{NStep, Transition};
use crate::network::QNetwork;
use crate::network_view::Inputs;
use crate::packing::{Packer, PlansPacker, Scratch};
use crate::replay::Replay;
use crate::spec::AgentSpec;
use hognose_env::{EpisodeStats, discount_on, steps_on};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Board, Position, Rules, Status};

const SAMPLING: Purpose = Purpose::new("replay sampling");

/// Packs the next states of transitions.
enum NextStates {
    /// Views, whose values come directly from the network.
    Views(Packer),
    /// Positions, each move of which leads to an afterstate.
    Positions(Packer),
    /// Plans, each of which leads to an afterstate.
    Plans(PlansPacker),
}

impl NextStates {
    fn new(spec: &AgentSpec, rules: &[Rules], config: &TrainConfig) -> NextStates {
        let plans = PlansPacker::of(spec, rules, config).map(NextStates::Plans);
        plans
            .or_else(|| Packer::of_positions(spec, rules, config).map(NextStates::Positions))
            .unwrap_or_else(|| NextStates::Views(Packer::of(spec, rules)))
    }

    fn bytes(&self) -> usize {
        match self {
            NextStates::Views(packer) | NextStates::Positions(packer) => packer.bytes(),
            NextStates::Plans(packer) => packer.bytes(),
        }
    }

    fn accepts(&self, state: &[u8], scratch: &mut Scratch) -> bool {
        match self {
            NextStates::Views(packer) | NextStates::Positions(packer) => {
                packer.accepts(state, scratch)
            }
            NextStates::Plans(packer) => packer.accepts(state, scratch),
        }
    }
}

/// The environments and the replay buffer.
pub(crate) struct Rollout {
    pub(crate) envs: RolloutEnvs,
    pub(crate) windows: Vec<NStep>,
    packer: Packer,
    next_states: NextStates,
    pub(crate) replay: Replay,
    inputs: Inputs,
    scratch: Scratch,
    spec: AgentSpec,
}

impl Rollout {
    pub(crate) fn new(
        envs: RolloutEnvs,
        spec: &AgentSpec,
        rules: &[Rules],
        config: &TrainConfig,
    ) -> Rollout {
        let packer = Packer::of(spec, rules);
        let next_states = NextStates::new(spec, rules, config);
        let bytes = [packer.bytes(), next_states.bytes()];
        Rollout {
            envs,
            windows: vec![NStep::default(); config.num_envs],
            replay: Replay::new(
                config.replay.capacity,
                bytes,
                config.replay.priority_exponent > 0.0,
            ),
            inputs: Inputs::new(spec),
            scratch: packer.scratch(),
            packer,
            next_states,
            spec: *spec,
        }
    }

    /// Steps every game once and returns the episodes that finished.
    pub(crate) fn act<N: QNetwork>(
        &mut self,
        policy: &mut EpsilonGreedy<'_, N>,
        config: &TrainConfig,
    ) -> Vec<EpisodeStats> {
        let Rollout {
            envs,
            windows,
            replay,
            spec,
            ..
        } = self;
        envs.act(policy, |env, board, begins, outcome| {
            let n = n_on(config, spec.board, board);
            let discount = discount_on(config.discount, spec.board, board);
            windows[env].push(n, discount, begins, outcome, |transition| {
                replay.push(&transition)
            });
        })
    }

    /// Returns whether training can continue from a restored checkpoint: all positions follow the
    /// rules, and all actions exist.
    pub(crate) fn is_sound(&mut self, config: &TrainConfig) -> bool {
        let Rollout {
            envs,
            windows,
            packer,
            next_states,
            replay,
            scratch,
            spec,
            ..
        } = self;
        let actions = spec.outputs() as u8;
        let mut kept = replay.ids().map(|id| replay.get(id));
        let are_sound = kept.all(|transition| {
            transition.action < actions
                && packer.accepts(transition.state, scratch)
                && next_states.accepts(transition.next_state, scratch)
        });
        let mut accepts = |state: &[u8]| packer.accepts(state, scratch);
        are_sound
            && windows.iter().all(|window| {
                window.is_sound(
                    |state| n_on(config, spec.board, packer.board(state)),
                    actions,
                    &mut accepts,
                )
            })
            && envs.packed().into_iter().all(accepts)
    }

    /// Returns the position that a transition begins at, if it is in the replay buffer.
    pub(crate) fn position_of(&mut self, transition: u64) -> Option<Position> {
        if !self.replay.ids().contains(&transition) {
            return None;
        }
        let state = self.replay.get(transition).state;
        let view = self.packer.unpack(state, false, &mut self.scratch);
        Some(view.position.clone())
    }

    /// Draws and encodes the batch of a gradient step; the replay buffer must not be empty.
    pub(crate) fn sample(
        &mut self,
        seed: u64,
        gradient_step: u64,
        config: &TrainConfig,
    ) -> Minibatch {
        let Rollout {
            packer,
            next_states,
            replay,
            inputs,
            scratch,
            spec,
            ..
        } = self;
        let draws = &mut rng::keyed(seed, SAMPLING, gradient_step);
        let sample = replay.sample(config.batch_size, config.replay.importance_exponent, draws);
        let rows = config.batch_size;
        let values = inputs.values();
        let kind = spec.action;
        let mut batch = Minibatch {
            weights: sample.weights,
            observations: Vec::with_capacity(rows * values),
            actions: Vec::with_capacity(rows),
            rewards: Vec::with_capacity(rows),
            discounts: Vec::with_capacity(rows),
            next_observations: Vec::with_capacity(rows * values),
            legal: Vec::new(),
            branches: Vec::new(),
            ids: sample.ids,
        };
        for row in 0..rows {
            let mirrored = config.mirror && rng::below(draws, 2) == 1;
            let Transition {
                state,
                action,
                reward,
                discount,
                next_state,
            } = replay.get(batch.ids[row]);
            inputs.append(
                &packer.unpack(state, mirrored, scratch),
                &mut batch.observations,
            );
            let action = if mirrored && spec.outputs() > 1 {
                kind.mirrored(action)
            } else {
                action
            };
            batch.actions.push(action.into());
            batch.rewards.push(reward);
            batch.discounts.push(discount);
            let Minibatch {
                next_observations,
                legal,
                branches,
                ..
            } = &mut batch;
            // Skip what is not bootstrapped from.
            let is_bootstrapped = discount > 0.0;
            match next_states {
                NextStates::Views(packer) => {
                    let view = packer.unpack(next_state, mirrored, scratch);
                    inputs.append(&view, next_observations);
                    if spec.outputs() > 1 {
                        let bits = kind.bits(view.allowed, view.position.heading());
                        legal.extend((0..kind.count()).map(|action| bits >> action & 1 == 1));
                    }
                }
                NextStates::Positions(packer) => {
                    let (position, allowed) = packer.unpack_position(next_state, mirrored, scratch);
                    let bits = if is_bootstrapped {
                        kind.bits(allowed.moves, position.heading())
                    } else {
                        0
                    };
                    for (action, after) in AfterMove::of_all(position, &allowed, *spec).enumerate()
                    {
                        let is_legal = bits >> action & 1 == 1;
                        if is_legal && after.branch.known.is_none() {
                            inputs.append(&after.view(), next_observations);
                        }
                        branches.push(is_legal.then_some(after.branch));
                    }
                }
                NextStates::Plans(packer) => {
                    for (reward, body) in packer.plans(next_state).take_while(|_| is_bootstrapped) {
                        let view = packer.bodies.unpack(body, mirrored, scratch);
                        let known = (view.position.status() == Status::Won).then_some(0.0);
                        if known.is_none() {
                            inputs.append(&view, next_observations);
                        }
                        branches.push(Some(Branch {
                            reward,
                            discount: 1.0,
                            known,
                        }));
                    }
                    branches.resize((row + 1) * packer.most, None);
                }
            }
        }
        batch
    }
}

/// Returns the number of rewards summed on a board.
fn n_on(config: &TrainConfig, meant_for: Board, board: Board) -> usize {
    match config.actions {
        Actions::Moves => steps_on(config.n_step as u32, meant_for, board) as usize,
        Actions::Plans => config.n_step,
    }
}
