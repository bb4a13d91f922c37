//! Games in which an action is a whole path to the food: one decision per food.
//!
//! Nothing is random between two foods, so Snake is a semi-Markov decision process whose actions
//! are paths to the food. If all of them keep winning certain, only steps count: the value of a
//! plan depends on its steps and on those that the body after eating, an afterstate, still needs to
//! fill the board.

use crate::afterstates::{AfterPlan, outlook, steps_in_a_unit};
use crate::config::TrainConfig;
use crate::epsilon_greedy::EpsilonGreedy;
use crate::error::TrainError;
use crate::n_step::{Begins, TimeStep};
use crate::network::QNetwork;
use crate::network_view::{Inputs, NetworkView};
use crate::packing::{Packer, PlansPacker};
use crate::spec::AgentSpec;
use hognose_env::{EnvConfig, EnvError, EpisodeStats, Signal, Termination, draw_board};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Board, Game, PlanSource, Rules, Status, Unsupported};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::iter;

const ENVIRONMENT: Purpose = Purpose::new("plan environment");
const EPISODE: Purpose = Purpose::new("plan episode");
const SOURCE: Purpose = Purpose::new("plan source");
const BASELINE: Purpose = Purpose::new("plan baseline");

/// Foods to eat on each board, in whole games, to estimate the steps left at each length when the
/// first plan is always taken.
const BASELINE_FOODS: usize = 500;
/// The steps to a food at a length are averaged over all lengths that differ from it by at most the
/// area divided by this.
const SMOOTHING: usize = 16;

/// Games stepped side by side, one food at a time.
///
/// The reward is minus the sum of the steps to the food and the change in the expected number of
/// steps left, estimated from the mean at each length when the first plan is always taken and from
/// the source's outlook for the body. This is a potential, which changes no decision (Ng, Harada
/// and Russell, 1999) and leaves the network to learn only what the source does not know.
pub(crate) struct PlanEnvs {
    /// The rules on the boards that episodes draw from.
    rules: Vec<Rules>,
    seed: u64,
    slots: Vec<Slot>,
    inputs: Inputs,
    packer: Packer,
    /// Packs the plans that transitions lead to; `None` for Sarsa.
    plans: Option<PlansPacker>,
    /// By board, the mean steps left at each length, excluding the outlook.
    left: HashMap<Board, Vec<f64>>,
}

struct Slot {
    state: PlanSnapshot,
    source: Box<dyn PlanSource>,
}

/// The complete state of one game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PlanSnapshot {
    game: Game,
    episode: u64,
    steps: u32,
    /// The outcome of the last plan.
    previous: Option<AfterLast>,
    /// The state of the source; only in checkpoints.
    source: Vec<u16>,
}

/// The outcome of the last plan of a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct AfterLast {
    /// The afterstate, packed.
    packed: Vec<u8>,
    outlook: f64,
    /// The reward of the plan.
    reward: f32,
}

impl PlanEnvs {
    pub(crate) fn new(
        env: &EnvConfig,
        spec: &AgentSpec,
        config: &TrainConfig,
        seed: u64,
        make: impl Fn() -> Box<dyn PlanSource>,
    ) -> Result<PlanEnvs, TrainError> {
        let rules = env.drawn().map_err(EnvError::from)?;
        let each = env.rules_on_boards().map_err(EnvError::from)?;
        let mut left = HashMap::new();
        for &rules in &each {
            let mut source = make();
            rules
                .starts()
                .try_for_each(|start| source.reset(&start, 0))?;
            left.insert(rules.board(), mean_steps_left(rules, seed, &mut *source));
        }
        let envs = config.num_envs;
        let slots = (0..envs)
            .map(|_| {
                let state = PlanSnapshot {
                    game: Game::new(rules[0], 0),
                    episode: 0,
                    steps: 0,
                    previous: None,
                    source: Vec::new(),
                };
                Slot {
                    state,
                    source: make(),
                }
            })
            .collect();
        let inputs = Inputs::new(spec);
        let packer = Packer::of(spec, &each);
        let plans = PlansPacker::of(spec, &each, config);
        let mut games = PlanEnvs {
            rules,
            seed,
            slots,
            inputs,
            packer,
            plans,
            left,
        };
        (0..envs).for_each(|env| games.begin(env));
        Ok(games)
    }

    /// Begins the current episode of an environment.
    fn begin(&mut self, env: usize) {
        let seed = rng::derive(self.seed, ENVIRONMENT, env as u64);
        let Slot { state, source } = &mut self.slots[env];
        let game_seed = rng::derive(seed, EPISODE, state.episode);
        state.game = Game::new(*draw_board(&self.rules, game_seed), game_seed);
        begin(&mut **source, &state.game);
        (state.steps, state.previous) = (0, None);
    }

