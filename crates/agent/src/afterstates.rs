//! Networks that value afterstates: the position after a move, before new food appears (Sutton and Barto, 2018, 6.8).
//!
//! A move leads to one afterstate for certain, so Q(position, move) = reward + discount x the afterstate's value, and the network
//! sees what each move does instead of having to work it out.

use crate::actor::Chooser;
use crate::replay::Outcome;
use crate::view::Inputs;
use crate::{AgentSpec, Packer, QNetwork, View};
use hognose_env::{ActionKind, Batch, EpisodeStats, Reward, Signal, Snapshot, VectorEnv};
use hognose_game::{Allowed, Direction, Position, Status, Way};

/// What a move leads to.
#[derive(Clone, Debug)]
pub(crate) struct Afterstate {
    position: Position,
    /// The way on from there.
    way: Option<Way>,
    pay: f32,
    /// Its value, if that needs no network.
    known: Option<f32>,
}

impl Afterstate {
    fn of(position: &Position, allowed: &Allowed, direction: Direction, reward: &Reward) -> Afterstate {
        let mut after = position.clone();
        let event = after.step(direction);
        let known = match after.status() {
            Status::Ongoing => after.legal_moves().is_empty().then(|| reward.losing(&after)),
            Status::Won | Status::Lost(_) => Some(0.0),
        };
        let way = allowed.ways[direction.index()].map(|way| Way { steps: way.steps - 1, ..way });
        Afterstate { pay: reward.of(reward.potential(position), event, &after), position: after, way, known }
    }

    /// The afterstates of every action, in order.
    pub(crate) fn of_all(
        position: &Position,
        allowed: &Allowed,
        action: ActionKind,
        reward: &Reward,
    ) -> impl Iterator<Item = Afterstate> {
        let directions = (0..action.count() as u8).map(move |index| action.direction(index, position.heading()));
        directions.map(move |direction| Afterstate::of(position, allowed, direction, reward))
    }

    fn view(&self) -> View<'_> {
        View { way: self.way, ..View::new(&self.position, self.position.legal_moves()) }
    }

    /// The open ones: the network has to be asked what they are worth.
    pub(crate) fn open(afters: &[Afterstate]) -> Vec<View<'_>> {
        afters.iter().filter(|after| after.known.is_none()).map(Afterstate::view).collect()
    }

    /// The Q-value of the move that leads here; its value is the next of those of open ones, if it is one.
    pub(crate) fn q_value(&self, values: &mut impl Iterator<Item = f32>, reward: &Reward) -> f32 {
        let value = self.known.unwrap_or_else(|| values.next().expect("a value for each open afterstate"));
        self.pay + reward.discount * value
    }
}

/// Environments stepped move by move, whose transitions lead from afterstate to afterstate, on the way that is taken (n-step
/// Sarsa).
pub(crate) struct AfterstateGames {
    env: VectorEnv,
    inputs: Inputs,
    packer: Packer,
    /// The last afterstate of each episode, packed.
    previous: Vec<Option<Vec<u8>>>,
}

impl AfterstateGames {
    pub(crate) fn new(env: VectorEnv, spec: &AgentSpec) -> AfterstateGames {
        AfterstateGames {
            inputs: Inputs::new(spec),
            packer: Packer::of(spec, env.config().rules),
            previous: vec![None; env.num_envs()],
            env,
        }
    }

    /// Steps every environment and tells `store` of each afterstate left behind; the episodes that finished.
    pub(crate) fn act<N: QNetwork>(
        &mut self,
        chooser: &mut Chooser<'_, N>,
        mut store: impl FnMut(usize, Vec<u8>, u8, &Outcome<'_>),
    ) -> Vec<EpisodeStats> {
        let envs = self.env.num_envs();
        let (kind, reward) = (self.env.config().action, self.env.config().reward);
        let values = self.inputs.space().len();
        let mut afters = Vec::with_capacity(envs * kind.count());
        for env in 0..envs {
            let allowed = self.env.allowed(env);
            afters.extend(Afterstate::of_all(&self.env.position(env), &allowed, kind, &reward));
        }
        let open = Afterstate::open(&afters);
        let mut observations = vec![0.0; open.len() * values];
        for (view, row) in open.iter().zip(observations.chunks_exact_mut(values)) {
            self.inputs.encode(view, row);
        }
        let mut worth = chooser.outputs(observations, open.len()).into_iter();
        let q: Vec<f32> = afters.iter().map(|after| after.q_value(&mut worth, &reward)).collect();
        let choose = |(env, q): (usize, &[f32])| chooser.action(q, self.env.action_bits(env), kind);
        let actions: Vec<u8> = q.chunks_exact(kind.count()).enumerate().map(choose).collect();
        let (mut rewards, mut signals) = (vec![0.0; envs], vec![Signal::Running; envs]);
        let mut unseen = Batch::<f32> {
            observations: &mut [],
            kept: false,
            final_observations: &mut [],
            rewards: &mut rewards,
            signals: &mut signals,
            masks: &mut [],
            final_masks: &mut [],
        };
        self.env.step(&actions, &mut unseen).expect("ended environments were restarted");
        let mut finished = Vec::new();
        for (env, afters) in afters.chunks_exact(kind.count()).enumerate() {
            let after = &afters[usize::from(actions[env])];
            let packed = self.packer.packed(&after.view());
            let (ended, terminated) = (signals[env].ended(), signals[env].terminated());
            if let Some(previous) = self.previous[env].take() {
                let (reward, next_state) = (rewards[env], &packed[..]);
                store(env, previous, 0, &Outcome { reward, terminated, ended, next_state, lost: after.known });
            }
            if ended {
                finished.extend(self.env.last_episode(env));
                self.env.restart(env);
            } else {
                self.previous[env] = Some(packed);
            }
        }
        finished
    }

    pub(crate) fn snapshots(&self) -> Vec<(Snapshot, Option<Vec<u8>>)> {
        self.previous.iter().enumerate().map(|(env, previous)| (self.env.snapshot(env), previous.clone())).collect()
    }

    /// Puts all environments into the states of snapshots, as many as there are.
    pub(crate) fn restore(&mut self, snapshots: Vec<(Snapshot, Option<Vec<u8>>)>) -> Result<(), hognose_env::EnvError> {
        for (env, (snapshot, previous)) in snapshots.into_iter().enumerate() {
            self.env.restore(env, &snapshot)?;
            self.previous[env] = previous;
        }
        Ok(())
    }
}
