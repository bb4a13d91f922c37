//! Results of calls from the page.

/// The result of a call from the page; an error is a message for the user.
pub(crate) type Answer<T> = Result<T, String>;

/// Returns an error as text, without advice that speaks of the command.
pub(crate) fn text(error: impl std::fmt::Display) -> String {
    let text = error.to_string();
    match text.split_once("; `hognose") {
        Some((before, _)) => before.to_owned(),
        None => text,
    }
}

/// Returns a value as JSON.
pub(crate) fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("all values have a form in JSON")
}
