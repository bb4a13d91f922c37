//! `hognose tablebase`: exact optimal play.

use crate::arguments::{ThreadArguments, gib, shell};
use crate::commands::tablebase_duel;
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::{self, say};
use crate::{exact, interrupt, records};
use clap::Subcommand;
use hognose_game::{Board, Cell, Direction, Event, Position, Record, Rules, Status};
use hognose_tablebase::{
    Chance, Chances, PathIndex, Size, Solved, Solver, Table, Unfinished, check, read_unfinished,
    write_header, write_section,
};
use indicatif::{HumanCount, HumanDuration};
use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Solve small boards exactly, and evaluate positions
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Solve(SolveArguments),
    Probe(ProbeArguments),
    Duel(tablebase_duel::Arguments),
}

/// Compute the fewest expected steps that fill a board for certain, from every position
///
/// Ctrl-C or a kill loses only the length that was being solved: with --out, the same command
/// continues from there.
#[derive(clap::Args)]
struct SolveArguments {
    /// Board as WxH
    #[arg(long)]
    board: Board,
    /// Objective: fewest expected steps of sure wins, or highest chance of winning
    ///
    /// `chance` maximizes the probability of winning and then minimizes the steps of the games won;
    /// it takes boards of up to 25 cells.
    #[arg(long, value_enum, default_value = "sure")]
    objective: Objective,
    /// Write the table to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Maximum memory, in GiB
    #[arg(long, value_name = "GIB", default_value_t = 8.0, value_parser = gib)]
    memory: f64,
    #[command(flatten)]
    threads: ThreadArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Objective {
    Sure,
    Chance,
}

/// Show the value of every legal step, in a position or throughout a game
#[derive(clap::Args)]
struct ProbeArguments {
    /// Recorded game, written by `hognose record`
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["board", "body", "food"],
        required_unless_present = "board"
    )]
    record: Option<PathBuf>,
    /// Board of the position
    #[arg(long, requires_all = ["body", "food"])]
    board: Option<Board>,
    /// Body from head to tail, as COLUMN,ROW pairs from 0 at the top left
    #[arg(long, value_name = "C,R;C,R;...")]
    body: Option<String>,
    /// Food, as COLUMN,ROW
    #[arg(long, value_name = "C,R")]
    food: Option<String>,
    /// Table of the board [default: boards of up to 25 cells are solved on the fly]
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
}

/// Solves a board, or shows the values of positions.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    match &arguments.command {
        Command::Solve(arguments) => solve(arguments),
        Command::Probe(arguments) => probe(arguments),
        Command::Duel(arguments) => tablebase_duel::run(arguments),
    }
}

/// Solves a board length by length, from the full board down, and writes each length as soon as it
/// is solved.
fn solve(arguments: &SolveArguments) -> Result<Outcome> {
    let SolveArguments {
        board,
        objective,
        out,
        memory,
        threads,
    } = arguments;
    let size = check(*board, *memory)?;
    if *objective == Objective::Chance {
        return solve_chances(*board, out.is_some());
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.count())
        .build_global()?;
    interrupt::listen()?;
    if let Some(out) = out {
        check_disk(out, size)?;
        output::work_on();
    }
    let mut partial = out
        .as_deref()
        .map(|out| Partial::open(out, *board))
        .transpose()?;
    say!(
        "{board}: {} positions of the body",
        HumanCount(size.bodies as u64)
    );
    let started = Instant::now();
    let mut solver = Solver::new(*board);
    if let Some(partial) = &mut partial
        && !partial.resume(&mut solver)?
    {
        partial.append(solver.length(), &solver.stored())?;
    }
    let first = solver.length();
    let left = |index: &PathIndex, length: usize| {
        (1..length).map(|length| index.count(length)).sum::<usize>()
    };
    let all = left(solver.index(), first).max(1);
    loop {
        let solved = solver.step(interrupt::go_on);
        let Some(Solved {
            length,
            bodies,
            sure,
        }) = solved
        else {
            break;
        };
        if let Some(partial) = &mut partial {
            partial.append(length, &solver.stored())?;
        }
        let left = left(solver.index(), length);
        let elapsed = started.elapsed();
        let more = elapsed.as_secs_f64() / (all - left).max(1) as f64 * left as f64;
        say!(
            "length {length}: {} positions, {:.2} % sure wins; {:.1} s so far, about {} left",
            HumanCount(bodies as u64),
            100.0 * sure as f64 / bodies as f64,
            elapsed.as_secs_f64(),
            HumanDuration(Duration::from_secs_f64(more))
        );
    }
    if interrupt::asked() {
        if let Some(out) = out {
            let board = board.to_string();
            let out = out.display().to_string();
            let gib = memory.to_string();
            let mut words = vec![
                "hognose",
                "tablebase",
                "solve",
                "--board",
                &board,
                "--out",
                &out,
                "--memory",
                &gib,
            ];
            let threads = threads.threads.map(|threads| threads.to_string());
            words.extend(threads.iter().flat_map(|threads| ["--threads", threads]));
            say!("interrupted; continue with: {}", shell(words)?);
        }
        return Ok(Outcome::Interrupted);
    }
    if let (Some(partial), Some(out)) = (partial, out) {
        partial.finish(out)?;
        say!("written to {}", out.display());
    }
    print_starts(*board, &solver.stored());
    Ok(Outcome::Done)
}

