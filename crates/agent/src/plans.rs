//! Agents that choose among plans: one decision a food.
//!
//! Between two foods nothing is random, so Snake is a semi-Markov decision process whose actions are ways to the food. Where all
//! of them keep winning certain, only steps count: the worth of a plan is its steps and what the body after eating, an
//! *afterstate* (Sutton and Barto, 2018, 6.8), still needs to fill the board.

use crate::actor::{Chooser, greatest};
use crate::replay::Outcome;
use crate::view::Inputs;
use crate::{Agent, AgentSpec, Packer, PlanSearch, QNetwork, View};
use hognose_env::{EpisodeStats, Signal, Termination};
use hognose_game::rng::{self, Purpose};
use hognose_game::{
    Board, Direction, Game, MakePolicy, Overlay, Plan, PlanSource, Policy, Position, Rules, Status, Unsupported, Way,
};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};

const ENVIRONMENT: Purpose = Purpose::new("plan environment");
const EPISODE: Purpose = Purpose::new("plan episode");
const SOURCE: Purpose = Purpose::new("plan source");
const BASELINE: Purpose = Purpose::new("plan baseline");

/// How many foods are eaten, in whole games, to tell how many steps are left at each length when the first plan is always taken.
const BASELINE_FOODS: usize = 2000;

/// Makes a source of plans for a game.
pub type MakePlans = Arc<dyn Fn(PlanSearch) -> Box<dyn PlanSource> + Send + Sync>;

/// How many steps are worth 1: so many that errors stay below 1, where the Huber loss is half the squared error and what is
/// learned a mean.
fn steps_in_a_unit(board: Board) -> f64 {
    4.0 * board.longer_side() as f64
}

/// Games stepped side by side, one food each time.
///
/// Rewards are minus the steps to each food, and the difference that it makes to what is expected to be left, from the mean at
/// each length when the first plan is always taken and from the source's outlook of the body: a potential, which changes no
/// decision (Ng, Harada and Russell, 1999) and leaves the network what the source does not know.
pub(crate) struct PlanGames {
    rules: Rules,
    seed: u64,
    slots: Vec<Slot>,
    inputs: Inputs,
    packer: Packer,
    /// Mean steps left by length, without the outlook.
    left: Vec<f64>,
}

struct Slot {
    state: PlanSnapshot,
    source: Box<dyn PlanSource>,
}

/// All of one game's state.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PlanSnapshot {
    game: Game,
    episode: u64,
    steps: u32,
    /// The last afterstate, packed, and its outlook.
    previous: Option<(Vec<u8>, f64)>,
    /// The source's; only in checkpoints.
    source: Vec<u16>,
}

impl PlanGames {
    pub(crate) fn new(
        rules: Rules,
        spec: &AgentSpec,
        envs: usize,
        seed: u64,
        make: impl Fn() -> Box<dyn PlanSource>,
    ) -> Result<PlanGames, Unsupported> {
        let slot = |env: usize| {
            let game = Game::new(rules, rng::derive(rng::derive(seed, ENVIRONMENT, env as u64), EPISODE, 0));
            let state = PlanSnapshot { game, episode: 0, steps: 0, previous: None, source: Vec::new() };
            Slot { state, source: make() }
        };
        let slots = (0..envs).map(slot).collect();
        let mut source = make();
        rules.starts().try_for_each(|start| source.reset(&start, 0))?;
        let left = mean_steps_left(rules, seed, &mut *source);
        let mut games =
            PlanGames { rules, seed, slots, inputs: Inputs::new(spec), packer: Packer::of(spec, rules), left };
        (0..envs).for_each(|env| games.begin(env));
        Ok(games)
    }

    /// Begins the episode at hand of an environment.
    fn begin(&mut self, env: usize) {
        let seed = rng::derive(self.seed, ENVIRONMENT, env as u64);
        let Slot { state, source } = &mut self.slots[env];
        let game_seed = rng::derive(seed, EPISODE, state.episode);
        state.game.restart(game_seed);
        begin(&mut **source, &state.game);
        (state.steps, state.previous) = (0, None);
    }

