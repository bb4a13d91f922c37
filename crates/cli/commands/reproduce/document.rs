//! Files of published numbers: what a document published, and how to play it.

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

/// What a document published, and how to play it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub(super) title: String,
    #[serde(default)]
    pub(super) seed: u64,
    pub(super) games: usize,
    /// The time of a step, where the document tells times.
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

/// Games of one policy by one set of rules, and the numbers that were published of them.
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

/// A published number, and where it stands in the document.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Number {
    pub(super) place: String,
    pub(super) what: Measure,
    pub(super) value: f64,
    /// Games; without them the value is exact.
    pub(super) n: Option<usize>,
    pub(super) sd: Option<f64>,
    #[serde(default)]
    pub(super) unit: f64,
    /// Why it differs, where that is known.
    pub(super) note: Option<String>,
}

/// A case for each value of the number after a policy's name.
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
    /// Further numbers that the picture shows.
    #[serde(default)]
    pub(super) between: Vec<u32>,
    pub(super) unit: f64,
    /// The axis of the picture.
    pub(super) x: String,
    pub(super) file: String,
}

/// The difference of two cases' mean steps of the games won. The t of such a difference grows with
/// the number of games and says nothing; means and deviations do.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Difference {
    pub(super) place: String,
    pub(super) first: String,
    pub(super) second: String,
    pub(super) published: Samples,
    /// Of the published means.
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
    /// The mean of the first minus the mean of the second.
    pub(super) fn difference(self) -> f64 {
        self.first.mean - self.second.mean
    }

    /// The standard error of the difference of the means.
    pub(super) fn standard_error(self) -> f64 {
        self.first
            .standard_error()
            .hypot(self.second.standard_error())
    }

    /// The difference in standard deviations of a game (Cohen's d).
    pub(super) fn effect(self) -> f64 {
        self.difference() / (self.first.sd.hypot(self.second.sd) / 2f64.sqrt())
    }
}

/// How one case compares with another.
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

/// What a document claims of one case next to another.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Expectation {
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
pub(super) struct Statement {
    pub(super) place: String,
    pub(super) says: String,
    /// A number, or a time as h:mm:ss.
    pub(super) value: String,
    #[serde(default)]
    pub(super) unit: f64,
    pub(super) formula: Formula,
}

/// How a statement's value is computed.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Formula {
    /// Exact mean steps of the follower of a cycle: (A-s)(A-s+3)/4.
    CycleMean { area: u32, length: u32 },
    /// Exact standard deviation of the steps of the follower of a cycle: the root of the sum over k
    /// = 1..A-s of (k^2-1)/12.
    CycleSd { area: u32, length: u32 },
    /// The sum of the whole numbers from one to another.
    Sum { from: u32, to: u32 },
    /// Seconds for steps.
    Clock { steps: f64, seconds: f64 },
    /// The t of Welch's test from two samples' moments.
    Welch { first: Moments, second: Moments },
    /// How many per cent less one number is than another.
    PercentLower { value: f64, than: f64 },
    /// The sum of some numbers.
    Total { of: Vec<f64> },
    /// The cells of the shortest ring on 14x14 that keeps food in a column and row from the
    /// opponent: wholly, or if it is open, so that the opponent does not come back.
    LeastRing { column: u8, row: u8, is_open: bool },
    /// How many rings of at most so many cells on 14x14 a scenario of `adder` takes for one that
    /// keeps food from the opponent, though it does not, summed over all places of the food.
    WrongRings { longest: usize },
    /// How many of the shortest rings that close food in on 14x14 no scenario of `adder` knows,
    /// summed over all places of the food.
    MissingRings {},
    /// How many per cent of the rings of at most so many cells on 14x14 that keep food from the
    /// opponent, wholly or if it is open, no scenario of `adder` knows, over all places of the
    /// food.
    UnknownRings { longest: usize, is_open: bool },
}

/// The largest area and the largest number of a sum.
const LARGEST: u32 = 1 << 16;

impl Formula {
    /// Whether it can be computed.
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

    /// The value; `None` of a test where neither sample varies.
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

/// What a figure shows of each game.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Shown {
    Steps,
    StepsWon,
    Length,
}

/// Reads an embedded document or a file of published numbers, with its name without folder and
/// ending.
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
    /// Reads a document, and checks that all that it names is there.
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
    /// When its games are cut off.
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
    /// All of the policy's numbers, in order.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        let numbers: BTreeSet<u32> = self
            .values
            .iter()
            .map(|value| value.0)
            .chain(self.between.iter().copied())
            .collect();
        numbers.into_iter()
    }

    /// The case of one of the policy's numbers.
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

    /// What damaged documents get inserted.
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
        /// What is damaged is refused, or read, and never panics. PROPTEST_CASES sets how many
        /// texts are tried.
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
