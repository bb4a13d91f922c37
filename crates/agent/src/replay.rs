//! The replay buffer: a ring buffer of packed transitions, and how batches are drawn from it.

use crate::draw::unit;
use crate::n_step::Transition;
use hognose_game::rng::{self, Generator};

/// A ring buffer of transitions, each the bytes of both states plus 9, sampled uniformly or by
/// priority.
#[derive(Clone, Debug)]
pub(crate) struct Replay {
    capacity: usize,
    /// Bytes of a state, and of a next state.
    bytes: [usize; 2],
    /// Total transitions pushed; transition i is in slot i % capacity.
    pushed: u64,
    records: Vec<u8>,
    priorities: Option<SumTree>,
}

/// The transitions of a batch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    /// Transitions by their number since the beginning of training.
    pub(crate) ids: Vec<u64>,
    /// Importance weights.
    pub(crate) weights: Vec<f32>,
}

impl Replay {
    /// Creates an empty buffer for states and next states of these sizes; `prioritized` samples by
    /// priority.
    pub(crate) fn new(capacity: usize, bytes: [usize; 2], prioritized: bool) -> Replay {
        let priorities = prioritized.then(|| SumTree::new(capacity));
        Replay {
            capacity,
            bytes,
            pushed: 0,
            records: Vec::new(),
            priorities,
        }
    }

    /// Returns the size of a transition in bytes.
    pub(crate) fn bytes_per_transition(&self) -> usize {
        self.bytes[0] + self.bytes[1] + 9
    }

    /// Returns the number of transitions in the buffer.
    pub(crate) fn len(&self) -> usize {
        self.pushed.min(self.capacity as u64) as usize
    }

    /// Returns the numbers of the transitions in the buffer.
    pub(crate) fn ids(&self) -> std::ops::Range<u64> {
        self.pushed - self.len() as u64..self.pushed
    }

    /// Adds a transition, replacing the oldest if the buffer is full.
    pub(crate) fn push(&mut self, transition: &Transition) {
        let bytes = self.bytes_per_transition();
        let slot = (self.pushed % self.capacity as u64) as usize;
        if self.records.len() == slot * bytes {
            self.records.resize((slot + 1) * bytes, 0);
        }
        let record = &mut self.records[slot * bytes..][..bytes];
        let (state, rest) = record.split_at_mut(self.bytes[0]);
        let (next_state, rest) = rest.split_at_mut(self.bytes[1]);
        state.copy_from_slice(&transition.state);
        next_state.copy_from_slice(&transition.next_state);
        rest[0] = transition.action;
        rest[1..5].copy_from_slice(&transition.reward.to_le_bytes());
        rest[5..].copy_from_slice(&transition.discount.to_le_bytes());
        self.pushed += 1;
        if let Some(tree) = &mut self.priorities {
            let highest = tree.highest;
            tree.set(slot, highest);
        }
    }

    /// Returns a transition by its number.
    pub(crate) fn get(&self, id: u64) -> Transition<&[u8]> {
        let bytes = self.bytes_per_transition();
        let slot = (id % self.capacity as u64) as usize;
        let (state, rest) = self.records[slot * bytes..][..bytes].split_at(self.bytes[0]);
        let (next_state, rest) = rest.split_at(self.bytes[1]);
        let float = |place: usize| {
            f32::from_le_bytes(rest[place..place + 4].try_into().expect("four bytes"))
        };
        Transition {
            state,
            action: rest[0],
            reward: float(1),
            discount: float(5),
            next_state,
        }
    }

    /// Draws a batch with replacement; the buffer must not be empty.
    pub(crate) fn sample(
        &self,
        batch: usize,
        importance_exponent: f32,
        draws: &mut Generator,
    ) -> Sample {
        let len = self.len() as u64;
        let oldest = self.pushed - len;
        let Some(tree) = &self.priorities else {
            let ids = (0..batch)
                .map(|_| oldest + rng::below(draws, len))
                .collect();
            return Sample {
                ids,
                weights: vec![1.0; batch],
            };
        };
        let mut sample = Sample {
            ids: Vec::with_capacity(batch),
            weights: Vec::with_capacity(batch),
        };
        for _ in 0..batch {
            let slot = tree.find(unit(draws) * tree.total()) as u64;
            let first = oldest - oldest % self.capacity as u64 + slot;
            sample.ids.push(if first < oldest {
                first + self.capacity as u64
            } else {
                first
            });
            let probability = tree.get(slot as usize) / tree.total();
            sample
                .weights
                .push((probability * len as f64).powf(-f64::from(importance_exponent)) as f32);
        }
        let highest = sample.weights.iter().copied().fold(0.0, f32::max);
        sample
            .weights
            .iter_mut()
            .for_each(|weight| *weight /= highest);
        sample
    }

    /// Sets the priorities of those transitions that are still in the buffer.
    pub(crate) fn set_priorities(&mut self, ids: &[u64], priorities: &[f32]) {
        let oldest = self.pushed - self.len() as u64;
        let Some(tree) = &mut self.priorities else {
            return;
        };
        for (&id, &priority) in ids.iter().zip(priorities) {
            if id >= oldest {
                tree.set((id % self.capacity as u64) as usize, priority.into());
            }
        }
    }