    /// Takes one plan in every game and passes each afterstate left behind to `store`. Returns the
    /// episodes that finished.
    pub(crate) fn act<N: QNetwork>(
        &mut self,
        policy: &mut EpsilonGreedy<'_, N>,
        mut store: impl FnMut(usize, Board, Begins, &TimeStep<'_>),
    ) -> Vec<EpisodeStats> {
        let mut plans = Vec::new();
        let proposed: Vec<Vec<AfterPlan>> = self
            .slots
            .iter_mut()
            .map(|Slot { state, source }| {
                source.plans(state.game.position(), &mut plans);
                plans
                    .drain(..)
                    .map(|plan| AfterPlan::of(state.game.position(), plan))
                    .collect()
            })
            .collect();
        let views: Vec<NetworkView<'_>> = proposed.iter().flatten().map(AfterPlan::view).collect();
        let mut outputs = policy
            .outputs(self.inputs.rows(&views), views.len())
            .into_iter();
        let mut finished = Vec::new();
        for (env, proposed) in proposed.iter().enumerate() {
            let worth = proposed
                .iter()
                .zip(&mut outputs)
                .map(|(after, value)| after.worth(value));
            let index = policy.index(&worth.collect::<Vec<f32>>());
            let Slot { state, source } = &mut self.slots[env];
            let board = state.game.position().board();
            let length = state.game.position().len();
            let previous = state.previous.take();
            let left = &self.left[&board];
            let foreseen =
                left[length] + previous.as_ref().map_or(0.0, |previous| previous.outlook);
            let reward = |after: &AfterPlan| {
                -((after.cost() + left[length + 1] - foreseen) / steps_in_a_unit(board)) as f32
            };
            let after = &proposed[index];
            after
                .plan
                .moves
                .iter()
                .for_each(|&direction| _ = state.game.step(direction));
            source.commit(index);
            state.steps += after.plan.moves.len() as u32;
            let won = state.game.position().status() == Status::Won;
            let packed = self.packer.packed(&after.view());
            if let Some(plans) = &self.plans {
                if let Some(AfterLast {
                    packed,
                    reward: last,
                    ..
                }) = previous
                {
                    let next_state = &plans
                        .packed(proposed.iter().map(|after| (reward(after), after.view())))[..];
                    let outcome = TimeStep {
                        reward: last,
                        terminated: false,
                        ended: false,
                        next_state,
                        lost: None,
                    };
                    store(env, board, Begins::Afterstate(packed), &outcome);
                }
                if won {
                    let reward = reward(after);
                    let next_state = &plans.packed(iter::empty())[..];
                    let outcome = TimeStep {
                        reward,
                        terminated: true,
                        ended: true,
                        next_state,
                        lost: None,
                    };
                    store(env, board, Begins::Nowhere, &outcome);
                }
            } else if let Some(previous) = previous {
                let reward = reward(after);
                let next_state = &packed[..];
                let outcome = TimeStep {
                    reward,
                    terminated: won,
                    ended: won,
                    next_state,
                    lost: None,
                };
                store(env, board, Begins::Position(previous.packed, 0), &outcome);
            }
            state.previous = Some(AfterLast {
                packed,
                outlook: outlook(&after.plan),
                reward: reward(after),
            });
            if won {
                let steps = state.steps;
                let length = board.area();
                let signal = Signal::Terminated(Termination::Won);
                finished.push(EpisodeStats {
                    reward: -f64::from(steps),
                    steps,
                    length,
                    signal,
                    board,
                });
                state.episode += 1;
                self.begin(env);
            }
        }
        finished
    }

    /// Returns the last afterstates, packed.
    pub(crate) fn packed(&self) -> impl Iterator<Item = &[u8]> {
        self.slots
            .iter()
            .flat_map(|slot| &slot.state.previous)
            .map(|last| last.packed.as_slice())
    }

    pub(crate) fn snapshots(&self) -> Vec<PlanSnapshot> {
        self.slots
            .iter()
            .map(|Slot { state, source }| PlanSnapshot {
                source: source.state(),
                ..state.clone()
            })
            .collect()
    }

    /// Restores all games from snapshots, one per game.
    pub(crate) fn restore(&mut self, snapshots: Vec<PlanSnapshot>) -> Result<(), Unsupported> {
        for (slot, snapshot) in self.slots.iter_mut().zip(snapshots) {
            let got = snapshot.game.position().rules();
            if !self.rules.contains(&got) {
                return Err(Unsupported(format!(
                    "expected a game with rules of this run, got one with {got}"
                )));
            }
            slot.source
                .restore(snapshot.game.position(), &snapshot.source)?;
            slot.state = PlanSnapshot {
                source: Vec::new(),
                ..snapshot
            };
        }
        Ok(())
    }
}

/// Resets the source for a game whose start it has already accepted.
fn begin(source: &mut dyn PlanSource, game: &Game) {
    source
        .reset(game.position(), rng::derive(game.seed(), SOURCE, 0))
        .expect("the source accepts all starts");
}

/// Returns the mean number of steps left at each length when the first plan is always taken,
/// excluding the mean outlook.
fn mean_steps_left(rules: Rules, seed: u64, source: &mut dyn PlanSource) -> Vec<f64> {
    let area = rules.board().area();
    // By length: the sum of the steps to the next food plus the change of the outlook, and the
    // count.
    let mut sums = vec![0.0; area];
    let mut counts = vec![0u32; area];
    let mut foods = 0;
    let mut plans = Vec::new();
    for index in 0.. {
        if foods >= BASELINE_FOODS {
            break;
        }
        let mut game = Game::new(rules, rng::derive(seed, BASELINE, index));
        begin(source, &game);
        let mut last_outlook = 0.0;
        while game.position().status() == Status::Ongoing {
            let length = game.position().len();
            source.plans(game.position(), &mut plans);
            plans[0]
                .moves
                .iter()
                .for_each(|&direction| _ = game.step(direction));
            sums[length] += plans[0].moves.len() as f64 + outlook(&plans[0]) - last_outlook;
            counts[length] += 1;
            last_outlook = outlook(&plans[0]);
            source.commit(0);
            foods += 1;
        }
    }
    let mut left = vec![0.0; area + 1];
    for length in (0..area).rev() {
        let near =
            length.saturating_sub(area / SMOOTHING)..(length + area / SMOOTHING + 1).min(area);
        let count = counts[near.clone()].iter().sum::<u32>().max(1);
        left[length] = left[length + 1] + sums[near].iter().sum::<f64>() / f64::from(count);
    }
    left
}
