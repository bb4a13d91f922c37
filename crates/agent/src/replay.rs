//! The replay buffer: compact game states, encoded when sampled.

use crate::{AgentSpec, View};
use hognose_game::rng::{self, Generator};
use hognose_game::{Board, Cell, Direction, Directions, Position, Rules, Way};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

const NO_FOOD: u16 = u16::MAX;
const NO_WAY: Way = Way { steps: u16::MAX, outlook: u32::MAX };

/// Packs views of positions of some rules into bytes: head 2, length 2, heading and allowed moves 1, foods 2 each, body moves 2
/// bits each, and the way on 6 where networks see it. On 6x6 that is 16 bytes, where the egocentric observation takes 2984.
#[derive(Clone, Copy, Debug)]
pub struct Packer {
    rules: Rules,
    with_ways: bool,
}

impl Packer {
    /// The packer of rules.
    pub fn new(rules: Rules) -> Packer {
        Packer { rules, with_ways: false }
    }

    /// The packer of what an agent's network sees.
    pub(crate) fn of(spec: &AgentSpec, rules: Rules) -> Packer {
        Packer { rules, with_ways: spec.sees_ways() }
    }

    /// Bytes of a packed view.
    pub fn bytes(self) -> usize {
        5 + 2 * self.rules.foods() + (self.rules.board().area() - 1).div_ceil(4) + self.way_bytes()
    }

    fn way_bytes(self) -> usize {
        if self.with_ways { 6 } else { 0 }
    }

    /// Packs a view into [`bytes`](Self::bytes) bytes.
    pub fn pack(self, &View { position, allowed, way }: &View<'_>, out: &mut [u8]) {
        let board = position.board();
        let (out, rest) = out.split_at_mut(out.len() - self.way_bytes());
        if self.with_ways {
            let Way { steps, outlook } = way.unwrap_or(NO_WAY);
            rest[..2].copy_from_slice(&steps.to_le_bytes());
            rest[2..].copy_from_slice(&outlook.to_le_bytes());
        }
        let (head, rest) = out.split_at_mut(5);
        head[..2].copy_from_slice(&position.head().0.to_le_bytes());
        head[2..4].copy_from_slice(&(position.len() as u16).to_le_bytes());
        head[4] = position.heading().index() as u8 | allowed.bits() << 2;
        let (foods, moves) = rest.split_at_mut(2 * self.rules.foods());
        let present = position.foods().iter().map(|food| food.0).chain(std::iter::repeat(NO_FOOD));
        for (bytes, food) in foods.chunks_exact_mut(2).zip(present) {
            bytes.copy_from_slice(&food.to_le_bytes());
        }
        moves.fill(0);
        let mut previous = None;
        for (index, cell) in position.body().enumerate() {
            if let Some(previous) = previous {
                let direction = board.direction(previous, cell).expect("body cells are neighbours");
                moves[(index - 1) / 4] |= (direction.index() as u8) << (2 * ((index - 1) % 4));
            }
            previous = Some(cell);
        }
    }

    /// The same in bytes of its own.
    pub(crate) fn packed(self, view: &View<'_>) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes()];
        self.pack(view, &mut bytes);
        bytes
    }

    /// Unpacks into a position of the same rules, mirrored left to right if so asked, and views it.
    pub fn unpack<'a>(self, bytes: &[u8], mirrored: bool, into: &'a mut Position) -> View<'a> {
        let (bytes, rest) = bytes.split_at(bytes.len() - self.way_bytes());
        let way = self.with_ways.then(|| {
            let (steps, outlook) = rest.split_first_chunk().expect("six bytes");
            let outlook = u32::from_le_bytes(outlook.try_into().expect("four bytes"));
            Way { steps: u16::from_le_bytes(*steps), outlook }
        });
        let board = self.rules.board();
        let u16_at = |place: usize| u16::from_le_bytes([bytes[place], bytes[place + 1]]);
        let reflect = |cell: Cell| if mirrored { mirrored_cell(board, cell) } else { cell };
        let turn = |direction: Direction| if mirrored { direction.mirrored() } else { direction };
        let (head, length) = (reflect(Cell(u16_at(0))), u16_at(2));
        let (heading, allowed) = (Direction::from_index((bytes[4] & 3).into()), Directions::from_bits(bytes[4] >> 2));
        let foods = (0..self.rules.foods()).map(|food| u16_at(5 + 2 * food)).filter(|&food| food != NO_FOOD);
        let moves = &bytes[5 + 2 * self.rules.foods()..];
        let body = (0..usize::from(length)).scan(head, |cell, index| {
            if index > 0 {
                let bits = moves[(index - 1) / 4] >> (2 * ((index - 1) % 4));
                *cell =
                    board.neighbor(*cell, turn(Direction::from_index(bits.into()))).expect("the body is on the board");
            }
            Some(*cell)
        });
        into.replace(turn(heading), body, foods.map(|food| reflect(Cell(food)))).expect("packed positions are valid");
        let allowed = if mirrored { allowed.mirrored() } else { allowed };
        View { position: into, allowed, way: way.filter(|&way| way != NO_WAY) }
    }
}

