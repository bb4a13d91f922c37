//! Writes and reads TensorBoard event files.
//!
//! tensorboard-rs frames the records and builds scalars and histograms. Its own `SummaryWriter` is
//! not used: it overwrites files begun in the same second, panics on a full disk, and supports
//! neither text nor resumed runs.

use crate::error::RunError;
use crate::files;
use protobuf::wire_format::WireType::{
    self, WireTypeFixed32, WireTypeLengthDelimited, WireTypeVarint,
};
use protobuf::{CodedInputStream, CodedOutputStream, Message, ProtobufResult};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::SystemTime;
use tensorboard_proto::event::{Event, SessionLog, SessionLog_SessionStatus};
use tensorboard_proto::summary::{
    Summary, Summary_Value, SummaryMetadata, SummaryMetadata_PluginData,
};
use tensorboard_proto::tensor::TensorProto;
use tensorboard_proto::tensor_shape::{TensorShapeProto, TensorShapeProto_Dim};
use tensorboard_proto::types::DataType;
use tensorboard_rs::masked_crc32c::masked_crc32c;
use tensorboard_rs::record_writer::RecordWriter;
use tensorboard_rs::summary;

const BUCKETS: usize = 30;
const EVENT_FILE: &str = "events.out.tfevents";

/// An event file. Curves never stop training: records that can't be written stay in memory until
/// the next flush.
pub(crate) struct EventFile {
    file: File,
    /// The length of the complete records in the file, in bytes. A full disk may leave a partial
    /// record behind them.
    whole: u64,
    /// Records that are not yet in the file.
    waiting: Vec<u8>,
}

impl EventFile {
    /// Creates a file in a folder. Its points begin at step `begins_at`: later points in earlier
    /// files are obsolete, and TensorBoard drops them.
    pub(crate) fn create(folder: &Path, begins_at: u64) -> Result<EventFile, RunError> {
        let seconds = now() as u64;
        let mut create = (0..1000).map(|n| {
            let path = folder.join(format!("{EVENT_FILE}.{seconds:010}.{n:03}.hognose"));
            File::create_new(&path).map_err(|error| (path, error))
        });
        let file = create
            .find(|result| {
                !matches!(result, Err((_, error)) if error.kind() == ErrorKind::AlreadyExists)
            })
            .unwrap_or_else(|| {
                let error = io::Error::other("too many event files in one second");
                Err((folder.to_owned(), error))
            });
        let file = file.map_err(|(path, error)| files::failed("write", &path)(error))?;
        let mut events = EventFile {
            file,
            whole: 0,
            waiting: Vec::new(),
        };
        let mut version = Event::new();
        version.set_file_version("brain.Event:2".to_owned());
        events.write(0, version);
        let mut log = SessionLog::new();
        log.set_status(SessionLog_SessionStatus::START);
        let mut start = Event::new();
        start.set_session_log(log);
        events.write(begins_at, start);
        Ok(events)
    }

    pub(crate) fn scalar(&mut self, step: u64, tag: &str, value: f64) {
        self.summary(step, summary::scalar(tag, value as f32));
    }

    /// Adds a histogram of the finite values.
    pub(crate) fn histogram(&mut self, step: u64, tag: &str, values: &[f32]) {
        let values: Vec<f64> = values
            .iter()
            .copied()
            .filter(|value| value.is_finite())
            .map(f64::from)
            .collect();
        if values.is_empty() {
            return;
        }
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Equal values still need distinct limits.
        let width = ((high - low) / BUCKETS as f64).max(1e-6 * (1.0 + low.abs()));
        let limits: Vec<f64> = (1..=BUCKETS).map(|i| low + width * i as f64).collect();
        let mut counts = vec![0.0; BUCKETS];
        for value in &values {
            counts[(((value - low) / width) as usize).min(BUCKETS - 1)] += 1.0;
        }
        let sum = values.iter().sum();
        let squares = values.iter().map(|value| value * value).sum();
        let count = values.len() as f64;
        self.summary(
            step,
            summary::histogram_raw(tag, low, high, count, sum, squares, &limits, &counts),
        );
    }

