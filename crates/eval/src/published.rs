//! Tests whether published numbers agree with our own games. All functions take plain numbers, one
//! per game.

use crate::stats::{self, Moments};
use serde::Serialize;

/// A statistic of the values of several games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// The share of ones among zeros and ones.
    Share,
    /// The mean.
    Mean,
    /// The standard deviation, with n - 1.
    Deviation,
    /// The greatest value.
    Maximum,
}

/// An estimate with its sampling error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// The standard error of a single game; the standard error of the estimate is this divided by
    /// the square root of the number of games. `None` if the error is unknown, as for a maximum.
    pub spread: Option<f64>,
    /// The number of games.
    pub n: usize,
}

impl Estimate {
    /// Returns the standard error; `None` if unknown.
    pub fn standard_error(&self) -> Option<f64> {
        Some(self.spread? / (self.n as f64).sqrt())
    }
}

/// A published number.
///
/// ```
/// use hognose_eval::{Published, Statistic};
///
/// let published = Published { value: 10.5, n: Some(10_000), sd: None, unit: 0.1 };
/// let ours = [8.0, 10.0, 12.0, 10.0, 10.0, 8.0, 12.0, 10.0, 11.0, 9.0];
/// assert!(Statistic::Mean.compare(published, &ours, 0.99, 1).unwrap().agrees);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The number.
    pub value: f64,
    /// The number of games behind it; `None` for an exact value.
    pub n: Option<usize>,
    /// The published standard deviation.
    pub sd: Option<f64>,
    /// The unit of the last digit: rounding errors are at most half of it.
    pub unit: f64,
}

/// The comparison of a published and a measured number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Published minus measured.
    pub difference: f64,
    /// Half the width of the difference's interval; `None` for a maximum, which is judged
    /// differently.
    pub half_width: Option<f64>,
    /// Whether the two agree: the interval contains the difference.
    pub agrees: bool,
}

impl Statistic {
    /// Estimates the number from the values of several games; `None` if there are too few.
    ///
    /// ```
    /// use hognose_eval::Statistic;
    ///
    /// let mean = Statistic::Mean.estimate(&[1.0, 2.0, 6.0]).unwrap();
    /// assert_eq!((mean.value, mean.n), (3.0, 3));
    /// assert_eq!(Statistic::Maximum.estimate(&[1.0, 2.0, 6.0]).unwrap().standard_error(), None);
    /// ```
    pub fn estimate(self, values: &[f64]) -> Option<Estimate> {
        if self == Statistic::Maximum {
            let value = values.iter().copied().reduce(f64::max)?;
            return Some(Estimate {
                value,
                spread: None,
                n: values.len(),
            });
        }
        let Moments { n, mean, sd } = Moments::of(values)?;
        let (value, spread) = match self {
            Statistic::Deviation => (sd, spread_of_deviation(values, mean, sd)),
            _ => (mean, sd),
        };
        Some(Estimate {
            value,
            spread: Some(spread),
            n,
        })
    }

    /// Compares a published number with the values of our own games. The interval of the difference
    /// includes both samples' errors, at `level` for all of `rows` comparisons together
    /// (Bonferroni), and half the unit of the published number's last digit. `None` if there are
    /// too few games to compare.
    pub fn compare(
        self,
        published: Published,
        values: &[f64],
        level: f64,
        rows: usize,
    ) -> Option<Comparison> {
        let chance = (1.0 - level) / rows as f64;
        let own = self.estimate(values)?;
        let standard_error = match self {
            Statistic::Maximum => return compare_maximum(published, values, chance),
            Statistic::Share => error_of_shares(published, own),
            Statistic::Mean | Statistic::Deviation => {
                let spread = published.sd.or(own.spread)?;
                let theirs = published.n.map_or(0.0, |n| spread / (n as f64).sqrt());
                theirs.hypot(own.standard_error()?)
            }
        };
        let half_width =
            stats::normal_quantile(1.0 - chance) * standard_error + published.unit / 2.0;
        let difference = published.value - own.value;
        Some(Comparison {
            difference,
            half_width: Some(half_width),
            agrees: difference.abs() <= half_width,
        })
    }
}

/// Returns the spread of a standard deviation, from the fourth moment.
fn spread_of_deviation(values: &[f64], mean: f64, sd: f64) -> f64 {
    let fourth = values.iter().map(|x| (x - mean).powi(4)).sum::<f64>() / values.len() as f64;
    if sd > 0.0 {
        (fourth - sd.powi(4)).max(0.0).sqrt() / (2.0 * sd)
    } else {
        0.0
    }
}