fn mirrored_cell(board: Board, cell: Cell) -> Cell {
    board.cell(board.width() - 1 - board.column(cell), board.row(cell))
}

/// An n-step transition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transition {
    /// The packed position.
    pub state: Vec<u8>,
    /// The action taken there.
    pub action: u8,
    /// The discounted sum of the rewards up to the next state.
    pub reward: f32,
    /// What the value of the next state counts: discount^steps, 0 after termination.
    pub discount: f32,
    /// The packed position to bootstrap from.
    pub next_state: Vec<u8>,
}

/// The last steps of one environment that have no n rewards yet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct NStep {
    open: VecDeque<Open>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Open {
    state: Vec<u8>,
    action: u8,
    reward: f32,
    discount: f32,
    steps: usize,
}

/// What a step led to.
pub(crate) struct Outcome<'a> {
    pub(crate) reward: f32,
    /// Nothing follows that is worth anything.
    pub(crate) terminated: bool,
    /// The next step begins another episode.
    pub(crate) ended: bool,
    pub(crate) next_state: &'a [u8],
    /// What the next state is worth, if no move is legal there.
    pub(crate) lost: Option<f32>,
}

impl NStep {
    /// Takes in a step and emits the transitions that it completes: the one that is n steps old, or all at the end of an
    /// episode, each with the discount of the steps it took.
    pub(crate) fn push(
        &mut self,
        n: usize,
        discount: f32,
        state: Vec<u8>,
        action: u8,
        outcome: &Outcome<'_>,
        mut emit: impl FnMut(Transition),
    ) {
        self.open.push_back(Open { state, action, reward: 0.0, discount: 1.0, steps: 0 });
        for open in &mut self.open {
            open.reward += open.discount * outcome.reward;
            open.discount *= discount;
            open.steps += 1;
        }
        while let Some(open) = self.open.pop_front_if(|open| outcome.ended || open.steps == n) {
            let Open { state, action, mut reward, mut discount, .. } = open;
            if outcome.terminated {
                discount = 0.0;
            } else if let Some(value) = outcome.lost {
                reward += discount * value;
                discount = 0.0;
            }
            emit(Transition { state, action, reward, discount, next_state: outcome.next_state.to_vec() });
        }
    }
}

/// A ring of transitions, each of 2 x [`Packer::bytes`] + 9 bytes; sampled uniformly or by priority.
#[derive(Clone, Debug)]
pub struct Replay {
    capacity: usize,
    state_bytes: usize,
    /// Transitions pushed ever; transition i lies in slot i % capacity.
    pushed: u64,
    records: Vec<u8>,
    priorities: Option<SumTree>,
}

/// Which transitions make a batch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    /// Transitions by their number since the beginning.
    pub(crate) ids: Vec<u64>,
    /// Importance weights.
    pub(crate) weights: Vec<f32>,
}

impl Replay {
    /// An empty buffer; `prioritized` samples by priority.
    pub fn new(capacity: usize, packer: Packer, prioritized: bool) -> Replay {
        let priorities = prioritized.then(|| SumTree::new(capacity));
        Replay { capacity, state_bytes: packer.bytes(), pushed: 0, records: Vec::new(), priorities }
    }

    /// Bytes of a transition.
    pub fn bytes_per_transition(&self) -> usize {
        2 * self.state_bytes + 9
    }

