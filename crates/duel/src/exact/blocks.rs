//! Parallel work whose results do not depend on the number of threads.

use std::sync::Mutex;

/// The number of items that a thread processes at a time.
pub(super) const BLOCK: usize = 1 << 12;

/// Runs each task once, and collects the results in the order of the tasks. Each thread makes its
/// own worker.
pub(super) fn in_order<T: Send, R: Send, W: FnMut(T) -> R>(
    threads: usize,
    tasks: impl Iterator<Item = T> + Send,
    worker: impl Fn() -> W + Sync,
) -> Vec<R> {
    let tasks = Mutex::new(tasks.enumerate());
    let done = Mutex::new(Vec::new());
    let work = || {
        let mut worker = worker();
        loop {
            // This releases the lock before the work begins.
            let task = tasks.lock().expect("no worker panics with the lock").next();
            let Some((number, task)) = task else { break };
            let result = worker(task);
            done.lock()
                .expect("no worker panics with the lock")
                .push((number, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let mut done = done.into_inner().expect("no worker panics with the lock");
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}
