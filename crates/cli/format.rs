//! Tables and numbers in reports.

use comfy_table::{CellAlignment, Table, presets};
use hognose_eval::{Interval, Summary};
use std::fmt::Display;

/// Returns an empty table whose columns are right-aligned, except the first.
pub(crate) fn table<T: ToString>(header: &[T]) -> Table {
    let mut table = Table::new();
    table
        .load_preset(presets::ASCII_MARKDOWN)
        .set_header(header.iter().map(T::to_string));
    table
        .column_iter_mut()
        .skip(1)
        .for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}

/// Formats a mean with `digits` decimals, and its interval in brackets.
pub(crate) fn with_interval(mean: f64, interval: Option<Interval>, digits: usize) -> String {
    match interval {
        // Equal values don't show how far others may lie.
        Some(Interval { low, high }) if low < high => {
            format!("{mean:.digits$} [{low:.digits$}, {high:.digits$}]")
        }
        _ => format!("{mean:.digits$}"),
    }
}

/// Formats a mean with its interval, or a dash for none.
pub(crate) fn mean_or_dash(mean: Option<f64>, interval: Option<Interval>, digits: usize) -> String {
    mean.map_or("-".to_owned(), |mean| with_interval(mean, interval, digits))
}

/// Formats a share, from 0 to 1, and its interval in percent.
pub(crate) fn percent(share: f64, Interval { low, high }: Interval) -> String {
    format!(
        "{:.1} % [{:.1}, {:.1}]",
        100.0 * share,
        100.0 * low,
        100.0 * high
    )
}

/// Formats a number with `digits` decimals, or a dash for none.
pub(crate) fn number_or_dash(value: Option<f64>, digits: usize) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.digits$}"))
}

/// Formats a number in thousands (k) or millions (M).
pub(crate) fn thousands(value: f64) -> String {
    match value {
        1e6.. => format!("{:.1} M", value / 1e6),
        1e3.. => format!("{:.1} k", value / 1e3),
        _ => format!("{value:.0}"),
    }
}
/// Returns the note below a table about forfeited games; `None` if there were none.
pub(crate) fn forfeits(
    of: impl Display,
    Summary { ends, forfeit, .. }: &Summary,
) -> Option<String> {
    let games = ends.forfeit;
    let reason = forfeit.as_ref()?;
    Some(format!(
        "{of}: forfeited {games} games, which no column above counts; the first: {reason}"
    ))
}
