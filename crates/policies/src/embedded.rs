//! Agents embedded in a program.

use std::fmt;

/// An agent embedded in a program, available wherever the program runs.
#[derive(Clone, Copy)]
pub struct EmbeddedAgent {
    /// The name that follows `dqn:`, or `selfplay:` if it plays duels.
    pub name: &'static str,
    /// The bytes of its policy file.
    pub bytes: &'static [u8],
}

impl fmt::Debug for EmbeddedAgent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("EmbeddedAgent")
            .field(&self.name)
            .finish()
    }
}
