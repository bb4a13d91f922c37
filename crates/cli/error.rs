//! Errors of the binary. All of them are bad input or a failing system, and lead to exit status 2.

use std::fmt;

/// An error message for the user.
#[derive(Debug)]
pub(crate) struct Error(String);

impl Error {
    /// Creates an error with this text: lowercase, without a period, stating what was expected and
    /// what was found.
    pub(crate) fn new(text: impl Into<String>) -> Error {
        Error(text.into())
    }

    /// Prefixes the error with what was attempted.
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

/// The result of functions that may fail.
pub(crate) type Result<T> = std::result::Result<T, Error>;