    /// Transitions kept.
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        self.pushed.min(self.capacity as u64) as usize
    }

    /// Adds a transition, in place of the oldest if the buffer is full.
    pub fn push(&mut self, transition: &Transition) {
        let bytes = self.bytes_per_transition();
        let slot = (self.pushed % self.capacity as u64) as usize;
        if self.records.len() == slot * bytes {
            self.records.resize((slot + 1) * bytes, 0);
        }
        let record = &mut self.records[slot * bytes..][..bytes];
        let (states, rest) = record.split_at_mut(2 * self.state_bytes);
        states[..self.state_bytes].copy_from_slice(&transition.state);
        states[self.state_bytes..].copy_from_slice(&transition.next_state);
        rest[0] = transition.action;
        rest[1..5].copy_from_slice(&transition.reward.to_le_bytes());
        rest[5..].copy_from_slice(&transition.discount.to_le_bytes());
        self.pushed += 1;
        if let Some(tree) = &mut self.priorities {
            let highest = tree.highest;
            tree.set(slot, highest);
        }
    }

    /// The packed state and next state of a kept transition, its action, reward and discount.
    pub(crate) fn get(&self, id: u64) -> (&[u8], &[u8], u8, f32, f32) {
        let bytes = self.bytes_per_transition();
        let slot = (id % self.capacity as u64) as usize;
        let (states, rest) = self.records[slot * bytes..][..bytes].split_at(2 * self.state_bytes);
        let (state, next_state) = states.split_at(self.state_bytes);
        let float = |place: usize| f32::from_le_bytes(rest[place..place + 4].try_into().expect("four bytes"));
        (state, next_state, rest[0], float(1), float(5))
    }

    /// Draws a batch with replacement; the buffer must not be empty.
    pub(crate) fn sample(&self, batch: usize, importance_exponent: f32, draws: &mut Generator) -> Sample {
        let len = self.len() as u64;
        let oldest = self.pushed - len;
        let Some(tree) = &self.priorities else {
            let ids = (0..batch).map(|_| oldest + rng::below(draws, len)).collect();
            return Sample { ids, weights: vec![1.0; batch] };
        };
        let mut sample = Sample { ids: Vec::with_capacity(batch), weights: Vec::with_capacity(batch) };
        for _ in 0..batch {
            let slot = tree.find(unit(draws) * tree.total()) as u64;
            let first = oldest - oldest % self.capacity as u64 + slot;
            sample.ids.push(if first < oldest { first + self.capacity as u64 } else { first });
            let probability = tree.get(slot as usize) / tree.total();
            sample.weights.push((probability * len as f64).powf(-f64::from(importance_exponent)) as f32);
        }
        let highest = sample.weights.iter().copied().fold(0.0, f32::max);
        sample.weights.iter_mut().for_each(|weight| *weight /= highest);
        sample
    }

    /// Sets the priorities of transitions that are still kept.
    pub(crate) fn set_priorities(&mut self, ids: &[u64], priorities: &[f32]) {
        let oldest = self.pushed - self.len() as u64;
        let Some(tree) = &mut self.priorities else { return };
        for (&id, &priority) in ids.iter().zip(priorities) {
            if id >= oldest {
                tree.set((id % self.capacity as u64) as usize, priority.into());
            }
        }
    }

    /// The number of transitions pushed ever, the records and the priorities: all that a checkpoint needs.
    pub(crate) fn parts(&self) -> (u64, &[u8], Vec<f64>) {
        let priorities = self.priorities.as_ref().map_or(Vec::new(), |tree| {
            let leaves = (0..self.len()).map(|slot| tree.get(slot));
            std::iter::once(tree.highest).chain(leaves).collect()
        });
        (self.pushed, &self.records, priorities)
    }

    /// Takes over the parts of another buffer of the same kind; false, if they don't fit.
    pub(crate) fn restore(&mut self, pushed: u64, records: Vec<u8>, priorities: &[f64]) -> bool {
        self.pushed = pushed;
        let leaves = if self.priorities.is_some() { self.len() + 1 } else { 0 };
        if records.len() != self.len() * self.bytes_per_transition() || priorities.len() != leaves {
            return false;
        }
        self.records = records;
        if let Some(tree) = &mut self.priorities {
            tree.highest = priorities[0];
            priorities[1..].iter().enumerate().for_each(|(slot, &priority)| tree.set(slot, priority));
        }
        true
    }
}

