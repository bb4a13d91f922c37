//! Writes files atomically.

use crate::error::{Error, Result};
use crate::output;
pub(crate) use hognose_run::files::{create_folder, list, read};
use std::fs;
use std::path::{Path, PathBuf};

/// Writes a file atomically. Special files are written to directly; standard output follows what
/// was printed.
pub(crate) fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    if path == Path::new(STANDARD_OUTPUT) {
        output::write(contents.as_ref());
        return Ok(());
    }
    Ok(hognose_run::files::write(path, contents)?)
}

/// A path that would reopen standard output, from its beginning.
const STANDARD_OUTPUT: &str = "/dev/stdout";

/// Fails early if one of these files can't be written, or two options name the same file.
pub(crate) fn check_outputs(outputs: &[(&str, Option<&PathBuf>)]) -> Result<()> {
    let mut files: Vec<(&str, PathBuf)> = Vec::new();
    for &(option, path) in outputs {
        let Some(path) = path else { continue };
        check_writable(path)?;
        if hognose_run::files::is_special(path) {
            continue;
        }
        let whole = whole(path);
        if let Some((other, _)) = files.iter().find(|(_, its)| *its == whole) {
            let named = format!("{other} and {option} name {}", path.display());
            return Err(Error::new(format!(
                "expected a separate file for each output, got one: {named}"
            )));
        }
        files.push((option, whole));
    }
    Ok(())
}

/// Fails early if a file can't be written.
pub(crate) fn check_writable(path: &Path) -> Result<()> {
    Ok(hognose_run::files::check_writable(path)?)
}

/// Creates the folder for pictures, and fails early if none can be written there.
pub(crate) fn create_picture_folder(folder: &Path) -> Result<()> {
    create_folder(folder)?;
    check_writable(&folder.join("picture"))
}

/// Returns the path of a file without links and dots; the file need not exist.
pub(crate) fn whole(path: &Path) -> PathBuf {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    fs::canonicalize(path)
        .ok()
        .or_else(|| Some(fs::canonicalize(folder).ok()?.join(path.file_name()?)))
        .unwrap_or(path.to_owned())
}
