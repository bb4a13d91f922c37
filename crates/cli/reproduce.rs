//! `hognose reproduce`: published numbers beside our own.

use crate::error::{Error, Result};
use crate::evaluate::{all_cores, table};
use crate::version::{COMMIT, NUMBER};
use crate::{Outcome, files, interrupt, output, plots, say};
use hognose_eval::plot::{self, Curve, Sample, Words};
use hognose_eval::stats::{self, Moments};
use hognose_eval::{Comparison, End, Episode, EvalError, Evaluation, Interval, Measure, Published};
use hognose_game::Rules;
use hognose_policies::Named;
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Play what documents published, and print their numbers beside ours with a verdict
///
/// A published number agrees if published minus measured lies within the 99 % interval of that difference: both samples'
/// errors, corrected for the number of rows (Bonferroni), and half the unit of the last printed digit. Writes results.json
/// and the pictures.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A file of experiments/published, its name without folder and ending, or all
    #[arg(value_name = "FILE|all")]
    file: String,
    /// Games of each case, instead of the file's numbers
    #[arg(long)]
    games: Option<usize>,
    /// Folder of the results [default: runs/reproduce]
    #[arg(long, value_name = "DIR", default_value = "runs/reproduce", hide_default_value = true)]
    out: PathBuf,
    /// Threads; results do not depend on them [default: all cores]
    #[arg(long)]
    threads: Option<usize>,
}

const FOLDER: &str = "experiments/published";
const LEVEL: f64 = 0.99;

/// What a document published, and how to play it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    title: String,
    #[serde(default)]
    seed: u64,
    games: usize,
    /// The time of a step, where the document tells times.
    seconds_per_step: Option<f64>,
    #[serde(default, rename = "case")]
    cases: Vec<Case>,
    #[serde(default, rename = "scan")]
    scans: Vec<Scan>,
    #[serde(default, rename = "difference")]
    differences: Vec<Difference>,
    #[serde(default, rename = "claim")]
    claims: Vec<Claim>,
    #[serde(default, rename = "statement")]
    statements: Vec<Statement>,
    #[serde(default, rename = "figure")]
    figures: Vec<Figure>,
}

/// Games of one policy by one set of rules, and the numbers that were published of them.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    policy: String,
    rules: Rules,
    games: Option<usize>,
    limit: Option<u32>,
    max_steps: Option<u64>,
    #[serde(default)]
    published: Vec<Number>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Number {
    place: String,
    what: Measure,
    value: f64,
    /// Games; without them the value is exact.
    n: Option<usize>,
    sd: Option<f64>,
    #[serde(default)]
    unit: f64,
    /// Why it differs, where that is known.
    note: Option<String>,
}

/// A case for each value of the number after a policy's name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scan {
    place: String,
    name: String,
    policy: String,
    rules: Rules,
    games: usize,
    what: Measure,
    /// Pairs of the policy's number and the published value.
    values: Vec<(u32, f64)>,
    /// Further numbers that the picture shows.
    #[serde(default)]
    between: Vec<u32>,
    unit: f64,
    /// The axis of the picture.
    x: String,
    file: String,
}

/// The difference of two cases' mean steps of the games won. The t of such a difference grows with the number of games and
/// says nothing; means and deviations do.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    place: String,
    first: String,
    second: String,
    published: Samples,
    /// Of the published means.
    #[serde(default)]
    unit: f64,
    note: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Samples {
    first: Moments,
    second: Moments,
}

impl Samples {
    fn difference(self) -> f64 {
        self.first.mean - self.second.mean
    }

    fn standard_error(self) -> f64 {
        self.first.standard_error().hypot(self.second.standard_error())
    }

    /// The difference in standard deviations of a game (Cohen's d).
    fn effect(self) -> f64 {
        self.difference() / (self.first.sd.hypot(self.second.sd) / 2f64.sqrt())
    }
}

