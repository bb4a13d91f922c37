//! Programs in any language that play Snake: they read a line for each position, and answer with a line for each move.
//!
//! [`Program`] is a program that runs, whatever its lines say: it is started, sent lines, waited for, and ended with all
//! that it started. [`Programs`] play Snake with such programs; `README.md` documents the lines for those who write one.

mod group;
mod policy;
mod program;
mod protocol;

pub use policy::{CommandError, DEFAULT_MOVE_LIMIT, FIRST_ANSWER, MOVE_LIMITS, Programs};
pub use program::{LONGEST_LINE, NoLine, Program};
pub use protocol::{Answer, AnswerError, PROTOCOL, parse_answer};
