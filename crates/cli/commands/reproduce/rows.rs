//! Compares published numbers with our own, with a verdict for each.

use super::document::{
    Claim, Difference, Document, Expectation, Number, Samples, Shown, Statement,
};
use super::played::{PlayedCases, values};
use super::row::{Row, verdict_of_claim};
use super::searches::Search;
use hognose_eval::stats::{self, Moments};
use hognose_eval::{Comparison, End, Episode, Interval, Measure, Published};

/// The confidence level of verdicts, for all rows of a document together.
pub(super) const LEVEL: f64 = 0.99;

/// The verdict if too few of our own games count.
const TOO_FEW: &str = "can't be compared: too few of our games count";

/// Returns a row for every published number.
pub(super) fn rows(document: &Document, games: &PlayedCases<'_>) -> Vec<Row> {
    let scanned: usize = document.scans.iter().map(|scan| scan.values.len()).sum();
    let numbers: usize = document.cases.iter().map(|case| case.published.len()).sum();
    let duels: usize = document.duels.iter().map(|duel| duel.published.len()).sum();
    let count = numbers
        + scanned
        + document.differences.len()
        + document.claims.len()
        + duels
        + document.duel_claims.len();
    let mut rows = Vec::new();
    for (case, episodes) in document.cases.iter().zip(&games.games) {
        for number in &case.published {
            let Number {
                what,
                value,
                n,
                sd,
                unit,
                ..
            } = *number;
            let published = Published { value, n, sd, unit };
            let mut row = row(
                &number.place,
                &case.name,
                what,
                published,
                &number.note,
                episodes,
                count,
            );
            let mean = what
                .estimate(episodes)
                .filter(|_| what == Measure::MeanStepsWon);
            if let (Some(mean), Some(seconds)) = (mean, document.seconds_per_step) {
                row.measured += &format!(" ({})", clock(mean.value * seconds));
            }
            rows.push(row);
        }
    }
    for scan in &document.scans {
        for &(number, value) in &scan.values {
            let case = scan.case(number);
            let Some(episodes) = games.of(&case.name) else {
                continue;
            };
            let published = Published {
                value,
                n: Some(scan.games),
                sd: None,
                unit: scan.unit,
            };
            rows.push(row(
                &scan.place,
                &case.name,
                scan.what,
                published,
                &None,
                episodes,
                count,
            ));
        }
    }
    let z = stats::normal_quantile(1.0 - (1.0 - LEVEL) / count.max(1) as f64);
    for difference in &document.differences {
        let (Some(first), Some(second)) =
            (games.of(&difference.first), games.of(&difference.second))
        else {
            continue;
        };
        rows.push(difference_row(difference, first, second, z));
    }
    for claim in &document.claims {
        let (Some(own), Some(its)) = (games.of(&claim.case), games.of(&claim.reference)) else {
            continue;
        };
        rows.push(claim_row(claim, own, its, z));
    }
    for (case, duels) in document.duels.iter().zip(&games.duels) {
        rows.extend(case.rows(duels, z));
    }
    for claim in &document.duel_claims {
        let Some(own) = games.duels_of(&claim.duel) else {
            continue;
        };
        let reference = claim.reference.as_ref().map(|name| games.duels_of(name));
        if reference.is_none_or(|its| its.is_some()) {
            rows.push(claim.row(own, reference.flatten(), z));
        }
    }
    rows.extend(document.searches.iter().flat_map(Search::rows));
    rows.extend(document.statements.iter().map(statement_row));
    rows
}

