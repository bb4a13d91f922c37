//! Checkpoints in a run's folder, and the parameters of modules in files.

use crate::optimizer::Adam;
use crate::parameters::Parameter;
use hognose_store::{ASIDE, Arrays, EXTENSION, StoreError, floats, io_error, numbers};
use serde::Serialize;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Adds a module's parameters, named under a prefix.
pub(crate) fn put_parameters(arrays: &mut Arrays, prefix: &str, parameters: &[Parameter]) {
    for Parameter { name, shape, values } in parameters {
        arrays.insert(format!("{prefix}.{name}"), floats(shape.clone(), values));
    }
}

/// Takes arrays named under a prefix, of the names and shapes of `like`.
pub(crate) fn take_parameters(
    arrays: &mut Arrays,
    prefix: &str,
    like: &[Parameter],
    path: &Path,
) -> Result<Vec<Vec<f32>>, StoreError> {
    let take = |parameter: &Parameter| {
        let name = format!("{prefix}.{}", parameter.name);
        let got = match arrays.remove(&name) {
            None => "missing".to_owned(),
            Some((shape, dtype, bytes)) => match numbers(dtype, &bytes) {
                Some(values) if shape == parameter.shape => return Ok(values),
                Some(_) => format!("{shape:?}"),
                None => format!("{shape:?} of {dtype:?}"),
            },
        };
        Err(StoreError::Mismatch {
            path: path.to_owned(),
            what: format!("the shape of the network's {}", parameter.name),
            expected: format!("{:?}", parameter.shape),
            got,
        })
    };
    like.iter().map(take).collect()
}

/// The prefixes of the arrays that an optimizer has for each parameter.
const FIRST: &str = "adam.first";
const SECOND: &str = "adam.second";
const AVERAGE: &str = "average";

/// Adds the moments of a module's parameters and their averages.
pub(crate) fn put_adam(arrays: &mut Arrays, adam: &Adam, parameters: &[Parameter]) {
    let Adam { first, second, average, .. } = adam;
    for (prefix, values) in [(FIRST, first), (SECOND, second), (AVERAGE, average)] {
        for (parameter, values) in parameters.iter().zip(values) {
            arrays.insert(format!("{prefix}.{}", parameter.name), floats(parameter.shape.clone(), values));
        }
    }
}

/// Takes what [`put_adam`] added for parameters like these, and averages only where they are kept.
pub(crate) fn take_adam(
    arrays: &mut Arrays,
    adam: &mut Adam,
    like: &[Parameter],
    path: &Path,
) -> Result<(), StoreError> {
    let Adam { first, second, average, .. } = adam;
    for (prefix, values) in [(FIRST, first), (SECOND, second), (AVERAGE, average)] {
        if !values.is_empty() {
            *values = take_parameters(arrays, prefix, like, path)?;
        }
    }
    Ok(())
}

/// The file of the best weights of a run.
pub(crate) fn best_path(run: &Path) -> PathBuf {
    run.join("policy").with_extension(EXTENSION)
}

/// Makes the folder of a run, if it is not there.
pub(crate) fn create_run(run: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(run).map_err(io_error(run))
}

fn folder(run: &Path) -> PathBuf {
    run.join("checkpoints")
}

/// Writes the checkpoint at a step into a run folder, and removes all but the newest ones. A run folder that is gone is
/// not made again: it was moved or removed while training went on.
pub(crate) fn write<T: Serialize>(
    run: &Path,
    step: u64,
    state: &T,
    arrays: &Arrays,
    keep: usize,
) -> Result<(), StoreError> {
    let folder = folder(run);
    match fs::create_dir(&folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(io_error(&folder)(error)),
        _ => hognose_store::write(&folder.join(format!("step-{step:012}.{EXTENSION}")), state, arrays)?,
    }
    prune(run, keep)
}

/// The checkpoints of a run folder with this file extension, oldest first.
fn checkpoints(run: &Path, extension: &str) -> Result<Vec<PathBuf>, StoreError> {
    let folder = folder(run);
    let entries = match fs::read_dir(&folder) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(Vec::new()),
        entries => entries.map_err(io_error(&folder))?,
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("step-") && path.extension().is_some_and(|its| its == extension)
    });
    paths.sort();
    Ok(paths)
}

/// The newest checkpoint of a run folder.
///
/// # Errors
/// When there is none, or the folder can't be read.
pub fn newest_checkpoint(run: &Path) -> Result<PathBuf, StoreError> {
    checkpoints(run, EXTENSION)?.pop().ok_or_else(|| StoreError::Missing(run.to_owned()))
}

/// Removes all checkpoints but the newest ones, and what a crash left half written.
fn prune(run: &Path, keep: usize) -> Result<(), StoreError> {
    let paths = checkpoints(run, EXTENSION)?;
    let old = &paths[..paths.len().saturating_sub(keep)];
    let half_written = checkpoints(run, ASIDE)?;
    old.iter().chain(&half_written).try_for_each(|path| fs::remove_file(path).map_err(io_error(path)))
}
