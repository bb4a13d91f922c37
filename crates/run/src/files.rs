//! Writes files atomically, and reads them.

use crate::error::RunError;
use hognose_store::{aside, write_aside};
use std::fs;
use std::io;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The file that is locked while a training run writes to its folder.
#[cfg(feature = "folders")]
const LOCK: &str = ".lock";

/// The maximum length of a text file, since files such as `/dev/zero` never end.
const LONGEST_TEXT: u64 = 1 << 30;

/// Converts an I/O error into a [`RunError`], for `map_err`.
pub(crate) fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> RunError {
    let path = path.to_owned();
    move |error| RunError::File { doing, path, error }
}

/// Writes a file atomically: writes a temporary file next to it and renames that. If `path` is a
/// link to a file, replaces the file that it leads to. Special files, such as pipes and devices,
/// are written to directly.
///
/// # Errors
/// Fails if the system refuses; an existing file is then left intact.
pub fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), RunError> {
    let write = || match is_special(path) {
        true => fs::File::create(path)?.write_all(contents.as_ref()),
        false => {
            let path = fs::canonicalize(path).unwrap_or(path.to_owned());
            write_aside(&path, |file| file.write_all(contents.as_ref()))
        }
    };
    write().map_err(failed("write", path))
}

/// Returns whether the path is something that a file can't replace: a device, a pipe, or a broken
/// link.
pub fn is_special(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(found) => !found.is_file() && !found.is_dir(),
        Err(_) => path.is_symlink(),
    }
}

/// Checks that [`write`](fn@write) would succeed now: creates the temporary file and removes it
/// again. Special files are not opened, since that would end the reader of a pipe.
///
/// # Errors
/// Fails if the system refuses.
pub fn check_writable(path: &Path) -> Result<(), RunError> {
    let check = || {
        if is_special(path) {
            return Ok(());
        }
        if path.exists() {
            fs::OpenOptions::new().append(true).open(path)?;
        }
        let aside = aside(&fs::canonicalize(path).unwrap_or(path.to_owned()));
        fs::File::create(&aside)?;
        fs::remove_file(aside)
    };
    check().map_err(failed("write", path))
}

/// Returns the text of the file at a path or, if there is none or it is a folder, the embedded text
/// with that name. `embedded` lists names with their texts.
///
/// # Errors
/// Fails if there is neither, or the system refuses to read the file.
pub fn read_or_embedded(name_or_path: &str, embedded: &[(&str, &str)]) -> Result<String, RunError> {
    let path = Path::new(name_or_path);
    match embedded.iter().find(|(name, _)| *name == name_or_path) {
        _ if path.exists() && !path.is_dir() => read(path),
        Some((_, text)) => Ok((*text).to_owned()),
        None => {
            let names: Vec<&str> = embedded.iter().map(|(name, _)| *name).collect();
            let expected = names.join(", ");
            Err(RunError::Experiment(format!(
                "expected a file or one of {expected}, got {name_or_path:?}"
            )))
        }
    }
}

/// Returns the default folder of a run: `runs/EXPERIMENT-seedN`, where EXPERIMENT is a name or the
/// stem of a file.
pub fn usual_folder(experiment: &str, seed: u64) -> PathBuf {
    let stem = Path::new(experiment)
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    Path::new("runs").join(format!("{stem}-seed{seed}"))
}

/// Creates a folder and its missing parents.
///
/// # Errors
/// Fails if the system refuses.
pub fn create_folder(path: &Path) -> Result<(), RunError> {
    fs::create_dir_all(path).map_err(failed("create the folder", path))
}

/// Locks a folder until the returned file is dropped, so that no two training runs write to it.
/// Does nothing on file systems without locks.
///
/// # Errors
/// Fails if another training run holds the lock, or the system refuses.
#[cfg(feature = "folders")]
pub(crate) fn hold(folder: &Path) -> Result<fs::File, RunError> {
    let path = folder.join(LOCK);
    let file = fs::File::create(&path).map_err(failed("write", &path))?;
    match file.try_lock() {
        Err(fs::TryLockError::WouldBlock) => Err(RunError::Busy(folder.to_owned())),
        _ => Ok(file),
    }
}

/// Returns the paths of a folder's entries, sorted by name.
///
/// # Errors
/// Fails if the folder can't be read.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>, RunError> {
    let list = || {
        fs::read_dir(folder)?
            .map(|entry| Ok(entry?.path()))
            .collect::<io::Result<Vec<PathBuf>>>()
    };
    let mut paths = list().map_err(failed("read the folder", folder))?;
    paths.sort();
    Ok(paths)
}

/// Reads a file.
#[cfg(feature = "folders")]
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, RunError> {
    fs::read(path).map_err(failed("read", path))
}

/// Reads a text file.
///
/// # Errors
/// Fails if the file can't be read, is not UTF-8, or is longer than a gibibyte.
pub fn read(path: &Path) -> Result<String, RunError> {
    let read = || {
        let mut text = String::new();
        fs::File::open(path)?
            .take(LONGEST_TEXT + 1)
            .read_to_string(&mut text)?;
        match text.len() as u64 {
            0..=LONGEST_TEXT => Ok(text),
            _ => Err(io::Error::other(format!(
                "expected a text of at most {LONGEST_TEXT} bytes"
            ))),
        }
    };
    read().map_err(failed("read", path))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(unix)]
    use std::os::unix::fs::symlink;

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_what_is_no_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let names = || list(folder.path()).unwrap().len();
        write(&at("file"), "one").unwrap();
        symlink("file", at("link")).unwrap();
        symlink("link", at("far")).unwrap();
        write(&at("far"), "two").unwrap();
        assert_eq!(
            (
                read(&at("file")).unwrap().as_str(),
                at("link").is_symlink(),
                at("far").is_symlink()
            ),
            ("two", true, true)
        );
        symlink("new", at("ahead")).unwrap();
        write(&at("ahead"), "three").unwrap();
        assert!(at("ahead").is_symlink() && read(&at("new")).unwrap() == "three");
        assert_eq!(names(), 5);
        symlink("/dev/null", at("nothing")).unwrap();
        write(&at("nothing"), "four").unwrap();
        assert!(is_special(&at("nothing")) && at("nothing").is_symlink());
        // A folder, and a file in a folder that does not exist.
        assert!(write(folder.path(), "five").is_err() && write(&at("no/file"), "six").is_err());
        assert_eq!(names(), 6);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let full = folder.path().join("full");
        symlink("/dev/full", &full).unwrap();
        let error = write(&full, "one").unwrap_err().to_string();
        assert!(error.contains("write") && error.contains("full"), "{error}");
        assert!(full.is_symlink() && Path::new("/dev/full").exists());
    }
}