    /// Returns the total number of transitions pushed, the records and the priorities, for
    /// checkpoints.
    pub(crate) fn parts(&self) -> (u64, &[u8], Vec<f64>) {
        let priorities = self.priorities.as_ref().map_or(Vec::new(), |tree| {
            let leaves = (0..self.len()).map(|slot| tree.get(slot));
            std::iter::once(tree.highest).chain(leaves).collect()
        });
        (self.pushed, &self.records, priorities)
    }

    /// Restores the parts of another buffer of the same kind; returns false if they are invalid.
    pub(crate) fn restore(&mut self, pushed: u64, records: Vec<u8>, priorities: &[f64]) -> bool {
        self.pushed = pushed;
        let leaves = if self.priorities.is_some() {
            self.len() + 1
        } else {
            0
        };
        let sizes =
            records.len() == self.len() * self.bytes_per_transition() && priorities.len() == leaves;
        if !sizes || !priorities.iter().copied().all(is_priority) {
            return false;
        }
        self.records = records;
        if let Some(tree) = &mut self.priorities {
            tree.highest = priorities[0];
            priorities[1..]
                .iter()
                .enumerate()
                .for_each(|(slot, &priority)| tree.set(slot, priority));
        }
        true
    }
}

/// Returns whether a number is a valid priority: the sum of all must be finite.
pub(crate) fn is_priority(number: f64) -> bool {
    number > 0.0 && number < 1e100
}

/// Priorities with their sums. Every inner node is the sum of its two children, so the leaves
/// determine the tree.
#[derive(Clone, Debug)]
struct SumTree {
    /// A complete binary tree: node i has the children 2i and 2i + 1; the leaves are the second
    /// half.
    nodes: Vec<f64>,
    /// The highest priority ever set, which new transitions receive.
    highest: f64,
}

impl SumTree {
    fn new(capacity: usize) -> SumTree {
        SumTree {
            nodes: vec![0.0; 2 * capacity.next_power_of_two()],
            highest: 1.0,
        }
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

    /// Returns the slot whose interval of the total contains `sum`.
    fn find(&self, mut sum: f64) -> usize {
        let mut node = 1;
        while node < self.nodes.len() / 2 {
            node *= 2;
            // Don't let rounding lead into an empty interval.
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

    const TEST: Purpose = Purpose::new("test");

    const BYTES: [usize; 2] = [5, 7];

    fn numbered(id: u64) -> Transition {
        let [state, next_state] = BYTES.map(|bytes| vec![id as u8; bytes]);
        Transition {
            state,
            action: 0,
            reward: id as f32,
            discount: 0.5,
            next_state,
        }
    }

    #[test]
    fn sampling_follows_priorities_and_survives_restoring() {
        let mut replay = Replay::new(10, BYTES, true);
        for id in 0..25 {
            replay.push(&numbered(id));
            replay.set_priorities(&[id], &[if id % 2 == 0 { 3.0 } else { 1.0 }]);
        }
        replay.set_priorities(&[3], &[1000.0]); // overwritten long ago
        let sample = replay.sample(20_000, 1.0, &mut keyed(0, TEST, 0));
        let mut counts = [0; 25];
        for (&id, &weight) in sample.ids.iter().zip(&sample.weights) {
            let expected = Transition {
                state: &[id as u8; 5][..],
                action: 0,
                reward: id as f32,
                discount: 0.5,
                next_state: &[id as u8; 7][..],
            };
            assert_eq!(replay.get(id), expected);
            counts[id as usize] += 1;
            // Weights are inversely proportional to probabilities: 1 for the rarest.
            assert!((weight - if id % 2 == 0 { 1.0 / 3.0 } else { 1.0 }).abs() < 1e-6);
        }
        assert!(counts[..15].iter().all(|&count| count == 0));
        for id in 15..25 {
            let expected = if id % 2 == 0 { 3000.0 } else { 1000.0 };
            assert!(
                (f64::from(counts[id]) - expected).abs() < 5.0 * f64::sqrt(expected),
                "{counts:?}"
            );
        }
        let (pushed, records, priorities) = replay.parts();
        let mut other = Replay::new(10, BYTES, true);
        assert!(other.restore(pushed, records.to_vec(), &priorities));
        assert_eq!(
            other.sample(100, 0.5, &mut keyed(1, TEST, 0)),
            replay.sample(100, 0.5, &mut keyed(1, TEST, 0))
        );
        assert!(!other.restore(pushed, records[1..].to_vec(), &priorities));
        for none in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(!other.restore(
                pushed,
                records.to_vec(),
                &[&[none], &priorities[1..]].concat()
            ));
        }
    }

    #[test]
    fn uniform_sampling_reaches_all_that_is_kept() {
        let mut replay = Replay::new(8, BYTES, false);
        (0..13).for_each(|id| replay.push(&numbered(id)));
        let mut ids = replay.sample(500, 0.5, &mut keyed(0, TEST, 0)).ids;
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids, (5..13).collect::<Vec<u64>>());
    }
}
