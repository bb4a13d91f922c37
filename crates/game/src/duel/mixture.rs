//! Mixed moves.

use crate::{Direction, Directions};

/// A probability distribution over moves, as integer weights. A move is played with probability
/// weight / [`sum`](Self::sum).
///
/// ```
/// use hognose_game::Direction;
/// use hognose_game::duel::Mixture;
///
/// // Up in three games of four, left in the other.
/// let mixture = Mixture::new([3, 0, 0, 1]);
/// assert_eq!((mixture.weight(Direction::Up), mixture.sum()), (3, 4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mixture([u64; 4]);

impl Mixture {
    /// Creates the mixture with a weight for each direction, in the order of [`Direction::ALL`].
    ///
    /// # Panics
    /// Panics if all weights are 0, or their sum is `1 << 63` or more.
    pub fn new(weights: [u64; 4]) -> Mixture {
        let sum: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
        assert!(
            0 < sum && sum < 1 << 63,
            "weights must have a sum of 1 to 2^63 - 1, got {weights:?}"
        );
        Mixture(weights)
    }

    /// Returns the mixture that always plays this move.
    pub fn pure(direction: Direction) -> Mixture {
        Mixture::even(Directions::from_iter([direction]))
    }

    /// Returns the mixture that plays each of these moves equally often.
    ///
    /// # Panics
    /// Panics if there are no moves.
    pub fn even(directions: Directions) -> Mixture {
        Mixture::new(Direction::ALL.map(|direction| directions.contains(direction).into()))
    }

    /// Returns the weight of a move.
    pub fn weight(&self, direction: Direction) -> u64 {
        self.0[direction.index()]
    }

    /// Returns the sum of all weights.
    pub fn sum(&self) -> u64 {
        self.0.iter().sum()
    }
}
