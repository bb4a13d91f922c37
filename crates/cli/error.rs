//! What goes wrong in the binary. Every error here is bad input or a failing system, and ends with
//! exit status 2.

use std::fmt;

/// An error as the user reads it.
#[derive(Debug)]
pub(crate) struct Error(String);

impl Error {
    /// An error with this text: lower-case, without a full stop, saying what was expected and what
    /// was found.
    pub(crate) fn new(text: impl Into<String>) -> Error {
        Error(text.into())
    }

    /// Says first what was being done.
    pub(crate) fn context(self, doing: impl fmt::Display) -> Error {
        Error(format!("{doing}: {}", self.0))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<E: std::error::Error> From<E> for Error {
    fn from(error: E) -> Error {
        Error(error.to_string())
    }
}

/// What a function of the binary returns that may go wrong.
pub(crate) type Result<T> = std::result::Result<T, Error>;
