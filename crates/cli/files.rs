//! Files that are whole or not there.

use crate::error::{Error, Result};
use crate::output;
pub(crate) use hognose_run::files::{create_folder, list, read};
use std::fs;
use std::path::Path;

/// Writes a file aside and renames it. What is no file is written to as it is, standard output after what was printed.
pub(crate) fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    if path == Path::new(STANDARD_OUTPUT) {
        output::write(contents.as_ref());
        return Ok(());
    }
    Ok(hognose_run::files::write(path, contents)?)
}

/// A path that opens what was opened already, from its beginning.
const STANDARD_OUTPUT: &str = "/dev/stdout";

/// Fails now rather than later if a file can't be written: creates it empty if it is not there, and removes it again.
/// What is no file is not opened, since a pipe may have a reader that this would end.
pub(crate) fn check_writable(path: &Path) -> Result<()> {
    if hognose_run::files::is_special(path) {
        return Ok(());
    }
    let existed = path.exists();
    let check = || {
        fs::OpenOptions::new().append(true).create(true).open(path)?;
        if existed { Ok(()) } else { fs::remove_file(path) }
    };
    check().map_err(|error| Error::from(error).context(format_args!("can't write {}", path.display())))
}