/// How one case compares with another.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Claim {
    place: String,
    says: String,
    case: String,
    reference: String,
    what: Measure,
    expect: Expectation,
    note: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Expectation {
    /// No difference: one can't be told.
    Same,
    /// Less than the reference.
    Lower,
    /// So many per cent less than the reference, give or take half the unit.
    Percent { lower: f64, unit: f64 },
}

/// Something that needs no game.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Statement {
    place: String,
    says: String,
    /// A number, or a time as h:mm:ss.
    value: String,
    #[serde(default)]
    unit: f64,
    formula: Formula,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Formula {
    /// Exact mean steps of the follower of a cycle: (A-s)(A-s+3)/4.
    CycleMean { area: u32, length: u32 },
    /// Exact standard deviation of the same: the root of the sum over k = 1..A-s of (k^2-1)/12.
    CycleSd { area: u32, length: u32 },
    /// The sum of the whole numbers from one to another.
    Sum { from: u32, to: u32 },
    /// Seconds for steps.
    Clock { steps: f64, seconds: f64 },
    /// The t of Welch's test from two samples' moments.
    Welch { first: Moments, second: Moments },
    /// How many per cent less one number is than another.
    PercentLower { value: f64, than: f64 },
}

impl Formula {
    fn value(&self) -> f64 {
        match *self {
            Formula::CycleMean { area, length } => f64::from((area - length) * (area - length + 3)) / 4.0,
            Formula::CycleSd { area, length } => {
                (1..=area - length).map(|k| (f64::from(k).powi(2) - 1.0) / 12.0).sum::<f64>().sqrt()
            }
            Formula::Sum { from, to } => (from..=to).map(f64::from).sum(),
            Formula::Clock { steps, seconds } => steps * seconds,
            Formula::Welch { first, second } => stats::welch_test(first, second).t,
            Formula::PercentLower { value, than } => 100.0 * (1.0 - value / than),
        }
    }
}

/// A histogram of cases.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Figure {
    place: String,
    title: String,
    what: Shown,
    cases: Vec<String>,
    #[serde(default)]
    normal: bool,
    file: String,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Shown {
    Steps,
    StepsWon,
    Length,
}

/// A line of the table.
#[derive(Serialize)]
struct Row {
    place: String,
    what: String,
    published: String,
    measured: String,
    verdict: String,
    /// `None` if there is nothing to compare, or no difference could be told.
    agrees: Option<bool>,
}

/// Everything that was found of a document.
#[derive(Serialize)]
struct Findings {
    title: String,
    version: &'static str,
    commit: &'static str,
    level: f64,
    rows: Vec<Row>,
    cases: Vec<CaseResult>,
    /// Cases that were not played, if the work was broken off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<String>,
}

#[derive(Serialize)]
struct CaseResult {
    name: String,
    policy: String,
    rules: Rules,
    seed: u64,
    games: usize,
    limit: u32,
    max_steps: Option<u64>,
    win_rate: f64,
    mean_length: f64,
    steps_won: Option<Moments>,
    mean_steps: f64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    if arguments.games == Some(0) {
        return Err(Error::new("the number of games must be at least 1, got 0"));
    }
    let paths = paths(&arguments.file)?;
    let documents: Vec<(String, Document)> = paths.iter().map(|path| read(path)).collect::<Result<_>>()?;
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

/// The files that a name stands for.
fn paths(name: &str) -> Result<Vec<PathBuf>> {
    let folder = Path::new(FOLDER);
    if name == "all" {
        let mut paths = files::list(folder)?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
        return Ok(paths);
    }
    let path = Path::new(name);
    Ok(vec![if path.exists() { path.to_owned() } else { folder.join(name).with_extension("toml") }])
}

fn read(path: &Path) -> Result<(String, Document)> {
    let wrong = |error: Error| error.context(path.display());
    let mut document: Document =
        toml::from_str(&files::read(path)?).map_err(|error| wrong(Error::new(error.to_string().trim_end())))?;
    for scan in &document.scans {
        document.cases.extend(scan.numbers().map(|number| scan.case(number)));
    }
    let names: Vec<&str> = document.cases.iter().map(|case| case.name.as_str()).collect();
    let wanted = document.differences.iter().flat_map(|difference| [&difference.first, &difference.second]);
    let wanted = wanted.chain(document.claims.iter().flat_map(|claim| [&claim.case, &claim.reference]));
    for name in wanted.chain(document.figures.iter().flat_map(|figure| &figure.cases)) {
        if !names.contains(&name.as_str()) {
            return Err(wrong(Error::new(format!("there is no case {name:?}"))));
        }
    }
    for case in &document.cases {
        Named::new(&case.policy, "cpu").map_err(|error| wrong(error.into()))?;
    }
    Ok((path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), document))
}

