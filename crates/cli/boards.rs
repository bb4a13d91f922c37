//! `hognose boards`

use crate::arguments::{ProgramArguments, ThreadArguments, trimmed};
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::{self, say};
use crate::version::{COMMIT, NUMBER};
use crate::{files, format, interrupt, progress};
use hognose_eval::{EvalError, Evaluation, Summary};
use hognose_game::{Board, BoardRange, Rules};
use hognose_policies::Named;
use serde::Serialize;
use std::path::PathBuf;

/// Play one policy on many boards and tell how well it plays on each
///
/// On each board it plays the games that `hognose evaluate` plays there. Shares have Wilson
/// intervals, means Student's t intervals, all at 95 %. A game is cut off after 4 x area steps
/// without food. Ctrl-C ends with the boards so far.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The policy; `hognose policies` lists them
    policy: String,
    /// Boards, and ranges of boards such as 4x4..12x12, separated by commas [default: those that
    /// the agent was trained for]
    #[arg(long, value_delimiter = ',', value_parser = trimmed::<BoardRange>)]
    boards: Vec<BoardRange>,
    /// Games on each board
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    /// Seed that the games are derived from
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    programs: ProgramArguments,
    #[command(flatten)]
    threads: ThreadArguments,
    /// Write the results as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// What is written as JSON.
#[derive(Serialize)]
struct Written<'a> {
    version: &'static str,
    commit: &'static str,
    policy: &'a str,
    games: u32,
    seed: u64,
    boards: &'a [OnBoard],
}

/// How the policy plays on a board.
#[derive(Serialize)]
struct OnBoard {
    board: Board,
    summary: Summary,
}

/// Plays the boards one after another, prints the table and writes the file. What was played before
/// an interruption or an error is still told.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let policy = arguments.programs.catalog().policy(&arguments.policy)?;
    let boards = boards(arguments, &policy)?;
    if let Some(path) = &arguments.json {
        files::check_writable(path)?;
    }
    interrupt::listen()?;
    if arguments.json.is_some() {
        output::work_on();
    }
    let mut played = Vec::new();
    let outcome = play(arguments, &policy, &boards, &mut played);
    if played.is_empty() {
        return outcome;
    }
    print(arguments, &played);
    if let Some(path) = &arguments.json {
        let Arguments {
            policy,
            games,
            seed,
            ..
        } = arguments;
        let written = Written {
            version: NUMBER,
            commit: COMMIT,
            policy,
            games: *games,
            seed: *seed,
            boards: &played,
        };
        files::write(path, serde_json::to_string_pretty(&written)? + "\n")?;
    }
    outcome
}

/// The boards, each once.
fn boards(arguments: &Arguments, policy: &Named) -> Result<Vec<Board>> {
    let ranges = match (&arguments.boards[..], policy.boards()) {
        ([], None) => {
            return Err(Error::new(format!(
                "--boards is needed: {} plays any board",
                policy.name()
            )));
        }
        ([], Some(range)) => vec![range],
        (ranges, _) => ranges.to_vec(),
    };
    let mut boards = Vec::new();
    for board in ranges.into_iter().flat_map(BoardRange::boards) {
        if !boards.contains(&board) {
            boards.push(board);
        }
    }
    Ok(boards)
}

fn play(
    arguments: &Arguments,
    policy: &Named,
    boards: &[Board],
    played: &mut Vec<OnBoard>,
) -> Result<Outcome> {
    for (index, &board) in boards.iter().enumerate() {
        let config = Evaluation {
            threads: arguments.threads.count(),
            ..Evaluation::new(Rules::new(board), arguments.seed, arguments.games as usize)
        };
        let of = format!(
            "{} on {board} ({} of {} boards)",
            policy.name(),
            index + 1,
            boards.len()
        );
        match progress::play(policy, &config, &progress::bar(config.games, of)?) {
            Ok(games) => played.push(OnBoard {
                board,
                summary: Summary::new(policy.name(), board, &games),
            }),
            Err(EvalError::Interrupted) => return Ok(Outcome::Interrupted),
            Err(error) => return Err(Error::from(error).context(policy.name())),
        }
    }
    Ok(Outcome::Done)
}

fn print(arguments: &Arguments, played: &[OnBoard]) {
    let Arguments {
        policy,
        games,
        seed,
        ..
    } = arguments;
    say!(
        "{policy}, {games} games of seed {seed} on each board; cut off after 4 x area steps \
         without food"
    );
    say!("[95 % intervals: of shares by Wilson, of means by Student's t]\n");
    let mut table = format::table(&[
        "board",
        "wins",
        "steps when won",
        "covered",
        "cut off",
        "died",
    ]);
    for OnBoard { board, summary } in played {
        let Summary {
            win_rate,
            win_rate_interval,
            mean_steps_won,
            mean_steps_won_interval,
            ends,
            ..
        } = summary;
        table.add_row([
            board.to_string(),
            format::percent(*win_rate, *win_rate_interval),
            format::mean_or_dash(*mean_steps_won, *mean_steps_won_interval, 1),
            format!("{:.1} %", 100.0 * summary.coverage),
            ends.limit.to_string(),
            (ends.wall + ends.body).to_string(),
        ]);
    }
    say!("{table}");
    for note in played
        .iter()
        .filter_map(|on| format::forfeits(on.board, &on.summary))
    {
        say!("{note}");
    }
    if played.len() > 1 {
        let rate = |on: &&OnBoard| on.summary.win_rate;
        let mean = played.iter().map(|on| on.summary.win_rate).sum::<f64>() / played.len() as f64;
        let worst = played
            .iter()
            .min_by(|a, b| rate(a).total_cmp(&rate(b)))
            .expect("there are boards");
        let boards = played.len();
        let least = 100.0 * worst.summary.win_rate;
        let on = worst.board;
        say!(
            "\n{boards} boards: {:.1} % of the games won on average, least on {on}: {least:.1} %",
            100.0 * mean
        );
    }
}
