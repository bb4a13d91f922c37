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

/// 3 MB when it is full.
pub(crate) type Table = crate::table::Table<Entry, { 1 << 17 }>;
