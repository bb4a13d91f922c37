//! What calls from the page come to.

/// What a call from the page comes to: an error is a text for the user.
pub(crate) type Answer<T> = Result<T, String>;

/// An error as a text.
pub(crate) fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// A value as JSON.
pub(crate) fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("numbers, texts and lists become JSON")
}
