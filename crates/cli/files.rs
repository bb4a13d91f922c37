//! Files that are whole or not there.

use crate::error::{Error, Result};
pub(crate) use hognose_run::files::{create_folder, list, read};
use std::fs;
use std::path::Path;

/// Writes a file aside and renames it.
pub(crate) fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    Ok(hognose_run::files::write(path, contents)?)
}

/// Fails now rather than later if a file can't be written: creates it empty if it is not there, and removes it again.
pub(crate) fn check_writable(path: &Path) -> Result<()> {
    let existed = path.exists();
    let check = || {
        fs::OpenOptions::new().append(true).create(true).open(path)?;
        if existed { Ok(()) } else { fs::remove_file(path) }
    };
    check().map_err(|error| Error::from(error).context(format_args!("can't write {}", path.display())))
}
