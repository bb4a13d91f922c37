//! The two seats of a duel.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// One of the two seats of a duel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Seat {
    /// Seat 0.
    First,
    /// Seat 1.
    Second,
}

impl Seat {
    /// Both seats in order.
    pub const BOTH: [Seat; 2] = [Seat::First, Seat::Second];

    /// Returns the seat's number, 0 or 1.
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }

    /// Returns the opponent's seat.
    #[inline]
    pub fn other(self) -> Seat {
        match self {
            Seat::First => Seat::Second,
            Seat::Second => Seat::First,
        }
    }

    /// Returns the seat of the longer snake, given both lengths; `None` if they are equal.
    #[inline]
    pub fn longer<T: Ord>([first, second]: [T; 2]) -> Option<Seat> {
        match first.cmp(&second) {
            Ordering::Greater => Some(Seat::First),
            Ordering::Less => Some(Seat::Second),
            Ordering::Equal => None,
        }
    }

    /// Returns the values of this seat and of the opponent, such as their moves, in seat order.
    #[inline]
    pub fn joint<T>(self, mine: T, others: T) -> [T; 2] {
        match self {
            Seat::First => [mine, others],
            Seat::Second => [others, mine],
        }
    }
}

impl std::fmt::Display for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(["first", "second"][self.index()])
    }
}
