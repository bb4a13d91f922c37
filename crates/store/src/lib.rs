//! Files of arrays and JSON that are whole or not there: checkpoints of training, and what playing
//! needs.
//!
//! They are safetensors files, so that other tools can read the arrays. Their metadata is one
//! entry, `hognose`: a CRC-32 of all the rest, then JSON. Files are written aside and renamed, so
//! that a crash leaves the previous one whole.
//!
//! ```
//! use hognose_store::{Arrays, Contents, floats, read, write};
//!
//! let path =
//!     std::env::temp_dir().join(format!("hognose-store-{}.safetensors", std::process::id()));
//! write(
//!     &path,
//!     &"two numbers",
//!     &Arrays::from([("x".to_owned(), floats(vec![2], &[1.0, 2.0]))]),
//! )?;
//! let Contents { state, arrays } = read::<String>(&path)?;
//! assert_eq!((state.as_str(), &arrays["x"].0), ("two numbers", &vec![2]));
//! # std::fs::remove_file(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use half::f16;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Files of another version are refused: in version 1 `reach` did not know that a snake that eats
/// on its way grows.
const FORMAT: u32 = 2;
const METADATA: &str = "hognose";
/// The extension of files.
pub const EXTENSION: &str = "safetensors";
/// The extension while a file is being written.
pub const ASIDE: &str = "tmp";

/// Why a file can't be written or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Reading or writing failed.
    #[error("{path}: {error}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The file is truncated, corrupted, or none of ours.
    #[error("{path}: not a whole hognose file: {reason}")]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The file is of another format version.
    #[error("{path}: format version {got}, expected {FORMAT}")]
    Format {
        /// The file.
        path: PathBuf,
        /// The version that the file is of.
        got: u64,
    },
    /// The file is of another board, observation, network, ...
    #[error("{path}: {what} is {got}, expected {expected}")]
    Mismatch {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: String,
        /// What this run has.
        expected: String,
        /// What the file has.
        got: String,
    },
    /// There is no checkpoint in the folder.
    #[error("{0}: no checkpoint in this folder")]
    Missing(PathBuf),
}

/// Named arrays: shape, type, little-endian bytes.
pub type Arrays = BTreeMap<String, (Vec<usize>, Dtype, Vec<u8>)>;

/// A file's JSON and arrays.
#[derive(Debug)]
pub struct Contents<T> {
    /// The JSON.
    pub state: T,
    /// The arrays.
    pub arrays: Arrays,
}

#[derive(Serialize, Deserialize)]
struct Versioned<T> {
    format: u32,
    state: T,
}

/// Makes an error of what the system said of a file.
pub fn io_error(path: &Path) -> impl Fn(io::Error) -> StoreError + '_ {
    move |error| StoreError::Io {
        path: path.to_owned(),
        error,
    }
}

/// Says that a file is none of ours, and why.
pub fn corrupt(path: &Path, reason: impl ToString) -> StoreError {
    StoreError::Corrupt {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}

fn checksum(json: &str, arrays: &Arrays) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(json.as_bytes());
    for (name, (shape, dtype, bytes)) in arrays {
        hasher.update(format!("{name} {shape:?} {dtype:?}").as_bytes());
        hasher.update(bytes);
    }
    hasher.finalize()
}

/// The file that a path names: of a folder, its file of this name.
pub fn file_at(path: &Path, name: &str) -> PathBuf {
    if path.is_dir() {
        path.join(name).with_extension(EXTENSION)
    } else {
        path.to_owned()
    }
}

/// Where a file is written before it gets its name: the path with [`ASIDE`] behind its own
/// extension.
pub fn aside(path: &Path) -> PathBuf {
    path.with_added_extension(ASIDE)
}

