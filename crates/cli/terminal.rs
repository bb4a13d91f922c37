//! Takes over the terminal for drawing, and restores it.

use crate::error::{Error, Result};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event};
use ratatui::crossterm::{cursor, execute};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};

/// A terminal that was taken over.
pub(crate) struct Terminal {
    /// The canvas to draw on.
    pub(crate) canvas: DefaultTerminal,
    /// Pressed keys and other events.
    pub(crate) events: Receiver<io::Result<Event>>,
}

/// Whether the terminal is taken over.
static DRAWN_OVER: AtomicBool = AtomicBool::new(false);

impl Terminal {
    /// Takes over the terminal for drawing.
    pub(crate) fn take_over() -> Result<Terminal> {
        DRAWN_OVER.store(true, Ordering::Relaxed);
        let canvas = ratatui::try_init().map_err(|error| {
            restore();
            Error::from(error).context("can't take over the terminal")
        })?;
        let (sender, events) = mpsc::channel();
        // Reads on a separate thread, since reading never returns if the terminal is gone.
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

/// Restores the terminal if it was taken over.
pub(crate) fn restore() {
    if DRAWN_OVER.swap(false, Ordering::Relaxed) {
        // A terminal that is gone needs no restoring. Drawing hides the cursor.
        let _ = ratatui::try_restore();
        let _ = execute!(io::stdout(), cursor::Show);
    }
}

/// Returns whether the output is a terminal whose other end is still open.
pub(crate) fn is_there() -> bool {
    io::stdout().is_terminal()
}
