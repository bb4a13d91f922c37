//! Files of published numbers: what a document published, and how to play its games.

use super::duels::{DuelCase, DuelClaim};
use super::enclosures;
use super::searches::Search;
use crate::embedded::{self, DOCUMENTS, catalog};
use crate::error::{Error, Result};
use hognose_eval::stats::{self, Moments};
use hognose_eval::{Limits, Measure};
use hognose_game::Rules;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::iter;
use std::path::Path;

/// The contents of a document, and how to play its games.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub(super) title: String,
    #[serde(default)]
    pub(super) seed: u64,
    pub(super) games: usize,
    /// The time per step, if the document reports times.
    pub(super) seconds_per_step: Option<f64>,
    #[serde(default, rename = "case")]
    pub(super) cases: Vec<Case>,
    #[serde(default, rename = "scan")]
    pub(super) scans: Vec<Scan>,
    #[serde(default, rename = "difference")]
    pub(super) differences: Vec<Difference>,
    #[serde(default, rename = "claim")]
    pub(super) claims: Vec<Claim>,
    #[serde(default, rename = "duel")]
    pub(super) duels: Vec<DuelCase>,
    #[serde(default, rename = "duel_claim")]
    pub(super) duel_claims: Vec<DuelClaim>,
    #[serde(default, rename = "search")]
    pub(super) searches: Vec<Search>,
    #[serde(default, rename = "statement")]
    pub(super) statements: Vec<Statement>,
    #[serde(default, rename = "figure")]
    pub(super) figures: Vec<Figure>,
}

/// Games of one policy with one set of rules, and their published numbers.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) policy: String,
    pub(super) rules: Rules,
    pub(super) games: Option<usize>,
    pub(super) starvation: Option<u32>,
    pub(super) time_limit: Option<u32>,
    #[serde(default)]
    pub(super) published: Vec<Number>,
}

/// A published number and its place in the document.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Number {
    pub(super) place: String,
    pub(super) what: Measure,
    pub(super) value: f64,
    /// Number of games; without it the value is exact.
    pub(super) n: Option<usize>,
    pub(super) sd: Option<f64>,
    #[serde(default)]
    pub(super) unit: f64,
    /// Why it differs, if known.
    pub(super) note: Option<String>,
}

/// A case for each value of the number that follows a policy's name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scan {
    pub(super) place: String,
    pub(super) name: String,
    pub(super) policy: String,
    pub(super) rules: Rules,
    pub(super) games: usize,
    pub(super) what: Measure,
    /// Pairs of the policy's number and the published value.
    pub(super) values: Vec<(u32, f64)>,
    /// Additional numbers for the picture.
    #[serde(default)]
    pub(super) between: Vec<u32>,
    pub(super) unit: f64,
    /// The label of the picture's x axis.
    pub(super) x: String,
    pub(super) file: String,
}

/// The difference between two cases' mean steps of the games won. Means and deviations are
/// compared, since the t of a difference grows with the number of games.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Difference {
    pub(super) place: String,
    pub(super) first: String,
    pub(super) second: String,
    pub(super) published: Samples,
    /// The unit of the last digit of the published means.
    #[serde(default)]
    pub(super) unit: f64,
    pub(super) note: Option<String>,
}

/// The moments of two samples whose means are compared.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Samples {
    pub(super) first: Moments,
    pub(super) second: Moments,
}

impl Samples {
    /// Returns the mean of the first minus the mean of the second.
    pub(super) fn difference(self) -> f64 {
        self.first.mean - self.second.mean
    }

    /// Returns the standard error of the difference of the means.
    pub(super) fn standard_error(self) -> f64 {
        self.first
            .standard_error()
            .hypot(self.second.standard_error())
    }

    /// Returns the difference in standard deviations of a game (Cohen's d).
    pub(super) fn effect(self) -> f64 {
        self.difference() / (self.first.sd.hypot(self.second.sd) / 2f64.sqrt())
    }
}

