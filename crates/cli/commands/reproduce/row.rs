//! Rows of the table of a document, and the wording of verdicts.

use hognose_eval::stats;
use serde::Serialize;

/// A row of the table.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) place: String,
    pub(super) what: String,
    pub(super) published: String,
    pub(super) measured: String,
    pub(super) verdict: String,
    /// `None` if there is nothing to compare, or no difference is distinguishable.
    pub(super) agrees: Option<bool>,
}

/// Describes whether a claim holds or, if no difference is distinguishable (`None`), how large a
/// difference would have been detected. `z` is the quantile for the verdict.
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
        // A difference of this size is distinguished from 0 nine times in ten.
        None => {
            let seen = (z + stats::normal_quantile(0.8)) * error;
            format!(
                "not distinguishable; {} would have been detected",
                text(seen)
            )
        }
    }
}
