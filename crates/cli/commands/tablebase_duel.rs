//! `hognose tablebase duel`: exact optimal play of two snakes, and how far bots are from it.

use crate::arguments::{ThreadArguments, gib, trimmed};
use crate::duel_rules::DuelRulesArguments;
use crate::embedded;
use crate::error::{Error, Result};
use crate::format::table;
use crate::outcome::Outcome;
use crate::output::{self, say};
use crate::version::{COMMIT, NUMBER};
use crate::{files, interrupt, progress};
use hognose_duel::{Choice, ExactError, Layer, Positions, Solver, check_bot, nash_conv};
use hognose_game::duel::{DuelRules, Seat};
use hognose_policies::{DEFAULT_MOVE_LIMIT, NamedBot};
use indicatif::{HumanCount, ProgressBar};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The interval at which the spinner turns.
const TICK: Duration = Duration::from_millis(100);

/// Solve duels of two snakes on a small board, and find the best score against a bot
///
/// A win is worth 1, a draw 0 and a loss -1. Boards have at most 16 cells, with one food at a time
/// that is worth 1 cell.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Comma-separated bots whose moves depend only on the position, such as random,greedy,nega:2
    #[arg(long, value_delimiter = ',', value_parser = trimmed::<String>)]
    bots: Vec<String>,
    /// Maximum memory for solving the board, in GiB
    #[arg(long, value_name = "GIB", default_value_t = 8.0, value_parser = gib)]
    memory: f64,
    #[command(flatten)]
    threads: ThreadArguments,
    /// Write all numbers to a JSON file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    rules: DuelRulesArguments,
}

/// All numbers.
#[derive(Serialize)]
struct Report {
    version: &'static str,
    commit: &'static str,
    rules: DuelRules,
    /// The number of combinations of two bodies and a food.
    positions: usize,
    /// The number of positions, distinguished by the steps since food was eaten or drawn.
    states: usize,
    layers: Vec<LayerReport>,
    starts: Vec<StartReport>,
    /// The expected score of the first seat, averaged over the initial foods, if both choose
    /// simultaneously.
    value: f64,
    /// The score of the first seat if one seat announces each move before the other chooses, by the
    /// seat that announces.
    told: [f64; 2],
    bots: Vec<BotReport>,
}

/// The results of all states with some number of steps left.
#[derive(Serialize)]
struct LayerReport {
    left: u32,
    decided: u64,
    mixed: u64,
    mean_gap: Option<f64>,
    widest_gap: Option<f64>,
}

/// The start with a food.
#[derive(Serialize)]
struct StartReport {
    column: usize,
    row: usize,
    value: f64,
}

/// The distance of a bot from optimal play.
#[derive(Serialize)]
struct BotReport {
    bot: String,
    /// The score of the best opponent, by its seat.
    best: [f64; 2],
    nash_conv: f64,
    asked: [u64; 2],
}

