//! The folder of a run: where its files lie.

use hognose_store::{ASIDE, EXTENSION, StoreError, io_error};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The best weights of a run.
pub(crate) fn policy(run: &Path) -> PathBuf {
    run.join("policy").with_extension(EXTENSION)
}

/// The weights of a step that are among the best.
pub(crate) fn candidate(run: &Path, step: u64) -> PathBuf {
    candidates(run).join(file_of_step(step))
}

/// The checkpoint of a step.
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

/// The newest checkpoint of a run folder.
///
/// # Errors
/// When there is none, or the folder can't be read.
pub fn newest_checkpoint(run: &Path) -> Result<PathBuf, StoreError> {
    let newest = files_of_steps(&checkpoints(run), EXTENSION)?.pop();
    newest.ok_or_else(|| StoreError::Missing(run.to_owned()))
}

/// Makes the folder of a file in a run folder. The run folder itself must be there: if it is gone,
/// it was moved or removed while training went on, and is not made again.
pub(crate) fn make_room(file: &Path) -> Result<(), StoreError> {
    let folder = hognose_store::folder_of(file);
    match fs::create_dir(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(io_error(folder)(error)),
        _ => Ok(()),
    }
}

/// Removes all checkpoints but the newest ones, what a crash left half written, and weights that
/// are no longer among the best.
pub(crate) fn prune(run: &Path, kept: usize, best: &[u64]) -> Result<(), StoreError> {
    let mut old = files_of_steps(&checkpoints(run), EXTENSION)?;
    old.truncate(old.len().saturating_sub(kept));
    let half_written = files_of_steps(&checkpoints(run), ASIDE)?;
    let mut dropped = files_of_steps(&candidates(run), EXTENSION)?;
    dropped.retain(|path| best.iter().all(|&step| candidate(run, step) != *path));
    let mut files = old.iter().chain(&half_written).chain(&dropped);
    files.try_for_each(|path| fs::remove_file(path).map_err(io_error(path)))
}

/// The files of steps in a folder with this extension, oldest first.
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
