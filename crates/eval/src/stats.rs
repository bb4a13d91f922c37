//! Intervals, moments, tests and histograms, as pure functions of plain numbers.

use hognose_game::rng::{self, Purpose};
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

const BOOTSTRAP: Purpose = Purpose::new("bootstrap");
/// The number of bootstrap samples.
const RESAMPLES: u64 = 2000;

/// The minimum number of groups of a bootstrap: with fewer, its intervals would be too narrow.
pub const FEWEST_GROUPS: usize = 10;

/// The confidence level of every interval.
pub const LEVEL: f64 = 0.95;

/// A 95 % interval; serialized as `[low, high]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "[f64; 2]", into = "[f64; 2]")]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl From<[f64; 2]> for Interval {
    fn from([low, high]: [f64; 2]) -> Interval {
        Interval { low, high }
    }
}

impl From<Interval> for [f64; 2] {
    fn from(Interval { low, high }: Interval) -> [f64; 2] {
        [low, high]
    }
}

/// Returns the interval of a share of successes (Wilson, 1927); `trials` must not be 0.
pub fn wilson(successes: usize, trials: usize) -> Interval {
    score_interval(
        successes as f64 / trials as f64,
        trials as f64,
        normal_quantile(LEVEL),
    )
}

/// Returns Wilson's interval of a share of `n` trials, with the quantile `z`.
fn score_interval(share: f64, n: f64, z: f64) -> Interval {
    let scale = 1.0 + z * z / n;
    let middle = (share + z * z / (2.0 * n)) / scale;
    let half = z / scale * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    // Rounding would move the ends at 0 and 1.
    Interval {
        low: if share == 0.0 { 0.0 } else { middle - half },
        high: if share == 1.0 { 1.0 } else { middle + half },
    }
}

/// Returns the interval of a share of successes over groups, each given by its own share of
/// `trials` trials. It is Wilson's interval with Student's t over the groups as quantile, and with
/// the number of trials divided by the design effect: how much more the shares vary than by chance,
/// at least 1. It never leaves 0 to 1. `None` for fewer than two groups.
pub fn grouped_interval(shares: &[f64], trials: usize) -> Option<Interval> {
    let Moments { n, mean, sd } = Moments::of(shares)?;
    let by_chance = mean * (1.0 - mean) / trials as f64;
    let design_effect = if by_chance > 0.0 {
        (sd * sd / by_chance).max(1.0)
    } else {
        1.0
    };
    Some(score_interval(
        mean,
        (n * trials) as f64 / design_effect,
        student_quantile(n as f64 - 1.0)?,
    ))
}

/// Returns the interval of a share of successes in groups, such as the moves of games, each given
/// as (successes, trials). It resamples whole groups (percentile bootstrap; Efron, 1979) with a
/// generator keyed by the seed. If all samples have the same share, it is Wilson's interval with
/// one trial per group. `None` for fewer than [`FEWEST_GROUPS`] groups, or without trials.
pub fn bootstrap_interval(groups: &[(usize, usize)], seed: u64) -> Option<Interval> {
    let share = |sums: (usize, usize)| (sums.1 > 0).then(|| sums.0 as f64 / sums.1 as f64);
    let add = |sum: (usize, usize), group: (usize, usize)| (sum.0 + group.0, sum.1 + group.1);
    let all = share(groups.iter().copied().fold((0, 0), add))
        .filter(|_| groups.len() >= FEWEST_GROUPS)?;
    let shares: Vec<f64> = (0..RESAMPLES)
        .filter_map(|index| {
            let mut generator = rng::keyed(seed, BOOTSTRAP, index);
            let mut draw = || groups[rng::below(&mut generator, groups.len() as u64) as usize];
            share((0..groups.len()).fold((0, 0), |sum, _| add(sum, draw())))
        })
        .collect();
    percentile_interval(shares).map(|interval| match interval.low < interval.high {
        true => interval,
        false => score_interval(all, groups.len() as f64, normal_quantile(LEVEL)),
    })
}

/// Returns the central interval that contains [`LEVEL`] of these values; `None` if there are none.
pub fn percentile_interval(mut values: Vec<f64>) -> Option<Interval> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    let at = |level: f64| values[(level * last as f64).round() as usize];
    Some(Interval {
        low: at(0.5 - LEVEL / 2.0),
        high: at(0.5 + LEVEL / 2.0),
    })
}

