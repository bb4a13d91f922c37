//! Exact optimal play on small boards: retrograde analysis, as chess endgames are solved.

mod chance;
mod file;
mod index;
mod policy;
mod solve;
mod symmetry;
mod table;

pub use chance::{Chance, Chances};
pub use file::{
    FileError, Section, Unfinished, read_header, read_section, read_table, read_unfinished, write_header, write_section,
};
pub use index::PathIndex;
pub use policy::{ON_THE_FLY, Optimal};
pub use solve::{Solved, Solver};
pub use table::{MAX_AREA, Size, Table, TableError, check, spread};
