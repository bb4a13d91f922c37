//! Exact solutions of small zero-sum games with simultaneous moves.

use hognose_game::duel::{Mixture, Seat};
use hognose_game::rng::{self, Generator};
use hognose_game::{Direction, Directions};

/// The maximum number of moves of a player. A snake of at least three cells never has more legal
/// ones.
pub const MOST: usize = 3;

/// The payoffs of a zero-sum game, from the player who chooses the column to the player who chooses
/// the row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    payoffs: [[f64; MOST]; MOST],
}

/// The value of a game, and optimal mixed strategies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solution {
    /// The row player's mean payoff under these strategies.
    pub value: f64,
    /// The probabilities of the rows.
    pub rows: [f64; MOST],
    /// The probabilities of the columns.
    pub columns: [f64; MOST],
}

impl Solution {
    /// Draws a row with the probabilities of an optimal player.
    pub fn draw_row(&self, draws: &mut Generator) -> usize {
        let drawn = rng::below(draws, 1 << 53) as f64 / (1u64 << 53) as f64;
        let mut sum = 0.0;
        let row = self.rows.iter().position(|probability| {
            sum += probability;
            drawn < sum
        });
        // Rounding may leave a remainder at the end.
        row.or_else(|| self.rows.iter().rposition(|&probability| probability > 0.0))
            .unwrap_or(0)
    }
}

impl Matrix {
    /// Makes a game of 1 to [`MOST`] rows and columns, with finite payoffs.
    pub fn new(rows: usize, columns: usize, mut payoff: impl FnMut(usize, usize) -> f64) -> Matrix {
        let mut payoffs = [[0.0; MOST]; MOST];
        for (row, payoffs) in payoffs.iter_mut().enumerate().take(rows) {
            for (column, place) in payoffs.iter_mut().enumerate().take(columns) {
                *place = payoff(row, column);
            }
        }
        Matrix {
            rows,
            columns,
            payoffs,
        }
    }

    /// Solves the game exactly.
    ///
    /// Some pair of optimal strategies comes from a square submatrix (Shapley and Snow, 1950): each
    /// player's strategy makes the payoff independent of the other's choice within it. This method
    /// therefore tries every square submatrix, and for each player takes the strategy with the best
    /// guarantee. Pure strategies come first.
    pub fn solve(&self) -> Solution {
        let mut best = Solution {
            value: f64::NEG_INFINITY,
            rows: [0.0; MOST],
            columns: [0.0; MOST],
        };
        let mut least = f64::INFINITY;
        for size in 1..=self.rows.min(self.columns) {
            for rows in SUBSETS[size - 1]
                .iter()
                .filter(|rows| rows[size - 1] < self.rows)
            {
                for columns in SUBSETS[size - 1]
                    .iter()
                    .filter(|columns| columns[size - 1] < self.columns)
                {
                    let part = |i: usize, j: usize| self.payoffs[rows[i]][columns[j]];
                    if let Some(strategy) = strategy(size, rows, part) {
                        let guaranteed = self.guaranteed(&strategy);
                        if guaranteed > best.value {
                            (best.value, best.rows) = (guaranteed, strategy);
                        }
                    }
                    if let Some(strategy) = strategy(size, columns, |i, j| part(j, i)) {
                        let conceded = self.conceded(&strategy);
                        if conceded < least {
                            (least, best.columns) = (conceded, strategy);
                        }
                    }
                }
            }
        }
        best
    }

    /// Returns the row player's payoff with pure strategies if the row is chosen first, and if the
    /// column is. If both are equal, that is the value of the game.
    pub fn pure(&self) -> [f64; 2] {
        let mut most = [f64::NEG_INFINITY; MOST];
        let mut best = f64::NEG_INFINITY;
        for payoffs in &self.payoffs[..self.rows] {
            let mut least = f64::INFINITY;
            for (&payoff, most) in payoffs[..self.columns].iter().zip(&mut most) {
                least = least.min(payoff);
                *most = most.max(payoff);
            }
            best = best.max(least);
        }
        [
            best,
            most[..self.columns]
                .iter()
                .copied()
                .fold(f64::INFINITY, f64::min),
        ]
    }

    /// Returns the smallest payoff of a row player's strategy.
    pub fn guaranteed(&self, rows: &[f64; MOST]) -> f64 {
        (0..self.columns)
            .map(|column| {
                (0..self.rows)
                    .map(|row| rows[row] * self.payoffs[row][column])
                    .sum::<f64>()
            })
            .fold(f64::INFINITY, f64::min)
    }

