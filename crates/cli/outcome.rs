//! What a command comes to, and the exit status that tells it.

/// The exit status after an interruption, as shells count it: 128 + SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;
/// The exit status after bad input, or where the system fails.
pub(crate) const REFUSED: u8 = 2;

/// What a command comes to, if nothing is wrong with its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All is well.
    Done,
    /// A check that the user asked for failed, or a game that it is about was forfeited.
    Failed,
    /// The user asked to stop, as with Ctrl-C.
    Interrupted,
}

impl Outcome {
    /// The exit status.
    pub(crate) fn status(self) -> u8 {
        match self {
            Outcome::Done => 0,
            Outcome::Failed => 1,
            Outcome::Interrupted => INTERRUPTED,
        }
    }
}
