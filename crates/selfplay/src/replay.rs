//! What was seen in duels, and what it was worth.

/// A ring of encoded positions with their targets.
#[derive(Clone, Debug)]
pub(crate) struct Positions {
    capacity: usize,
    bytes: usize,
    /// Positions pushed ever; position i lies in slot i % capacity.
    pub(crate) pushed: u64,
    pub(crate) records: Vec<u8>,
    pub(crate) targets: Vec<f32>,
}

impl Positions {
    /// Room for so many positions of so many bytes each.
    pub(crate) fn new(capacity: usize, bytes: usize) -> Positions {
        Positions {
            capacity,
            bytes,
            pushed: 0,
            records: Vec::new(),
            targets: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.targets.len()
    }

    /// Adds a position, in place of the oldest if there is no room.
    pub(crate) fn push(&mut self, record: &[u8], target: f32) {
        if self.len() < self.capacity {
            self.records.extend_from_slice(record);
            self.targets.push(target);
        } else {
            let slot = (self.pushed % self.capacity as u64) as usize;
            self.records[slot * self.bytes..][..self.bytes].copy_from_slice(record);
            self.targets[slot] = target;
        }
        self.pushed += 1;
    }

    /// The position in a slot, and its target.
    pub(crate) fn get(&self, slot: usize) -> (&[u8], f32) {
        (
            &self.records[slot * self.bytes..][..self.bytes],
            self.targets[slot],
        )
    }

    /// Takes up what was saved; whether it can be the contents of this buffer.
    pub(crate) fn restore(&mut self, pushed: u64, records: Vec<u8>, targets: Vec<f32>) -> bool {
        let len = pushed.min(self.capacity as u64) as usize;
        let fits = targets.len() == len
            && records.len() == len * self.bytes
            && targets.iter().all(|target| (-1.0..=1.0).contains(target));
        if fits {
            (self.pushed, self.records, self.targets) = (pushed, records, targets);
        }
        fits
    }
}
