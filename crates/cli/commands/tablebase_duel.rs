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

/// How often the sign turns that says that work goes on.
const TICK: Duration = Duration::from_millis(100);

/// Solve duels of two snakes on a small board, and find what the best opponent of a bot gets
///
/// A win is worth 1, a draw 0 and a loss -1. Boards have at most 16 cells, one food at a time, and
/// foods worth 1 cell.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Bots whose moves follow from the position alone, separated by commas, such as
    /// random,greedy,nega:2
    #[arg(long, value_delimiter = ',', value_parser = trimmed::<String>)]
    bots: Vec<String>,
    /// Memory that may be used to solve the board, in GiB
    #[arg(long, value_name = "GIB", default_value_t = 8.0, value_parser = gib)]
    memory: f64,
    #[command(flatten)]
    threads: ThreadArguments,
    /// Write all numbers as JSON
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
    /// Two bodies and a food.
    positions: usize,
    /// Positions with different numbers of steps since food was eaten or drawn.
    states: usize,
    layers: Vec<LayerReport>,
    starts: Vec<StartReport>,
    /// What the first seat gets in the mean over the foods of the start, if both choose at once.
    value: f64,
    /// What the first seat gets if a seat tells each move before the other chooses, by this seat.
    told: [f64; 2],
    bots: Vec<BotReport>,
}

/// What all states with some number of steps left came to.
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

/// How far a bot is from optimal play.
#[derive(Serialize)]
struct BotReport {
    bot: String,
    /// What the best opponent gets, by its seat.
    best: [f64; 2],
    nash_conv: f64,
    asked: [u64; 2],
}

/// Solves a board, and then asks the bots.
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
            "{} with the steps since food was eaten or drawn",
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

/// Solves a board with moves chosen at once and with told moves, and prints the values; `None` if
/// it was interrupted.
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

/// The start with a food, and what it is worth.
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

/// Prints in how many states the game is decided, or optimal play mixes moves.
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
        "\n{rows}\n[decided: one snake wins for sure; mixed: optimal play mixes moves; gap: what \
         it is worth there to know"
    );
    say!("the other's move before choosing, instead of telling the own]\n");
    if let Some((gap, state)) = layers.last().and_then(|layer| layer.widest) {
        say!(
            "a position with the widest gap, {gap:.3}:\n{}",
            positions.position(state, 0)
        );
    }
}

/// Prints what the start is worth.
fn print_starts(report: &Report) {
    let mut rows = table(&["food at the start", "value for the first seat"]);
    for StartReport { column, row, value } in &report.starts {
        rows.add_row([format!("column {column} row {row}"), number(*value)]);
    }
    say!("{rows}\n");
    let [first, second] = report.told;
    say!(
        "the start is worth {} to the first seat, in the mean over the foods;",
        number(report.value)
    );
    say!(
        "{} if it tells each move before the other chooses,",
        number(first)
    );
    say!("{} if the second seat tells its moves", number(second));
}

/// Finds what the best opponent of a bot gets; `None` if it was interrupted.
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

/// The error about a bot, and what to ask for instead.
fn advised(error: ExactError, bot: &str) -> Error {
    let advice = match (&error, bot.split(':').next()) {
        (ExactError::Remembers, Some("adder")) => "; adder-straight is such a bot",
        (ExactError::Remembers, Some("hognose")) => "; hognose-forgets is such a bot",
        _ => "",
    };
    Error::new(format!("{bot}: {error}{advice}"))
}

/// Prints what the best opponents of bots get.
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
        "\n{rows}\n[best opponents know the bot, but not its draws; NashConv: the sum of what they \
         get, 0 for optimal play;"
    );
    say!(
        "asked: in how many positions. A bot that never mixes moves has a NashConv of at least {}]",
        number(second - first)
    );
}

/// A value with six digits after the point, without the sign that rounding may leave to 0.
fn number(value: f64) -> String {
    const DIGITS: f64 = 1e6;
    format!("{:.6}", (value * DIGITS).round() / DIGITS + 0.0)
}

/// A bar of so many steps.
fn bar(steps: u32, message: String) -> Result<ProgressBar> {
    Ok(ProgressBar::new(steps.into())
        .with_message(message)
        .with_style(progress::style()?))
}
