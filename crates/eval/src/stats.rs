//! Intervals and moments, as pure functions.

use serde::{Serialize, Serializer};
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// The level of every interval.
pub const LEVEL: f64 = 0.95;

/// A 95 % interval; serialized as `[low, high]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Serialize for Interval {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.low, self.high].serialize(serializer)
    }
}

/// The interval of a share of successes (Wilson, 1927); `trials` must not be 0.
pub fn wilson(successes: usize, trials: usize) -> Interval {
    let z = Normal::standard().inverse_cdf(0.5 + LEVEL / 2.0);
    let (n, share) = (trials as f64, successes as f64 / trials as f64);
    let scale = 1.0 + z * z / n;
    let middle = (share + z * z / (2.0 * n)) / scale;
    let half = z / scale * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    Interval { low: (middle - half).max(0.0), high: (middle + half).min(1.0) }
}

/// The mean; `None` of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The standard deviation with n - 1; `None` of fewer than two values.
pub fn sd(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values)?;
    Some((values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64).sqrt())
}

/// The interval of a mean by Student's t; `None` of fewer than two values.
pub fn mean_interval(values: &[f64]) -> Option<Interval> {
    let (mean, sd) = (mean(values)?, sd(values)?);
    let n = values.len() as f64;
    let t = StudentsT::new(0.0, 1.0, n - 1.0).ok()?.inverse_cdf(0.5 + LEVEL / 2.0);
    let half = t * sd / n.sqrt();
    Some(Interval { low: mean - half, high: mean + half })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 5e-4
    }

    /// Values from the literature: Wilson for 81 of 263 (Newcombe, 1998), t with 4 degrees of freedom 2.776.
    #[test]
    fn hand_worked_intervals() {
        let wilson_interval = wilson(81, 263);
        assert!(close(wilson_interval.low, 0.2553) && close(wilson_interval.high, 0.3662), "{wilson_interval:?}");
        assert!(close(wilson(0, 10).low, 0.0) && close(wilson(10, 10).high, 1.0));
        let values = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert!(close(sd(&values).unwrap(), 1.5811));
        let interval = mean_interval(&values).unwrap();
        assert!(close(interval.high - 3.0, 2.7764 * 1.5811 / 5f64.sqrt()), "{interval:?}");
        assert_eq!((mean(&[]), sd(&[1.0]), mean_interval(&[1.0])), (None, None, None));
    }
}