    /// Takes one plan in every game and tells `store` of each afterstate left behind; the episodes that finished.
    pub(crate) fn act<N: QNetwork>(
        &mut self,
        chooser: &mut Chooser<'_, N>,
        mut store: impl FnMut(usize, Vec<u8>, u8, &Outcome<'_>),
    ) -> Vec<EpisodeStats> {
        let board = self.rules.board();
        let mut proposed: Vec<Vec<(Plan, Position)>> = Vec::with_capacity(self.slots.len());
        let mut observations = Vec::new();
        let values = self.inputs.space().len();
        let mut plans = Vec::new();
        for Slot { state, source } in &mut self.slots {
            source.plans(state.game.position(), &mut plans);
            let ends = plans.drain(..).map(|plan| {
                let after = afterstate(state.game.position(), &plan);
                observations.resize(observations.len() + values, 0.0);
                let row = observations.len() - values;
                self.inputs.encode(&view(&after, &plan), &mut observations[row..]);
                (plan, after)
            });
            proposed.push(ends.collect());
        }
        let rows = observations.len() / values;
        let mut outputs = chooser.outputs(observations, rows).into_iter();
        let mut finished = Vec::new();
        for (env, proposed) in proposed.into_iter().enumerate() {
            let values = outputs.by_ref().take(proposed.len());
            let worth = proposed.iter().zip(values).map(|((plan, after), value)| worth_of(plan, after, value));
            let index = chooser.index(&worth.collect::<Vec<f32>>());
            let (plan, after) = &proposed[index];
            let Slot { state, source } = &mut self.slots[env];
            let length = state.game.position().len();
            plan.moves.iter().for_each(|&direction| _ = state.game.step(direction));
            source.commit(index);
            state.steps += plan.moves.len() as u32;
            let won = state.game.position().status() == Status::Won;
            let packed = self.packer.packed(&view(after, plan));
            if let Some((previous, last_outlook)) = state.previous.take() {
                let left = self.left[length + 1] + outlook(plan) - self.left[length] - last_outlook;
                let outcome = Outcome {
                    reward: -((plan.moves.len() as f64 + left) / steps_in_a_unit(board)) as f32,
                    terminated: won,
                    ended: won,
                    next_state: &packed,
                    lost: None,
                };
                store(env, previous, 0, &outcome);
            }
            state.previous = Some((packed, outlook(plan)));
            if won {
                let (steps, length) = (state.steps, board.area());
                let signal = Signal::Terminated(Termination::Won);
                finished.push(EpisodeStats { reward: -f64::from(steps), steps, length, signal });
                state.episode += 1;
                self.begin(env);
            }
        }
        finished
    }

    pub(crate) fn snapshots(&self) -> Vec<PlanSnapshot> {
        let snapshot = |Slot { state, source }: &Slot| PlanSnapshot { source: source.state(), ..state.clone() };
        self.slots.iter().map(snapshot).collect()
    }

    /// Puts all games into the states of snapshots, as many as there are games.
    pub(crate) fn restore(&mut self, snapshots: Vec<PlanSnapshot>) -> Result<(), Unsupported> {
        for (slot, snapshot) in self.slots.iter_mut().zip(snapshots) {
            slot.source.restore(snapshot.game.position(), &snapshot.source)?;
            slot.state = PlanSnapshot { source: Vec::new(), ..snapshot };
        }
        Ok(())
    }
}

/// Begins a game that starts where the source was asked about.
fn begin(source: &mut dyn PlanSource, game: &Game) {
    source.reset(game.position(), rng::derive(game.seed(), SOURCE, 0)).expect("the source accepts all starts");
}

/// The position after a plan, without the food that comes next.
fn afterstate(position: &Position, plan: &Plan) -> Position {
    let mut after = position.clone();
    plan.moves.iter().for_each(|&direction| _ = after.step(direction));
    after
}

/// What the network sees of it.
fn view<'a>(after: &'a Position, plan: &Plan) -> View<'a> {
    View { way: Some(Way { steps: 0, outlook: plan.outlook }), ..View::new(after, after.legal_moves()) }
}

/// In steps.
fn outlook(plan: &Plan) -> f64 {
    f64::from(plan.outlook) / 1e3
}

