//! Exact optimal play on small boards: retrograde analysis, as chess endgames are solved.

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
    FileError, Section, Unfinished, read_header, read_section, read_table, read_unfinished, write_header, write_section,
};
pub use index::{MAX_AREA, PathIndex};
pub use policy::{ON_THE_FLY, Optimal};
pub use size::{Size, check};
pub use solve::{Solved, Solver, spread};
pub use table::{Table, TableError};
