//! `hognose evaluate`

use crate::arguments::{
    LimitArguments, PolicyArguments, RulesArguments, ThreadArguments, boards_of, trimmed,
};
use crate::embedded::agents_for;
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::{self, say};
use crate::report::{Report, Unplayable, draw_boards, print_boards};
use crate::{exact, files, interrupt};
use hognose_eval::Evaluation;
use hognose_game::{BoardRange, Rules};
use hognose_policies::{Catalog, NamedPolicy};
use std::path::PathBuf;

/// Play policies on identical games and compare them
///
/// Without --policies, certified, the built-in agents for the board, killer, shortcut and greedy
/// play.
///
/// Shares have Wilson intervals and means Student's t intervals, all at 95 %. Differences from the
/// first policy are paired game by game, without correction for the number of policies. Ctrl-C
/// stops and reports the policies that have played all their games.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    policies: PolicyArguments,
    /// Comma-separated boards or ranges of boards to play on, such as 4x4..6x8
    ///
    /// A range contains all boards whose width and height lie between those given.
    #[arg(long, value_delimiter = ',', value_parser = trimmed::<BoardRange>)]
    #[arg(conflicts_with_all = ["board", "csv", "regret"])]
    boards: Vec<BoardRange>,
    /// Games per policy [default: 1000; 200 for the default policies]
    #[arg(long)]
    games: Option<usize>,
    /// Random seed of the games
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    threads: ThreadArguments,
    /// Write the results to a JSON file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write every game to a CSV file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw steps, lengths and costs as SVG and PNG files in this folder
    ///
    /// With --boards these are the steps and the time for a decision against the cells.
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,
    /// Measure regret with an exact table (boards of up to 25 cells, or with --table)
    #[arg(long)]
    regret: bool,
    /// Table file for --regret
    #[arg(long, value_name = "FILE", requires = "regret")]
    table: Option<PathBuf>,
    /// Games per policy for --regret, at most --games
    #[arg(long, value_name = "N", default_value_t = 100, requires = "regret")]
    regret_games: usize,
    /// Device for networks: cpu, or wgpu, vulkan, cuda if built with that feature
    #[arg(long, default_value = "cpu")]
    device: String,
    #[command(flatten)]
    rules: RulesArguments,
}

/// Plays the policies, prints the tables and writes the files. After an interruption or an error,
/// the finished policies are still reported.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    // Check the name even if no policy needs a device.
    hognose_agent::device(&arguments.device)?;
    let catalog = arguments.policies.catalog().on(&arguments.device);
    let given = catalog.policies(&arguments.policies.names())?;
    let rules = arguments.rules.rules(&given)?;
    if !arguments.boards.is_empty() {
        return run_on_boards(arguments, &given, rules);
    }
    let (policies, games, unplayable) = match given.is_empty() {
        true => (
            default_policies(&catalog, rules)?,
            200,
            Unplayable::LeaveOut,
        ),
        false => (given, 1000, Unplayable::Fail),
    };
    if arguments.regret_games == 0 {
        return Err(Error::new(
            "the number of games for --regret must be at least 1, got 0",
        ));
    }
    files::check_outputs(&[
        ("--json", arguments.json.as_ref()),
        ("--csv", arguments.csv.as_ref()),
    ])?;
    if let Some(folder) = &arguments.plot {
        files::create_picture_folder(folder)?;
    }
    interrupt::listen()?;
    let config = Evaluation {
        limits: arguments.limits.limits(rules),
        threads: arguments.threads.count(),
        ..Evaluation::new(rules, arguments.seed, arguments.games.unwrap_or(games))
    };
    let table = match arguments.regret {
        true => Some(exact::table(arguments.table.as_deref(), rules.board())?),
        false => None,
    };
    if let Some(table) = &table {
        table
            .check(config.game(0).position())
            .map_err(|error| Error::from(error).context("--regret"))?;
    }
    if arguments.json.is_some() || arguments.csv.is_some() || arguments.plot.is_some() {
        output::work_on();
    }
    let mut report = Report::new(&config);
    let played = report.play(&config, &policies, unplayable);
    if report.is_empty() {
        if matches!(played, Ok(Outcome::Interrupted)) {
            say!("interrupted before a policy had played all its games");
        }
        return played;
    }
    report.print();
    write(&report, arguments)?;
    let mut outcome = played?;
    if let (Some(table), Outcome::Done) = (&table, &outcome) {
        let config = Evaluation {
            games: arguments.regret_games.min(config.games),
            ..config
        };
        let asked = report.ask(table, &config, &policies);
        report.print_regrets();
        write(&report, arguments)?;
        outcome = asked?;
    }
    if let Some(folder) = &arguments.plot {
        say!("\nthe pictures are in {}", folder.display());
    }
    Ok(outcome)
}

/// Plays the policies on one board after another, prints a table of all boards and writes the file.
/// After an interruption or an error, the finished games are still reported.
fn run_on_boards(arguments: &Arguments, policies: &[NamedPolicy], rules: Rules) -> Result<Outcome> {
    if policies.is_empty() {
        return Err(Error::new(
            "--boards needs --policies NAME,... or --policy NAME, got none",
        ));
    }
    files::check_outputs(&[("--json", arguments.json.as_ref())])?;
    if let Some(folder) = &arguments.plot {
        files::create_picture_folder(folder)?;
    }
    let on_boards = boards_of(&arguments.boards)
        .into_iter()
        .map(|board| rules.on(board))
        .collect::<std::result::Result<Vec<Rules>, _>>()?;
    interrupt::listen()?;
    if arguments.json.is_some() || arguments.plot.is_some() {
        output::work_on();
    }
    let mut reports = Vec::new();
    let mut outcome = Ok(Outcome::Done);
    for rules in on_boards {
        let config = Evaluation {
            limits: arguments.limits.limits(rules),
            threads: arguments.threads.count(),
            ..Evaluation::new(rules, arguments.seed, arguments.games.unwrap_or(1000))
        };
        let mut report = Report::new(&config);
        outcome = report.play(&config, policies, Unplayable::Fail);
        if !report.is_empty() {
            reports.push(report);
        }
        if !matches!(outcome, Ok(Outcome::Done)) {
            break;
        }
    }
    if reports.is_empty() {
        if matches!(outcome, Ok(Outcome::Interrupted)) {
            say!("interrupted before a policy had played all its games");
        }
        return outcome;
    }
    print_boards(&reports);
    if let Some(path) = &arguments.json {
        files::write(path, serde_json::to_string_pretty(&reports)? + "\n")?;
    }
    if let Some(folder) = &arguments.plot {
        draw_boards(&reports, folder)?;
    }
    outcome
}

/// Returns the policies that play by default.
fn default_policies(catalog: &Catalog, rules: Rules) -> Result<Vec<NamedPolicy>> {
    let mut policies = vec![catalog.policy("certified")?];
    policies.extend(agents_for(catalog, rules)?);
    policies.extend(catalog.policies(&["killer", "shortcut", "greedy"].map(str::to_owned))?);
    Ok(policies)
}

/// Writes the requested files.
fn write(report: &Report, arguments: &Arguments) -> Result<()> {
    if let Some(path) = &arguments.json {
        files::write(path, serde_json::to_string_pretty(report)? + "\n")?;
    }
    if let Some(path) = &arguments.csv {
        files::write(path, report.csv()?)?;
    }
    if let Some(folder) = &arguments.plot {
        report.draw(folder)?;
    }
    Ok(())
}
