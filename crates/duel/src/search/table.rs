//! A table of positions that were searched.

use hognose_game::Direction;

/// What a search found of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) value: i32,
    pub(crate) depth: i16,
    pub(crate) bound: Bound,
    /// The best moves: mine, and the answer.
    pub(crate) moves: [Direction; 2],
}

/// How a found value stands to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Exact,
    /// The true value is at least this.
    Least,
    /// The true value is at most this.
    Most,
}

/// Entries by keys; a later entry replaces an earlier one.
#[derive(Clone, Debug)]
pub(crate) struct Table(Box<[(u64, Option<Entry>)]>);

const SIZE: usize = 1 << 17;

impl Table {
    pub(crate) fn new() -> Table {
        Table(vec![(0, None); SIZE].into())
    }

    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<Entry> {
        let (known, entry) = self.0[key as usize % SIZE];
        entry.filter(|_| known == key)
    }

    #[inline]
    pub(crate) fn put(&mut self, key: u64, entry: Entry) {
        self.0[key as usize % SIZE] = (key, Some(entry));
    }
}
