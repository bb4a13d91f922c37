//! Requests to stop: Ctrl-C, termination, and the end of the terminal. The first asks, a later one
//! stops at once.

use crate::error::{Error, Result};
use crate::outcome::INTERRUPTED;
use crate::terminal;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// When somebody asked to stop.
static ASKED: OnceLock<Instant> = OnceLock::new();
/// Whether requests are heard.
static LISTENS: AtomicBool = AtomicBool::new(false);

/// Requests within this time are one: what ends a process often signals it and its group, as
/// `timeout` does.
const ONE_REQUEST: Duration = Duration::from_millis(300);

/// How often it is looked for a request while work is done.
const NAP: Duration = Duration::from_millis(50);

/// Listens for Ctrl-C, termination and the terminal's end from now on. Listening again changes
/// nothing.
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
            // A hangup is told twice, by the system and by the shell: it is no impatient second
            // request.
            if signal == SIGHUP {
                ask()
            } else {
                ask_or_stop()
            }
        }
    });
    Ok(())
}

/// Whether hangups were switched off before the program began, as nohup does: then a shell survives
/// its own.
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

/// Asks to stop.
pub(crate) fn ask() {
    ASKED.get_or_init(Instant::now);
}

/// Asks to stop; stops at once if somebody has asked before.
fn ask_or_stop() {
    if ASKED.get_or_init(Instant::now).elapsed() > ONE_REQUEST {
        terminal::restore();
        std::process::exit(INTERRUPTED.into());
    }
}

/// For work that asks now and then whether to go on.
pub(crate) fn go_on() -> ControlFlow<()> {
    if asked() {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

/// Whether somebody asked to stop.
pub(crate) fn asked() -> bool {
    ASKED.get().is_some()
}

/// Does work on a thread of its own, and listens for requests to stop meanwhile: players may think
/// long, even before their first move. `None`: somebody asked to stop, and the thread is left
/// behind.
pub(crate) fn unless_stopped<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<Option<T>> {
    listen()?;
    let (sender, finished) = mpsc::sync_channel(1);
    // Nobody waits for it any more once somebody asked to stop.
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
