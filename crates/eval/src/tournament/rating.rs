//! Ratings from the results of pairs, as pure functions of plain numbers (Bradley and Terry, 1952).

use crate::Interval;
use crate::stats;
use hognose_game::rng::{self, Purpose};

const BOOTSTRAP: Purpose = Purpose::new("bootstrap of ratings");
/// The number of bootstrap samples.
const RESAMPLES: u64 = 1000;

/// The points that each player won against each other one: 1 for a win, half for a draw. The points
/// that two players won against each other add up to their number of games.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    players: usize,
    /// The points, in row-major order.
    points: Vec<f64>,
}

impl Points {
    /// Creates a table without points for `players` players.
    pub fn new(players: usize) -> Points {
        Points {
            players,
            points: vec![0.0; players * players],
        }
    }

    /// Returns the number of players.
    pub fn players(&self) -> usize {
        self.players
    }

    /// Returns the points that a player won against an opponent.
    pub fn of(&self, player: usize, opponent: usize) -> f64 {
        self.points[player * self.players + opponent]
    }

    /// Adds points that a player won against an opponent.
    pub fn add(&mut self, player: usize, opponent: usize, points: f64) {
        self.points[player * self.players + opponent] += points;
    }

    /// Adds the points of other games.
    pub fn add_all(&mut self, other: &Points) {
        self.points
            .iter_mut()
            .zip(&other.points)
            .for_each(|(sum, points)| *sum += points);
    }
}

/// Returns the maximum-likelihood ratings on the Elo scale, where the anchor has 0. At a difference
/// of 400 the better player wins ten of eleven points.
///
/// The prior is weak: each pair counts as having drawn one additional game. This keeps the ratings
/// of players that always won or always lost finite, and connects players that never met.
///
/// ```
/// use hognose_eval::tournament::rating::{Points, ratings};
///
/// let mut points = Points::new(2);
/// points.add(0, 1, 9.5);
/// points.add(1, 0, 0.5);
/// // With the prior, 10 points of 11.
/// assert_eq!(ratings(&points, 1)[0].round(), 400.0);
/// ```
pub fn ratings(points: &Points, anchor: usize) -> Vec<f64> {
    let players = points.players();
    let mut with_prior = points.clone();
    for player in 0..players {
        for opponent in (0..players).filter(|&opponent| opponent != player) {
            with_prior.add(player, opponent, 0.5);
        }
    }
    let strengths = strengths(&with_prior);
    strengths
        .iter()
        .map(|strength| (strength - strengths[anchor]) * 400.0 / std::f64::consts::LN_10)
        .collect()
}

/// Returns the 95 % intervals of ratings, by bootstrap over groups of games, such as the games of a
/// seed (percentiles; Efron, 1979), with a generator keyed by the seed. All are `None` for fewer
/// than [`stats::FEWEST_GROUPS`] groups. An interval of width 0 means that all samples gave the
/// same points, for example because a player always won; it does not mean certainty.
pub fn rating_intervals(groups: &[Points], anchor: usize, seed: u64) -> Vec<Option<Interval>> {
    let players = groups.first().map_or(0, Points::players);
    if groups.len() < stats::FEWEST_GROUPS {
        return vec![None; players];
    }
    let mut drawn: Vec<Vec<f64>> = vec![Vec::new(); players];
    for index in 0..RESAMPLES {
        let mut generator = rng::keyed(seed, BOOTSTRAP, index);
        let mut points = Points::new(players);
        for _ in groups {
            points.add_all(&groups[rng::below(&mut generator, groups.len() as u64) as usize]);
        }
        drawn
            .iter_mut()
            .zip(ratings(&points, anchor))
            .for_each(|(drawn, rating)| drawn.push(rating));
    }
    drawn.into_iter().map(stats::percentile_interval).collect()
}

