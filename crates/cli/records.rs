//! Records: reading one, and telling how its game ended.

use crate::error::{Error, Result};
use crate::files;
use hognose_game::{Position, Record, Status};
use std::path::Path;

/// Reads a record that replays.
pub(crate) fn read(path: &Path) -> Result<Record> {
    let wrong = |error| Error::from(error).context(path.display());
    let record: Record = files::read(path)?.parse().map_err(wrong)?;
    record.replay().map_err(wrong)?;
    Ok(record)
}

/// How a recorded game ended, in words.
pub(crate) fn ending(record: &Record) -> Result<String> {
    Ok(ending_at(record.replay()?.position(), record.moves().len()))
}

/// How a game ended at a position after so many steps, in words.
pub(crate) fn ending_at(position: &Position, steps: usize) -> String {
    let how = match position.status() {
        Status::Won => "won".to_owned(),
        Status::Lost(cause) => format!("lost to {}", format!("{cause:?}").to_lowercase()),
        Status::Ongoing => "cut off".to_owned(),
    };
    format!("{how} after {steps} steps, length {} of {}", position.len(), position.board().area())
}
