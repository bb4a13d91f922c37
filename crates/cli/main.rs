//! The `hognose` command: trains agents, evaluates policies, shows and checks games.
//!
//! Each command has a file or a folder in `commands`. The other files are shared by commands:
//!
//! - Input: `arguments` has common options, `duel_rules` the options for rules of duels, `picture`
//!   and `watching` those for pictures. `policy_game` and `duel_game` are the games and duels that
//!   options select, `records` reads recorded games, `exact` reads or solves tables, `embedded`
//!   provides embedded files, `agents` lists embedded agents, and `interrupt` handles requests to
//!   stop.
//! - Output: `error` has error messages, `outcome` the exit status, `output` prints, `format`
//!   formats tables and numbers, `progress` shows progress bars, `report` summarizes policies;
//!   `files` and `plots` write files.
//! - The terminal: `terminal` takes it over, `screen` shows scenes and reads keys, and `duel_scene`
//!   is the scene of a duel.
//! - The program: `version` identifies it.

#[macro_use]
mod experiments;

mod agents;
mod arguments;
mod commands;
mod duel_agents;
mod duel_game;
mod duel_rules;
mod duel_scene;
mod embedded;
mod error;
mod exact;
mod files;
mod format;
mod interrupt;
mod outcome;
mod output;
mod picture;
mod plots;
mod policy_game;
mod progress;
mod records;
mod report;
mod resume;
mod screen;
mod terminal;
mod version;
mod watching;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use commands::{
    bench, completions, curves, duel, evaluate, leaderboard, page, play, policies, record, render,
    replay, reproduce, tablebase, train, verify, watch,
};
use outcome::REFUSED;
use std::error::Error;
use std::io::Write;
use std::num::{IntErrorKind, ParseIntError};
use std::process::ExitCode;

/// The allocator. It is faster than the system's for small allocations, of which solvers make many.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Snake for reinforcement learning: a fast environment, an agent that learns, and players that win
/// every game
#[derive(Parser)]
#[command(version = version::VERSION, propagate_version = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Train(train::Arguments),
    Curves(curves::Arguments),
    Evaluate(evaluate::Arguments),
    Leaderboard(leaderboard::Arguments),
    Duel(duel::Arguments),
    Policies(policies::Arguments),
    Play(play::Arguments),
    Watch(watch::Arguments),
    Record(record::Arguments),
    Replay(replay::Arguments),
    Render(render::Arguments),
    Verify(verify::Arguments),
    Tablebase(tablebase::Arguments),
    Reproduce(reproduce::Arguments),
    Page(page::Arguments),
    Bench(bench::Arguments),
    Completions(completions::Arguments),
}

/// The output without a command.
const WELCOME: &str = "\
Snake for reinforcement learning: a fast environment, an agent that learns, and players that win
every game.

Three things to try:

    hognose watch               an agent that has learned plays 10x10
    hognose play                play yourself, with the arrow keys
    hognose train quickstart    train an agent on 6x6, then compare it with solvers (about a minute)

`hognose help` lists all commands, and `hognose help COMMAND` explains one.
";

/// Parses the command line, runs the command, and returns its exit status.
fn main() -> ExitCode {
    let parsed = command_line()
        .try_get_matches()
        .and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are not errors.
            let status = u8::try_from(error.exit_code()).unwrap_or(REFUSED);
            if let Err(error) = with_expected(error)
                .print()
                .and_then(|()| std::io::stdout().flush())
            {
                output::fail(error);
            }
            return ExitCode::from(output::status(status));
        }
    };
    let Some(command) = arguments.command else {
        output::print(format_args!("{WELCOME}"));
        return ExitCode::from(output::status(0));
    };
    let outcome = match command {
        Command::Train(arguments) => train::run(&arguments),
        Command::Curves(arguments) => curves::run(&arguments),
        Command::Evaluate(arguments) => evaluate::run(&arguments),
        Command::Leaderboard(arguments) => leaderboard::run(&arguments),
        Command::Duel(arguments) => duel::run(&arguments),
        Command::Policies(arguments) => policies::run(&arguments),
        Command::Play(arguments) => play::run(&arguments),
        Command::Watch(arguments) => watch::run(&arguments),
        Command::Record(arguments) => record::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Render(arguments) => render::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Tablebase(arguments) => tablebase::run(&arguments),
        Command::Reproduce(arguments) => reproduce::run(&arguments),
        Command::Page(arguments) => page::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments, command_line()),
    };
    let status = outcome.map_or_else(
        |error| {
            output::complain(format_args!("{error}"));
            REFUSED
        },
        outcome::Outcome::status,
    );
    ExitCode::from(output::status(status))
}

/// Adds what was expected to an error about a number: the standard library only mentions invalid
/// digits.
fn with_expected(error: clap::Error) -> clap::Error {
    let number = error
        .source()
        .and_then(|source| source.downcast_ref::<ParseIntError>());
    let is_none = number.is_some_and(|error| {
        matches!(
            error.kind(),
            IntErrorKind::InvalidDigit | IntErrorKind::Empty
        )
    });
    match [ContextKind::InvalidArg, ContextKind::InvalidValue].map(|kind| error.get(kind)) {
        [
            Some(ContextValue::String(option)),
            Some(ContextValue::String(got)),
        ] if is_none => {
            let text = format!("expected a whole number of at least 0 for {option}, got {got:?}\n");
            clap::Error::raw(ErrorKind::ValueValidation, text)
        }
        _ => error,
    }
}

/// Returns the command line. Negative numbers are read as values, so that the option's own error is
/// shown.
fn command_line() -> clap::Command {
    fn read_negative_numbers(command: clap::Command) -> clap::Command {
        command
            .mut_args(|argument| match argument.get_action().takes_values() {
                true => argument.allow_negative_numbers(true),
                false => argument,
            })
            .mut_subcommands(read_negative_numbers)
    }
    read_negative_numbers(Arguments::command())
}
