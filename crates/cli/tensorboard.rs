//! TensorBoard event files.
//!
//! tensorboard-rs frames the records and builds scalars and histograms. Its own `SummaryWriter` is not used: it overwrites files
//! begun in the same second, panics on a full disk, and knows neither text nor resumed runs.

use crate::error::{Error, Result};
use protobuf::Message;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::time::SystemTime;
use tensorboard_proto::event::{Event, SessionLog, SessionLog_SessionStatus};
use tensorboard_proto::summary::{Summary, Summary_Value, SummaryMetadata, SummaryMetadata_PluginData};
use tensorboard_proto::tensor::TensorProto;
use tensorboard_proto::tensor_shape::{TensorShapeProto, TensorShapeProto_Dim};
use tensorboard_proto::types::DataType;
use tensorboard_rs::record_writer::RecordWriter;
use tensorboard_rs::summary;

const BUCKETS: usize = 30;

/// An event file. Curves never stop training: the first failure to write is kept for the caller to tell.
pub(crate) struct EventFile {
    file: File,
    writer: RecordWriter<BufWriter<File>>,
    failure: Option<io::Error>,
}

impl EventFile {
    /// A new file in a folder. A resumed run gives the step it goes on from: TensorBoard then drops what earlier files
    /// have beyond that step.
    pub(crate) fn create(folder: &Path, resumed_at: Option<u64>) -> Result<EventFile> {
        let seconds = now() as u64;
        let mut create = (0..1000).map(|n| {
            let path = folder.join(format!("events.out.tfevents.{seconds:010}.{n:03}.hognose"));
            File::create_new(&path).map_err(|error| (path, error))
        });
        let file = create
            .find(|result| !matches!(result, Err((_, error)) if error.kind() == io::ErrorKind::AlreadyExists))
            .ok_or_else(|| Error::new("too many event files in one second"))?;
        let file = file.map_err(|(path, error)| Error::new(format!("can't write {}: {error}", path.display())))?;
        let writer = RecordWriter::new(BufWriter::new(file.try_clone()?));
        let mut events = EventFile { file, writer, failure: None };
        let mut version = Event::new();
        version.set_file_version("brain.Event:2".to_owned());
        events.write(0, version);
        if let Some(step) = resumed_at {
            let mut log = SessionLog::new();
            log.set_status(SessionLog_SessionStatus::START);
            let mut start = Event::new();
            start.set_session_log(log);
            // Points at the very step are kept.
            events.write(step + 1, start);
        }
        Ok(events)
    }

    pub(crate) fn scalar(&mut self, step: u64, tag: &str, value: f64) {
        self.summary(step, summary::scalar(tag, value as f32));
    }

    /// A histogram of the finite values.
    pub(crate) fn histogram(&mut self, step: u64, tag: &str, values: &[f32]) {
        let values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).map(f64::from).collect();
        if values.is_empty() {
            return;
        }
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Equal values need limits that differ, too.
        let width = ((high - low) / BUCKETS as f64).max(1e-6 * (1.0 + low.abs()));
        let limits: Vec<f64> = (1..=BUCKETS).map(|i| low + width * i as f64).collect();
        let mut counts = vec![0.0; BUCKETS];
        for value in &values {
            counts[(((value - low) / width) as usize).min(BUCKETS - 1)] += 1.0;
        }
        let (sum, squares) = (values.iter().sum(), values.iter().map(|value| value * value).sum());
        let count = values.len() as f64;
        self.summary(step, summary::histogram_raw(tag, low, high, count, sum, squares, &limits, &counts));
    }

    /// Text, shown as Markdown.
    pub(crate) fn text(&mut self, step: u64, tag: &str, text: &str) {
        let mut plugin = SummaryMetadata_PluginData::new();
        plugin.set_plugin_name("text".to_owned());
        let mut metadata = SummaryMetadata::new();
        metadata.set_plugin_data(plugin);
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
        value.set_metadata(metadata);
        value.set_tensor(tensor);
        let mut summary = Summary::new();
        summary.set_value(vec![value].into());
        self.summary(step, summary);
    }

    /// Hands what was written to the system, so that TensorBoard sees it.
    pub(crate) fn flush(&mut self) {
        let result = self.writer.flush();
        self.note(result);
    }

    /// Puts what was written on disk.
    pub(crate) fn sync(&mut self) {
        self.flush();
        let result = self.file.sync_all();
        self.note(result);
    }

    /// The first failure, once.
    pub(crate) fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    fn summary(&mut self, step: u64, summary: Summary) {
        let mut event = Event::new();
        event.set_summary(summary);
        self.write(step, event);
    }

    fn write(&mut self, step: u64, mut event: Event) {
        event.set_wall_time(now());
        event.set_step(i64::try_from(step).unwrap_or(i64::MAX));
        let bytes = event.write_to_bytes().map_err(io::Error::other);
        let result = bytes.and_then(|bytes| self.writer.write(&bytes));
        self.note(result);
    }

    fn note(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.failure.get_or_insert(error);
        }
    }
}

/// Seconds since 1970.
fn now() -> f64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0.0, |elapsed| elapsed.as_secs_f64())
}
