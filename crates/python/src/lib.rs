//! The native half of the Python package `hognose`: environments that write into NumPy arrays,
//! evaluation, and training.

#[cfg(feature = "agents")]
mod agents;
mod arrays;
mod duel_positions;
mod duels;
mod evaluation;
mod forks;
mod games;
mod positions;
mod records;
mod tables;
#[cfg(feature = "agents")]
mod training;

use pyo3::prelude::*;

#[pymodule]
mod _hognose {
    use super::*;

    #[cfg(feature = "agents")]
    #[pymodule_export]
    use agents::{Agent, save_policy};
    #[pymodule_export]
    use arrays::Arrays;
    #[pymodule_export]
    use duel_positions::DuelPosition;
    #[pymodule_export]
    use duels::{Duels, bots, record_duel, tournament};
    #[pymodule_export]
    use evaluation::{
        UnsupportedError, leaderboard, mean_over_seeds, play, policies, shipped_agents, summarize,
    };
    #[pymodule_export]
    use forks::forked;
    #[pymodule_export]
    use games::Games;
    #[pymodule_export]
    use positions::{Playing, Position, Solver};
    #[pymodule_export]
    use records::{record, replay, replay_duel};
    #[pymodule_export]
    use tables::{Table, regret, table_of};
    #[cfg(feature = "agents")]
    #[pymodule_export]
    use training::{curves, experiments, train};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
