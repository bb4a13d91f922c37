//! `hognose reproduce`: compares published numbers with our own.

mod document;
mod duels;
mod enclosures;
mod pictures;
mod played;
mod row;
mod rows;
mod searches;

use crate::arguments::ThreadArguments;
use crate::embedded::{DOCUMENTS, catalog};
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::{self, plain, say};
use crate::version::{COMMIT, NUMBER};
use crate::{files, format, interrupt, progress};
use document::{Document, Shown};
use duels::DuelResult;
use hognose_eval::stats::{self, Moments};
use hognose_eval::tournament::{Tournament, TournamentError};
use hognose_eval::{Episode, EvalError, Evaluation};
use hognose_game::Rules;
use pictures::draw;
use played::{PlayedCases, values};
use row::Row;
use rows::{LEVEL, rows};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Play the games of published documents, and compare their numbers with ours
///
/// A published number agrees if published minus measured lies within the 99 % interval of that
/// difference, which includes both samples' errors, corrected for the number of rows (Bonferroni),
/// and half the unit of the last printed digit. The results are written to results.json and
/// pictures.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A built-in document, `all`, or a file like those in experiments/published
    ///
    /// The built-in documents are ai-snakes, chuyangliu, killer-devouring-snake, slitherin-round
    /// and snek-ai.
    #[arg(value_name = "NAME|all|FILE")]
    file: String,
    /// Games per case, overriding the document
    #[arg(long)]
    games: Option<usize>,
    /// Folder for the results [default: runs/reproduce]
    #[arg(
        long,
        value_name = "DIR",
        default_value = "runs/reproduce",
        hide_default_value = true
    )]
    out: PathBuf,
    #[command(flatten)]
    threads: ThreadArguments,
}

/// All results for a document.
#[derive(Serialize)]
struct Findings {
    title: String,
    version: &'static str,
    commit: &'static str,
    level: f64,
    rows: Vec<Row>,
    cases: Vec<CaseResult>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    duels: Vec<DuelResult>,
    /// Cases that were not played because of an interruption.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<String>,
}

/// The results of our own games of a case.
#[derive(Serialize)]
struct CaseResult {
    name: String,
    policy: String,
    rules: Rules,
    seed: u64,
    games: usize,
    starvation: Option<u32>,
    time_limit: Option<u32>,
    win_rate: f64,
    mean_length: f64,
    steps_won: Option<Moments>,
    mean_steps: f64,
}

/// Reads the documents, plays their cases, and writes the results of each.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    if arguments.games == Some(0) {
        return Err(Error::new("the number of games must be at least 1, got 0"));
    }
    let names = match arguments.file.as_str() {
        "all" => DOCUMENTS.iter().map(|(name, _)| *name).collect(),
        file => vec![file],
    };
    let documents: Vec<(String, Document)> = names
        .into_iter()
        .map(document::read)
        .collect::<Result<_>>()?;
    interrupt::listen()?;
    output::work_on();
    for (name, document) in &documents {
        let out = arguments.out.join(name);
        files::create_folder(&out)?;
        match reproduce(document, &out, arguments)? {
            Outcome::Done => {}
            other => return Ok(other),
        }
    }
    Ok(Outcome::Done)
}