/// Checks that the table fits on the disk, if the system reports the free space.
fn check_disk(out: &Path, size: Size) -> Result<()> {
    const GIB: f64 = (1u64 << 30) as f64;
    let folder = out
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let needed = 8 * size.stored as u64;
    let written = partial_path(out).metadata().map_or(0, |file| file.len());
    match fs4::available_space(folder) {
        Ok(free) if free + written < needed => Err(Error::new(format!(
            "the table needs {:.1} GiB, but {} has only {:.1} GiB free",
            needed as f64 / GIB,
            folder.display(),
            free as f64 / GIB
        ))),
        _ => Ok(()),
    }
}

/// Prints the maximum probability of winning from every start of one cell.
fn solve_chances(board: Board, written: bool) -> Result<Outcome> {
    if written || board.area() > hognose_tablebase::ON_THE_FLY {
        return Err(Error::new(
            "--objective chance needs a board of up to 25 cells, and writes no table",
        ));
    }
    let chances = Chances::solve(board);
    say!(
        "maximum probability of winning, and mean steps of the games won, by the cell of a start \
         of length 1:"
    );
    for row in 0..board.height() {
        let cells = (0..board.width()).map(|column| {
            let Chance { win, steps } = chances.of(&[board.cell(column, row)]);
            format!("{win:>10.6} {:>10.6}", steps / win)
        });
        say!("{}", cells.collect::<String>());
    }
    for length in 1..=board.area() {
        let (sure, mean, least) = chances.summary(length);
        say!(
            "length {length}: {:.2} % sure wins, mean probability {mean:.4}, minimum {least:.4}",
            100.0 * sure
        );
    }
    Ok(Outcome::Done)
}

