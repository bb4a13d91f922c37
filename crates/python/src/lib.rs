//! The native half of the Python package `hognose`: environments that write into NumPy arrays, and evaluation.

mod arrays;
mod duels;
mod evaluation;
mod games;
mod positions;

use pyo3::prelude::*;

#[pymodule]
mod _hognose {
    use super::*;

    #[pymodule_export]
    use arrays::Arrays;
    #[pymodule_export]
    use duels::{Duels, bots, tournament};
    #[pymodule_export]
    use evaluation::{leaderboard, play, policies, summarize};
    #[pymodule_export]
    use games::Games;
    #[pymodule_export]
    use positions::{Playing, Position, Solver, Table};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
