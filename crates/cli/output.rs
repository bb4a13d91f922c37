//! Output. The reader of standard output may go away, and its disk may be full.

use crate::interrupt;
use crate::outcome::INTERRUPTED;
use std::io::{self, ErrorKind, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The first failure of standard output.
static FAILURE: OnceLock<io::Error> = OnceLock::new();
/// Whether the command continues if it can't print.
static WORKS_ON: AtomicBool = AtomicBool::new(false);

/// Declares that the command also writes files, so it continues if it can't print.
pub(crate) fn work_on() {
    WORKS_ON.store(true, Ordering::Relaxed);
}

/// Returns a text that can't control the terminal: control characters except tabs and newlines are
/// escaped.
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

/// Prints to standard output. On failure, exits if the command only prints.
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

/// Writes bytes to standard output.
pub(crate) fn write(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    if let Err(error) = out.write_all(bytes).and_then(|()| out.flush()) {
        fail(error);
    }
}

/// Records that standard output failed.
pub(crate) fn fail(error: io::Error) {
    // Only the first failure is informative.
    let _ = FAILURE.set(error);
}

/// Prints to standard error, if possible.
pub(crate) fn complain(text: std::fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "error: {}", plain(&text.to_string()));
}

/// Returns the exit status, given the command's own: a reader that went away, such as `head`,
/// changes nothing, but a full disk is an error.
pub(crate) fn status(code: u8) -> u8 {
    match FAILURE.get() {
        Some(error) if code == 0 && error.kind() != ErrorKind::BrokenPipe => {
            complain(format_args!("can't write to standard output: {error}"));
            1
        }
        _ => code,
    }
}

/// Prints a line like `println!`, but through [`print()`].
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