impl Scan {
    /// All of the policy's numbers, in order.
    fn numbers(&self) -> impl Iterator<Item = u32> {
        let numbers: BTreeSet<u32> =
            self.values.iter().map(|value| value.0).chain(self.between.iter().copied()).collect();
        numbers.into_iter()
    }

    fn case(&self, number: u32) -> Case {
        Case {
            name: format!("{}: {number}", self.name),
            policy: format!("{}:{number}", self.policy),
            rules: self.rules,
            games: Some(self.games),
            limit: None,
            max_steps: None,
            published: Vec::new(),
        }
    }
}

/// Plays a document's cases and writes what came out, of those that were played if it is broken off.
fn reproduce(document: &Document, out: &Path, arguments: &Arguments) -> Result<Outcome> {
    let mut games: Vec<Vec<Episode>> = Vec::new();
    let mut outcome = Ok(Outcome::Done);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} games of {msg}, {eta} left")?;
    let mut results = Vec::new();
    for case in &document.cases {
        let config = Evaluation {
            limit: case.limit.unwrap_or(Evaluation::default_limit(case.rules)),
            max_steps: case.max_steps.unwrap_or(u64::MAX),
            threads: arguments.threads.unwrap_or_else(all_cores),
            ..Evaluation::new(case.rules, document.seed, arguments.games.or(case.games).unwrap_or(document.games))
        };
        let policy = Named::new(&case.policy, "cpu")?;
        let bar = ProgressBar::new(config.games as u64).with_message(case.name.clone()).with_style(style.clone());
        let played = hognose_eval::evaluate(
            || policy.player(),
            &config,
            |progress| {
                bar.set_position(progress.finished as u64);
                interrupt::go_on()
            },
        );
        bar.finish_and_clear();
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
            limit: config.limit,
            max_steps: case.max_steps,
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
    let missing: Vec<String> = document.cases[games.len()..].iter().map(|case| case.name.clone()).collect();
    let games = Games { document, games };
    let rows = rows(document, &games);
    print(&document.title, &rows, &results);
    if !missing.is_empty() {
        say!("not played: {}", missing.join("; "));
    }
    let title = document.title.clone();
    let findings = Findings { title, version: NUMBER, commit: COMMIT, level: LEVEL, rows, cases: results, missing };
    files::write(&out.join("results.json"), serde_json::to_string_pretty(&findings)? + "\n")?;
    draw(document, &games, out)?;
    say!("results.json and the pictures are in {}\n", out.display());
    outcome
}

/// The games of the cases that were played.
struct Games<'a> {
    document: &'a Document,
    games: Vec<Vec<Episode>>,
}

impl Games<'_> {
    /// A case's games; `None` if it was not played.
    fn of(&self, name: &str) -> Option<&[Episode]> {
        let index = self.document.cases.iter().position(|case| case.name == name).expect("names were checked");
        self.games.get(index).map(Vec::as_slice)
    }
}

fn values(shown: Shown, episodes: &[Episode]) -> Vec<f64> {
    let won = episodes.iter().filter(|episode| episode.end == End::Won);
    match shown {
        Shown::Steps => episodes.iter().map(|episode| episode.steps as f64).collect(),
        Shown::StepsWon => won.map(|episode| episode.steps as f64).collect(),
        Shown::Length => episodes.iter().map(|episode| episode.length as f64).collect(),
    }
}

