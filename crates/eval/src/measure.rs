//! What is read off a policy's games, and whether two such numbers agree.

use crate::stats::{self, Moments};
use crate::{End, Episode};
use serde::{Deserialize, Serialize};

/// A number that sums up a policy's games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Share of games won.
    WinRate,
    /// Mean length at the end of all games, in cells.
    MeanLength,
    /// The greatest length at the end of a game.
    MaxLength,
    /// Mean steps of all games.
    MeanSteps,
    /// Mean steps of the games won.
    MeanStepsWon,
    /// Standard deviation of the steps of the games won.
    SdStepsWon,
}

/// A number with what its sampling error follows from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// The standard error if it came from a single game: the error is this over the root of the number of games.
    pub spread: f64,
    /// The number of games that it comes from.
    pub n: usize,
}

impl Estimate {
    /// The standard error.
    pub fn standard_error(&self) -> f64 {
        self.spread / (self.n as f64).sqrt()
    }
}

impl Measure {
    /// The number, from these games; `None` where none of them counts.
    pub fn estimate(self, episodes: &[Episode]) -> Option<Estimate> {
        let won = || episodes.iter().filter(|episode| episode.end == End::Won);
        let of = |values: &[f64]| {
            let Moments { n, mean, sd } = Moments::of(values)?;
            Some(Estimate { value: mean, spread: sd, n })
        };
        let all = |value: fn(&Episode) -> f64| episodes.iter().map(value).collect::<Vec<f64>>();
        let steps_won = || won().map(|episode| episode.steps as f64).collect::<Vec<f64>>();
        match self {
            Measure::WinRate => of(&all(|episode| f64::from(u8::from(episode.end == End::Won)))),
            Measure::MeanLength => of(&all(|episode| episode.length as f64)),
            Measure::MeanSteps => of(&all(|episode| episode.steps as f64)),
            Measure::MeanStepsWon => of(&steps_won()),
            Measure::SdStepsWon => sd_estimate(&steps_won()),
            Measure::MaxLength => {
                let longest = episodes.iter().map(|episode| episode.length).max()?;
                Some(Estimate { value: longest as f64, spread: f64::NAN, n: episodes.len() })
            }
        }
    }
}

/// The standard deviation, whose own spread follows from the fourth moment.
fn sd_estimate(values: &[f64]) -> Option<Estimate> {
    let Moments { n, mean, sd } = Moments::of(values)?;
    let fourth = values.iter().map(|x| (x - mean).powi(4)).sum::<f64>() / n as f64;
    let spread = if sd > 0.0 { (fourth - sd.powi(4)).max(0.0).sqrt() / (2.0 * sd) } else { 0.0 };
    Some(Estimate { value: sd, spread, n })
}

/// A published number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The number.
    pub value: f64,
    /// The number of games that it comes from; `None` for an exact value.
    pub n: Option<usize>,
    /// The standard deviation that was published with it.
    pub sd: Option<f64>,
    /// The unit of its last digit: it may be off by half of that.
    pub unit: f64,
}

/// How a published and a measured number compare.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Published minus measured.
    pub difference: f64,
    /// Half the width of the difference's interval.
    pub half_width: f64,
    /// Whether the difference lies in the interval.
    pub agrees: bool,
}

impl Measure {
    /// Compares a published number with games of our own. The interval of the difference has both samples' errors, at
    /// `level` for all of `rows` comparisons together (Bonferroni), and half the unit of the published number's last digit.
    pub fn compare(self, published: Published, episodes: &[Episode], level: f64, rows: usize) -> Option<Comparison> {
        let estimate = self.estimate(episodes)?;
        let error = |spread: f64| published.n.map_or(0.0, |n| spread / (n as f64).sqrt());
        let (difference, standard_error) = match self {
            Measure::MaxLength => {
                let (n, own) = (published.n? as f64, episodes.len() as f64);
                let chance = (1.0 - level) / rows as f64;
                // As many of the published games were longer than their maximum as of ours should be: none.
                let longer = episodes.iter().filter(|episode| episode.length as f64 > published.value).count() as f64;
                let pooled = longer / (n + own);
                let standard_error = (pooled * (1.0 - pooled) * (1.0 / n + 1.0 / own)).sqrt();
                let not_too_low = longer / own <= stats::normal_quantile(1.0 - chance) * standard_error;
                // One of the published games must have had a chance to come so far.
                let reached = -f64::exp_m1(n * f64::ln_1p(-chance_to_reach(published.value, episodes)));
                let difference = published.value - estimate.value;
                let agrees = not_too_low && reached >= chance / 2.0;
                return Some(Comparison { difference, half_width: f64::NAN, agrees });
            }
            Measure::WinRate => {
                let (n, own) = (published.n.map_or(f64::INFINITY, |n| n as f64), estimate.n as f64);
                let pooled = match published.n {
                    Some(_) => (published.value * n + estimate.value * own) / (n + own),
                    None => published.value,
                };
                (published.value - estimate.value, (pooled * (1.0 - pooled) * (1.0 / n + 1.0 / own)).sqrt())
            }
            _ => {
                let theirs = error(published.sd.unwrap_or(estimate.spread));
                (published.value - estimate.value, theirs.hypot(estimate.standard_error()))
            }
        };
        let z = stats::normal_quantile(1.0 - (1.0 - level) / rows as f64);
        let half_width = z * standard_error + published.unit / 2.0;
        Some(Comparison { difference, half_width, agrees: difference.abs() <= half_width })
    }
}

