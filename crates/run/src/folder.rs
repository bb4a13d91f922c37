//! The layout of a run's folder.

use hognose_store::{ASIDE, EXTENSION, StoreError, io_error};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Returns the path of the best weights of a run.
pub(crate) fn policy(run: &Path) -> PathBuf {
    run.join("policy").with_extension(EXTENSION)
}

/// Returns the path of the candidate weights of a step.
pub(crate) fn candidate(run: &Path, step: u64) -> PathBuf {
    candidates(run).join(file_of_step(step))
}

/// Returns the path of the checkpoint of a step.
pub(crate) fn checkpoint(run: &Path, step: u64) -> PathBuf {
    checkpoints(run).join(file_of_step(step))
}

fn candidates(run: &Path) -> PathBuf {
    run.join("candidates")
}

fn checkpoints(run: &Path) -> PathBuf {
    run.join("checkpoints")
}

fn file_of_step(step: u64) -> String {
    format!("step-{step:012}.{EXTENSION}")
}

/// Returns the newest checkpoint of a run's folder.
///
/// # Errors
/// Fails if there is none, or the folder can't be read.
pub fn newest_checkpoint(run: &Path) -> Result<PathBuf, StoreError> {
    let newest = files_of_steps(&checkpoints(run), EXTENSION)?.pop();
    newest.ok_or_else(|| StoreError::Missing(run.to_owned()))
}

/// Creates the folder of a file in a run's folder. The run's folder itself must exist: if it was
/// moved or removed during training, it is not recreated.
pub(crate) fn make_room(file: &Path) -> Result<(), StoreError> {
    let folder = hognose_store::folder_of(file);
    match fs::create_dir(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(io_error(folder)(error)),
        _ => Ok(()),
    }
}

/// Removes all checkpoints except the newest ones, files that a crash left half-written, and
/// weights that are no longer candidates.
pub(crate) fn prune(run: &Path, kept: usize, best: &[u64]) -> Result<(), StoreError> {
    let mut old = files_of_steps(&checkpoints(run), EXTENSION)?;
    old.truncate(old.len().saturating_sub(kept));
    let half_written = files_of_steps(&checkpoints(run), ASIDE)?;
    let mut dropped = files_of_steps(&candidates(run), EXTENSION)?;
    dropped.retain(|path| best.iter().all(|&step| candidate(run, step) != *path));
    let mut files = old.iter().chain(&half_written).chain(&dropped);
    files.try_for_each(|path| fs::remove_file(path).map_err(io_error(path)))
}

/// Returns the files of steps in a folder with this extension, oldest first.
fn files_of_steps(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, StoreError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        entries => entries.map_err(io_error(folder))?,
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        name.starts_with("step-") && path.extension().is_some_and(|its| its == extension)
    });
    paths.sort();
    Ok(paths)
}