/// Returns the row of a difference of two means; `z` is the quantile for the verdict.
fn difference_row(difference: &Difference, first: &[Episode], second: &[Episode], z: f64) -> Row {
    let Difference {
        place,
        published,
        unit,
        note,
        ..
    } = difference;
    let mut row = Row {
        place: place.clone(),
        what: format!(
            "mean steps to win, {} minus {}",
            difference.first, difference.second
        ),
        published: format!(
            "{:.1} ({:.2} sd)",
            published.difference(),
            published.effect()
        ),
        measured: "-".to_owned(),
        verdict: TOO_FEW.to_owned(),
        agrees: None,
    };
    let moments = |episodes| Moments::of(&values(Shown::StepsWon, episodes));
    let (Some(first), Some(second)) = (moments(first), moments(second)) else {
        return row;
    };
    let own = Samples { first, second };
    // Each of the two means may be off by half the unit.
    let half_width = z * published.standard_error().hypot(own.standard_error()) + unit;
    let apart = published.difference() - own.difference();
    let comparison = Comparison {
        difference: apart,
        half_width: Some(half_width),
        agrees: apart.abs() <= half_width,
    };
    let test = match stats::welch_test(first, second) {
        Some(test) => format!("; Welch's t {:.1}, p {}", test.t, p_value(test.p)),
        None => "; all games are alike".to_owned(),
    };
    let half = stats::normal_quantile(0.95) * own.standard_error();
    row.measured = format!(
        "{:.1} ± {half:.1} ({:.2} sd{test})",
        own.difference(),
        own.effect()
    );
    row.verdict = verdict(&comparison, own.difference(), note);
    row.agrees = Some(comparison.agrees);
    row
}

