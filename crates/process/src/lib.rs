//! Programs in any language that play Snake: they read a line for each position, and answer with a
//! line for each move.
//!
//! [`Program`] is a running program, independent of the protocol: it can be started, sent lines,
//! waited for, and ended with all processes that it started. [`Programs`] plays Snake with such
//! programs, both games of one snake and duels. [`parse_position`] reads a line that one received. The book documents the protocol
//! (`docs/tutorials/programs.md`).

mod bot;
mod duel_protocol;
mod group;
mod policy;
mod program;
mod programs;
mod protocol;

pub use duel_protocol::{PositionError, parse_position};
pub use program::{LONGEST_LINE, NoLine, Program};
pub use programs::{CommandError, DEFAULT_MOVE_LIMIT, FIRST_ANSWER, MOVE_LIMITS, Programs};
pub use protocol::{Answer, AnswerError, PROTOCOL, parse_answer};

/// How programs are named, and their description.
pub const PROGRAM: (&str, &str) = (
    "exec:COMMAND",
    "plays with your own program, in any language; see docs/tutorials/programs.md",
);
