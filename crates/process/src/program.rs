//! A program that runs. Lines go to its standard input and come from its standard output; what they
//! say is not known here.

use crate::group::Group;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

/// The most bytes of a line that is read.
pub const LONGEST_LINE: usize = 1 << 16;

/// How many lines may wait, on the way to the program and on the way from it.
const WAITING_LINES: usize = 16;

/// How often it is looked whether a program that says nothing has ended.
const TICK: Duration = Duration::from_millis(100);

/// How long a program that is asked to end may take for it.
const GRACE: Duration = Duration::from_millis(500);

/// A program that runs. Dropping it closes its input, gives it half a second to end, and then kills
/// it and all that it started. To end several programs in the same half second,
/// [`close`](Self::close) all of them first. When our own process ends, in whatever way, the
/// program is killed at once.
///
/// No call waits longer than it is told: threads of its own read and write.
///
/// ```no_run
/// use hognose_process::Program;
/// use std::time::{Duration, Instant};
///
/// let mut program = Program::start(&["cat".to_owned()], tempfile::tempfile()?)?;
/// program.send("a line".to_owned())?;
/// assert_eq!(program.line(Instant::now() + Duration::from_secs(1))?, b"a line");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Program {
    child: Child,
    group: Group,
    /// `None` once the program is to end.
    to: Option<SyncSender<String>>,
    from: Receiver<Result<Vec<u8>, NoLine>>,
    spoke: bool,
    /// When a program that was asked to end is killed.
    killed_at: Option<Instant>,
}

/// Why no line came.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoLine {
    /// The time was over.
    #[error("no answer came in time")]
    Late,
    /// The program does not read what it is sent.
    #[error("the program does not read its standard input")]
    Deaf,
    /// The line was too long.
    #[error("the program wrote more than {LONGEST_LINE} bytes without a line break")]
    TooLong,
    /// The program ended, or closed its output. The text says which.
    #[error("{0}")]
    Ended(String),
}

impl Program {
    /// Starts a program: the first word is its name or path, the others are its arguments. What it
    /// writes to its standard error goes to the file.
    ///
    /// # Errors
    /// When it can't be started, for example since there is no such program.
    pub fn start(words: &[String], errors: File) -> io::Result<Program> {
        let (name, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(name);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors);
        let (group, mut child) = Group::start(&mut command)?;
        let input = child.stdin.take();
        let output = child.stdout.take();
        let (to, to_write) = mpsc::sync_channel(WAITING_LINES);
        let (read, from) = mpsc::sync_channel(WAITING_LINES);
        let program = Program {
            child,
            group,
            to: Some(to),
            from,
            spoke: false,
            killed_at: None,
        };
        if let (Some(input), Some(output)) = (input, output) {
            thread::Builder::new()
                .name("to a program".to_owned())
                .spawn(move || write_lines(&to_write, input))?;
            thread::Builder::new()
                .name("from a program".to_owned())
                .spawn(move || read_lines(output, &read))?;
        }
        Ok(program)
    }

    /// Sends a line. It does not wait until the program has read it.
    ///
    /// # Errors
    /// When the program has not read the lines before.
    pub fn send(&self, line: String) -> Result<(), NoLine> {
        let Some(to) = &self.to else { return Ok(()) };
        match to.try_send(line + "\n") {
            Err(mpsc::TrySendError::Full(_)) => Err(NoLine::Deaf),
            // It is gone: waiting for its line says how.
            Ok(()) | Err(mpsc::TrySendError::Disconnected(_)) => Ok(()),
        }
    }

    /// Waits for the program's next line, without its line break, until then.
    ///
    /// # Errors
    /// When no line came, or it was too long.
    pub fn line(&mut self, until: Instant) -> Result<Vec<u8>, NoLine> {
        let line = loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(NoLine::Late);
            }
            match self.from.recv_timeout(left.min(TICK)) {
                Ok(line) => break line?,
                Err(RecvTimeoutError::Disconnected) => return Err(NoLine::Ended(self.end())),
                // Something that it started may keep its output open.
                Err(RecvTimeoutError::Timeout) if self.has_ended() => {
                    return Err(NoLine::Ended(self.end()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        self.spoke = true;
        Ok(line)
    }

    /// Drops the lines that wait to be read.
    pub fn skip_lines(&mut self) {
        while self.from.try_recv().is_ok() {}
    }

    /// Whether a line has come from it.
    pub fn spoke(&self) -> bool {
        self.spoke
    }

    /// Closes its input, once the lines that wait are written. From now on it has half a second to
    /// end.
    pub fn close(&mut self) {
        self.to = None;
        self.killed_at.get_or_insert_with(|| Instant::now() + GRACE);
    }

    /// Ends it at once, with all that it started.
    pub fn kill(mut self) {
        self.group.kill();
    }

    /// Whether it runs no more.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    /// How the program ended, in words.
    fn end(&mut self) -> String {
        let until = Instant::now() + GRACE;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return format!("the program ended ({status})"),
                Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(1)),
                Ok(None) => return "the program closed its standard output".to_owned(),
                Err(error) => return format!("the program can't be asked how it ended: {error}"),
            }
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.close();
        let left = || {
            self.killed_at.map_or(Duration::ZERO, |at| {
                at.saturating_duration_since(Instant::now())
            })
        };
        while !left().is_zero() && self.from.recv_timeout(left()).is_ok() {}
        self.group.kill();
        // A program may have left its group. Killing and waiting fail only where it has ended
        // already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes lines until there are no more, or the program does not take them any more.
fn write_lines(lines: &Receiver<String>, mut input: ChildStdin) {
    for line in lines {
        if input.write_all(line.as_bytes()).is_err() {
            return;
        }
    }
}

/// Reads lines until the output ends, a line is too long, or nobody wants them any more.
fn read_lines(output: ChildStdout, lines: &SyncSender<Result<Vec<u8>, NoLine>>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        // The longest line, its break, and one more byte that tells a longer line.
        let most = LONGEST_LINE as u64 + 1;
        match output.by_ref().take(most).read_until(b'\n', &mut line) {
            Ok(1..) => {}
            Ok(0) | Err(_) => return,
        }
        let whole = line.pop_if(|byte| *byte == b'\n').is_some();
        line.pop_if(|byte| *byte == b'\r');
        let too_long = !whole && line.len() >= LONGEST_LINE;
        if lines
            .send(if too_long {
                Err(NoLine::TooLong)
            } else {
                Ok(line)
            })
            .is_err()
            || too_long
        {
            return;
        }
    }
}
