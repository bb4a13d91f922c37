//! Programs that play: their processes, and their conversation in a game.

use crate::program::{NoLine, Program};
use crate::protocol::parse_answer;
use hognose_game::{Direction, Forfeit};
use std::cmp::Ordering;
use std::fs::File;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a program may think about a move by default.
pub const DEFAULT_MOVE_LIMIT: Duration = Duration::from_secs(1);

/// The valid time limits of a move, in seconds.
pub const MOVE_LIMITS: RangeInclusive<f64> = 0.001..=3600.0;

/// The least time limit for the first answer of a process, which may have to load what it needs. If
/// a process has exceeded it and none has ever answered, only the limit of a move applies.
pub const FIRST_ANSWER: Duration = Duration::from_secs(10);

/// Why a command can't start a program.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The command is empty.
    #[error("expected a command, as in \"exec:python3 player.py\", got none")]
    Empty,
    /// The command can't be split into words.
    #[error("expected a command with matching quotes, got {0:?}")]
    Quotes(String),
    /// The program can't be started.
    #[error("can't start the program {program:?}: {error}")]
    Start {
        /// The first word of the command.
        program: String,
        /// The reason.
        error: io::Error,
    },
    /// No file could be created for the program's standard error.
    #[error("can't create a file for the program's standard error: {0}")]
    Errors(io::Error),
    /// The log can't be opened.
    #[error("can't write the log {path:?}: {error}")]
    Log {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
}

/// Makes players from a program: policies for games of one snake, and bots for duels. Each process
/// plays one game at a time and many in succession, so there are as many processes as concurrent
/// games.
///
/// A program that is late, ends, or sends anything but an answer forfeits its game and is killed.
/// The next game starts a new process.
pub struct Programs {
    shared: Arc<Shared>,
}

/// What the games share.
struct Shared {
    words: Vec<String>,
    move_limit: Duration,
    /// Where the standard error of all processes goes.
    errors: Errors,
    /// Whether a process has ever answered.
    answered: AtomicBool,
    /// Whether a process has exceeded the time for its first answer.
    silent: AtomicBool,
    /// Processes that are not playing a game.
    idle: Mutex<Vec<Program>>,
}

/// The standard error of processes.
enum Errors {
    /// An unnamed file, which disappears with our process.
    Unnamed { file: File, copy: Mutex<StderrCopy> },
    /// A file that the lines to and from the processes go to, too.
    Log(File),
}

/// A copy of the standard error, made once an error message has to name a file.
struct StderrCopy {
    /// The part that has not been copied.
    unread: File,
    /// The file that an error message has named, with the part before.
    kept: Option<(File, PathBuf)>,
}

impl Programs {
    /// Starts a program. The command is split into words like in a shell, but no shell runs it:
    /// there are no variables, patterns or pipes. `move_limit` is the time limit for a move.
    ///
    /// # Errors
    /// Fails if the command can't be split, or the program can't be started.
    pub fn new(command: &str, move_limit: Duration) -> Result<Programs, CommandError> {
        let errors = tempfile::Builder::new()
            .append(true)
            .tempfile()
            .map_err(CommandError::Errors)?;
        let copy = Mutex::new(StderrCopy {
            unread: errors.reopen().map_err(CommandError::Errors)?,
            kept: None,
        });
        let file = errors.into_file();
        Programs::start(command, move_limit, Errors::Unnamed { file, copy })
    }

    /// Like [`new`](Self::new), and appends every line to and from the processes to a file, after
    /// the number of the process and `>` or `<`, with the standard error of the processes.
    ///
    /// # Errors
    /// Fails as [`new`](Self::new) does, or if the file can't be opened.
    pub fn logged(
        command: &str,
        move_limit: Duration,
        log: &Path,
    ) -> Result<Programs, CommandError> {
        let file = File::options().create(true).append(true).open(log);
        let file = file.map_err(|error| CommandError::Log {
            path: log.to_owned(),
            error,
        })?;
        Programs::start(command, move_limit, Errors::Log(file))
    }

    fn start(
        command: &str,
        move_limit: Duration,
        errors: Errors,
    ) -> Result<Programs, CommandError> {
        let words =
            shlex::split(command).ok_or_else(|| CommandError::Quotes(command.to_owned()))?;
        let program = words.first().ok_or(CommandError::Empty)?.clone();
        let shared = Shared {
            words,
            move_limit,
            errors,
            answered: AtomicBool::default(),
            silent: AtomicBool::default(),
            idle: Mutex::default(),
        };
        let first = shared
            .start()
            .map_err(|error| CommandError::Start { program, error })?;
        shared.put_back(first);
        Ok(Programs {
            shared: Arc::new(shared),
        })
    }

    /// Returns the time limit for a move.
    pub(crate) fn move_limit(&self) -> Duration {
        self.shared.move_limit
    }

    /// Starts a conversation about a game that begins with this line.
    pub(crate) fn talk(&self, start: String) -> Talk {
        Talk {
            shared: Arc::clone(&self.shared),
            start,
            program: None,
            steps: 0,
            forfeit: None,
        }
    }
}

impl Shared {
    fn start(&self) -> io::Result<Program> {
        let (Errors::Unnamed { file, .. } | Errors::Log(file)) = &self.errors;
        Program::start(&self.words, file.try_clone()?)
    }