/// Solves a board, and then evaluates the bots.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let rules = arguments.rules.rules()?;
    let bots = embedded::catalog()
        .with_programs(DEFAULT_MOVE_LIMIT)
        .bots(&arguments.bots)?;
    if let Some(path) = &arguments.json {
        files::check_writable(path)?;
        output::work_on();
    }
    let threads = arguments.threads.count();
    let memory = arguments.memory;
    let waiting = ProgressBar::new_spinner()
        .with_message(format!("enumerating the positions of {}", rules.board()));
    waiting.enable_steady_tick(TICK);
    let enumerated = interrupt::unless_stopped(move || {
        Positions::new(rules, memory).map_err(|error| match error {
            ExactError::Board { .. } => {
                Error::new(format!("{error}; name a small board, such as --board 3x3"))
            }
            error => error.into(),
        })
    });
    waiting.finish_and_clear();
    let Some(positions) = enumerated?.map(Arc::new) else {
        say!("interrupted before the positions were enumerated");
        return Ok(Outcome::Interrupted);
    };
    for bot in &bots {
        check_bot(&positions, bot).map_err(|error| advised(error, bot.name()))?;
    }
    say!("{rules}");
    say!(
        "{} positions: both bodies and the food",
        HumanCount(positions.len() as u64)
    );
    if rules.redraw_after().is_some() {
        say!(
            "{} including the steps since food was eaten or drawn",
            HumanCount(positions.states() as u64)
        );
    }
    let solved = {
        let positions = Arc::clone(&positions);
        interrupt::unless_stopped(move || solve(&positions, threads))?
    };
    let Some(mut report) = solved.flatten() else {
        say!("interrupted before the board was solved");
        return Ok(Outcome::Interrupted);
    };
    for bot in &bots {
        let asked = {
            let positions = Arc::clone(&positions);
            let bot = bot.clone();
            interrupt::unless_stopped(move || ask(&positions, &bot, threads))?
        };
        match asked.flatten() {
            Some(asked) => report.bots.push(asked),
            None => {
                say!(
                    "\ninterrupted before all opponents of {} were tried",
                    bot.name()
                );
                break;
            }
        }
    }
    if !report.bots.is_empty() {
        print_bots(&report);
    }
    if let Some(path) = &arguments.json {
        files::write(path, serde_json::to_string_pretty(&report)? + "\n")?;
    }
    Ok(if interrupt::asked() {
        Outcome::Interrupted
    } else {
        Outcome::Done
    })
}

/// Solves a board with simultaneous moves and with announced moves, and prints the values; `None`
/// if interrupted.
fn solve(positions: &Positions, threads: usize) -> Result<Option<Report>> {
    let rules = *positions.rules();
    let choices = [
        Choice::AtOnce,
        Choice::Told(Seat::First),
        Choice::Told(Seat::Second),
    ];
    let bar = bar(
        rules.step_limit().saturating_mul(3),
        format!("solving {}", rules.board()),
    )?;
    let mut layers = Vec::new();
    let mut values = [0.0; 3];
    let mut starts = Vec::new();
    for (choice, value) in choices.into_iter().zip(&mut values) {
        let mut solver = Solver::new(positions, choice);
        for _ in 0..rules.step_limit() {
            let layer = solver.step(threads);
            bar.inc(1);
            if choice == Choice::AtOnce {
                layers.push(layer);
            }
            if interrupt::asked() {
                bar.finish_and_clear();
                return Ok(None);
            }
        }
        *value = solver.start()?;
        if choice == Choice::AtOnce {
            starts = positions
                .starts()?
                .map(|state| start(positions, state, solver.value(state)))
                .collect();
        }
    }
    bar.finish_and_clear();
    print_layers(positions, &layers);
    let [value, told @ ..] = values;
    let report = Report {
        version: NUMBER,
        commit: COMMIT,
        rules,
        positions: positions.len(),
        states: positions.states(),
        layers: layers.iter().map(LayerReport::new).collect(),
        starts,
        value,
        told,
        bots: Vec::new(),
    };
    print_starts(&report);
    Ok(Some(report))
}

/// Returns the start with a food, and its value.
fn start(positions: &Positions, state: u32, value: f64) -> StartReport {
    let position = positions.position(state, 0);
    let board = position.board();
    let food = position.foods()[0].cell;
    StartReport {
        column: board.column(food),
        row: board.row(food),
        value,
    }
}

impl LayerReport {
    fn new(layer: &Layer) -> LayerReport {
        let &Layer {
            left,
            decided,
            mixed,
            gaps,
            widest,
            ..
        } = layer;
        let mean_gap = (mixed > 0).then(|| gaps / mixed as f64);
        LayerReport {
            left,
            decided,
            mixed,
            mean_gap,
            widest_gap: widest.map(|(gap, _)| gap),
        }
    }
}