/// Formats seconds as h:mm:ss.
fn clock(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    format!(
        "{}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// Formats a p-value with its relation sign.
fn p_value(p: f64) -> String {
    if p < 1e-12 {
        "< 1e-12".to_owned()
    } else {
        format!("= {p:.1e}")
    }
}

/// The name of a measure, its digits, the factor to multiply it by, and its unit.
pub(super) struct Form {
    pub(super) name: &'static str,
    digits: usize,
    factor: f64,
    unit: &'static str,
}

/// Returns how a measure is printed.
pub(super) fn form(what: Measure) -> Form {
    let plain = |name, digits| Form {
        name,
        digits,
        factor: 1.0,
        unit: "",
    };
    match what {
        Measure::WinRate => Form {
            factor: 100.0,
            unit: " %",
            ..plain("games won", 2)
        },
        Measure::MeanLength => plain("mean length", 2),
        Measure::MaxLength => plain("maximum length", 0),
        Measure::MeanSteps => plain("mean steps of all games", 1),
        Measure::MeanStepsWon => plain("mean steps to win", 1),
        Measure::SdStepsWon => plain("sd of steps to win", 2),
    }
}

/// Returns the row of a published number; `count` is the number of rows that share the level.
fn row(
    place: &str,
    case: &str,
    what: Measure,
    published: Published,
    note: &Option<String>,
    episodes: &[Episode],
    count: usize,
) -> Row {
    let Form {
        name,
        digits,
        factor,
        unit,
    } = form(what);
    let text = |value: f64| format!("{:.digits$}{unit}", factor * value);
    let (measured, verdict, agrees) = match (
        what.estimate(episodes),
        what.compare(published, episodes, LEVEL, count),
    ) {
        (Some(own), Some(comparison)) => {
            let error = match own.standard_error() {
                // The normal interval of a share has width 0 if all games were won.
                _ if what == Measure::WinRate => {
                    let wins = episodes
                        .iter()
                        .filter(|episode| episode.end == End::Won)
                        .count();
                    let Interval { low, high } = stats::wilson(wins, episodes.len());
                    format!(" [{:.digits$}, {:.digits$}]", factor * low, factor * high)
                }
                // The error of a maximum is unknown, as is the error if all games are alike.
                None | Some(0.0) => String::new(),
                Some(error) => format!(" ± {}", text(stats::normal_quantile(0.95) * error)),
            };
            (
                text(own.value) + &error,
                verdict(&comparison, own.value, note),
                Some(comparison.agrees),
            )
        }
        _ => ("-".to_owned(), TOO_FEW.to_owned(), None),
    };
    let published = format!("{}{unit}", factor * published.value);
    Row {
        place: place.to_owned(),
        what: format!("{case}: {name}"),
        published,
        measured,
        verdict,
        agrees,
    }
}

/// Describes whether a number agrees and, if not, by how much it differs, and why, if known.
fn verdict(comparison: &Comparison, own: f64, note: &Option<String>) -> String {
    if comparison.agrees {
        return "agrees".to_owned();
    }
    let difference = comparison.difference;
    let percent = if own == 0.0 {
        String::new()
    } else {
        format!(" ({:+.2} %)", 100.0 * difference / own)
    };
    let note = note
        .as_ref()
        .map_or(String::new(), |note| format!(": {note}"));
    format!("differs by {difference:+.4}{percent}{note}")
}

/// Returns the row of a claim about two cases.
fn claim_row(claim: &Claim, episodes: &[Episode], reference: &[Episode], z: f64) -> Row {
    let Form {
        name,
        digits,
        factor,
        unit,
    } = form(claim.what);
    let mut row = Row {
        place: claim.place.clone(),
        what: format!("{} against {}", claim.case, claim.reference),
        published: claim.says.clone(),
        measured: "-".to_owned(),
        verdict: TOO_FEW.to_owned(),
        agrees: None,
    };
    let estimate = |episodes| {
        claim
            .what
            .estimate(episodes)
            .and_then(|found| Some((found.value, found.standard_error()?)))
    };
    let (Some((own, own_error)), Some((its, its_error))) =
        (estimate(episodes), estimate(reference))
    else {
        return row;
    };
    let difference = own - its;
    let error = own_error.hypot(its_error);
    let is_told = difference.abs() > z * error;
    row.measured = format!(
        "{:+.digits$}{unit} ± {:.digits$} ({name})",
        factor * difference,
        factor * z * error
    );
    row.agrees = match claim.expect {
        Expectation::Same => is_told.then_some(false),
        Expectation::Lower => is_told.then_some(difference < 0.0),
        Expectation::Percent { .. } if its == 0.0 => {
            row.verdict = "can't be compared: the reference is 0".to_owned();
            return row;
        }
        Expectation::Percent { lower, unit } => {
            let ratio = own / its;
            let percent = 100.0 * (1.0 - ratio);
            // The error of a ratio, to first order.
            let half_width = z * 100.0 * own_error.hypot(ratio * its_error) / its.abs();
            row.measured = format!("{percent:.1} % ± {half_width:.1} lower");
            let agrees = (percent - lower).abs() <= half_width + unit / 2.0;
            // If the games also agree with no difference, they are too few for a verdict.
            if agrees && !is_told {
                None
            } else {
                Some(agrees)
            }
        }
    };
    row.verdict = verdict_of_claim(row.agrees, error, z, claim.note.as_deref(), |seen| {
        format!("{:.digits$}{unit}", factor * seen)
    });
    row
}

/// Returns the row of a statement that needs no games.
fn statement_row(statement: &Statement) -> Row {
    let value = statement.formula.value();
    let is_clock = statement.value.contains(':');
    let said = match is_clock {
        true => statement.value.split(':').try_fold(0.0, |total, part| {
            Some(60.0 * total + part.parse::<f64>().ok()?)
        }),
        false => statement.value.parse().ok(),
    };
    // Printed values may be rounded or truncated.
    let holds = said
        .zip(value)
        .is_some_and(|(said, value)| (said - value).abs() <= statement.unit);
    let exact = match value {
        Some(value) if is_clock => clock(value),
        Some(value) => format!("{}", (value * 1e4).round() / 1e4),
        None => "none".to_owned(),
    };
    Row {
        place: statement.place.clone(),
        what: statement.says.clone(),
        published: statement.value.clone(),
        measured: format!("{exact} (exact)"),
        verdict: if holds {
            "holds".to_owned()
        } else {
            "does not hold".to_owned()
        },
        agrees: Some(holds),
    }
}