/// A comparison of one case with another.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claim {
    pub(super) place: String,
    pub(super) says: String,
    pub(super) case: String,
    pub(super) reference: String,
    pub(super) what: Measure,
    pub(super) expect: Expectation,
    pub(super) note: Option<String>,
}

/// The claimed relation of one case to another.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Expectation {
    /// No distinguishable difference.
    Same,
    /// Lower than the reference.
    Lower,
    /// Lower than the reference by this percentage, give or take half the unit.
    Percent { lower: f64, unit: f64 },
}

/// A statement that needs no games.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Statement {
    pub(super) place: String,
    pub(super) says: String,
    /// A number, or a time as h:mm:ss.
    pub(super) value: String,
    #[serde(default)]
    pub(super) unit: f64,
    pub(super) formula: Formula,
}

/// The formula of a statement's value.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Formula {
    /// Exact mean steps of a policy that follows a cycle: (A-s)(A-s+3)/4.
    CycleMean { area: u32, length: u32 },
    /// Exact standard deviation of the steps of a policy that follows a cycle: the square root of
    /// the sum over k = 1..A-s of (k^2-1)/12.
    CycleSd { area: u32, length: u32 },
    /// The sum of the integers from `from` to `to`.
    Sum { from: u32, to: u32 },
    /// The seconds for a number of steps.
    Clock { steps: f64, seconds: f64 },
    /// The t statistic of Welch's test, from the moments of two samples.
    Welch { first: Moments, second: Moments },
    /// By how many percent one number is lower than another.
    PercentLower { value: f64, than: f64 },
    /// The sum of some numbers.
    Total { of: Vec<f64> },
    /// The length of the shortest ring on 14x14 that keeps food in a column and row from the
    /// opponent: completely or, if open, so that the opponent can't return.
    LeastRing { column: u8, row: u8, is_open: bool },
    /// The number of rings of at most `longest` cells on 14x14 that a scenario of `adder` wrongly
    /// considers to keep food from the opponent, summed over all places of the food.
    WrongRings { longest: usize },
    /// The number of shortest rings around food on 14x14 that no scenario of `adder` covers, summed
    /// over all places of the food.
    MissingRings {},
    /// The percentage of the rings of at most `longest` cells on 14x14 that keep food from the
    /// opponent, completely or if open, and that no scenario of `adder` covers, over all places of
    /// the food.
    UnknownRings { longest: usize, is_open: bool },
}

/// The maximum area, and the maximum number in a sum.
const LARGEST: u32 = 1 << 16;

impl Formula {
    /// Checks that the formula can be computed.
    fn check(&self) -> Result<()> {
        match *self {
            Formula::CycleMean { area, length } | Formula::CycleSd { area, length }
                if length > area || area > LARGEST =>
            {
                Err(Error::new(format!(
                    "expected a length <= an area <= {LARGEST}, got {length} and {area}"
                )))
            }
            Formula::Sum { to, .. } if to > LARGEST => Err(Error::new(format!(
                "expected a sum up to at most {LARGEST}, got {to}"
            ))),
            Formula::LeastRing { column, row, .. } if column.max(row) >= 14 => Err(Error::new(
                format!("expected a column and a row below 14, got {column} and {row}"),
            )),
            Formula::WrongRings { longest } | Formula::UnknownRings { longest, .. }
                if !(8..=enclosures::LONGEST).contains(&longest) =>
            {
                Err(Error::new(format!(
                    "expected rings of at most 8 to {} cells, got {longest}",
                    enclosures::LONGEST
                )))
            }
            _ => Ok(()),
        }
    }