/// Prints the number of states in which the game is decided, or optimal play mixes moves.
fn print_layers(positions: &Positions, layers: &[Layer]) {
    let states = positions.states();
    let mut rows = table(&[
        "steps left",
        "decided",
        "share",
        "mixed",
        "share",
        "mean gap",
        "widest gap",
    ]);
    let shown =
        |left: u32| [1, 2, 3, 5, 10, 20, 50].contains(&left) || left as usize == layers.len();
    for layer in layers.iter().filter(|layer| shown(layer.left)) {
        let LayerReport {
            left,
            decided,
            mixed,
            mean_gap,
            widest_gap,
        } = LayerReport::new(layer);
        let share = |number: u64| format!("{:.2} %", 100.0 * number as f64 / states as f64);
        let gap = |gap: Option<f64>| gap.map_or("-".to_owned(), |gap| format!("{gap:.3}"));
        rows.add_row([
            left.to_string(),
            HumanCount(decided).to_string(),
            share(decided),
            HumanCount(mixed).to_string(),
            share(mixed),
            gap(mean_gap),
            gap(widest_gap),
        ]);
    }
    say!(
        "\n{rows}\n[decided: one snake surely wins; mixed: optimal play mixes moves; gap: the \
         value of knowing"
    );
    say!("the other's move before choosing, instead of announcing one's own]\n");
    if let Some((gap, state)) = layers.last().and_then(|layer| layer.widest) {
        say!(
            "a position with the widest gap, {gap:.3}:\n{}",
            positions.position(state, 0)
        );
    }
}

/// Prints the value of the start.
fn print_starts(report: &Report) {
    let mut rows = table(&["initial food", "value for the first seat"]);
    for StartReport { column, row, value } in &report.starts {
        rows.add_row([format!("column {column} row {row}"), number(*value)]);
    }
    say!("{rows}\n");
    let [first, second] = report.told;
    say!(
        "the start is worth {} to the first seat, averaged over the foods;",
        number(report.value)
    );
    say!(
        "{} if it announces each move before the other chooses,",
        number(first)
    );
    say!("{} if the second seat announces its moves", number(second));
}

/// Finds the best score against a bot; `None` if interrupted.
fn ask(positions: &Positions, bot: &NamedBot, threads: usize) -> Result<Option<BotReport>> {
    let bar = bar(
        positions.rules().step_limit().saturating_mul(4),
        format!("the best opponents of {}", bot.name()),
    )?;
    let found = nash_conv(positions, bot, threads, || {
        bar.inc(1);
        interrupt::go_on()
    });
    bar.finish_and_clear();
    let found = found.map_err(|error| advised(error, bot.name()))?;
    Ok(found.map(|found| BotReport {
        bot: bot.name().to_owned(),
        best: found.best,
        nash_conv: found.sum(),
        asked: found.asked,
    }))
}

/// Returns the error about a bot, with an alternative if there is one.
fn advised(error: ExactError, bot: &str) -> Error {
    let advice = match (&error, bot.split(':').next()) {
        (ExactError::Remembers, Some("adder")) => "; use adder-straight",
        (ExactError::Remembers, Some("hognose")) => "; use hognose-forgets",
        _ => "",
    };
    Error::new(format!("{bot}: {error}{advice}"))
}

/// Prints the scores of the best opponents of bots.
fn print_bots(report: &Report) {
    let mut rows = table(&[
        "bot",
        "best first opponent",
        "best second opponent",
        "NashConv",
        "asked",
    ]);
    for BotReport {
        bot,
        best,
        nash_conv,
        asked,
    } in &report.bots
    {
        rows.add_row([
            bot.clone(),
            number(best[0]),
            number(best[1]),
            number(*nash_conv),
            HumanCount(asked[0] + asked[1]).to_string(),
        ]);
    }
    let [first, second] = report.told;
    say!(
        "\n{rows}\n[best opponents know the bot, but not its random draws; NashConv: the sum of \
         their scores, 0 for optimal play;"
    );
    say!(
        "asked: in how many positions. A bot that never mixes moves has a NashConv of at least {}]",
        number(second - first)
    );
}

/// Formats a value with six decimals, without a minus sign for a rounded 0.
fn number(value: f64) -> String {
    const DIGITS: f64 = 1e6;
    format!("{:.6}", (value * DIGITS).round() / DIGITS + 0.0)
}

/// Returns a progress bar of this many steps.
fn bar(steps: u32, message: String) -> Result<ProgressBar> {
    Ok(ProgressBar::new(steps.into())
        .with_message(message)
        .with_style(progress::style()?))
}
