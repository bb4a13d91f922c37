//! A running program that exchanges lines over standard input and output, independent of their
//! meaning.

use crate::group::Group;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

/// The maximum length of a line that is read, in bytes.
pub const LONGEST_LINE: usize = 1 << 16;

/// The number of lines that may wait in each direction.
const WAITING_LINES: usize = 16;

/// The polling interval for the exit of a silent program.
const TICK: Duration = Duration::from_millis(100);

/// How long a program may take to end when asked to.
const GRACE: Duration = Duration::from_millis(500);

/// A running program. Dropping it closes its input, gives it half a second to end, and then kills
/// it and all processes that it started. To end several programs in the same half second,
/// [`close`](Self::close) all of them first. If our own process ends for any reason, the program is
/// killed at once.
///
/// No call waits longer than its time limit, since reading and writing have their own threads.
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
    /// `None` once the program should end.
    to: Option<SyncSender<String>>,
    from: Receiver<Result<Vec<u8>, NoLine>>,
    spoke: bool,
    /// When a program that should end is killed.
    killed_at: Option<Instant>,
}

/// Why no line arrived.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoLine {
    /// The time limit was reached.
    #[error("no answer came in time")]
    Late,
    /// The program does not read its input.
    #[error("the program does not read its standard input")]
    Deaf,
    /// The line was too long.
    #[error("the program wrote more than {LONGEST_LINE} bytes without a line break")]
    TooLong,
    /// The program ended or closed its output, as the text explains.
    #[error("{0}")]
    Ended(String),
}

impl Program {
    /// Starts a program: the first word is its name or path, the others are its arguments. Its
    /// standard error goes to the file `errors`.
    ///
    /// # Errors
    /// Fails if it can't be started, for example because it does not exist.
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

    /// Sends a line without waiting until the program has read it.
    ///
    /// # Errors
    /// Fails if the program has not read earlier lines.
    pub fn send(&self, line: String) -> Result<(), NoLine> {
        let Some(to) = &self.to else { return Ok(()) };
        match to.try_send(line + "\n") {
            Err(mpsc::TrySendError::Full(_)) => Err(NoLine::Deaf),
            // The program has ended: waiting for a line reports how.
            Ok(()) | Err(mpsc::TrySendError::Disconnected(_)) => Ok(()),
        }
    }

    /// Waits until the given time for the program's next line, without its line break.
    ///
    /// # Errors
    /// Fails if no line arrives or it is too long.
    pub fn line(&mut self, until: Instant) -> Result<Vec<u8>, NoLine> {
        let line = loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(NoLine::Late);
            }
            match self.from.recv_timeout(left.min(TICK)) {
                Ok(line) => break line?,
                Err(RecvTimeoutError::Disconnected) => return Err(NoLine::Ended(self.end())),
                // A child process may keep the output open.
                Err(RecvTimeoutError::Timeout) if self.has_ended() => {
                    return Err(NoLine::Ended(self.end()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        self.spoke = true;
        Ok(line)
    }

    /// Drops lines that have not been read.
    pub fn skip_lines(&mut self) {
        while self.from.try_recv().is_ok() {}
    }

    /// Returns the number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns whether the program has written a line.
    pub fn spoke(&self) -> bool {
        self.spoke
    }

    /// Closes the program's input after the waiting lines. From now on it has half a second to end.
    pub fn close(&mut self) {
        self.to = None;
        self.killed_at.get_or_insert_with(|| Instant::now() + GRACE);
    }

    /// Kills the program at once, with all processes that it started.
    pub fn kill(mut self) {
        self.group.kill();
    }

    /// Returns whether the program has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    /// Returns a description of how the program ended.
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
        // A program may have left its group. Killing and waiting fail only if it has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes lines until there are no more, or the program stops reading.
fn write_lines(lines: &Receiver<String>, mut input: ChildStdin) {
    for line in lines {
        if input.write_all(line.as_bytes()).is_err() {
            return;
        }
    }
}

/// Reads lines until the output ends, a line is too long, or the receiver is gone.
fn read_lines(output: ChildStdout, lines: &SyncSender<Result<Vec<u8>, NoLine>>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        // The longest line and its line break; a longer line lacks the break.
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
