//! Records: reading one, and telling how its game ended.

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

/// Reads a record that replays. Its first line tells whether it is that of a duel.
pub(crate) fn read(path: &Path) -> Result<Recorded> {
    let text = files::read(path)?;
    let record = if DuelRecord::is_record(&text) {
        duel(&text)
    } else {
        game(&text).map(Recorded::Game)
    };
    record.map_err(|error| error.context(path.display()))
}

/// Reads the record of a game of one snake that replays.
pub(crate) fn read_game(path: &Path) -> Result<Record> {
    game(&files::read(path)?).map_err(|error| error.context(path.display()))
}

fn game(text: &str) -> Result<Record> {
    let record: Record = text.parse()?;
    record.replay()?;
    Ok(record)
}

fn duel(text: &str) -> Result<Recorded> {
    let record: DuelRecord = text.parse()?;
    record.replay()?;
    Ok(Recorded::Duel(record))
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
    format!(
        "{how} after {steps} steps, length {} of {}",
        position.len(),
        position.board().area()
    )
}
