//! Results of calls from the page.

/// The result of a call from the page; an error is a message for the user.
pub(crate) type Answer<T> = Result<T, String>;

/// Returns an error as text.
pub(crate) fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Returns a value as JSON.
pub(crate) fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("all values have a form in JSON")
}
