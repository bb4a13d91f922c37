//! Reads records, and describes how their games ended.

use crate::error::Result;
use crate::files;
use hognose_game::duel::DuelRecord;
use hognose_game::{Position, Record, Status};
use std::path::Path;

/// A recorded game.
pub(crate) enum Recorded {
    Game(Record),
    Duel(DuelRecord),
}

/// Reads a record and checks that it replays. Its first line identifies duels.
pub(crate) fn read(path: &Path) -> Result<Recorded> {
    let text = files::read(path)?;
    let record = if DuelRecord::is_record(&text) {
        duel(&text).map(Recorded::Duel)
    } else {
        game(&text).map(Recorded::Game)
    };
    record.map_err(|error| error.context(path.display()))
}

/// Reads the record of a game of one snake and checks that it replays.
pub(crate) fn read_game(path: &Path) -> Result<Record> {
    game(&files::read(path)?).map_err(|error| error.context(path.display()))
}

fn game(text: &str) -> Result<Record> {
    let record: Record = text.parse()?;
    record.replay()?;
    Ok(record)
}

/// Parses the record of a duel and checks that it replays.
pub(crate) fn duel(text: &str) -> Result<DuelRecord> {
    let record: DuelRecord = text.parse()?;
    record.replay()?;
    Ok(record)
}

/// Describes how a recorded game ended.
pub(crate) fn ending(record: &Record) -> Result<String> {
    Ok(ending_at(record.replay()?.position(), record.moves().len()))
}

/// Describes how a game ended at a position after `steps` steps.
pub(crate) fn ending_at(position: &Position, steps: usize) -> String {
    let how = match position.status() {
        Status::Won => "won".to_owned(),
        Status::Lost(cause) => format!("lost to {}", format!("{cause:?}").to_lowercase()),
        Status::Ongoing => "cut off".to_owned(),
    };
    format!(
        "{how} after {steps} steps, length {} of {}",
        position.len(),
        position.board().area()
    )
}