/// How likely a game is to end at least so long: the share of those that do, or, beyond the longest, what an exponential tail
/// over the longest of them tells (as many as the root of their number).
fn chance_to_reach(length: f64, episodes: &[Episode]) -> f64 {
    let mut lengths: Vec<f64> = episodes.iter().map(|episode| episode.length as f64).collect();
    lengths.sort_by(|a, b| b.total_cmp(a));
    let n = lengths.len() as f64;
    let reached = lengths.partition_point(|&its| its >= length);
    if reached > 0 {
        return reached as f64 / n;
    }
    let tail = n.sqrt().ceil() as usize;
    let Some(&threshold) = lengths.get(tail) else { return 0.0 };
    let excess = lengths[..tail].iter().map(|its| its - threshold).sum::<f64>() / tail as f64;
    if excess > 0.0 { tail as f64 / n * ((threshold - length) / excess).exp() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(steps: &[u64], wins: usize) -> Vec<Episode> {
        let end = |index| if index < wins { End::Won } else { End::Body };
        let episode = |(index, &steps)| Episode { seed: 0, steps, length: 9, foods: 8, end: end(index), forbidden: 0 };
        steps.iter().enumerate().map(episode).collect()
    }

    #[test]
    fn comparisons_have_both_samples_errors() {
        let episodes = games(&[8, 10, 12, 10, 10, 8, 12, 10, 11, 9], 10);
        let compare = |value, n, unit| {
            Measure::MeanStepsWon.compare(Published { value, n, sd: None, unit }, &episodes, 0.99, 1).unwrap()
        };
        // Mean 10, sd 1.4142: the standard error is 0.4472 of ours, sqrt(2) times that of two samples.
        assert!((compare(10.5, None, 0.0).half_width - 2.5758 * 0.44721).abs() < 1e-3);
        assert!((compare(10.5, Some(10), 0.2).half_width - (2.5758 * 0.63246 + 0.1)).abs() < 1e-3);
        assert!(
            compare(11.0, None, 0.0).agrees && !compare(11.2, None, 0.0).agrees && compare(11.2, Some(10), 0.0).agrees
        );
        let sd = Measure::SdStepsWon.estimate(&episodes).unwrap();
        assert!((sd.value - 2f64.sqrt()).abs() < 1e-9, "{sd:?}");
        // 1 of 10,000 games won agrees with 0 of 10,000, and not with 30.
        let rate = |wins| {
            let published = Published { value: 1e-4, n: Some(10_000), sd: None, unit: 0.0 };
            Measure::WinRate.compare(published, &games(&vec![1; 10_000], wins), 0.99, 1).unwrap().agrees
        };
        assert!(rate(0) && rate(2) && !rate(30));
        let longest = |value| {
            let published = Published { value, n: Some(10), sd: None, unit: 1.0 };
            Measure::MaxLength.compare(published, &episodes, 0.99, 1).unwrap().agrees
        };
        // All ended at a length of 9: none would have gone further.
        assert!(longest(9.0) && !longest(20.0) && !longest(5.0));
        // Half of the games end at each length: of 1000 games the longest reaches about 10, and 20 once in a thousand times.
        let tail: Vec<Episode> = (0..1000u32)
            .map(|game| Episode { length: 1 + (1000 - game).ilog2() as usize, ..episodes[0] })
            .map(|episode| Episode { length: 11 - episode.length, ..episode })
            .collect();
        let longest = |value| {
            let published = Published { value, n: Some(1000), sd: None, unit: 1.0 };
            Measure::MaxLength.compare(published, &tail, 0.99, 1).unwrap().agrees
        };
        assert!(longest(10.0) && longest(13.0) && !longest(40.0) && !longest(4.0));
    }
}