/// Every published number beside ours.
fn rows(document: &Document, games: &Games<'_>) -> Vec<Row> {
    let scanned: usize = document.scans.iter().map(|scan| scan.values.len()).sum();
    let numbers: usize = document.cases.iter().map(|case| case.published.len()).sum();
    let count = numbers + scanned + document.differences.len() + document.claims.len();
    let mut rows = Vec::new();
    for (case, episodes) in document.cases.iter().zip(&games.games) {
        for number in &case.published {
            let Number { what, value, n, sd, unit, .. } = *number;
            let published = Published { value, n, sd, unit };
            let mut row = row(&number.place, &case.name, what, published, &number.note, episodes, count);
            let mean = what.estimate(episodes).filter(|_| what == Measure::MeanStepsWon);
            if let (Some(mean), Some(seconds)) = (mean, document.seconds_per_step) {
                row.measured += &format!(" ({})", clock(mean.value * seconds));
            }
            rows.push(row);
        }
    }
    for scan in &document.scans {
        for &(number, value) in &scan.values {
            let case = scan.case(number);
            let Some(episodes) = games.of(&case.name) else { continue };
            let published = Published { value, n: Some(scan.games), sd: None, unit: scan.unit };
            rows.push(row(&scan.place, &case.name, scan.what, published, &None, episodes, count));
        }
    }
    let z = stats::normal_quantile(1.0 - (1.0 - LEVEL) / count.max(1) as f64);
    for difference in &document.differences {
        let moments = |name: &String| Moments::of(&values(Shown::StepsWon, games.of(name)?));
        let (Some(first), Some(second)) = (moments(&difference.first), moments(&difference.second)) else { continue };
        rows.push(difference_row(difference, Samples { first, second }, z));
    }
    for claim in &document.claims {
        let (Some(own), Some(its)) = (games.of(&claim.case), games.of(&claim.reference)) else { continue };
        rows.extend(claim_row(claim, own, its, z));
    }
    rows.extend(document.statements.iter().map(statement_row));
    rows
}

fn difference_row(difference: &Difference, own: Samples, z: f64) -> Row {
    let Difference { place, first, second, published, unit, note } = difference;
    // Each of the two means may be off by half the unit.
    let half_width = z * published.standard_error().hypot(own.standard_error()) + unit;
    let apart = published.difference() - own.difference();
    let comparison = Comparison { difference: apart, half_width, agrees: apart.abs() <= half_width };
    let test = stats::welch_test(own.first, own.second);
    let half = stats::normal_quantile(0.95) * own.standard_error();
    Row {
        place: place.clone(),
        what: format!("mean steps to win, {first} minus {second}"),
        published: format!("{:.1} ({:.2} sd)", published.difference(), published.effect()),
        measured: format!(
            "{:.1} ± {half:.1} ({:.2} sd; Welch's t {:.1}, p {})",
            own.difference(),
            own.effect(),
            test.t,
            p_value(test.p)
        ),
        verdict: verdict(&comparison, own.difference(), note),
        agrees: Some(comparison.agrees),
    }
}