/// Returns the mean; `None` if there are no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Returns the standard deviation with n - 1; `None` for fewer than two values.
pub fn sd(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values)?;
    Some(
        (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64).sqrt(),
    )
}

/// Returns the interval of a mean by Student's t; `None` for fewer than two values.
pub fn mean_interval(values: &[f64]) -> Option<Interval> {
    let Moments { n, mean, sd } = Moments::of(values)?;
    let n = n as f64;
    let half = student_quantile(n - 1.0)? * sd / n.sqrt();
    Some(Interval {
        low: mean - half,
        high: mean + half,
    })
}

/// Returns the two-sided quantile of Student's t with these degrees of freedom at [`LEVEL`].
fn student_quantile(df: f64) -> Option<f64> {
    Some(
        StudentsT::new(0.0, 1.0, df)
            .ok()?
            .inverse_cdf(0.5 + LEVEL / 2.0),
    )
}

/// The count, mean and standard deviation of a sample.
///
/// ```
/// use hognose_eval::stats::{Moments, welch_test};
///
/// let fast = Moments::of(&[8.0, 9.0, 10.0]).unwrap();
/// let slow = Moments { n: 100, mean: 12.0, sd: 1.0 };
/// assert!(welch_test(fast, slow).unwrap().p < 0.05);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moments {
    /// The number of values.
    pub n: usize,
    /// The mean of the sample.
    pub mean: f64,
    /// The standard deviation of the sample, with n - 1.
    pub sd: f64,
}

/// The result of a t-test of the difference of two means.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TTest {
    /// The difference of the means divided by its standard error.
    pub t: f64,
    /// Degrees of freedom.
    pub df: f64,
    /// Two-sided p-value.
    pub p: f64,
}

impl Moments {
    /// Computes the moments of at least two values.
    pub fn of(values: &[f64]) -> Option<Moments> {
        Some(Moments {
            n: values.len(),
            mean: mean(values)?,
            sd: sd(values)?,
        })
    }

    /// Returns the standard error of the mean.
    pub fn standard_error(&self) -> f64 {
        self.sd / (self.n as f64).sqrt()
    }
}

/// Tests whether two independent samples have the same mean, without assuming equal variances
/// (Welch, 1947). `None` if neither sample varies.
pub fn welch_test(a: Moments, b: Moments) -> Option<TTest> {
    let va = a.standard_error().powi(2);
    let vb = b.standard_error().powi(2);
    let df =
        (va + vb).powi(2) / (va.powi(2) / (a.n as f64 - 1.0) + vb.powi(2) / (b.n as f64 - 1.0));
    t_test((a.mean - b.mean) / (va + vb).sqrt(), df)
}

/// Tests whether the mean of paired differences is 0 (Student, 1908). `None` if they do not vary.
pub fn paired_test(differences: Moments) -> Option<TTest> {
    t_test(
        differences.mean / differences.standard_error(),
        differences.n as f64 - 1.0,
    )
}

fn t_test(t: f64, df: f64) -> Option<TTest> {
    let student = StudentsT::new(0.0, 1.0, df)
        .ok()
        .filter(|_| t.is_finite())?;
    Some(TTest {
        t,
        df,
        p: 2.0 * student.sf(t.abs()),
    })
}

/// Returns the rank correlation of pairs (Spearman, 1904): 1 if both always grow together. `None`
/// for fewer than two pairs, or if either never changes.
pub fn rank_correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let ranks = |values: Vec<f64>| {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        let mut ranks = vec![0.0; values.len()];
        let mut first = 0;
        for equal in order.chunk_by(|&a, &b| values[a] == values[b]) {
            let rank = first as f64 + (equal.len() - 1) as f64 / 2.0;
            equal.iter().for_each(|&index| ranks[index] = rank);
            first += equal.len();
        }
        ranks
    };
    let a = ranks(pairs.iter().map(|p| p.0).collect());
    let b = ranks(pairs.iter().map(|p| p.1).collect());
    let a_moments = Moments::of(&a)?;
    let b_moments = Moments::of(&b)?;
    let products = a
        .iter()
        .zip(&b)
        .map(|(x, y)| (x - a_moments.mean) * (y - b_moments.mean))
        .sum::<f64>();
    let scale = (pairs.len() - 1) as f64 * a_moments.sd * b_moments.sd;
    (scale > 0.0).then(|| products / scale)
}

