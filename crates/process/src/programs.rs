//! Programs that play: their processes, and what one of them says in a game.

use crate::program::{NoLine, Program};
use crate::protocol::parse_answer;
use hognose_game::{Direction, Forfeit};
use std::cmp::Ordering;
use std::fs::File;
use std::io;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a program may think about a move, if nobody says.
pub const DEFAULT_MOVE_LIMIT: Duration = Duration::from_secs(1);

/// The limits of a move that make sense, in seconds.
pub const MOVE_LIMITS: RangeInclusive<f64> = 0.001..=3600.0;

/// How long a process may take for its first answer at least, since it begins by loading what it
/// needs. A program that once let this time go by, and has never answered, gets no more than the
/// limit of a move.
pub const FIRST_ANSWER: Duration = Duration::from_secs(10);

/// Why a command gives no player.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// There is no command.
    #[error("expected a command, as in \"exec:python3 player.py\", got none")]
    Empty,
    /// The command can't be split into words.
    #[error("expected a command with its quotes in pairs, got {0:?}")]
    Quotes(String),
    /// The program can't be started.
    #[error("can't start the program {program:?}: {error}")]
    Start {
        /// The first word of the command.
        program: String,
        /// Why.
        error: io::Error,
    },
    /// There is no place for what the program writes to its standard error.
    #[error("can't make a file for the program's standard error: {0}")]
    Errors(io::Error),
}

/// Makes players of a program: policies of games of one snake, and bots of duels. Each process of
/// it plays one game at a time, and many one after another, so there are as many processes as games
/// are played at once.
///
/// A program that is late, ends, or answers with something else forfeits its game and is killed.
/// The next game starts a new process.
pub struct Programs {
    shared: Arc<Shared>,
}

/// What the games have in common.
struct Shared {
    words: Vec<String>,
    move_limit: Duration,
    /// Where all processes write their standard error: a file without a name, so that it goes away
    /// with us.
    errors: File,
    log: Mutex<Log>,
    /// Whether a process has ever answered.
    answered: AtomicBool,
    /// Whether a process was late with its first answer.
    silent: AtomicBool,
    /// Processes that play no game at the moment.
    idle: Mutex<Vec<Program>>,
}

/// What the processes have written to their standard error.
struct Log {
    /// The rest of it, not yet copied.
    unread: File,
    /// The file that a reason has named, which has the text before the rest.
    kept: Option<(File, PathBuf)>,
}

impl Programs {
    /// Starts a program. The command is split into words as a shell splits it, but no shell runs
    /// it: there are no variables, patterns or pipes. `move_limit` is how long the program may
    /// think about a move.
    ///
    /// # Errors
    /// When the command can't be split, or the program can't be started.
    pub fn new(command: &str, move_limit: Duration) -> Result<Programs, CommandError> {
        let words =
            shlex::split(command).ok_or_else(|| CommandError::Quotes(command.to_owned()))?;
        let program = words.first().ok_or(CommandError::Empty)?.clone();
        let errors = tempfile::Builder::new()
            .append(true)
            .tempfile()
            .map_err(CommandError::Errors)?;
        let log = Log {
            unread: errors.reopen().map_err(CommandError::Errors)?,
            kept: None,
        };
        let shared = Shared {
            words,
            move_limit,
            errors: errors.into_file(),
            log: Mutex::new(log),
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

    /// How long the program may think about a move.
    pub(crate) fn move_limit(&self) -> Duration {
        self.shared.move_limit
    }

    /// What the program says in a game that begins with this line.
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
        Program::start(&self.words, self.errors.try_clone()?)
    }

    /// A process that plays no game, a new one if there is none that still runs.
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

    /// How long a program may take for its next answer.
    fn limit(&self, program: &Program) -> Duration {
        let is_hopeless = self.silent.load(Relaxed) && !self.answered.load(Relaxed);
        if program.spoke() || is_hopeless {
            self.move_limit
        } else {
            self.move_limit.max(FIRST_ANSWER)
        }
    }

    /// A reason, and where to read on if the program wrote something to its standard error.
    fn explain(&self, reason: String) -> Forfeit {
        let log = self
            .log
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .keep();
        Forfeit(match log {
            Ok(None) => reason,
            Ok(Some(path)) => format!("{reason}; its standard error is in {}", path.display()),
            Err(error) => format!("{reason}; its standard error can't be kept: {error}"),
        })
    }
}

impl Log {
    /// Copies the rest into the file that is kept, and returns its path; `None` if nothing was ever
    /// written.
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
    /// Ends all processes within the same half second.
    fn drop(&mut self) {
        let idle = self.idle.get_mut().unwrap_or_else(PoisonError::into_inner);
        idle.iter_mut().for_each(Program::close);
    }
}

/// What a program says in one game.
pub(crate) struct Talk {
    shared: Arc<Shared>,
    /// The line that begins the game.
    start: String,
    /// The process, once the first move was asked for.
    program: Option<Program>,
    /// Moves so far.
    steps: u64,
    forfeit: Option<Forfeit>,
}

impl Talk {
    /// The program's moves so far.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// The program's answer to the line that tells a position, or why there is none. After the
    /// first failure the program is not asked again.
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
                program
                    .send(self.start.clone())
                    .map_err(|error| error.to_string())?;
                program
            }
        };
        program.send(position).map_err(|error| error.to_string())?;
        let limit = self.shared.limit(program);
        let until = Instant::now() + limit;
        loop {
            let line = program.line(until).map_err(|error| match error {
                NoLine::Late => {
                    self.shared.silent.fetch_or(!program.spoke(), Relaxed);
                    format!(
                        "no answer to step {} within {} s",
                        self.steps,
                        limit.as_secs_f64()
                    )
                }
                error => format!("{error} where step {} was to be answered", self.steps),
            })?;
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

    /// Tells the program how the game ended, unless it was asked for no move or forfeited. The
    /// process goes on to the next game.
    pub(crate) fn end(&mut self, line: String) {
        let Some(program) = self.program.take() else {
            return;
        };
        if program.send(line).is_ok() {
            self.shared.put_back(program);
        }
    }
}
