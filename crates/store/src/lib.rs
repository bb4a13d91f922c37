//! Files of arrays and JSON that are either complete or absent: training checkpoints, and the data
//! needed to play.
//!
//! They are safetensors files, so other tools can read the arrays. Their metadata has one entry,
//! `hognose`: a CRC-32 of everything else, then JSON. Files are written under a temporary name and
//! renamed, so that a crash leaves the previous file intact.
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

/// Files of other versions are rejected. In version 1, `reach` ignored that a snake grows when it
/// eats on its way.
const FORMAT: u32 = 2;
const METADATA: &str = "hognose";
/// The extension of files.
pub const EXTENSION: &str = "safetensors";
/// The extension of a file that is being written.
pub const ASIDE: &str = "tmp";

/// Why a file can't be written or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Reading or writing failed.
    #[error("{path}: {error}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The file is truncated, corrupted, or not a hognose file.
    #[error("{path}: not a complete hognose file: {reason}")]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The problem.
        reason: String,
    },
    /// The file has another format version.
    #[error("{path}: expected format version {FORMAT}, got {got}")]
    Format {
        /// The file.
        path: PathBuf,
        /// The file's version.
        got: u64,
    },
    /// The file belongs to another board, observation, network, ...
    #[error("{path}: {what} is {got}, expected {expected}")]
    Mismatch {
        /// The file.
        path: PathBuf,
        /// The difference.
        what: String,
        /// The value of this run.
        expected: String,
        /// The value in the file.
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

/// Returns a function that wraps system errors for a file.
pub fn io_error(path: &Path) -> impl Fn(io::Error) -> StoreError + '_ {
    move |error| StoreError::Io {
        path: path.to_owned(),
        error,
    }
}

/// Creates the error for an invalid file.
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

/// Returns the file that a path refers to: for a folder, the file in it with this name.
pub fn file_at(path: &Path, name: &str) -> PathBuf {
    if path.is_dir() {
        path.join(name).with_extension(EXTENSION)
    } else {
        path.to_owned()
    }
}

/// Returns the temporary path under which a file is written: [`ASIDE`] is added to its extension.
pub fn aside(path: &Path) -> PathBuf {
    path.with_added_extension(ASIDE)
}

/// Writes a file under its temporary path, syncs it and renames it.
///
/// # Errors
/// Fails if the system fails or `contents` fails; a previous file is left intact.
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
    // Later errors are less important than the first.
    write().inspect_err(|_| drop(fs::remove_file(&aside)))?;
    // The rename is durable once the folder is on disk; not every system can open folders.
    if let Ok(folder) = File::open(folder_of(path)) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Returns the folder of a file.
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

/// Writes a file under its temporary path and renames it. Its folder must exist.
///
/// # Errors
/// Fails if the system fails; a previous file is left intact.
pub fn write<T: Serialize>(path: &Path, state: &T, arrays: &Arrays) -> Result<(), StoreError> {
    let bytes = serialize(path, state, arrays)?;
    write_aside(path, |file| file.write_all(&bytes)).map_err(io_error(path))
}

/// Returns the bytes that [`write`](fn@write) writes. The path is used only for errors.
///
/// # Errors
/// Fails if the state has no form in JSON.
pub fn serialize<T: Serialize>(
    path: &Path,
    state: &T,
    arrays: &Arrays,
) -> Result<Vec<u8>, StoreError> {
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
    bytes.map_err(|error| corrupt(path, error))
}

/// Reads a file and checks that it is complete.
///
/// # Errors
/// Fails if there is no such file, or it is not a complete file of this version. Devices and pipes
/// are rejected, since they may not end.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<Contents<T>, StoreError> {
    let read = || match fs::metadata(path)?.is_file() {
        true => fs::read(path),
        false => Err(io::Error::other("expected a file")),
    };
    parse(&read().map_err(io_error(path))?, path)
}

/// Parses a file's bytes and checks that they are complete. The path is used only for errors.
///
/// # Errors
/// Fails if they are not a complete file of this version.
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

/// Checks that a file's configuration is the same as this run's.
///
/// # Errors
/// The first key that differs.
pub fn expect_same(
    path: &Path,
    key: &str,
    expected: &impl Serialize,
    got: &impl Serialize,
) -> Result<(), StoreError> {
    // Converts to text and back, as in files: 32-bit numbers have more digits as values than as
    // text.
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

/// Returns the key of the first difference, and both values.
fn first_difference(key: String, a: &Value, b: &Value) -> Option<(String, Value, Value)> {
    match (a, b) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let mut names = ours.keys().chain(theirs.keys());
            names.find_map(|name| first_difference(format!("{key}.{name}"), &a[name], &b[name]))
        }
        _ => (a != b).then(|| (key, a.clone(), b.clone())),
    }
}

/// Removes an array of `f32` from `arrays`, and returns its shape and numbers; `None` if no array
/// has this name and type.
pub fn take_floats(arrays: &mut Arrays, name: &str) -> Option<(Vec<usize>, Vec<f32>)> {
    let (shape, _, bytes) = arrays
        .remove(name)
        .filter(|(_, dtype, _)| *dtype == Dtype::F32)?;
    Some((shape, numbers(Dtype::F32, &bytes)?))
}

/// Returns the numbers of an array of `f32` or `f16`; `None` for other types.
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

/// Rounds every `f32` array to `f16`, which halves its size. Other arrays don't change.
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
        let values = numbers(*dtype, bytes).expect("the type is f32");
        *bytes = values
            .into_iter()
            .flat_map(|value| f16::from_f32(value).to_le_bytes())
            .collect();
        *dtype = Dtype::F16;
    }
}

/// Returns an array of `f32`.
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
    fn files_of_another_version_are_rejected() {
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
        assert!(error.ends_with("format version 2, got 3"), "{error}");
    }

    #[test]
    fn a_failing_write_leaves_the_previous_file_intact() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.safetensors");
        write(&path, &1, &Arrays::new()).unwrap();
        // A folder with the temporary path of the file.
        fs::create_dir(aside(&path)).unwrap();
        assert!(write(&path, &2, &Arrays::new()).is_err());
        assert_eq!(read::<u32>(&path).unwrap().state, 1);
    }
}