/// Returns the two-sided quantile of the standard normal distribution at this level.
pub fn normal_quantile(level: f64) -> f64 {
    Normal::standard().inverse_cdf(0.5 + level / 2.0)
}

/// Counts of values in bins of equal width.
///
/// ```
/// use hognose_eval::stats::Histogram;
///
/// assert_eq!(Histogram::new(&[0.0, 0.9, 1.0, 2.5], 0.0, 1.0, 3).counts, [2, 1, 1]);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Histogram {
    /// The lower end of the first bin.
    pub start: f64,
    /// The width of a bin.
    pub width: f64,
    /// The number of values in each bin, including its lower end.
    pub counts: Vec<usize>,
}

impl Histogram {
    /// Counts values in bins from `start` on; values outside are left out.
    pub fn new(values: &[f64], start: f64, width: f64, bins: usize) -> Histogram {
        let mut counts = vec![0; bins];
        for value in values {
            let bin = ((value - start) / width).floor();
            if bin >= 0.0 && bin < bins as f64 {
                counts[bin as usize] += 1;
            }
        }
        Histogram {
            start,
            width,
            counts,
        }
    }

    /// Returns a histogram of each sample of whole numbers, all with the same bins: about `bins` of
    /// them, with a whole width. `None` if no sample has a value.
    pub fn of_samples(samples: &[&[f64]], bins: usize) -> Option<Vec<Histogram>> {
        let values = || samples.iter().copied().flatten().copied();
        let low = values().reduce(f64::min)?;
        let high = values().reduce(f64::max)?;
        let width = ((high - low + 1.0) / bins as f64).ceil();
        let start = (low / width).floor() * width;
        let bins = ((high - start) / width) as usize + 1;
        Some(
            samples
                .iter()
                .map(|sample| Histogram::new(sample, start, width, bins))
                .collect(),
        )
    }
}

