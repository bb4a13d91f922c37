//! Tables of exact play from files.

use crate::NameError;
use hognose_tablebase::Table;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Reads a table that `hognose tablebase solve` wrote.
///
/// # Errors
/// Fails if the file does not exist, or is damaged or incomplete.
pub fn read_table(path: &Path) -> Result<Table, NameError> {
    let read = || hognose_tablebase::read_table(&mut BufReader::new(File::open(path)?));
    read().map_err(|error| NameError::Table {
        path: path.display().to_string(),
        error,
    })
}
