//! Threads that play games, and their supervision by the caller.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The maximum time between calls that ask the caller whether to continue.
pub(crate) const TICK: Duration = Duration::from_millis(100);
/// The time that threads have to end after they are told to stop.
const PATIENCE: Duration = Duration::from_millis(500);

/// Passes each message of the threads to `receive`, and `None` after a tenth of a second without one,
/// until all threads have ended. If `receive` returns `false`, sets `stop`, and abandons threads that
/// do not end within half a second.
///
/// # Panics
/// Panics if a thread panicked.
pub(crate) fn listen<M>(
    threads: Vec<JoinHandle<()>>,
    messages: &Receiver<M>,
    stop: &AtomicBool,
    mut receive: impl FnMut(Option<M>) -> bool,
) {
    let mut until = None;
    loop {
        let message = match messages.recv_timeout(TICK) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if !receive(message) {
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