/// Prints the expected steps from every start of one cell, and their mean.
fn print_starts(board: Board, singles: &[f64]) {
    let values = hognose_tablebase::spread(board, singles);
    say!(
        "fewest expected steps to fill the board for certain, by the cell of a start of length 1:"
    );
    for row in 0..board.height() {
        let cells = (0..board.width())
            .map(|column| format!("{:>12.6}", values[board.cell(column, row).index()]));
        say!("{}", cells.collect::<String>());
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    say!(
        "from a corner {:.6}, from a random cell {mean:.6}",
        values[0]
    );
}

/// A table that is being written next to the final file, section by section.
struct Partial {
    path: PathBuf,
    file: File,
    board: Board,
}

/// Returns the path of a table while it is being written.
fn partial_path(out: &Path) -> PathBuf {
    let mut path = out.as_os_str().to_owned();
    path.push(".partial");
    path.into()
}

impl Partial {
    /// Opens the table that is being written next to `out`, or creates one.
    fn open(out: &Path, board: Board) -> Result<Partial> {
        let path = partial_path(out);
        if out.exists() {
            return Err(Error::new(format!("{} already exists", out.display())));
        }
        let cannot =
            |error| Error::from(error).context(format_args!("can't write {}", path.display()));
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(cannot)?;
        Ok(Partial { path, file, board })
    }

    /// Restores the last complete section, and truncates the incomplete one after it. Returns
    /// whether there was a complete section.
    fn resume(&mut self, solver: &mut Solver) -> Result<bool> {
        let wrong = |error: Error| error.context(self.path.display());
        let read = read_unfinished(&mut BufReader::new(&self.file), self.board, |length| {
            solver.index().count(length)
        });
        let Unfinished { end, last } = read.map_err(|error| wrong(error.into()))?;
        if let Some((length, values)) = &last {
            say!("{}: continuing from length {length}", self.path.display());
            if !solver.restore(*length, values) {
                return Err(wrong(Error::new(format!(
                    "the section of length {length} does not belong to this board"
                ))));
            }
        }
        let mut write = || {
            self.file.set_len(end)?;
            self.file.seek(std::io::SeekFrom::End(0))?;
            if end == 0 {
                write_header(&mut self.file, self.board)
            } else {
                Ok(())
            }
        };
        write().map_err(|error| {
            Error::from(error).context(format_args!("can't write {}", self.path.display()))
        })?;
        Ok(last.is_some())
    }

    /// Appends the values of a length to those of the previous lengths.
    fn append(&mut self, length: usize, values: &[f64]) -> Result<()> {
        let write = || {
            let mut out = BufWriter::new(&self.file);
            write_section(&mut out, length, values)?;
            out.flush()?;
            self.file.sync_data()
        };
        write().map_err(|error| {
            Error::from(error).context(format_args!("can't write {}", self.path.display()))
        })
    }

    /// Renames the complete table to its final name.
    fn finish(self, out: &Path) -> Result<()> {
        let cannot =
            |error| Error::from(error).context(format_args!("can't write {}", out.display()));
        std::fs::rename(&self.path, out).map_err(cannot)
    }
}

/// Shows the values of the moves of a position, or of all positions of a game.
fn probe(arguments: &ProbeArguments) -> Result<Outcome> {
    if let Some(path) = &arguments.record {
        return probe_game(&records::read_game(path)?, arguments.table.as_deref());
    }
    let (Some(board), Some(body), Some(food)) = (arguments.board, &arguments.body, &arguments.food)
    else {
        return Err(Error::new(
            "expected --record, or --board, --body and --food",
        ));
    };
    let body = body
        .split(';')
        .map(|text| cell(board, text))
        .collect::<Result<Vec<Cell>>>()?;
    let heading = match body[..] {
        [head, neck, ..] => board.direction(neck, head).unwrap_or(Direction::Up),
        _ => Direction::Up,
    };
    let position = Position::new(Rules::new(board), heading, body, [cell(board, food)?])?;
    let table = exact::table(arguments.table.as_deref(), board)?;
    say!("{position}{}", worth(&table, &position)?);
    Ok(Outcome::Done)
}

/// Parses a cell, given as COLUMN,ROW.
fn cell(board: Board, text: &str) -> Result<Cell> {
    let parts = text
        .trim()
        .split_once(',')
        .and_then(|(c, r)| Some((c.parse::<usize>().ok()?, r.parse::<usize>().ok()?)));
    match parts {
        Some((column, row)) if column < board.width() && row < board.height() => {
            Ok(board.cell(column, row))
        }
        _ => Err(Error::new(format!(
            "expected COLUMN,ROW on {board}, got {text:?}"
        ))),
    }
}

/// Describes the value of every step.
fn worth(table: &Table, position: &Position) -> Result<String> {
    let moves = table.moves(position)?;
    let legal = position.legal_moves();
    Ok(Direction::ALL
        .map(|direction| match moves[direction.index()] {
            Some(value) => format!("{direction} {value:.6}"),
            None if legal.contains(direction) => format!("{direction} not sure"),
            None => format!("{direction} loses"),
        })
        .join(", "))
}

/// Shows what the moves of a recorded game lost.
fn probe_game(record: &Record, path: Option<&Path>) -> Result<Outcome> {
    let mut game = record.start();
    let table = exact::table(path, game.position().board())?;
    let mut lost = 0.0;
    let mut given_away = 0;
    for (step, &direction) in record.moves().iter().enumerate() {
        let position = game.position().clone();
        let moves = table.moves(&position)?;
        let best = moves.into_iter().flatten().reduce(f64::min);
        let note = match (best, moves[direction.index()]) {
            (Some(best), Some(value)) => {
                lost += value - best;
                if value - best > 1e-9 {
                    format!(", {:.6} more than the best", value - best)
                } else {
                    String::new()
                }
            }
            (Some(_), None) => {
                given_away += 1;
                ", loses the sure win".to_owned()
            }
            (None, _) => ", no win is sure".to_owned(),
        };
        say!(
            "step {step}, length {}: {}; played {direction}{note}",
            position.len(),
            worth(&table, &position)?
        );
        if game.step(direction) == Event::Won || game.position().status() != Status::Ongoing {
            break;
        }
    }
    say!(
        "{lost:.6} expected steps were lost in sure positions, and a sure win {given_away} \
         times"
    );
    Ok(Outcome::Done)
}