    /// Adds text, which TensorBoard shows as Markdown.
    pub(crate) fn text(&mut self, step: u64, tag: &str, text: &str) {
        let mut dim = TensorShapeProto_Dim::new();
        dim.set_size(1);
        let mut shape = TensorShapeProto::new();
        shape.set_dim(vec![dim].into());
        let mut tensor = TensorProto::new();
        tensor.set_dtype(DataType::DT_STRING);
        tensor.set_tensor_shape(shape);
        tensor.set_string_val(vec![text.as_bytes().to_vec()].into());
        let mut value = Summary_Value::new();
        value.set_tag(format!("{tag}/text_summary"));
        value.set_metadata(metadata("text", &[]));
        value.set_tensor(tensor);
        let mut summary = Summary::new();
        summary.set_value(vec![value].into());
        self.summary(step, summary);
    }

    /// Adds what the HParams tab shows of a run: its hyperparameters. Sessions of one group are
    /// repetitions.
    pub(crate) fn session_start(
        &mut self,
        step: u64,
        group: &str,
        hyperparameters: &BTreeMap<String, toml::Value>,
    ) {
        let started = now();
        let start = bytes(|out| {
            for (name, value) in hyperparameters {
                let value = bytes(|out| match value {
                    toml::Value::Float(number) => out.write_double(2, as_typed(*number)),
                    toml::Value::Integer(number) => out.write_double(2, *number as f64),
                    toml::Value::Boolean(yes) => out.write_bool(4, *yes),
                    toml::Value::String(text) => out.write_string(3, text),
                    other => out.write_string(3, &other.to_string()),
                });
                let entry = bytes(|out| {
                    out.write_string(1, name)?;
                    out.write_bytes(2, &value)
                });
                out.write_bytes(1, &entry)?;
            }
            out.write_string(4, group)?;
            out.write_double(5, started)
        });
        self.hparams(
            step,
            "session_start_info",
            &bytes(|out| out.write_bytes(3, &start)),
        );
    }

    /// Marks a run as finished at `step`.
    pub(crate) fn session_end(&mut self, step: u64) {
        const SUCCESS: i32 = 1;
        let ended = now();
        let end = bytes(|out| {
            out.write_enum(1, SUCCESS)?;
            out.write_double(2, ended)
        });
        self.hparams(
            step,
            "session_end_info",
            &bytes(|out| out.write_bytes(4, &end)),
        );
    }

    /// Adds a message of TensorBoard's `plugins/hparams/plugin_data.proto`, which tensorboard-proto
    /// lacks.
    fn hparams(&mut self, step: u64, tag: &str, content: &[u8]) {
        let mut value = Summary_Value::new();
        value.set_tag(format!("_hparams_/{tag}"));
        value.set_metadata(metadata("hparams", content));
        let mut summary = Summary::new();
        summary.set_value(vec![value].into());
        self.summary(step, summary);
    }

    /// Passes pending records to the system, so that TensorBoard sees them.
    ///
    /// # Errors
    /// Fails if the system does not accept all of them; they then stay pending, and the next flush
    /// overwrites the part that was written.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.whole))?;
        self.file.write_all(&self.waiting)?;
        self.whole += self.waiting.len() as u64;
        self.waiting.clear();
        Ok(())
    }

    /// Writes all records to disk.
    ///
    /// # Errors
    /// Fails if the system does not accept all of them; they then stay pending.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        self.file.sync_all()
    }

    fn summary(&mut self, step: u64, summary: Summary) {
        let mut event = Event::new();
        event.set_summary(summary);
        self.write(step, event);
    }

    fn write(&mut self, step: u64, mut event: Event) {
        event.set_wall_time(now());
        event.set_step(i64::try_from(step).unwrap_or(i64::MAX));
        let bytes = event.write_to_bytes().expect("memory can be written");
        RecordWriter::new(&mut self.waiting)
            .write(&bytes)
            .expect("memory can be written");
    }
}

/// The points of scalars by tag and step.
pub type Scalars = BTreeMap<String, BTreeMap<u64, f64>>;