    /// Adds a line to the log, if there is one. A game goes on if the log can't be written.
    fn log(&self, program: &Program, sign: char, line: &str) {
        if let Errors::Log(file) = &self.errors {
            let mut file: &File = file;
            let _ = file.write_all(format!("{} {sign} {line}\n", program.id()).as_bytes());
        }
    }

    fn send(&self, program: &Program, line: String) -> Result<(), NoLine> {
        self.log(program, '>', &line);
        program.send(line)
    }

    /// Returns an idle process that still runs, or a new one.
    fn take(&self) -> io::Result<Program> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(mut program) = idle.pop() {
            if !program.has_ended() {
                return Ok(program);
            }
        }
        drop(idle);
        self.start()
    }

    fn put_back(&self, program: Program) {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(program);
    }

    /// Returns the time limit for a program's next answer.
    fn limit(&self, program: &Program) -> Duration {
        let is_hopeless = self.silent.load(Relaxed) && !self.answered.load(Relaxed);
        if program.spoke() || is_hopeless {
            self.move_limit
        } else {
            self.move_limit.max(FIRST_ANSWER)
        }
    }

    /// Adds to a reason where to find the program's standard error, if it has written any.
    fn explain(&self, reason: String) -> Forfeit {
        let Errors::Unnamed { copy, .. } = &self.errors else {
            return Forfeit(reason);
        };
        let copy = copy.lock().unwrap_or_else(PoisonError::into_inner).keep();
        Forfeit(match copy {
            Ok(None) => reason,
            Ok(Some(path)) => format!("{reason}; its standard error is in {}", path.display()),
            Err(error) => format!("{reason}; its standard error can't be kept: {error}"),
        })
    }
}

impl StderrCopy {
    /// Copies the remaining part to a permanent file and returns its path; `None` if nothing was
    /// ever written.
    fn keep(&mut self) -> io::Result<Option<PathBuf>> {
        let is_empty = self.unread.metadata()?.len() == 0;
        if self.kept.is_none() && !is_empty {
            let file = tempfile::Builder::new()
                .prefix("hognose-")
                .suffix(".stderr")
                .tempfile()?;
            self.kept = Some(file.keep()?);
        }
        let Some((file, path)) = &mut self.kept else {
            return Ok(None);
        };
        io::copy(&mut self.unread, file)?;
        Ok(Some(path.clone()))
    }
}

impl Drop for Shared {
    /// Ends all processes in the same half second.
    fn drop(&mut self) {
        let idle = self.idle.get_mut().unwrap_or_else(PoisonError::into_inner);
        idle.iter_mut().for_each(Program::close);
    }
}

/// A program's conversation about one game.
pub(crate) struct Talk {
    shared: Arc<Shared>,
    /// The line that begins the game.
    start: String,
    /// The process, once the first move has been requested.
    program: Option<Program>,
    /// The number of moves so far.
    steps: u64,
    forfeit: Option<Forfeit>,
}

impl Talk {
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns the program's answer to the line of a position, or why there is none. After the
    /// first failure, the program receives no more lines.
    pub(crate) fn ask(&mut self, position: String) -> Result<Direction, Forfeit> {
        if let Some(forfeit) = &self.forfeit {
            return Err(forfeit.clone());
        }
        let direction = self.answer(position).map_err(|reason| {
            if let Some(program) = self.program.take() {
                program.kill();
            }
            self.forfeit.insert(self.shared.explain(reason)).clone()
        })?;
        self.steps += 1;
        Ok(direction)
    }

    fn answer(&mut self, position: String) -> Result<Direction, String> {
        let program = match &mut self.program {
            Some(program) => program,
            None => {
                let mut program = self
                    .shared
                    .take()
                    .map_err(|error| format!("can't start the program: {error}"))?;
                program.skip_lines();
                let program = self.program.insert(program);
                self.shared
                    .send(program, self.start.clone())
                    .map_err(|error| error.to_string())?;
                program
            }
        };
        self.shared
            .send(program, position)
            .map_err(|error| error.to_string())?;
        let limit = self.shared.limit(program);
        let until = Instant::now() + limit;
        loop {
            let line = program.line(until).map_err(|error| match error {
                NoLine::Late => {
                    self.shared.silent.fetch_or(!program.spoke(), Relaxed);
                    format!(
                        "no answer to step {} within {} s (--move-limit allows more)",
                        self.steps,
                        limit.as_secs_f64()
                    )
                }
                error => format!("{error} before it answered step {}", self.steps),
            })?;
            self.shared
                .log(program, '<', &String::from_utf8_lossy(&line));
            let answer = parse_answer(&line).map_err(|error| error.to_string())?;
            match answer.step.cmp(&self.steps) {
                // A late answer.
                Ordering::Less => {}
                Ordering::Equal => {
                    self.shared.answered.store(true, Relaxed);
                    return Ok(answer.direction);
                }
                Ordering::Greater => {
                    return Err(format!(
                        "expected an answer to step {}, got one to step {}",
                        self.steps, answer.step
                    ));
                }
            }
        }
    }

    /// Sends the program the end of the game, unless it has forfeited or was never asked for a
    /// move. The process can then play the next game.
    pub(crate) fn end(&mut self, line: String) {
        let Some(program) = self.program.take() else {
            return;
        };
        if self.shared.send(&program, line).is_ok() {
            self.shared.put_back(program);
        }
    }
}