/// Returns the empirical distribution: for each value in order, the share of values that are not
/// larger.
pub fn distribution(values: &[f64]) -> Vec<(f64, f64)> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut count = 0;
    let steps = sorted.chunk_by(|a, b| a == b).map(|equal| {
        count += equal.len();
        (equal[0], count as f64 / sorted.len() as f64)
    });
    steps.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 5e-4
    }

    /// Values from the literature: Wilson for 81 of 263 (Newcombe, 1998), t with 4 degrees of
    /// freedom 2.776.
    #[test]
    fn hand_worked_intervals() {
        let wilson_interval = wilson(81, 263);
        assert!(
            close(wilson_interval.low, 0.2553) && close(wilson_interval.high, 0.3662),
            "{wilson_interval:?}"
        );
        for trials in 1..100 {
            assert_eq!(wilson(0, trials).low, 0.0);
            assert_eq!(wilson(trials, trials).high, 1.0);
        }
        let values = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert!(close(sd(&values).unwrap(), 1.5811));
        let interval = mean_interval(&values).unwrap();
        assert!(
            close(interval.high - 3.0, 2.7764 * 1.5811 / 5f64.sqrt()),
            "{interval:?}"
        );
        // The numbers of Slitherin Round give t = 73.55 (the paper prints 73.54).
        let sub = Moments {
            n: 10_000,
            mean: 11610.9,
            sd: 506.84,
        };
        let whole = Moments {
            n: 10_000,
            mean: 12155.4,
            sd: 539.62,
        };
        let test = welch_test(whole, sub).unwrap();
        assert!(
            close(test.t, 73.5491) && (test.df - 19920.0).abs() < 1.0 && test.p < 1e-300,
            "{test:?}"
        );
        let paired = paired_test(Moments::of(&[1.0, 2.0, 0.0, 3.0, -1.0]).unwrap()).unwrap();
        let constant = Moments {
            n: 9,
            mean: 1.0,
            sd: 0.0,
        };
        assert_eq!(
            (paired_test(constant), welch_test(constant, constant)),
            (None, None)
        );
        assert!(
            close(paired.t, 2f64.sqrt()) && close(paired.p, 0.2302),
            "{paired:?}"
        );
        assert!(close(
            rank_correlation(&[(1.0, 10.0), (2.0, 100.0), (3.0, 1000.0)]).unwrap(),
            1.0
        ));
        let pairs = [(1.0, 2.0), (2.0, 1.0), (3.0, 4.0), (4.0, 3.0), (5.0, 5.0)];
        assert!(
            close(rank_correlation(&pairs).unwrap(), 0.8)
                && rank_correlation(&[(1.0, 1.0), (2.0, 1.0)]).is_none()
        );
        assert_eq!(
            Histogram::new(&[0.0, 0.9, 1.0, 2.5, -1.0, 9.0], 0.0, 1.0, 3).counts,
            [2, 1, 1]
        );
        let shared = Histogram::of_samples(&[&[10.0, 15.0], &[19.0], &[]], 4).unwrap();
        assert_eq!(
            shared[0],
            Histogram {
                start: 9.0,
                width: 3.0,
                counts: vec![1, 0, 1, 0]
            }
        );
        assert_eq!(
            (&shared[1].counts[..], &shared[2].counts[..]),
            (&[0, 0, 0, 1][..], &[0; 4][..])
        );
        assert_eq!(Histogram::of_samples(&[&[]], 4), None);
        assert_eq!(
            distribution(&[3.0, 1.0, 3.0, 2.0]),
            [(1.0, 0.25), (2.0, 0.5), (3.0, 1.0)]
        );
        assert_eq!(
            (mean(&[]), sd(&[1.0]), mean_interval(&[1.0])),
            (None, None, None)
        );
    }

    /// If shares vary only by chance, the interval over seeds is Wilson's with Student's t; more
    /// variation widens it, and it stays within 0 to 1.
    #[test]
    fn intervals_over_seeds_stay_within_0_to_1() {
        let chance = grouped_interval(&[0.5, 0.5, 0.5], 1000).unwrap();
        assert!(
            close(chance.low, 0.5 - 0.0392) && close(chance.high, 0.5 + 0.0392),
            "{chance:?}"
        );
        let spread = grouped_interval(&[0.4, 0.5, 0.6], 1000).unwrap();
        // The standard error is 0.1 / sqrt(3); Student's t with 2 degrees of freedom is 4.303.
        assert!(
            spread.high - spread.low > 0.3 && spread.low > 0.25 && spread.high < 0.75,
            "{spread:?}"
        );
        for shares in [
            [0.90, 0.95, 1.0],
            [1.0, 1.0, 1.0],
            [0.0, 0.1, 0.0],
            [0.0, 0.0, 0.0],
        ] {
            let Interval { low, high } = grouped_interval(&shares, 20).unwrap();
            let mean = mean(&shares).unwrap();
            assert!(
                0.0 <= low && low <= mean + 1e-9 && mean <= high + 1e-9 && high <= 1.0,
                "{low} {high}"
            );
            assert!(high - low > 0.05, "{low} {high}");
        }
        assert_eq!(grouped_interval(&[0.5], 1000), None);
    }

    /// Games of identical moves count as one trial each; independent moves give Wilson's interval.
    #[test]
    fn bootstrap_counts_groups() {
        let alike: Vec<(usize, usize)> = (0..40).map(|game| (100 * (game % 2), 100)).collect();
        let Interval { low, high } = bootstrap_interval(&alike, 0).unwrap();
        let wilson = wilson(20, 40);
        assert!(
            (low - wilson.low).abs() < 0.04 && (high - wilson.high).abs() < 0.04,
            "{low} {high} {wilson:?}"
        );
        let single: Vec<(usize, usize)> = (0..4000).map(|game| (game % 2, 1)).collect();
        let Interval { low, high } = bootstrap_interval(&single, 0).unwrap();
        assert!(
            (low - 0.4845).abs() < 0.003 && (high - 0.5155).abs() < 0.003,
            "{low} {high}"
        );
        assert_eq!(
            bootstrap_interval(&single, 0),
            bootstrap_interval(&single, 0)
        );
        assert_ne!(
            bootstrap_interval(&single, 0),
            bootstrap_interval(&single, 1)
        );
        let perfect = bootstrap_interval(&[(100, 100); 10], 0).unwrap();
        assert!(
            close(perfect.low, super::wilson(10, 10).low) && perfect.high == 1.0,
            "{perfect:?}"
        );
        assert_eq!(
            (
                bootstrap_interval(&[(1, 2)], 0),
                bootstrap_interval(&[(0, 0); 3], 0)
            ),
            (None, None)
        );
    }
}
