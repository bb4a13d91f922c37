//! The replay buffer of positions.

/// A ring buffer of encoded positions with their targets.
#[derive(Clone, Debug)]
pub(crate) struct Positions {
    capacity: usize,
    bytes: usize,
    /// The number of positions ever pushed; position i is in slot i % capacity.
    pub(crate) pushed: u64,
    pub(crate) records: Vec<u8>,
    pub(crate) targets: Vec<f32>,
}

impl Positions {
    /// Makes a buffer for `capacity` positions of `bytes` bytes each.
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

    /// Adds a position, replacing the oldest if the buffer is full.
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

    /// Returns the position in a slot, and its target.
    pub(crate) fn get(&self, slot: usize) -> (&[u8], f32) {
        (
            &self.records[slot * self.bytes..][..self.bytes],
            self.targets[slot],
        )
    }

    /// Restores saved contents, and returns whether they fit this buffer.
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