/// Reads the scalars in all event files of a folder, leaving out what a resumed run replaced and
/// everything after an incomplete record.
///
/// # Errors
/// Fails if the folder or a file can't be read.
pub fn scalars(folder: &Path) -> Result<Scalars, RunError> {
    let mut paths = files::list(folder)?;
    paths.retain(|path| {
        path.is_file()
            && path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().contains(EVENT_FILE))
    });
    let mut scalars = Scalars::new();
    for path in paths {
        for ScalarEvent {
            step,
            begins,
            values,
        } in events(&std::fs::read(&path).map_err(files::failed("read", &path))?)
        {
            if begins {
                scalars
                    .values_mut()
                    .for_each(|points| drop(points.split_off(&step)));
            }
            for (tag, value) in values {
                scalars.entry(tag).or_default().insert(step, value.into());
            }
        }
    }
    Ok(scalars)
}

/// The scalars of an event.
#[derive(Default)]
struct ScalarEvent {
    step: u64,
    /// Whether later points in earlier files are obsolete from this step on.
    begins: bool,
    values: Vec<(String, f32)>,
}

impl ScalarEvent {
    /// Reads the fields of an event that scalars need, and skips the others. The generated reader
    /// of a whole `Event` would allocate vectors of any length that the bytes claim.
    fn read(event: &[u8]) -> ProtobufResult<ScalarEvent> {
        let mut found = ScalarEvent::default();
        each_field(event, |field, kind, input| {
            match (field, kind) {
                (2, WireTypeVarint) => found.step = input.read_int64()? as u64,
                (5, WireTypeLengthDelimited) => {
                    each_field(&input.read_bytes()?, |field, kind, summary| {
                        if (field, kind) != (1, WireTypeLengthDelimited) {
                            return summary.skip_field(kind);
                        }
                        let mut tag = String::new();
                        let mut scalar = None;
                        each_field(&summary.read_bytes()?, |field, kind, value| {
                            match (field, kind) {
                                (1, WireTypeLengthDelimited) => tag = value.read_string()?,
                                (2, WireTypeFixed32) => scalar = Some(value.read_float()?),
                                _ => value.skip_field(kind)?,
                            }
                            Ok(())
                        })?;
                        found.values.extend(scalar.map(|scalar| (tag, scalar)));
                        Ok(())
                    })?
                }
                (7, WireTypeLengthDelimited) => {
                    found.begins = true;
                    input.skip_field(kind)?;
                }
                _ => input.skip_field(kind)?,
            }
            Ok(())
        })?;
        Ok(found)
    }
}