/// Returns the standard error of the difference of two shares, assuming that both are equal.
fn error_of_shares(published: Published, own: Estimate) -> f64 {
    let n = published.n.map_or(f64::INFINITY, |n| n as f64);
    let own_n = own.n as f64;
    let pooled = match published.n {
        Some(_) => (published.value * n + own.value * own_n) / (n + own_n),
        None => published.value,
    };
    (pooled * (1.0 - pooled) * (1.0 / n + 1.0 / own_n)).sqrt()
}

/// Compares maxima: the share of games above the published maximum, 0 in the published sample, must
/// not be significantly higher in ours; and one of the published games must have had a chance to
/// reach it.
fn compare_maximum(published: Published, values: &[f64], chance: f64) -> Option<Comparison> {
    let n = published.n? as f64;
    let own_n = values.len() as f64;
    let own = Statistic::Maximum.estimate(values)?;
    let greater = values
        .iter()
        .filter(|&&value| value > published.value)
        .count() as f64;
    let pooled = greater / (n + own_n);
    let standard_error = (pooled * (1.0 - pooled) * (1.0 / n + 1.0 / own_n)).sqrt();
    let not_too_low = greater / own_n <= stats::normal_quantile(1.0 - chance) * standard_error;
    let reached = -f64::exp_m1(n * f64::ln_1p(-chance_to_reach(published.value, values)));
    let agrees = not_too_low && reached >= chance / 2.0;
    Some(Comparison {
        difference: published.value - own.value,
        half_width: None,
        agrees,
    })
}

/// Returns the probability that a value is at least `goal`: the share of such values or, beyond the
/// maximum, an extrapolation by an exponential tail, fitted to the greatest values (as many as the
/// square root of their number).
fn chance_to_reach(goal: f64, values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let n = sorted.len() as f64;
    let reached = sorted.partition_point(|&value| value >= goal);
    if reached > 0 {
        return reached as f64 / n;
    }
    let tail = n.sqrt().ceil() as usize;
    let Some(&threshold) = sorted.get(tail) else {
        return 0.0;
    };
    let excess = sorted[..tail]
        .iter()
        .map(|value| value - threshold)
        .sum::<f64>()
        / tail as f64;
    if excess > 0.0 {
        tail as f64 / n * ((threshold - goal) / excess).exp()
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_have_both_samples_errors() {
        let values = [8.0, 10.0, 12.0, 10.0, 10.0, 8.0, 12.0, 10.0, 11.0, 9.0];
        let compare = |value, n, unit| {
            Statistic::Mean
                .compare(
                    Published {
                        value,
                        n,
                        sd: None,
                        unit,
                    },
                    &values,
                    0.99,
                    1,
                )
                .unwrap()
        };
        // Mean 10, sd 1.4142: our standard error is 0.4472, and that of two samples is sqrt(2)
        // times as large.
        let half_width = |value, n, unit| compare(value, n, unit).half_width.unwrap();
        assert!((half_width(10.5, None, 0.0) - 2.5758 * 0.44721).abs() < 1e-3);
        assert!((half_width(10.5, Some(10), 0.2) - (2.5758 * 0.63246 + 0.1)).abs() < 1e-3);
        assert!(
            compare(11.0, None, 0.0).agrees
                && !compare(11.2, None, 0.0).agrees
                && compare(11.2, Some(10), 0.0).agrees
        );
        let sd = Statistic::Deviation.estimate(&values).unwrap();
        assert!((sd.value - 2f64.sqrt()).abs() < 1e-9, "{sd:?}");
        // 1 of 10,000 games won agrees with 0 of 10,000, and not with 30.
        let rate = |wins| {
            let published = Published {
                value: 1e-4,
                n: Some(10_000),
                sd: None,
                unit: 0.0,
            };
            let won: Vec<f64> = (0..10_000)
                .map(|game| f64::from(u8::from(game < wins)))
                .collect();
            Statistic::Share
                .compare(published, &won, 0.99, 1)
                .unwrap()
                .agrees
        };
        assert!(rate(0) && rate(2) && !rate(30));
    }

    #[test]
    fn maxima_are_judged_by_the_tail() {
        let longest = |lengths: &[f64], value| {
            let published = Published {
                value,
                n: Some(lengths.len()),
                sd: None,
                unit: 1.0,
            };
            Statistic::Maximum
                .compare(published, lengths, 0.99, 1)
                .unwrap()
                .agrees
        };
        // All ended at a length of 9: none would have gone further.
        let alike = [9.0; 10];
        assert!(longest(&alike, 9.0) && !longest(&alike, 20.0) && !longest(&alike, 5.0));
        // Half of the games end at each length: in 1000 games the longest reaches about 10, and 20
        // once in a thousand samples.
        let tail: Vec<f64> = (0..1000u32)
            .map(|game| f64::from(10 - (1000 - game).ilog2()))
            .collect();
        assert!(
            longest(&tail, 10.0)
                && longest(&tail, 13.0)
                && !longest(&tail, 40.0)
                && !longest(&tail, 4.0)
        );
    }
}