    /// Returns the greatest payoff against a column player's strategy.
    pub fn conceded(&self, columns: &[f64; MOST]) -> f64 {
        (0..self.rows)
            .map(|row| {
                (0..self.columns)
                    .map(|column| columns[column] * self.payoffs[row][column])
                    .sum::<f64>()
            })
            .fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Returns a joint move by optimal play of both seats, and the mixture of `me`'s moves that its own
/// one is drawn from; the other's is its likeliest one. `moves` are those of `me` and of the other.
pub(crate) fn choose(
    me: Seat,
    moves: [Directions; 2],
    draws: &mut Generator,
    mut payoff: impl FnMut(Direction, Direction) -> f64,
) -> ([Direction; 2], Mixture) {
    let [mine, others] = moves.map(|moves| moves.iter().collect::<Vec<_>>());
    let matrix = Matrix::new(mine.len(), others.len(), |row, column| {
        payoff(mine[row], others[column])
    });
    let solution = matrix.solve();
    let row = solution.draw_row(draws);
    let column = (0..others.len())
        .max_by(|&a, &b| solution.columns[a].total_cmp(&solution.columns[b]))
        .expect("there is a move");
    (
        me.joint(mine[row], others[column]),
        mixture(mine, &solution.rows),
    )
}

/// Returns the mixture of a player's moves with these shares.
pub(crate) fn mixture(moves: impl IntoIterator<Item = Direction>, shares: &[f64; MOST]) -> Mixture {
    let mut weights = [0; 4];
    for (direction, share) in moves.into_iter().zip(shares) {
        weights[direction.index()] = (share * (1u64 << 53) as f64) as u64;
    }
    Mixture::new(weights)
}

/// The subsets of three moves, by size; unused places are 0.
const SUBSETS: [&[[usize; MOST]]; MOST] = [
    &[[0, 0, 0], [1, 0, 0], [2, 0, 0]],
    &[[0, 1, 0], [0, 2, 0], [1, 2, 0]],
    &[[0, 1, 2]],
];

/// Returns the mixture of moves that makes the payoff independent of the other's choice within a
/// square submatrix, or `None` if there is none, or more than one.
fn strategy(
    size: usize,
    moves: &[usize; MOST],
    part: impl Fn(usize, usize) -> f64,
) -> Option<[f64; MOST]> {
    // The sums of the adjugate's rows over its columns, up to a factor.
    let weights = match size {
        1 => [1.0, 0.0, 0.0],
        2 => [part(1, 1) - part(1, 0), part(0, 0) - part(0, 1), 0.0],
        _ => {
            let minor = |i: usize, j: usize| {
                let ([a, b], [c, d]) = (OTHERS[i], OTHERS[j]);
                part(a, c) * part(b, d) - part(a, d) * part(b, c)
            };
            [0, 1, 2].map(|i| {
                (0..3)
                    .map(|j| {
                        if (i + j) % 2 == 0 {
                            minor(i, j)
                        } else {
                            -minor(i, j)
                        }
                    })
                    .sum()
            })
        }
    };
    let sum: f64 = weights.iter().sum();
    let mut strategy = [0.0; MOST];
    for (i, weight) in weights.into_iter().enumerate().take(size) {
        let share = weight / sum;
        if !(0.0..=1.0).contains(&share) {
            return None;
        }
        strategy[moves[i]] = share;
    }
    Some(strategy)
}

/// For each of three indices, the other two.
const OTHERS: [[usize; 2]; 3] = [[1, 2], [0, 2], [0, 1]];

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::rng::Purpose;
    use proptest::prelude::*;

    fn matrix<const R: usize, const C: usize>(payoffs: [[f64; C]; R]) -> Matrix {
        Matrix::new(R, C, |row, column| payoffs[row][column])
    }

    #[test]
    fn known_games() {
        let third = 1.0 / 3.0;
        let stone_paper_scissors =
            matrix([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]).solve();
        assert!(stone_paper_scissors.value.abs() < 1e-12);
        assert!(
            stone_paper_scissors
                .rows
                .iter()
                .all(|share| (share - third).abs() < 1e-12)
        );
        // A saddle point: the maximin equals the minimax.
        let saddle = matrix([[3.0, 5.0], [2.0, 9.0]]).solve();
        assert_eq!(
            (saddle.value, saddle.rows, saddle.columns),
            (3.0, [1.0, 0.0, 0.0], [1.0, 0.0, 0.0])
        );
        let pennies = matrix([[2.0, -1.0], [-1.0, 1.0]]).solve();
        assert!((pennies.value - 0.2).abs() < 1e-12 && (pennies.rows[0] - 0.4).abs() < 1e-12);
        assert_eq!(matrix([[4.0, -2.0, 1.0]]).solve().value, -2.0);
        assert_eq!(matrix([[0.0; 3]; 3]).solve().value, 0.0);
    }

    #[test]
    fn rows_are_drawn_with_their_probabilities() {
        let solution = Solution {
            value: 0.0,
            rows: [0.25, 0.0, 0.75],
            columns: [1.0, 0.0, 0.0],
        };
        let mut counts = [0; 3];
        let mut draws = rng::keyed(3, Purpose::new("test"), 0);
        (0..10_000).for_each(|_| counts[solution.draw_row(&mut draws)] += 1);
        // Five standard deviations of about 43.
        assert!(
            (counts[0] - 2500_i32).abs() < 215 && counts[1] == 0,
            "{counts:?}"
        );
    }

    proptest! {
        /// Strategies are optimal if one player's guarantee equals what the other concedes. Integer
        /// payoffs make degenerate games, which are the hard ones.
        #[test]
        fn guarantees_equal_concessions(
            rows in 1usize..=3,
            columns in 1usize..=3,
            whole: bool,
            payoffs: [[i16; 3]; 3],
        ) {
            let payoff = |row: usize, column: usize| {
                let payoff = payoffs[row][column];
                if whole {
                    f64::from(payoff % 4)
                } else {
                    f64::from(payoff) / 1000.0
                }
            };
            let matrix = Matrix::new(rows, columns, payoff);
            let solution = matrix.solve();
            for strategy in [solution.rows, solution.columns] {
                prop_assert!((strategy.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            }
            prop_assert_eq!(solution.value, matrix.guaranteed(&solution.rows));
            prop_assert!(
                (solution.value - matrix.conceded(&solution.columns)).abs() < 1e-9,
                "{:?}",
                solution
            );
        }
    }
}
