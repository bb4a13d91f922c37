//! Checkpoints in a run's folder, and the parameters of modules in files.

use crate::optimizer::Adam;
use crate::parameters::Parameter;
use hognose_store::{ASIDE, Arrays, EXTENSION, StoreError, floats, io_error, numbers};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Adds a module's parameters, named under a prefix.
pub(crate) fn put_parameters(arrays: &mut Arrays, prefix: &str, parameters: &[Parameter]) {
    for Parameter {
        name,
        shape,
        values,
    } in parameters
    {
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
    let Adam {
        first,
        second,
        average,
        ..
    } = adam;
    for (prefix, values) in [(FIRST, first), (SECOND, second), (AVERAGE, average)] {
        for (parameter, values) in parameters.iter().zip(values) {
            arrays.insert(
                format!("{prefix}.{}", parameter.name),
                floats(parameter.shape.clone(), values),
            );
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
    let Adam {
        first,
        second,
        average,
        ..
    } = adam;
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

/// Weights that play selection games once more when training ends.
const CANDIDATES: usize = 3;

/// The steps of the best weights of a run so far with their scores, best first. Their files lie in
/// the folder `candidates` of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Candidates<S>(Vec<(u64, S)>);

impl<S> Default for Candidates<S> {
    fn default() -> Candidates<S> {
        Candidates(Vec::new())
    }
}

impl<S: Copy> Candidates<S> {
    /// Takes in the score of the weights at a step, if it is among the best; `write` writes a file
    /// of these weights. The best ones of all are the run's policy, too.
    pub(crate) fn take(
        &mut self,
        run: &Path,
        (step, score): (u64, S),
        is_better: impl Fn(&S, &S) -> bool,
        write: impl Fn(&Path) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let place = self
            .0
            .iter()
            .take_while(|(_, other)| !is_better(&score, other))
            .count();
        if place == CANDIDATES {
            return Ok(());
        }
        create_folder(&candidates(run))?;
        write(&candidate_path(run, step))?;
        if place == 0 {
            write(&best_path(run))?;
        }
        self.0.insert(place, (step, score));
        self.0.truncate(CANDIDATES);
        Ok(())
    }

    /// The steps, and what `read` makes of the files.
    pub(crate) fn read<T>(
        &self,
        run: &Path,
        read: impl Fn(&Path) -> Result<T, StoreError>,
    ) -> Result<Vec<(u64, T)>, StoreError> {
        self.0
            .iter()
            .map(|&(step, _)| Ok((step, read(&candidate_path(run, step))?)))
            .collect()
    }

    /// Removes the files of weights that are no candidates any more, once a checkpoint says that
    /// they are not.
    pub(crate) fn prune(&self, run: &Path) -> Result<(), StoreError> {
        let files = files_of_steps(&candidates(run), EXTENSION)?.into_iter();
        let mut dropped = files.filter(|path| {
            self.0
                .iter()
                .all(|&(step, _)| candidate_path(run, step) != *path)
        });
        dropped.try_for_each(|path| fs::remove_file(&path).map_err(io_error(&path)))
    }
}

fn candidates(run: &Path) -> PathBuf {
    run.join("candidates")
}

fn candidate_path(run: &Path, step: u64) -> PathBuf {
    candidates(run).join(file_of_step(step))
}

/// The name of a file that was written at a step.
fn file_of_step(step: u64) -> String {
    format!("step-{step:012}.{EXTENSION}")
}

/// Makes a folder in the folder of a run, which must be there.
fn create_folder(folder: &Path) -> Result<(), StoreError> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(io_error(folder)(error)),
        _ => Ok(()),
    }
}

/// Makes the folder of a run, if it is not there.
pub(crate) fn create_run(run: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(run).map_err(io_error(run))
}

fn folder(run: &Path) -> PathBuf {
    run.join("checkpoints")
}

/// Writes the checkpoint at a step into a run folder, and removes all but the newest ones. A run
/// folder that is gone is not made again: it was moved or removed while training went on.
pub(crate) fn write<T: Serialize>(
    run: &Path,
    step: u64,
    state: &T,
    arrays: &Arrays,
    keep: usize,
) -> Result<(), StoreError> {
    let folder = folder(run);
    create_folder(&folder)?;
    hognose_store::write(&folder.join(file_of_step(step)), state, arrays)?;
    prune(run, keep)
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

/// The newest checkpoint of a run folder.
///
/// # Errors
/// When there is none, or the folder can't be read.
pub fn newest_checkpoint(run: &Path) -> Result<PathBuf, StoreError> {
    files_of_steps(&folder(run), EXTENSION)?
        .pop()
        .ok_or_else(|| StoreError::Missing(run.to_owned()))
}

/// Removes all checkpoints but the newest ones, and what a crash left half written.
fn prune(run: &Path, keep: usize) -> Result<(), StoreError> {
    let paths = files_of_steps(&folder(run), EXTENSION)?;
    let old = &paths[..paths.len().saturating_sub(keep)];
    let half_written = files_of_steps(&folder(run), ASIDE)?;
    old.iter()
        .chain(&half_written)
        .try_for_each(|path| fs::remove_file(path).map_err(io_error(path)))
}
