//! The `hognose` command: trains agents, evaluates policies, shows and checks games.
//!
//! Each command has a file or a folder in `commands`. The other files are shared by commands:
//!
//! - What goes in: `arguments` has options, `duel_rules` those of the rules of duels, `picture` and
//!   `watching` those of pictures. `policy_game` is the game that options name, `duel_game` the
//!   duel, `records` reads recorded games, `exact` reads or solves tables, `embedded` is what the
//!   binary brings along, `agents` lists its agents, and `interrupt` hears requests to stop and
//!   leaves work behind after them.
//! - What comes out: `error` is what goes wrong, `outcome` the exit status, `output` what is
//!   printed, `format` tables and numbers, `progress` bars, `report` what policies come to; `files`
//!   and `plots` write files.
//! - The terminal: `terminal` takes it over, `screen` shows scenes on it and reads keys, and
//!   `duel_scene` is a scene of a duel.
//! - The program: `version` tells which one it is.

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

/// Small allocations, of which solvers make many, take less time with it than with the system's.
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

/// What the command says when it is not told what to do.
const WELCOME: &str = "\
Snake for reinforcement learning: a fast environment, an agent that learns, and players that win
every game.

Three things to try:

    hognose watch               an agent that has learned plays 10x10
    hognose play                play yourself, with the arrow keys
    hognose train quickstart    train an agent on 6x6, then compare it with solvers (about a minute)

`hognose help` lists all commands, and `hognose help COMMAND` explains one.
";

/// Reads the command line, runs the command, and tells by the exit status what came of it.
fn main() -> ExitCode {
    let parsed = command_line()
        .try_get_matches()
        .and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are no errors.
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

/// The error with what was expected, where a text is no number: the standard library tells of its
/// digits only.
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
            let text = format!("expected a whole number from 0 up for {option}, got {got:?}\n");
            clap::Error::raw(ErrorKind::ValueValidation, text)
        }
        _ => error,
    }
}

/// The command line. A negative number is read as a value, so that what is wrong with it is told by
/// its option.
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