/// Calls `read` for every field of a message, with its number, its wire type and the input, which
/// `read` must consume.
fn each_field(
    message: &[u8],
    mut read: impl FnMut(u32, WireType, &mut CodedInputStream<'_>) -> ProtobufResult<()>,
) -> ProtobufResult<()> {
    let mut input = CodedInputStream::from_bytes(message);
    while !input.eof()? {
        let (field, kind) = input.read_tag_unpack()?;
        read(field, kind, &mut input)?;
    }
    Ok(())
}

/// Returns the events of a file. Each record is a length, its checksum, the event, and its
/// checksum.
fn events(mut bytes: &[u8]) -> impl Iterator<Item = ScalarEvent> {
    std::iter::from_fn(move || {
        let (header, rest) = bytes.split_first_chunk::<12>()?;
        let length = u64::from_le_bytes(*header.first_chunk()?);
        let (event, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        let (checksum, rest) = rest.split_first_chunk()?;
        bytes = rest;
        (masked_crc32c(event) == u32::from_le_bytes(*checksum))
            .then(|| ScalarEvent::read(event).ok())?
    })
}

fn metadata(plugin_name: &str, content: &[u8]) -> SummaryMetadata {
    let mut plugin = SummaryMetadata_PluginData::new();
    plugin.set_plugin_name(plugin_name.to_owned());
    plugin.set_content(content.to_vec());
    let mut metadata = SummaryMetadata::new();
    metadata.set_plugin_data(plugin);
    metadata
}

/// Returns a number as it was typed, if it has since been stored as an `f32`.
fn as_typed(number: f64) -> f64 {
    let held = number as f32;
    if f64::from(held) == number {
        held.to_string().parse().unwrap_or(number)
    } else {
        number
    }
}

/// Returns the bytes of a message whose fields are written one by one.
fn bytes(write: impl FnOnce(&mut CodedOutputStream<'_>) -> ProtobufResult<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut out = CodedOutputStream::vec(&mut bytes);
    write(&mut out)
        .and_then(|()| out.flush())
        .expect("memory can be written");
    bytes
}

/// Returns the seconds since 1970.
fn now() -> f64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0.0, |elapsed| elapsed.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_come_back_without_what_was_taken_back_or_is_not_whole() {
        let folder = tempfile::tempdir().unwrap();
        let record = |begins_at, points: &[(u64, f64)]| {
            let mut events = EventFile::create(folder.path(), begins_at).unwrap();
            for &(step, value) in points {
                events.scalar(step, "eval/win_rate", value);
                events.scalar(step, "train/loss", 7.0);
            }
            events.sync().unwrap();
        };
        record(0, &[(10, 0.75), (50, 1.0)]);
        record(0, &[(10, 0.25), (20, 0.5), (30, 0.75)]);
        record(21, &[(30, 0.5), (40, 1.0)]);
        let points = |tag| {
            let points = scalars(folder.path())
                .unwrap()
                .remove(tag)
                .unwrap_or_default();
            points.into_iter().collect::<Vec<_>>()
        };
        assert_eq!(
            points("eval/win_rate"),
            [(10, 0.25), (20, 0.5), (30, 0.5), (40, 1.0)]
        );
        assert_eq!(points("eval/mean_length"), []);

        let last = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .max()
            .unwrap();
        let whole = std::fs::metadata(&last).unwrap().len();
        let file = std::fs::OpenOptions::new().write(true).open(&last).unwrap();
        file.set_len(whole - 70).unwrap();
        drop(file);
        assert_eq!(points("eval/win_rate"), [(10, 0.25), (20, 0.5), (30, 0.5)]);
        std::fs::OpenOptions::new()
            .append(true)
            .open(&last)
            .unwrap()
            .write_all(&[0; 100])
            .unwrap();
        assert_eq!(points("eval/win_rate"), [(10, 0.25), (20, 0.5), (30, 0.5)]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn records_wait_while_the_disk_is_full() {
        let folder = tempfile::tempdir().unwrap();
        let mut events = EventFile::create(folder.path(), 0).unwrap();
        events.scalar(10, "train/loss", 1.0);
        events.sync().unwrap();
        let whole = events.whole;

        let full = File::options().write(true).open("/dev/full").unwrap();
        let file = std::mem::replace(&mut events.file, full);
        events.scalar(20, "train/loss", 2.0);
        assert_eq!(
            events.flush().unwrap_err().kind(),
            io::ErrorKind::StorageFull
        );
        // A disk that fills up may accept part of a record.
        (&file)
            .write_all(&events.waiting[..events.waiting.len() / 2])
            .unwrap();
        events.scalar(30, "train/loss", 3.0);
        assert!(events.sync().is_err() && events.whole == whole);

        events.file = file;
        events.scalar(40, "train/loss", 4.0);
        events.sync().unwrap();
        let points = &scalars(folder.path()).unwrap()["train/loss"];
        assert!(
            points
                .iter()
                .eq([(&10, &1.0), (&20, &2.0), (&30, &3.0), (&40, &4.0)]),
            "{points:?}"
        );
    }

    /// A tensor that claims to have 2^56 numbers.
    #[test]
    fn lengths_are_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let tensor = [0x2a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        let value = bytes(|out| out.write_bytes(8, &tensor));
        let summary = bytes(|out| out.write_bytes(1, &value));
        let event = bytes(|out| out.write_bytes(5, &summary));
        let file = std::fs::File::create(folder.path().join(EVENT_FILE)).unwrap();
        RecordWriter::new(file).write(&event).unwrap();
        assert_eq!(scalars(folder.path()).unwrap(), Scalars::new());
    }
}
