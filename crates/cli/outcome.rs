//! Outcomes of commands, and their exit statuses.

/// The exit status after an interruption, by the convention of shells: 128 + SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;
/// The exit status after bad input or a system failure.
pub(crate) const REFUSED: u8 = 2;

/// The outcome of a command with valid input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The command succeeded.
    Done,
    /// A requested check failed, or the game was forfeited.
    Failed,
    /// The user stopped the command, for example with Ctrl-C.
    Interrupted,
}

impl Outcome {
    /// Returns the exit status.
    pub(crate) fn status(self) -> u8 {
        match self {
            Outcome::Done => 0,
            Outcome::Failed => 1,
            Outcome::Interrupted => INTERRUPTED,
        }
    }
}