/// A uniform draw from [0, 1).
pub(crate) fn unit(draws: &mut Generator) -> f64 {
    const ONE: u64 = 1 << 53;
    rng::below(draws, ONE) as f64 / ONE as f64
}

/// Priorities with their sums. Every inner node is the sum of its two children, so that the tree follows from its
/// leaves alone.
#[derive(Clone, Debug)]
struct SumTree {
    /// A complete binary tree: node i has the children 2i and 2i + 1; the leaves are the second half.
    nodes: Vec<f64>,
    /// The highest priority ever set, which new transitions get.
    highest: f64,
}

impl SumTree {
    fn new(capacity: usize) -> SumTree {
        SumTree { nodes: vec![0.0; 2 * capacity.next_power_of_two()], highest: 1.0 }
    }

    fn total(&self) -> f64 {
        self.nodes[1]
    }

    fn get(&self, slot: usize) -> f64 {
        self.nodes[self.nodes.len() / 2 + slot]
    }

    fn set(&mut self, slot: usize, priority: f64) {
        let mut node = self.nodes.len() / 2 + slot;
        self.nodes[node] = priority;
        self.highest = self.highest.max(priority);
        while node > 1 {
            node /= 2;
            self.nodes[node] = self.nodes[2 * node] + self.nodes[2 * node + 1];
        }
    }