/// Seconds as h:mm:ss.
fn clock(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn p_value(p: f64) -> String {
    if p < 1e-12 { "< 1e-12".to_owned() } else { format!("= {p:.1e}") }
}

/// How a measure is named, its digits, and what it is multiplied with.
fn shown(what: Measure) -> (&'static str, usize, f64, &'static str) {
    match what {
        Measure::WinRate => ("games won", 2, 100.0, " %"),
        Measure::MeanLength => ("mean length", 2, 1.0, ""),
        Measure::MaxLength => ("greatest length", 0, 1.0, ""),
        Measure::MeanSteps => ("mean steps of all games", 1, 1.0, ""),
        Measure::MeanStepsWon => ("mean steps to win", 1, 1.0, ""),
        Measure::SdStepsWon => ("sd of steps to win", 2, 1.0, ""),
    }
}

fn row(
    place: &str,
    case: &str,
    what: Measure,
    published: Published,
    note: &Option<String>,
    episodes: &[Episode],
    count: usize,
) -> Row {
    let (name, digits, factor, unit) = shown(what);
    let text = |value: f64| format!("{:.digits$}{unit}", factor * value);
    let (measured, verdict, agrees) = match (what.estimate(episodes), what.compare(published, episodes, LEVEL, count)) {
        (Some(own), Some(comparison)) => {
            let error = match own.standard_error() {
                // The normal interval of a share is empty where all games were won.
                _ if what == Measure::WinRate => {
                    let wins = episodes.iter().filter(|episode| episode.end == End::Won).count();
                    let Interval { low, high } = stats::wilson(wins, episodes.len());
                    format!(" [{:.digits$}, {:.digits$}]", factor * low, factor * high)
                }
                // Nothing is known of the error of a maximum, nor where all games are alike.
                error if error.is_nan() || error == 0.0 => String::new(),
                error => format!(" ± {}", text(stats::normal_quantile(0.95) * error)),
            };
            (text(own.value) + &error, verdict(&comparison, own.value, note), Some(comparison.agrees))
        }
        _ => ("-".to_owned(), "can't be compared: ours has too few such games".to_owned(), None),
    };
    let published = format!("{}{unit}", factor * published.value);
    Row { place: place.to_owned(), what: format!("{case}: {name}"), published, measured, verdict, agrees }
}

fn verdict(comparison: &Comparison, own: f64, note: &Option<String>) -> String {
    if comparison.agrees {
        return "agrees".to_owned();
    }
    let difference = comparison.difference;
    let percent = if own == 0.0 { String::new() } else { format!(" ({:+.2} %)", 100.0 * difference / own) };
    let note = note.as_ref().map_or(String::new(), |note| format!(": {note}"));
    format!("differs by {difference:+.4}{percent}{note}")
}

fn claim_row(claim: &Claim, episodes: &[Episode], reference: &[Episode], z: f64) -> Option<Row> {
    let (own, its) = (claim.what.estimate(episodes)?, claim.what.estimate(reference)?);
    let (name, digits, factor, unit) = shown(claim.what);
    let (difference, error) = (own.value - its.value, own.standard_error().hypot(its.standard_error()));
    let (holds, measured) = match claim.expect {
        Expectation::Same => ((difference.abs() > z * error).then_some(false), None),
        Expectation::Lower => (Some(difference <= -z * error), None),
        Expectation::Percent { lower, unit } => {
            let ratio = own.value / its.value;
            // The error of a ratio, to first order.
            let relative = (own.standard_error() / own.value).hypot(its.standard_error() / its.value);
            let percent = 100.0 * (1.0 - ratio);
            let half_width = z * 100.0 * ratio * relative;
            (
                Some((percent - lower).abs() <= half_width + unit / 2.0),
                Some(format!("{percent:.1} % ± {half_width:.1} lower")),
            )
        }
    };
    let measured = measured.unwrap_or_else(|| {
        format!("{:+.digits$}{unit} ± {:.digits$} ({name})", factor * difference, factor * z * error)
    });
    let verdict = match holds {
        Some(true) => "holds".to_owned(),
        Some(false) => {
            "does not hold".to_owned() + &claim.note.as_ref().map_or(String::new(), |note| format!(": {note}"))
        }
        None if error == 0.0 => "not distinguishable: all games are alike".to_owned(),
        None => {
            // So large a difference is told from none nine times in ten.
            let seen = factor * (z + stats::normal_quantile(0.8)) * error;
            format!("not distinguishable; {seen:.digits$}{unit} would have been seen")
        }
    };
    Some(Row {
        place: claim.place.clone(),
        what: format!("{} against {}", claim.case, claim.reference),
        published: claim.says.clone(),
        measured,
        verdict,
        agrees: holds,
    })
}

fn statement_row(statement: &Statement) -> Row {
    let value = statement.formula.value();
    let is_clock = statement.value.contains(':');
    let said = match is_clock {
        true => statement.value.split(':').try_fold(0.0, |total, part| Some(60.0 * total + part.parse::<f64>().ok()?)),
        false => statement.value.parse().ok(),
    };
    // Printed values may be rounded or cut off.
    let holds = said.is_some_and(|said| (said - value).abs() <= statement.unit);
    let exact = match is_clock {
        true => clock(value),
        false => format!("{}", (value * 1e4).round() / 1e4),
    };
    Row {
        place: statement.place.clone(),
        what: statement.says.clone(),
        published: statement.value.clone(),
        measured: format!("{exact} (exact)"),
        verdict: if holds { "holds".to_owned() } else { "does not hold".to_owned() },
        agrees: Some(holds),
    }
}

fn print(title: &str, rows: &[Row], results: &[CaseResult]) {
    say!("{title}\n");
    let mut table = table(&["place", "what", "published", "measured", "verdict"]);
    table.column_iter_mut().for_each(|column| column.set_cell_alignment(comfy_table::CellAlignment::Left));
    for Row { place, what, published, measured, verdict, .. } in rows {
        table.add_row([place, what, published, measured, verdict]);
    }
    let (agree, games) = (
        rows.iter().filter(|row| row.agrees == Some(true)).count(),
        results.iter().map(|case| case.games).sum::<usize>(),
    );
    say!(
        "{table}\n\n{agree} of {} rows agree or hold; {games} games. ± is half a 95 % interval, [] is Wilson's; of claims, ±",
        rows.len()
    );
    say!(
        "is half the interval that the verdict is by: 99 % for all rows together (Bonferroni). A difference that would have"
    );
    say!("been seen is one that such a verdict tells from none nine times in ten.");
}

/// The pictures of a document.
fn draw(document: &Document, games: &Games<'_>, out: &Path) -> Result<()> {
    for figure in &document.figures {
        let sample = |name: &String| Some(Sample { name: name.clone(), values: values(figure.what, games.of(name)?) });
        let samples: Vec<Sample> =
            figure.cases.iter().filter_map(sample).filter(|sample| !sample.values.is_empty()).collect();
        if samples.is_empty() {
            continue;
        }
        let counts: Vec<String> =
            samples.iter().map(|sample| format!("{} n = {}", sample.name, sample.values.len())).collect();
        let normal = if figure.normal { "; curves: normal density with the sample's mean and sd" } else { "" };
        let words = Words {
            title: figure.title.clone(),
            caption: format!("{}, {}: {}{normal}", document.title, figure.place, counts.join(", ")),
            x: match figure.what {
                Shown::Steps => "steps of a game".into(),
                Shown::StepsWon => "steps to win a game".into(),
                Shown::Length => "length at the end (cells)".into(),
            },
            y: "games per bin".into(),
        };
        plots::write(out, &figure.file, &plot::histogram(&words, &samples, figure.normal)?)?;
    }
    for scan in &document.scans {
        let Some(first) = games.of(&scan.case(scan.values[0].0).name) else { continue };
        let own = |number| Some((f64::from(number), scan.what.estimate(games.of(&scan.case(number).name)?)?.value));
        let published = scan.values.iter().map(|&(number, value)| (f64::from(number), value)).collect();
        let curves = [
            Curve { name: "measured".into(), points: scan.numbers().filter_map(own).collect(), dots: false },
            Curve { name: "published".into(), points: published, dots: true },
        ];
        let words = Words {
            title: scan.name.clone(),
            caption: format!("{}, {}: n = {} games a measured point", document.title, scan.place, first.len()),
            x: scan.x.clone(),
            y: shown(scan.what).0.into(),
        };
        plots::write(out, &scan.file, &plot::curves(&words, &curves)?)?;
    }
    Ok(())
}