    /// Returns the value; `None` for a test in which neither sample varies.
    pub(super) fn value(&self) -> Option<f64> {
        Some(match *self {
            Formula::CycleMean { area, length } => {
                f64::from(area - length) * f64::from(area - length + 3) / 4.0
            }
            Formula::CycleSd { area, length } => (1..=area - length)
                .map(|k| (f64::from(k).powi(2) - 1.0) / 12.0)
                .sum::<f64>()
                .sqrt(),
            Formula::Sum { from, to } => (from..=to).map(f64::from).sum(),
            Formula::Clock { steps, seconds } => steps * seconds,
            Formula::Welch { first, second } => stats::welch_test(first, second)?.t,
            Formula::PercentLower { value, than } => 100.0 * (1.0 - value / than),
            Formula::Total { ref of } => of.iter().sum(),
            Formula::LeastRing {
                column,
                row,
                is_open,
            } => enclosures::least_ring(column, row, is_open)? as f64,
            Formula::WrongRings { longest } => enclosures::wrong_rings(longest) as f64,
            Formula::MissingRings {} => enclosures::missing_rings() as f64,
            Formula::UnknownRings { longest, is_open } => {
                enclosures::unknown_rings(longest, is_open)
            }
        })
    }
}

/// A histogram of cases.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Figure {
    pub(super) place: String,
    pub(super) title: String,
    pub(super) what: Shown,
    pub(super) cases: Vec<String>,
    #[serde(default)]
    pub(super) normal: bool,
    pub(super) file: String,
}

/// The value of each game that a figure shows.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Shown {
    Steps,
    StepsWon,
    Length,
}

/// Reads an embedded document or a file of published numbers, and returns its name without folder
/// and extension.
pub(super) fn read(name_or_path: &str) -> Result<(String, Document)> {
    let text = embedded::read_or_embedded(name_or_path, DOCUMENTS)?;
    let document = Document::parse(&text).map_err(|error| error.context(name_or_path))?;
    Ok((
        Path::new(name_or_path)
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        document,
    ))
}

impl Document {
    /// Parses a document, and checks that all names it refers to exist.
    fn parse(text: &str) -> Result<Document> {
        let mut document: Document =
            toml::from_str(text).map_err(|error| Error::new(error.to_string().trim_end()))?;
        for scan in &document.scans {
            document
                .cases
                .extend(scan.numbers().map(|number| scan.case(number)));
        }
        let names: Vec<&str> = document
            .cases
            .iter()
            .map(|case| case.name.as_str())
            .collect();
        let wanted = document
            .differences
            .iter()
            .flat_map(|difference| [&difference.first, &difference.second]);
        let wanted = wanted.chain(
            document
                .claims
                .iter()
                .flat_map(|claim| [&claim.case, &claim.reference]),
        );
        for name in wanted.chain(document.figures.iter().flat_map(|figure| &figure.cases)) {
            if !names.contains(&name.as_str()) {
                return Err(Error::new(format!("there is no case {name:?}")));
            }
        }
        if let Some(claim) = document
            .claims
            .iter()
            .find(|claim| claim.what == Measure::MaxLength)
        {
            let says = &claim.says;
            let expected =
                "expected a measure with a standard error, such as mean_length, got max_length";
            return Err(Error::new(format!("claim {says:?}: {expected}")));
        }
        for search in &document.searches {
            search.check()?;
        }
        for statement in &document.statements {
            statement
                .formula
                .check()
                .map_err(|error| error.context(&statement.says))?;
        }
        for case in &document.duels {
            case.check().map_err(|error| error.context(&case.name))?;
        }
        let duels: Vec<&String> = document.duels.iter().map(|case| &case.name).collect();
        for name in document
            .duel_claims
            .iter()
            .flat_map(|claim| iter::once(&claim.duel).chain(&claim.reference))
        {
            if !duels.contains(&name) {
                return Err(Error::new(format!("there are no duels {name:?}")));
            }
        }
        for case in &document.cases {
            catalog().policy(&case.policy)?;
        }
        Ok(document)
    }
}

impl Case {
    /// Returns the limits of its games.
    pub(super) fn limits(&self) -> Limits {
        let usual = Limits::new(self.rules);
        Limits {
            starvation: self.starvation.or(usual.starvation),
            time_limit: self.time_limit,
            ..usual
        }
    }
}