/// Returns the logarithms of the maximum-likelihood strengths: a player of strength a wins a / (a +
/// b) of the points against one of strength b. The last player has 0. Every player must have won
/// points against every other.
///
/// The likelihood is concave, and this is Newton's method, with steps that are halved until the
/// likelihood increases.
fn strengths(points: &Points) -> Vec<f64> {
    let players = points.players();
    let free = players.saturating_sub(1);
    let mut strengths = vec![0.0; players];
    let mut likelihood = log_likelihood(points, &strengths);
    for _ in 0..MOST_STEPS {
        let mut gradient = vec![0.0; free];
        let mut curvature = vec![vec![0.0; free]; free];
        for player in 0..free {
            for opponent in (0..players).filter(|&opponent| opponent != player) {
                let games = points.of(player, opponent) + points.of(opponent, player);
                let expected = share(strengths[player] - strengths[opponent]);
                gradient[player] += points.of(player, opponent) - games * expected;
                let weight = games * expected * (1.0 - expected);
                curvature[player][player] += weight;
                if opponent < free {
                    curvature[player][opponent] -= weight;
                }
            }
        }
        if gradient.iter().all(|slope| slope.abs() < PRECISION) {
            break;
        }
        let mut step = solve(curvature, gradient);
        step.push(0.0);
        let mut scale = 1.0;
        loop {
            let next: Vec<f64> = strengths
                .iter()
                .zip(&step)
                .map(|(strength, step)| strength + scale * step)
                .collect();
            let its = log_likelihood(points, &next);
            if its > likelihood {
                (strengths, likelihood) = (next, its);
                break;
            }
            scale /= 2.0;
            // As good as this precision allows.
            if scale < PRECISION {
                return strengths;
            }
        }
    }
    strengths
}

/// The iteration limit of Newton's method, which needs about ten steps.
const MOST_STEPS: usize = 100;
/// The maximum difference between a player's points and its expected points.
const PRECISION: f64 = 1e-9;

