//! A line of the table of a document, and how its verdict is worded.

use hognose_eval::stats;
use serde::Serialize;

/// A line of the table.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) place: String,
    pub(super) what: String,
    pub(super) published: String,
    pub(super) measured: String,
    pub(super) verdict: String,
    /// `None` if there is nothing to compare, or no difference could be told.
    pub(super) agrees: Option<bool>,
}

/// Whether a claim holds; if no difference was told (`None`), how large a one would have been. `z`
/// is the quantile that the verdict is by.
pub(super) fn verdict_of_claim(
    holds: Option<bool>,
    error: f64,
    z: f64,
    note: Option<&str>,
    text: impl Fn(f64) -> String,
) -> String {
    match holds {
        Some(true) => "holds".to_owned(),
        Some(false) => {
            "does not hold".to_owned() + &note.map_or(String::new(), |note| format!(": {note}"))
        }
        None if error == 0.0 => "not distinguishable: all games are alike".to_owned(),
        // So large a difference is told from none nine times in ten.
        None => {
            let seen = (z + stats::normal_quantile(0.8)) * error;
            format!("not distinguishable; {} would have been seen", text(seen))
        }
    }
}