/// Writes a file aside, syncs it and renames it.
///
/// # Errors
/// When the system refuses, or `contents` fails; a previous file is left whole then.
pub fn write_aside(
    path: &Path,
    contents: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let aside = aside(path);
    let write = || {
        let mut file = BufWriter::new(File::create(&aside)?);
        contents(&mut file)?;
        file.into_inner()?.sync_all()?;
        fs::rename(&aside, path)
    };
    // The first error is the one to tell.
    write().inspect_err(|_| drop(fs::remove_file(&aside)))?;
    // The rename itself lasts once the folder is on disk; not every system lets folders be opened.
    if let Ok(folder) = File::open(folder_of(path)) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// The folder that a file lies in.
///
/// ```
/// use hognose_store::folder_of;
/// use std::path::Path;
///
/// assert_eq!(folder_of(Path::new("runs/file")), Path::new("runs"));
/// assert_eq!(folder_of(Path::new("file")), Path::new("."));
/// ```
pub fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Writes a file aside and renames it. Its folder must be there.
///
/// # Errors
/// When the system refuses; a previous file is left whole then.
pub fn write<T: Serialize>(path: &Path, state: &T, arrays: &Arrays) -> Result<(), StoreError> {
    let json = serde_json::to_string(&Versioned {
        format: FORMAT,
        state,
    })
    .map_err(|error| corrupt(path, error))?;
    let metadata = format!("{:08x}{json}", checksum(&json, arrays));
    let views: Result<Vec<_>, _> = arrays
        .iter()
        .map(|(name, (shape, dtype, bytes))| {
            Ok((name, TensorView::new(*dtype, shape.clone(), bytes)?))
        })
        .collect();
    let metadata = HashMap::from([(METADATA.to_owned(), metadata)]);
    let bytes = views.and_then(|views| safetensors::serialize(views, Some(metadata)));
    let bytes = bytes.map_err(|error| corrupt(path, error))?;
    write_aside(path, |file| file.write_all(&bytes)).map_err(io_error(path))
}

/// Reads a file and checks that it is whole.
///
/// # Errors
/// When there is no such file, or it is not a whole file of this version. Devices and pipes are
/// refused, since they may have no end.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<Contents<T>, StoreError> {
    let read = || match fs::metadata(path)?.is_file() {
        true => fs::read(path),
        false => Err(io::Error::other("expected a file")),
    };
    parse(&read().map_err(io_error(path))?, path)
}

/// Takes a file's bytes and checks that they are whole. The path is for errors alone.
///
/// # Errors
/// When they are not a whole file of this version.
pub fn parse<T: DeserializeOwned>(bytes: &[u8], path: &Path) -> Result<Contents<T>, StoreError> {
    let wrong = |error: safetensors::SafeTensorError| corrupt(path, error);
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(wrong)?;
    let tensors = SafeTensors::deserialize(bytes).map_err(wrong)?;
    let metadata = header
        .metadata()
        .as_ref()
        .and_then(|metadata| metadata.get(METADATA));
    let metadata = metadata.ok_or_else(|| corrupt(path, "no hognose metadata"))?;
    let (crc, json) = metadata
        .split_at_checked(8)
        .ok_or_else(|| corrupt(path, "no checksum"))?;
    let arrays = tensors
        .iter()
        .map(|(name, view)| {
            (
                name.to_owned(),
                (view.shape().to_vec(), view.dtype(), view.data().to_vec()),
            )
        })
        .collect();
    if u32::from_str_radix(crc, 16).ok() != Some(checksum(json, &arrays)) {
        return Err(corrupt(path, "the checksum does not match"));
    }
    let versioned: Versioned<Value> =
        serde_json::from_str(json).map_err(|error| corrupt(path, error))?;
    if versioned.format != FORMAT {
        return Err(StoreError::Format {
            path: path.to_owned(),
            got: versioned.format.into(),
        });
    }
    let state = serde_json::from_value(versioned.state).map_err(|error| corrupt(path, error))?;
    Ok(Contents { state, arrays })
}

/// Fails at the first key in which a file's configuration differs from this run's.
///
/// # Errors
/// The first difference.
pub fn expect_same(
    path: &Path,
    key: &str,
    expected: &impl Serialize,
    got: &impl Serialize,
) -> Result<(), StoreError> {
    // Through text, as files go: a number of 32 bits has more digits as a value than as text.
    fn read(value: &impl Serialize) -> serde_json::Result<Value> {
        serde_json::from_str(&serde_json::to_string(value)?)
    }
    let wrong = |error| corrupt(path, error);
    match first_difference(
        key.to_owned(),
        &read(expected).map_err(wrong)?,
        &read(got).map_err(wrong)?,
    ) {
        None => Ok(()),
        Some((what, expected, got)) => Err(StoreError::Mismatch {
            path: path.to_owned(),
            what,
            expected: expected.to_string(),
            got: got.to_string(),
        }),
    }
}

