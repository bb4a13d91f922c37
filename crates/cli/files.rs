//! Files that are whole or not there.

use crate::error::{Error, Result};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes a file aside and renames it.
pub(crate) fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".tmp");
    let aside = Path::new(&aside);
    let write = || {
        let mut file = fs::File::create(aside)?;
        file.write_all(contents.as_ref())?;
        file.sync_all()?;
        fs::rename(aside, path)
    };
    write().map_err(|error| Error::from(error).context(format_args!("can't write {}", path.display())))
}

/// Makes a folder and those above it.
pub(crate) fn create_folder(path: &Path) -> Result<()> {
    let failed = |error| Error::from(error).context(format_args!("can't make the folder {}", path.display()));
    fs::create_dir_all(path).map_err(failed)
}

/// What lies in a folder, in order of its names.
pub(crate) fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let list = || fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>();
    let failed = |error| Error::from(error).context(format_args!("can't read the folder {}", folder.display()));
    let mut paths = list().map_err(failed)?;
    paths.sort();
    Ok(paths)
}

/// Reads a text file.
pub(crate) fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| Error::from(error).context(format_args!("can't read {}", path.display())))
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
