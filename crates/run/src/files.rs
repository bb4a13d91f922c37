//! Files that are whole or not there.

use crate::error::RunError;
use std::fs;
use std::io;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Makes an error of what the system said, for `map_err`.
pub(crate) fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> RunError {
    let path = path.to_owned();
    move |error| RunError::File { doing, path, error }
}

/// Writes a file aside and renames it.
///
/// # Errors
/// When the system refuses; a previous file is left whole then.
pub fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), RunError> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".tmp");
    let aside = Path::new(&aside);
    let write = || {
        let mut file = fs::File::create(aside)?;
        file.write_all(contents.as_ref())?;
        file.sync_all()?;
        fs::rename(aside, path)
    };
    write().map_err(failed("write", path))
}

/// Makes a folder and those above it, where they are not there.
///
/// # Errors
/// When the system refuses.
pub fn create_folder(path: &Path) -> Result<(), RunError> {
    fs::create_dir_all(path).map_err(failed("make the folder", path))
}

/// The paths of what lies in a folder, in order of their names.
///
/// # Errors
/// When the folder can't be read.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>, RunError> {
    let list = || fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>();
    let mut paths = list().map_err(failed("read the folder", folder))?;
    paths.sort();
    Ok(paths)
}

/// Reads a text file.
///
/// # Errors
/// When the file can't be read, or is no UTF-8 text.
pub fn read(path: &Path) -> Result<String, RunError> {
    fs::read_to_string(path).map_err(failed("read", path))
}
