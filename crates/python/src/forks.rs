//! Forked processes: no thread of the parent goes on in them.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether this process may have started the threads that all computations share.
static STARTED: AtomicBool = AtomicBool::new(false);
/// Whether a fork has left those threads behind. Work that is given to them never ends.
static LOST: AtomicBool = AtomicBool::new(false);

/// Checks that the shared threads exist, before work that may need them: networks, and exact play.
pub(crate) fn need_threads() -> PyResult<()> {
    if LOST.load(Ordering::Relaxed) {
        return Err(PyRuntimeError::new_err(
            "this process was forked from one in which hognose had started threads, and threads \
             don't survive a fork: start it with the method \"spawn\" or \"forkserver\", as in \
             multiprocessing.get_context(\"spawn\"), or use agents, tables and training only in the \
             children",
        ));
    }
    STARTED.store(true, Ordering::Relaxed);
    Ok(())
}

/// Checks the same before a policy or bot of this name plays.
pub(crate) fn need_threads_of(name: &str) -> PyResult<()> {
    let needs = ["dqn", "optimal", "selfplay"];
    if needs.iter().any(|kind| name.starts_with(kind)) {
        need_threads()
    } else {
        Ok(())
    }
}

/// Notes a fork, in the child.
#[pyfunction]
pub(crate) fn forked() {
    LOST.fetch_or(STARTED.load(Ordering::Relaxed), Ordering::Relaxed);
}