/// Plays a document's cases and writes the results. After an interruption, writes those of the
/// finished cases.
fn reproduce(document: &Document, out: &Path, arguments: &Arguments) -> Result<Outcome> {
    let mut games: Vec<Vec<Episode>> = Vec::new();
    let mut outcome = Ok(Outcome::Done);
    let mut results = Vec::new();
    for case in &document.cases {
        let config = Evaluation {
            limits: case.limits(),
            threads: arguments.threads.count(),
            ..Evaluation::new(
                case.rules,
                document.seed,
                arguments.games.or(case.games).unwrap_or(document.games),
            )
        };
        let policy = catalog().policy(&case.policy)?;
        let played = progress::play(
            &policy,
            &config,
            &progress::bar(config.games, plain(&case.name))?,
        );
        let episodes = match played {
            Ok(played) => played.episodes,
            Err(EvalError::Interrupted) => {
                outcome = Ok(Outcome::Interrupted);
                break;
            }
            Err(error) => {
                outcome = Err(Error::from(error).context(&case.name));
                break;
            }
        };
        let mean = |values: &[f64]| stats::mean(values).expect("at least one game");
        results.push(CaseResult {
            name: case.name.clone(),
            policy: case.policy.clone(),
            rules: case.rules,
            seed: document.seed,
            games: config.games,
            starvation: config.limits.starvation,
            time_limit: config.limits.time_limit,
            win_rate: values(Shown::StepsWon, &episodes).len() as f64 / episodes.len() as f64,
            mean_length: mean(&values(Shown::Length, &episodes)),
            steps_won: Moments::of(&values(Shown::StepsWon, &episodes)),
            mean_steps: mean(&values(Shown::Steps, &episodes)),
        });
        games.push(episodes);
    }
    if games.is_empty() && !document.cases.is_empty() {
        return outcome;
    }
    let mut duels: Vec<Tournament> = Vec::new();
    let mut duel_results = Vec::new();
    let cases = if matches!(outcome, Ok(Outcome::Done)) {
        &document.duels[..]
    } else {
        &[]
    };
    for case in cases {
        let count = arguments.games.or(case.games).unwrap_or(document.games);
        match case.play(
            document.seed,
            count.saturating_add(count % 2),
            arguments.threads.count(),
        )? {
            Ok(played) => {
                duel_results.push(case.result(&played)?);
                duels.push(played);
            }
            Err(TournamentError::Interrupted) => {
                outcome = Ok(Outcome::Interrupted);
                break;
            }
            Err(error) => {
                outcome = Err(Error::from(error).context(&case.name));
                break;
            }
        }
    }
    let missing = document.cases[games.len()..].iter().map(|case| &case.name);
    let missing = missing.chain(document.duels[duels.len()..].iter().map(|case| &case.name));
    let missing: Vec<String> = missing.cloned().collect();
    let games = PlayedCases {
        document,
        games,
        duels,
    };
    let rows = rows(document, &games);
    let played = results
        .iter()
        .map(|case| case.games)
        .chain(duel_results.iter().map(|case| case.games))
        .sum();
    print(&document.title, &rows, played);
    if !missing.is_empty() {
        say!("not played: {}", missing.join("; "));
    }
    let title = document.title.clone();
    let findings = Findings {
        title,
        version: NUMBER,
        commit: COMMIT,
        level: LEVEL,
        rows,
        cases: results,
        duels: duel_results,
        missing,
    };
    files::write(
        &out.join("results.json"),
        serde_json::to_string_pretty(&findings)? + "\n",
    )?;
    draw(document, &games, out)?;
    say!("results.json and the pictures are in {}\n", out.display());
    outcome
}

/// Prints the table of a document.
fn print(title: &str, rows: &[Row], games: usize) {
    say!("{title}\n");
    let mut table = format::table(&["place", "what", "published", "measured", "verdict"]);
    table
        .column_iter_mut()
        .for_each(|column| column.set_cell_alignment(comfy_table::CellAlignment::Left));
    for Row {
        place,
        what,
        published,
        measured,
        verdict,
        ..
    } in rows
    {
        table.add_row([place, what, published, measured, verdict]);
    }
    let agree = rows.iter().filter(|row| row.agrees == Some(true)).count();
    say!(
        "{table}\n\n{agree} of {} rows agree or hold; {games} games. ± is half a 95 % \
         interval, [] is Wilson's; for claims, ±",
        rows.len()
    );
    say!(
        "is half the interval used for the verdict: 99 % for all rows together (Bonferroni). A \
         difference that would have"
    );
    say!("been detected is one that such a verdict distinguishes from 0 nine times in ten.");
}
