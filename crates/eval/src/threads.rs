//! Threads that play games, and the caller that hears of them and may break them off.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The caller is asked at least this often whether to go on.
pub(crate) const TICK: Duration = Duration::from_millis(100);
/// How long threads that think may take to end once they are to stop.
const PATIENCE: Duration = Duration::from_millis(500);

/// Hands each message of the threads to `hear`, and `None` when none has come for a tenth of a
/// second, until all threads have ended. When `hear` breaks off, `stop` is set, and threads that do
/// not end within half a second are left behind.
///
/// # Panics
/// When a thread panicked.
pub(crate) fn listen<M>(
    threads: Vec<JoinHandle<()>>,
    messages: &Receiver<M>,
    stop: &AtomicBool,
    mut hear: impl FnMut(Option<M>) -> ControlFlow<()>,
) {
    let mut until = None;
    loop {
        let message = match messages.recv_timeout(TICK) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if hear(message).is_break() {
            stop.store(true, Ordering::Relaxed);
            if *until.get_or_insert_with(|| Instant::now() + PATIENCE) < Instant::now() {
                return;
            }
        }
    }
    if let Some(panicked) = threads.into_iter().find_map(|thread| thread.join().err()) {
        std::panic::resume_unwind(panicked);
    }
}
