//! Files of a run's folder: whole, or not there.

use crate::error::RunError;
use std::fs;
use std::io;
use std::io::Write;
use std::path::{Path, PathBuf};

pub(crate) fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> RunError {
    let path = path.to_owned();
    move |error| RunError::File { doing, path, error }
}

/// Writes a file aside and renames it.
pub(crate) fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), RunError> {
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

/// Makes a folder and those above it.
pub(crate) fn create_folder(path: &Path) -> Result<(), RunError> {
    fs::create_dir_all(path).map_err(failed("make the folder", path))
}

/// What lies in a folder, in order of its names.
pub(crate) fn list(folder: &Path) -> Result<Vec<PathBuf>, RunError> {
    let list = || fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>();
    let mut paths = list().map_err(failed("read the folder", folder))?;
    paths.sort();
    Ok(paths)
}

/// Reads a text file.
pub(crate) fn read(path: &Path) -> Result<String, RunError> {
    fs::read_to_string(path).map_err(failed("read", path))
}