/// The key of the first difference, and the two values there.
fn first_difference(key: String, a: &Value, b: &Value) -> Option<(String, Value, Value)> {
    match (a, b) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let mut names = ours.keys().chain(theirs.keys());
            names.find_map(|name| first_difference(format!("{key}.{name}"), &a[name], &b[name]))
        }
        _ => (a != b).then(|| (key, a.clone(), b.clone())),
    }
}

/// Takes an array of `f32` out of others: its shape and its numbers. `None` if there is none of
/// this name and type.
pub fn take_floats(arrays: &mut Arrays, name: &str) -> Option<(Vec<usize>, Vec<f32>)> {
    let (shape, _, bytes) = arrays
        .remove(name)
        .filter(|(_, dtype, _)| *dtype == Dtype::F32)?;
    Some((shape, numbers(Dtype::F32, &bytes)?))
}

/// The numbers of an array of `f32` or `f16`; `None` of another type.
pub fn numbers(dtype: Dtype, bytes: &[u8]) -> Option<Vec<f32>> {
    match dtype {
        Dtype::F32 => Some(
            bytes
                .as_chunks()
                .0
                .iter()
                .map(|&bytes| f32::from_le_bytes(bytes))
                .collect(),
        ),
        Dtype::F16 => Some(
            bytes
                .as_chunks()
                .0
                .iter()
                .map(|&bytes| f16::from_le_bytes(bytes).to_f32())
                .collect(),
        ),
        _ => None,
    }
}

/// Rounds every array of `f32` to `f16`, which takes half as many bytes. Other arrays stay.
///
/// ```
/// use hognose_store::{Arrays, floats, halve, numbers};
///
/// let mut arrays = Arrays::from([("x".to_owned(), floats(vec![2], &[0.5, 0.1]))]);
/// halve(&mut arrays);
/// let (_, dtype, bytes) = &arrays["x"];
/// assert_eq!((bytes.len(), numbers(*dtype, bytes)), (4, Some(vec![0.5, 0.099975586])));
/// ```
pub fn halve(arrays: &mut Arrays) {
    for (_, dtype, bytes) in arrays
        .values_mut()
        .filter(|(_, dtype, _)| *dtype == Dtype::F32)
    {
        let values = numbers(*dtype, bytes).expect("they are f32");
        *bytes = values
            .into_iter()
            .flat_map(|value| f16::from_f32(value).to_le_bytes())
            .collect();
        *dtype = Dtype::F16;
    }
}

/// An array of `f32`.
pub fn floats(shape: Vec<usize>, values: &[f32]) -> (Vec<usize>, Dtype, Vec<u8>) {
    (
        shape,
        Dtype::F32,
        values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_another_version_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.safetensors");
        let arrays = Arrays::from([("x".to_owned(), floats(vec![2], &[1.0, 2.0]))]);
        write(&path, &7, &arrays).unwrap();
        let Contents {
            state,
            arrays: back,
        } = read::<u32>(&path).unwrap();
        assert_eq!((state, &back), (7, &arrays));
        let text = |format| format!("{{\"format\":{format},\"state\":7}}");
        let header = |format| {
            let json = text(format);
            format!(
                "{:08x}{}",
                checksum(&json, &arrays),
                json.replace('"', "\\\"")
            )
        };
        let bytes = fs::read(&path).unwrap();
        let from = header(FORMAT);
        let to = header(FORMAT + 1);
        let place = bytes
            .windows(from.len())
            .position(|window| window == from.as_bytes())
            .unwrap();
        let mut changed = bytes.clone();
        changed[place..place + to.len()].copy_from_slice(to.as_bytes());
        fs::write(&path, changed).unwrap();
        let error = read::<u32>(&path).unwrap_err().to_string();
        assert!(error.ends_with("format version 3, expected 2"), "{error}");
    }

    #[test]
    fn a_failing_write_leaves_the_file_before_it_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.safetensors");
        write(&path, &1, &Arrays::new()).unwrap();
        // A folder where the file would be written aside.
        fs::create_dir(aside(&path)).unwrap();
        assert!(write(&path, &2, &Arrays::new()).is_err());
        assert_eq!(read::<u32>(&path).unwrap().state, 1);
    }
}
