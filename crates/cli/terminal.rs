//! A terminal that is drawn over, and given back as it was found.

use crate::error::{Error, Result};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event};
use ratatui::crossterm::{cursor, execute};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};

/// A terminal that is drawn over.
pub(crate) struct Terminal {
    /// What is drawn on.
    pub(crate) canvas: DefaultTerminal,
    /// The keys that were pressed, and other events.
    pub(crate) events: Receiver<io::Result<Event>>,
}

/// Whether the terminal is drawn over.
static DRAWN_OVER: AtomicBool = AtomicBool::new(false);

impl Terminal {
    /// Begins to draw over the terminal.
    pub(crate) fn take_over() -> Result<Terminal> {
        DRAWN_OVER.store(true, Ordering::Relaxed);
        let canvas = ratatui::try_init().map_err(|error| {
            restore();
            Error::from(error).context("can't draw over the terminal")
        })?;
        let (sender, events) = mpsc::channel();
        // A thread of its own: where the terminal is gone, reading never returns.
        std::thread::spawn(move || {
            loop {
                let event = event::read();
                let failed = event.is_err();
                if sender.send(event).is_err() || failed {
                    return;
                }
            }
        });
        Ok(Terminal { canvas, events })
    }
}

/// Gives the terminal back as it was found, if it is drawn over.
pub(crate) fn restore() {
    if DRAWN_OVER.swap(false, Ordering::Relaxed) {
        // A terminal that is gone needs no restoring. Drawing hides the cursor.
        let _ = ratatui::try_restore();
        let _ = execute!(io::stdout(), cursor::Show);
    }
}

/// Whether the output is a terminal that is still there: one whose other end was closed is none any
/// more.
pub(crate) fn is_there() -> bool {
    io::stdout().is_terminal()
}
