//! Work that is left behind where somebody asks to stop.

use crate::error::{Error, Result};
use crate::interrupt;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// How often it is looked whether somebody asked to stop.
const NAP: Duration = Duration::from_millis(50);

/// Does work on a thread of its own, and listens for requests to stop meanwhile: players may think long, even before
/// their first move. `None`: somebody asked to stop, and the thread is left behind.
pub(crate) fn unless_stopped<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<Option<T>> {
    interrupt::listen()?;
    let (sender, done) = mpsc::sync_channel(1);
    // Nobody waits for it any more once somebody asked to stop.
    thread::Builder::new().spawn(move || drop(sender.send(work())))?;
    while !interrupt::asked() {
        match done.recv_timeout(NAP) {
            Ok(done) => return done.map(Some),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(Error::new("a player panicked")),
        }
    }
    Ok(None)
}
