//! The transposition table.

use hognose_game::Direction;

/// The result of searching a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) value: i32,
    pub(crate) depth: i16,
    pub(crate) bound: Bound,
    /// The best moves: the searching seat's, and the answer.
    pub(crate) moves: [Direction; 2],
}

/// How a stored value relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Exact,
    /// The true value is at least this.
    Least,
    /// The true value is at most this.
    Most,
}

/// The table of positions; 3 MB when full.
pub(crate) type Table = crate::table::Table<Entry, { 1 << 17 }>;
