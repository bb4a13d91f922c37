//! The `hognose` command: trains agents, evaluates policies, shows and checks games.

mod bench;
mod curves;
mod error;
mod evaluate;
mod experiment;
mod files;
mod games;
mod interrupt;
mod manifest;
mod play;
mod plots;
mod reproduce;
mod rules;
mod screen;
mod tablebase;
mod tensorboard;
mod train;
mod verify;

use clap::{Parser, Subcommand};
use std::io::Write;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Snake as a reinforcement-learning environment that brings its own yardsticks
#[derive(Parser)]
#[command(version = manifest::VERSION, propagate_version = true, arg_required_else_help = true)]
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
    // clap exits with status 2 on bad arguments.
    let arguments = Arguments::parse();
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
    match outcome {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::FAILURE,
        Ok(Outcome::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Prints to standard output; a reader that went away, such as `head`, ends the program quietly.
fn print(text: std::fmt::Arguments<'_>) {
    let mut out = std::io::stdout().lock();
    if out.write_fmt(text).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

/// `println!` through [`print()`].
macro_rules! say {
    ($($part:tt)*) => { $crate::print(format_args!("{}\n", format_args!($($part)*))) };
}
use say;