impl Scan {
    /// Returns all of the policy's numbers, in order.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        let numbers: BTreeSet<u32> = self
            .values
            .iter()
            .map(|value| value.0)
            .chain(self.between.iter().copied())
            .collect();
        numbers.into_iter()
    }

    /// Returns the case of one of the policy's numbers.
    pub(super) fn case(&self, number: u32) -> Case {
        Case {
            name: format!("{}: {number}", self.name),
            policy: format!("{}:{number}", self.policy),
            rules: self.rules,
            games: Some(self.games),
            starvation: None,
            time_limit: None,
            published: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::{Index, select};

    fn error_of(text: &str) -> Option<String> {
        Document::parse(text).err().map(|error| error.to_string())
    }

    #[test]
    fn claims_about_a_maximum_are_refused() {
        let claim = |what: &str| {
            error_of(&format!(
                r#"
                title = "a test"
                games = 10
                [[case]]
                name = "random"
                policy = "random"
                rules = {{ board = "4x4" }}
                [[claim]]
                place = "here"
                says = "longer"
                case = "random"
                reference = "random"
                what = "{what}"
                expect = "same"
                "#
            ))
        };
        assert_eq!(claim("mean_length"), None);
        let expected =
            "expected a measure with a standard error, such as mean_length, got max_length";
        assert_eq!(
            claim("max_length"),
            Some(format!("claim \"longer\": {expected}"))
        );
    }

    #[test]
    fn formulas_that_overflow_or_take_for_ever_are_refused() {
        let error = |formula: &str| {
            let statement =
                format!("place = \"1\"\nsays = \"it\"\nvalue = \"0\"\nformula = {{ {formula} }}");
            error_of(&format!(
                "title = \"a test\"\ngames = 10\n[[statement]]\n{statement}"
            ))
            .unwrap_or_default()
        };
        assert_eq!(error("cycle_mean = { area = 36, length = 1 }"), "");
        for (formula, words) in [
            (
                "cycle_mean = { area = 4, length = 5 }",
                "expected a length <= an area <= 65536, got 5 and 4",
            ),
            ("cycle_sd = { area = 70000, length = 5 }", "got 5 and 70000"),
            (
                "sum = { from = 1, to = 4000000000 }",
                "expected a sum up to at most 65536, got 4000000000",
            ),
            (
                "unknown_rings = { longest = 16, is_open = true }",
                "expected rings of at most 8 to 14 cells, got 16",
            ),
        ] {
            assert!(error(formula).ends_with(words), "{}", error(formula));
        }
    }

    /// Fragments to insert into damaged documents.
    const TEXTS: &[&str] = &[
        "",
        "0",
        "-1",
        "999999999999",
        "1e308",
        "nan",
        "[",
        "}",
        "\"",
        "\n",
        "x",
        "\u{e9}",
    ];

    proptest! {
        /// Damaged documents are refused or read, without panics. PROPTEST_CASES sets the number of
        /// texts.
        #[test]
        fn damaged_documents_are_read_or_refused(
            document in select(DOCUMENTS),
            edits in prop::collection::vec((any::<Index>(), 0..24usize, select(TEXTS)), 1..6),
        ) {
            let mut text = document.1.to_owned();
            for (at, removed, inserted) in edits {
                let boundaries: Vec<usize> = (0..=text.len())
                    .filter(|&at| text.is_char_boundary(at))
                    .collect();
                let from = at.index(boundaries.len());
                let to = (from + removed).min(boundaries.len() - 1);
                text.replace_range(boundaries[from]..boundaries[to], inserted);
            }
            if let Ok(document) = Document::parse(&text) {
                let quick = document
                    .statements
                    .iter()
                    .map(|statement| &statement.formula)
                    .filter(|formula| {
                        !matches!(
                            formula,
                            Formula::WrongRings { .. }
                                | Formula::MissingRings {}
                                | Formula::UnknownRings { .. }
                        )
                    });
                for formula in quick {
                    let _ = formula.value();
                }
            }
        }
    }
}
