//! Requests to stop: Ctrl-C, termination, and the end of the terminal. The first request stops
//! gracefully, a second one immediately.

use crate::error::{Error, Result};
use crate::outcome::INTERRUPTED;
use crate::terminal;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The time of the first request to stop.
static ASKED: OnceLock<Instant> = OnceLock::new();
/// Whether requests are handled.
static LISTENS: AtomicBool = AtomicBool::new(false);

/// Requests within this time count as one: programs such as `timeout` often signal both a process
/// and its group.
const ONE_REQUEST: Duration = Duration::from_millis(300);

/// The interval at which work is interrupted to check for requests.
const NAP: Duration = Duration::from_millis(50);

/// Starts handling Ctrl-C, termination and the terminal's end. Further calls do nothing.
pub(crate) fn listen() -> Result<()> {
    match LISTENS.swap(true, Ordering::Relaxed) {
        true => Ok(()),
        false => listen_to_signals(),
    }
}

#[cfg(unix)]
fn listen_to_signals() -> Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    if !outlives_terminal() {
        signals.add_signal(SIGHUP)?;
    }
    thread::spawn(move || {
        for signal in signals.forever() {
            // A hangup is signaled twice, by the system and by the shell, so it must not count as a
            // second request.
            if signal == SIGHUP {
                ask()
            } else {
                ask_or_stop()
            }
        }
    });
    Ok(())
}

/// Returns whether hangups were disabled before the program started, as by nohup: then a shell
/// survives its own hangup signal.
#[cfg(unix)]
fn outlives_terminal() -> bool {
    std::process::Command::new("sh")
        .args(["-c", "kill -HUP $$"])
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(not(unix))]
fn listen_to_signals() -> Result<()> {
    Ok(ctrlc::set_handler(ask_or_stop)?)
}

/// Requests to stop.
pub(crate) fn ask() {
    ASKED.get_or_init(Instant::now);
}

/// Requests to stop; stops immediately if there was a request before.
fn ask_or_stop() {
    if ASKED.get_or_init(Instant::now).elapsed() > ONE_REQUEST {
        terminal::restore();
        std::process::exit(INTERRUPTED.into());
    }
}

/// Tells work in progress whether to continue.
pub(crate) fn go_on() -> ControlFlow<()> {
    if asked() {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

/// Returns whether a stop was requested.
pub(crate) fn asked() -> bool {
    ASKED.get().is_some()
}

/// Runs work on a separate thread until it finishes or a stop is requested: players may think long,
/// even before their first move. Returns `None` if a stop was requested; the thread is then
/// abandoned.
pub(crate) fn unless_stopped<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<Option<T>> {
    listen()?;
    let (sender, finished) = mpsc::sync_channel(1);
    // Nobody receives the result after a stop was requested.
    thread::Builder::new().spawn(move || drop(sender.send(work())))?;
    while !asked() {
        match finished.recv_timeout(NAP) {
            Ok(result) => return result.map(Some),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(Error::new("a player panicked")),
        }
    }
    Ok(None)
}