    /// The slot in whose stretch of the total `sum` falls.
    fn find(&self, mut sum: f64) -> usize {
        let mut node = 1;
        while node < self.nodes.len() / 2 {
            node *= 2;
            // Rounding must not lead into an empty stretch.
            if sum >= self.nodes[node] && self.nodes[node + 1] > 0.0 {
                sum -= self.nodes[node];
                node += 1;
            }
        }
        node - self.nodes.len() / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::rng::{Purpose, keyed};
    use hognose_game::{Game, MakePolicy, Status};
    use hognose_solvers::{Greedy, Random};

    const TEST: Purpose = Purpose::new("test");

    #[test]
    fn packed_positions_come_back_and_mirror() {
        for (board, foods) in [("6x6", 1), ("5x7", 2), ("3x4-torus", 1), ("2x2", 1)] {
            let board: Board = board.parse().unwrap();
            let rules = Rules::new(board).with_foods(foods).unwrap();
            for seed in 0..20 {
                let packer = Packer { rules, with_ways: seed % 3 == 0 };
                let mut game = Game::new(rules, seed);
                let policy: &dyn MakePolicy = if seed % 2 == 0 { &Greedy } else { &Random };
                let mut policy = policy.make(game.position(), seed).unwrap();
                for _ in 0..200 {
                    let direction = policy.act(game.position());
                    game.step(direction);
                    if game.position().status() != Status::Ongoing {
                        break;
                    }
                    let mut bytes = vec![0; packer.bytes()];
                    let allowed = Directions::from_bits(seed as u8 & 15);
                    let way = (seed % 6 == 0).then_some(Way { steps: 260, outlook: 70_000 });
                    packer.pack(&View { position: game.position(), allowed, way }, &mut bytes);
                    let mut other = Game::new(rules, 0).position().clone();
                    let view = packer.unpack(&bytes, false, &mut other);
                    assert_eq!((view.position, view.allowed, view.way), (game.position(), allowed, way));
                    let view = packer.unpack(&bytes, true, &mut other);
                    assert_eq!((view.allowed, view.way), (allowed.mirrored(), way));
                    assert_eq!(view.position.head(), mirrored_cell(board, game.position().head()));
                    let mut mirrored = vec![0; packer.bytes()];
                    packer.pack(&view, &mut mirrored);
                    let view = packer.unpack(&mirrored, true, &mut other);
                    assert_eq!((view.position, view.allowed), (game.position(), allowed));
                }
            }
        }
        assert_eq!(Packer::new(Rules::new("6x6".parse().unwrap())).bytes(), 16);
    }

    /// Rewards 1, 2, 4, ... at discount 1/2 with n = 3; `ends` says after which step the episode ends, and how.
    fn transitions(ends: &[(usize, bool)], lost: Option<f32>) -> Vec<Transition> {
        let (mut window, mut out) = (NStep::default(), Vec::new());
        for step in 0..6usize {
            let end = ends.iter().find(|(at, _)| *at == step);
            let outcome = Outcome {
                reward: (1 << step) as f32,
                terminated: end.is_some_and(|&(_, terminated)| terminated),
                ended: end.is_some(),
                next_state: &[step as u8 + 1],
                lost,
            };
            window.push(3, 0.5, vec![step as u8], 0, &outcome, |transition| out.push(transition));
        }
        out
    }

    fn rows(transitions: &[Transition]) -> Vec<(u8, u8, f32, f32)> {
        transitions.iter().map(|t| (t.state[0], t.next_state[0], t.reward, t.discount)).collect()
    }

    #[test]
    fn hand_worked_n_step_windows() {
        // 1 + 2/2 + 4/4 = 3, then twice that, and so on; bootstrapped with 1/8.
        let running = [(0, 3, 3.0, 0.125), (1, 4, 6.0, 0.125), (2, 5, 12.0, 0.125), (3, 6, 24.0, 0.125)];
        assert_eq!(rows(&transitions(&[], None)), running);
        // Terminated by step 3: windows end there, nothing is bootstrapped, and step 4 begins another episode.
        let terminated = [(0, 3, 3.0, 0.125), (1, 4, 6.0, 0.0), (2, 4, 8.0, 0.0), (3, 4, 8.0, 0.0)];
        assert_eq!(rows(&transitions(&[(3, true)], None)), terminated);
        // Truncated by step 3: bootstrapped from the last state with the discount of the steps taken.
        let truncated = [(0, 3, 3.0, 0.125), (1, 4, 6.0, 0.125), (2, 4, 8.0, 0.25), (3, 4, 8.0, 0.5)];
        assert_eq!(rows(&transitions(&[(3, false)], None)), truncated);
        // No legal move in the next state: its value is that of losing, -8.
        assert_eq!(rows(&transitions(&[], Some(-8.0)))[0], (0, 3, 3.0 - 1.0, 0.0));
    }

    fn numbered(id: u64) -> Transition {
        let state = vec![0; Packer::new(Rules::new("2x2".parse().unwrap())).bytes()];
        Transition { next_state: state.clone(), state, action: 0, reward: id as f32, discount: 0.5 }
    }

    #[test]
    fn sampling_follows_priorities_and_survives_restoring() {
        let packer = Packer::new(Rules::new("2x2".parse().unwrap()));
        let mut replay = Replay::new(10, packer, true);
        for id in 0..25 {
            replay.push(&numbered(id));
            replay.set_priorities(&[id], &[if id % 2 == 0 { 3.0 } else { 1.0 }]);
        }
        replay.set_priorities(&[3], &[1000.0]); // overwritten long ago
        let sample = replay.sample(20_000, 1.0, &mut keyed(0, TEST, 0));
        let mut counts = [0; 25];
        for (&id, &weight) in sample.ids.iter().zip(&sample.weights) {
            assert_eq!(replay.get(id).3, id as f32);
            counts[id as usize] += 1;
            // Weights are inverse to probabilities: 1 for the rarest.
            assert!((weight - if id % 2 == 0 { 1.0 / 3.0 } else { 1.0 }).abs() < 1e-6);
        }
        assert!(counts[..15].iter().all(|&count| count == 0));
        for id in 15..25 {
            let expected = if id % 2 == 0 { 3000.0 } else { 1000.0 };
            assert!((f64::from(counts[id]) - expected).abs() < 5.0 * f64::sqrt(expected), "{counts:?}");
        }
        let (pushed, records, priorities) = replay.parts();
        let mut other = Replay::new(10, packer, true);
        assert!(other.restore(pushed, records.to_vec(), &priorities));
        assert_eq!(other.sample(100, 0.5, &mut keyed(1, TEST, 0)), replay.sample(100, 0.5, &mut keyed(1, TEST, 0)));
        assert!(!other.restore(pushed, records[1..].to_vec(), &priorities));
    }

    #[test]
    fn uniform_sampling_reaches_all_that_is_kept() {
        let mut replay = Replay::new(8, Packer::new(Rules::new("2x2".parse().unwrap())), false);
        (0..13).for_each(|id| replay.push(&numbered(id)));
        let mut ids = replay.sample(500, 0.5, &mut keyed(0, TEST, 0)).ids;
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids, (5..13).collect::<Vec<u64>>());
    }
}