/// Returns the expected share of points of a player whose strength has a logarithm larger by
/// `difference`.
fn share(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

fn log_likelihood(points: &Points, strengths: &[f64]) -> f64 {
    let players = points.players();
    let pairs =
        (0..players).flat_map(|player| (0..players).map(move |opponent| (player, opponent)));
    let others = pairs.filter(|(player, opponent)| player != opponent);
    others
        .map(|(player, opponent)| {
            // The logarithm of the share, computed without overflow.
            let difference = strengths[player] - strengths[opponent];
            points.of(player, opponent) * (difference.min(0.0) - (-difference.abs()).exp().ln_1p())
        })
        .sum()
}

/// Solves a system of linear equations with a symmetric positive definite matrix, by elimination.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for pivot in 0..n {
        let row = matrix[pivot].clone();
        for below in pivot + 1..n {
            let factor = matrix[below][pivot] / row[pivot];
            matrix[below]
                .iter_mut()
                .zip(&row)
                .skip(pivot)
                .for_each(|(cell, above)| *cell -= factor * above);
            right[below] -= factor * right[pivot];
        }
    }
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n)
            .map(|column| matrix[row][column] * right[column])
            .sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(rows: &[&[f64]]) -> Points {
        let mut points = Points::new(rows.len());
        for (player, row) in rows.iter().enumerate() {
            row.iter()
                .enumerate()
                .for_each(|(opponent, &won)| points.add(player, opponent, won));
        }
        points
    }

    fn close(a: &[f64], b: &[f64], by: f64) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < by)
    }

    /// With the prior, 10.5 of 11 points are 21 to 1, and 400 log10(21) = 528.888.
    #[test]
    fn hand_worked_ratings() {
        let sweep = points(&[&[0.0, 10.0], &[0.0, 0.0]]);
        assert!(
            close(&ratings(&sweep, 1), &[528.888, 0.0], 1e-3),
            "{:?}",
            ratings(&sweep, 1)
        );
        assert!(close(&ratings(&sweep, 0), &[0.0, -528.888], 1e-3));
        // Strengths 4, 2 and 1 win 2 of 3, 4 of 5 and 2 of 3 points, including the prior.
        let shares = points(&[&[0.0, 39.5, 39.5], &[19.5, 0.0, 39.5], &[9.5, 19.5, 0.0]]);
        let double = 400.0 * 2f64.log10();
        assert!(close(
            &ratings(&shares, 2),
            &[2.0 * double, double, 0.0],
            1e-6
        ));
        // Everybody beats the next player.
        let circle = points(&[&[0.0, 8.0, 2.0], &[2.0, 0.0, 8.0], &[8.0, 2.0, 0.0]]);
        assert!(close(&ratings(&circle, 0), &[0.0; 3], 1e-9));
        // Nobody has met the last player.
        let unmet = points(&[&[0.0, 3.0, 0.0], &[1.0, 0.0, 0.0], &[0.0, 0.0, 0.0]]);
        assert!(ratings(&unmet, 0).iter().all(|rating| rating.is_finite()));
        assert_eq!(ratings(&Points::new(1), 0), [0.0]);
    }

    /// Rates by a slow, obvious method that converges to the same ratings (Zermelo, 1929): a
    /// player's strength is its points divided by the sum of games / (strengths of both).
    fn iterated(points: &Points) -> Vec<f64> {
        let players = points.players();
        let mut strengths = vec![1.0; players];
        for _ in 0..200_000 {
            for player in 0..players {
                let others = || (0..players).filter(|&opponent| opponent != player);
                let won: f64 = others().map(|opponent| points.of(player, opponent)).sum();
                let games = |opponent| points.of(player, opponent) + points.of(opponent, player);
                let shared: f64 = others()
                    .map(|other| games(other) / (strengths[player] + strengths[other]))
                    .sum();
                strengths[player] = won / shared;
            }
        }
        strengths
            .iter()
            .map(|strength| (strength / strengths[players - 1]).ln())
            .collect()
    }

    #[test]
    fn newton_agrees_with_iteration() {
        for index in 0..20 {
            let mut generator = rng::keyed(1, Purpose::new("test"), index);
            let players = 2 + rng::below(&mut generator, 5) as usize;
            let mut random = Points::new(players);
            for player in 0..players {
                for opponent in (0..players).filter(|&opponent| opponent != player) {
                    // Sometimes few points, as if a player always loses.
                    let most = [1, 100][rng::below(&mut generator, 2) as usize];
                    random.add(
                        player,
                        opponent,
                        0.5 + rng::below(&mut generator, most) as f64 / 2.0,
                    );
                }
            }
            let fast = strengths(&random);
            let slow = iterated(&random);
            assert!(close(&fast, &slow, 1e-6), "{random:?}: {fast:?} {slow:?}");
        }
    }

    /// The interval of a known difference: 3 of 4 points over 400 games, whose standard error is
    /// 400 / ln(10) / sqrt(400 * 3/16) = 20.06.
    #[test]
    fn intervals_are_as_wide_as_theory_says() {
        let game = |won: f64| points(&[&[0.0, won], &[1.0 - won, 0.0]]);
        let games: Vec<Points> = (0..400)
            .map(|index| game(if index % 4 == 0 { 0.0 } else { 1.0 }))
            .collect();
        let intervals = rating_intervals(&games, 1, 0);
        let Interval { low, high } = intervals[0].unwrap();
        assert!(
            (low - (190.3 - 39.3)).abs() < 6.0 && (high - (190.3 + 39.3)).abs() < 6.0,
            "{low} {high}"
        );
        assert_eq!(
            intervals[1],
            Some(Interval {
                low: 0.0,
                high: 0.0
            })
        );
        assert_eq!(rating_intervals(&games, 1, 0), intervals);
        assert_ne!(rating_intervals(&games, 1, 1), intervals);
        assert_eq!(rating_intervals(&games[..1], 0, 0), [None, None]);
        let swept = rating_intervals(&vec![game(1.0); 10], 1, 0)[0].unwrap();
        assert!(swept.low == swept.high && swept.low > 500.0, "{swept:?}");
    }
}
