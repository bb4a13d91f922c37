//! The `hognose` command: trains agents, evaluates policies, shows and checks games.

mod bench;
mod curves;
mod error;
mod evaluate;
mod files;
mod games;
mod interrupt;
mod output;
mod play;
mod plots;
mod reproduce;
mod rules;
mod screen;
mod tablebase;
mod train;
mod verify;
mod version;

use clap::{Parser, Subcommand};
use output::print;
use std::io::Write;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Snake as a reinforcement-learning environment that brings its own yardsticks
#[derive(Parser)]
#[command(version = version::VERSION, propagate_version = true, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Train(train::Arguments),
    Curves(curves::Arguments),
    Evaluate(evaluate::Arguments),
    Policies(evaluate::ListArguments),
    Play(play::Arguments),
    Watch(games::WatchArguments),
    Record(games::RecordArguments),
    Replay(games::ReplayArguments),
    Verify(verify::Arguments),
    Tablebase(tablebase::Arguments),
    Reproduce(reproduce::Arguments),
    Bench(bench::Arguments),
}

/// The exit status after an interruption, as shells count it: 128 + SIGINT.
const INTERRUPTED: u8 = 130;
/// The exit status after bad input, or where the system fails.
const REFUSED: u8 = 2;

/// What a command comes to.
enum Outcome {
    /// All is well.
    Done,
    /// A check that the user asked for failed.
    Failed,
    /// Ctrl-C.
    Interrupted,
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are no errors.
            if let Err(error) = error.print().and_then(|()| std::io::stdout().flush()) {
                output::fail(error);
            }
            return ExitCode::from(output::status(u8::try_from(error.exit_code()).unwrap_or(REFUSED)));
        }
    };
    let outcome = match arguments.command {
        Command::Train(arguments) => train::run(&arguments),
        Command::Curves(arguments) => curves::run(&arguments),
        Command::Evaluate(arguments) => evaluate::run(&arguments),
        Command::Policies(arguments) => evaluate::list(&arguments),
        Command::Play(arguments) => play::run(&arguments),
        Command::Watch(arguments) => games::watch(&arguments),
        Command::Record(arguments) => games::record(&arguments),
        Command::Replay(arguments) => games::replay(&arguments),
        Command::Reproduce(arguments) => reproduce::run(&arguments),
        Command::Tablebase(arguments) => tablebase::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
    };
    let code = match outcome {
        Ok(Outcome::Done) => 0,
        Ok(Outcome::Failed) => 1,
        Ok(Outcome::Interrupted) => INTERRUPTED,
        Err(error) => {
            output::complain(format_args!("{error}"));
            REFUSED
        }
    };
    ExitCode::from(output::status(code))
}

/// A command as a shell reads it.
fn shell<'a>(words: impl IntoIterator<Item = &'a str>) -> error::Result<String> {
    Ok(shlex::try_join(words)?)
}

/// `println!` through [`print()`].
macro_rules! say {
    ($($part:tt)*) => { $crate::print(format_args!("{}\n", format_args!($($part)*))) };
}
use say;
