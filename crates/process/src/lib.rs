//! Programs in any language that play Snake: they read a line for each position, and answer with a
//! line for each move.
//!
//! [`Program`] is a program that runs, whatever its lines say: it is started, sent lines, waited
//! for, and ended with all that it started. [`Programs`] play Snake with such programs, games of
//! one snake and duels of two; the book documents the
//! lines for those who write one (`docs/tutorials/programs.md`).

mod bot;
mod duel_protocol;
mod group;
mod policy;
mod program;
mod programs;
mod protocol;

pub use program::{LONGEST_LINE, NoLine, Program};
pub use programs::{CommandError, DEFAULT_MOVE_LIMIT, FIRST_ANSWER, MOVE_LIMITS, Programs};
pub use protocol::{Answer, AnswerError, PROTOCOL, parse_answer};

/// How programs are named, and what they do.
pub const PROGRAM: (&str, &str) = (
    "exec:COMMAND",
    "plays a program of your own, in any language; docs/tutorials/programs.md says how it is written",
);
