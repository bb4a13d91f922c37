//! What is printed. Standard output's reader may go away, and its disk may be full.

use crate::interrupt;
use crate::outcome::INTERRUPTED;
use std::io::{self, ErrorKind, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// What went wrong first.
static FAILURE: OnceLock<io::Error> = OnceLock::new();
/// Whether the command goes on where it can't print.
static WORKS_ON: AtomicBool = AtomicBool::new(false);

/// Says that the command makes files, too: it goes on where it can't print any more.
pub(crate) fn work_on() {
    WORKS_ON.store(true, Ordering::Relaxed);
}

/// A text that can't control the terminal, wherever it comes from: control characters except tabs
/// and the ends of lines are written as escapes.
pub(crate) fn plain(text: &str) -> String {
    let controls = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        if controls(letter) {
            plain.extend(letter.escape_default())
        } else {
            plain.push(letter)
        }
    }
    plain
}

/// Prints to standard output. Where that fails, a command that only prints ends.
pub(crate) fn print(text: std::fmt::Arguments<'_>) {
    if FAILURE.get().is_some() {
        return;
    }
    let text = plain(&text.to_string());
    let mut out = io::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        fail(error);
        if !WORKS_ON.load(Ordering::Relaxed) {
            std::process::exit(status(if interrupt::asked() { INTERRUPTED } else { 0 }).into());
        }
    }
}

/// Writes what a command makes to standard output.
pub(crate) fn write(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    if let Err(error) = out.write_all(bytes).and_then(|()| out.flush()) {
        fail(error);
    }
}

/// Remembers that standard output failed.
pub(crate) fn fail(error: io::Error) {
    // Only the first failure tells something.
    let _ = FAILURE.set(error);
}

/// Prints to standard error, if anybody hears it.
pub(crate) fn complain(text: std::fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "error: {}", plain(&text.to_string()));
}

/// The exit status, given what the command came to: a reader that went away, such as `head`,
/// changes nothing, a full disk is an error.
pub(crate) fn status(code: u8) -> u8 {
    match FAILURE.get() {
        Some(error) if code == 0 && error.kind() != ErrorKind::BrokenPipe => {
            complain(format_args!("can't write to standard output: {error}"));
            1
        }
        _ => code,
    }
}

/// `println!` through [`print()`].
macro_rules! say {
    ($($part:tt)*) => { $crate::output::print(format_args!("{}\n", format_args!($($part)*))) };
}
pub(crate) use say;

#[cfg(test)]
mod tests {
    #[test]
    fn only_lines_and_tabs_are_controls() {
        assert_eq!(
            super::plain("a\tb\nä ± \u{1b}[1m\r\u{7f}\u{9b}\u{0}"),
            "a\tb\nä ± \\u{1b}[1m\\r\\u{7f}\\u{9b}\\u{0}"
        );
    }
}