/// What a plan is worth next to others from the same position, in units: what the network says of the body after it, which
/// nothing follows if it fills the board, and minus its steps and the source's outlook.
fn worth_of(plan: &Plan, after: &Position, value: f32) -> f32 {
    let value = if after.status() == Status::Won { 0.0 } else { value };
    value - ((plan.moves.len() as f64 + outlook(plan)) / steps_in_a_unit(after.board())) as f32
}

/// The mean number of steps left at each length when the first plan is always taken, without the mean outlook.
fn mean_steps_left(rules: Rules, seed: u64, source: &mut dyn PlanSource) -> Vec<f64> {
    let area = rules.board().area();
    let (mut sums, mut counts) = (vec![0.0; area + 1], vec![0u32; area + 1]);
    let (mut foods, mut plans) = (0, Vec::new());
    for index in 0.. {
        if foods >= BASELINE_FOODS {
            break;
        }
        let mut game = Game::new(rules, rng::derive(seed, BASELINE, index));
        begin(source, &game);
        let mut eaten = Vec::with_capacity(area);
        let (mut steps, mut last_outlook) = (0, 0.0);
        while game.position().status() == Status::Ongoing {
            eaten.push((game.position().len(), steps, last_outlook));
            source.plans(game.position(), &mut plans);
            plans[0].moves.iter().for_each(|&direction| _ = game.step(direction));
            steps += plans[0].moves.len();
            last_outlook = outlook(&plans[0]);
            source.commit(0);
        }
        foods += eaten.len();
        for (length, before, outlook) in eaten {
            sums[length] += (steps - before) as f64 - outlook;
            counts[length] += 1;
        }
    }
    sums.iter().zip(&counts).map(|(sum, &count)| sum / f64::from(count.max(1))).collect()
}

/// Plays what an agent thinks best of the plans that a source proposes.
pub struct PlanAgent<N> {
    /// Each game plays with a copy; an agent has a buffer that threads can't share.
    agent: Mutex<Agent<N>>,
    search: PlanSearch,
    make_plans: MakePlans,
}

impl<N: QNetwork> PlanAgent<N> {
    /// A player; `agent` was trained to choose among plans, `make_plans` makes their sources.
    ///
    /// # Panics
    /// When the agent was trained to choose moves.
    pub fn new(agent: Agent<N>, make_plans: MakePlans) -> PlanAgent<N> {
        let search = agent.spec().plans.expect("the agent chooses among plans");
        PlanAgent { agent: Mutex::new(agent), search, make_plans }
    }
}

impl<N: QNetwork> MakePolicy for PlanAgent<N> {
    fn make(&self, position: &Position, seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        let agent = self.agent.lock().unwrap_or_else(PoisonError::into_inner).clone();
        agent.check_board(position)?;
        let mut source = (self.make_plans)(self.search);
        source.reset(position, seed)?;
        Ok(Box::new(PlanPolicy { agent, source, plans: Vec::new(), cycle: Vec::new(), rest: Vec::new() }))
    }
}

struct PlanPolicy<N> {
    agent: Agent<N>,
    source: Box<dyn PlanSource>,
    plans: Vec<Plan>,
    cycle: Vec<hognose_game::Cell>,
    /// The rest of the plan, last move first.
    rest: Vec<Direction>,
}

impl<N: QNetwork> Policy for PlanPolicy<N> {
    fn act(&mut self, position: &Position) -> Direction {
        if self.rest.is_empty() {
            self.source.plans(position, &mut self.plans);
            let ends: Vec<Position> = self.plans.iter().map(|plan| afterstate(position, plan)).collect();
            let views: Vec<View<'_>> = self.plans.iter().zip(&ends).map(|(plan, end)| view(end, plan)).collect();
            let values = self.agent.outputs(&views);
            let worth = self.plans.iter().zip(&ends).zip(values).map(|((plan, end), value)| worth_of(plan, end, value));
            let index = greatest(&worth.collect::<Vec<f32>>());
            self.source.commit(index);
            let plan = self.plans.swap_remove(index);
            self.cycle = plan.cycle;
            self.rest.extend(plan.moves.iter().rev());
        }
        self.rest.pop().expect("a way to the food has moves")
    }

    fn overlay(&self) -> Overlay {
        Overlay { cycle: self.cycle.clone(), plan: self.rest.iter().rev().copied().collect() }
    }
}
