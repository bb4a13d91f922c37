//! Exact optimal play on small boards by retrograde analysis, like chess endgame tablebases.
//!
//! A [`Solver`] works from the full board down to a single cell and finds the least expected number
//! of steps from each body. A [`Table`] holds these numbers and evaluates the moves of a position;
//! [`Optimal`] plays by it. [`Chances`] cover positions from which no win is sure. Boards have
//! walls and at most [`MAX_AREA`] cells, with one food at a time and tail entry.

mod chance;
mod file;
mod graph;
mod index;
mod policy;
mod size;
mod solve;
mod symmetry;
mod table;

pub use chance::{Chance, Chances};
pub use file::{
    FileError, Unfinished, read_table, read_unfinished, write_header, write_section, write_table,
};
pub use index::{MAX_AREA, PathIndex};
pub use policy::{ON_THE_FLY, Optimal};
pub use size::{Size, check};
pub use solve::{Solved, Solver, spread};
pub use table::{Table, TableError, check_board};

/// Tests the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
