//! Directions, turns, and small sets of directions.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// One of the four moves, clockwise: action 0 = up, 1 = right, 2 = down, 3 = left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Direction {
    /// Toward row 0.
    Up,
    /// Toward higher columns.
    Right,
    /// Toward higher rows.
    Down,
    /// Toward column 0.
    Left,
}

/// A move relative to the heading: action 0 = left, 1 = straight, 2 = right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Turn {
    /// A quarter turn counterclockwise.
    Left,
    /// No turn.
    Straight,
    /// A quarter turn clockwise.
    Right,
}

impl Turn {
    /// The three turns in the order of their action numbers.
    pub const ALL: [Turn; 3] = [Turn::Left, Turn::Straight, Turn::Right];
}

impl Direction {
    /// The four directions in the order of their action numbers.
    pub const ALL: [Direction; 4] = [
        Direction::Up,
        Direction::Right,
        Direction::Down,
        Direction::Left,
    ];

    /// Returns the direction with action number `index` modulo 4.
    #[inline]
    pub fn from_index(index: usize) -> Direction {
        match index & 3 {
            0 => Direction::Up,
            1 => Direction::Right,
            2 => Direction::Down,
            _ => Direction::Left,
        }
    }

    /// Returns the action number, 0..=3.
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }

    /// Returns the opposite direction.
    #[inline]
    pub fn opposite(self) -> Direction {
        Direction::from_index(self.index() + 2)
    }

    /// Returns the mirror image of this direction, left to right.
    #[inline]
    pub fn mirrored(self) -> Direction {
        if self.index() % 2 == 1 {
            self.opposite()
        } else {
            self
        }
    }

    /// Returns the direction after a turn from this heading.
    #[inline]
    pub fn turned(self, turn: Turn) -> Direction {
        Direction::from_index(self.index() + 3 + turn as usize)
    }

    /// Returns the turn from this heading to `direction`; `None` for the opposite direction.
    #[inline]
    pub fn turn_to(self, direction: Direction) -> Option<Turn> {
        match (direction.index() + 4 - self.index()) & 3 {
            0 => Some(Turn::Straight),
            1 => Some(Turn::Right),
            3 => Some(Turn::Left),
            _ => None,
        }
    }

    /// Returns the letter used in records: `u`, `r`, `d` or `l`.
    pub fn letter(self) -> char {
        ['u', 'r', 'd', 'l'][self.index()]
    }

    /// Returns the direction with this [`letter`](Self::letter).
    pub fn from_letter(letter: char) -> Option<Direction> {
        Direction::ALL
            .into_iter()
            .find(|direction| direction.letter() == letter)
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["up", "right", "down", "left"][self.index()])
    }
}

/// Error for a text that is not up, right, down or left.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected up, right, down or left, got {0:?}")]
pub struct DirectionError(String);

impl FromStr for Direction {
    type Err = DirectionError;

    fn from_str(text: &str) -> Result<Direction, DirectionError> {
        let found = Direction::ALL
            .into_iter()
            .find(|direction| direction.to_string() == text);
        found.ok_or_else(|| DirectionError(text.to_owned()))
    }
}

/// A set of directions.
///
/// ```
/// use hognose_game::{Direction, Directions};
///
/// let sideways: Directions = [Direction::Left, Direction::Right].into_iter().collect();
/// assert!(sideways.contains(Direction::Left) && !sideways.contains(Direction::Up));
/// assert_eq!(sideways.len(), 2);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Directions(u8);

impl Directions {
    /// No direction.
    pub const EMPTY: Directions = Directions(0);
    /// All four directions.
    pub const ALL: Directions = Directions(0b1111);

    /// Returns the set with direction i if bit i is set; higher bits are ignored.
    #[inline]
    pub fn from_bits(bits: u8) -> Directions {
        Directions(bits & 0b1111)
    }

    /// Returns the set as bits: bit i is set if direction i is a member.
    #[inline]
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Adds a direction.
    #[inline]
    pub fn insert(&mut self, direction: Direction) {
        self.0 |= 1 << direction.index();
    }

    /// Removes a direction.
    #[inline]
    pub fn remove(&mut self, direction: Direction) {
        self.0 &= !(1 << direction.index());
    }

    /// Returns the members that are not in `other`.
    #[inline]
    pub fn without(self, other: Directions) -> Directions {
        Directions(self.0 & !other.0)
    }

    /// Returns this set, or `others` if this set is empty.
    ///
    /// ```
    /// use hognose_game::{Direction, Directions};
    ///
    /// let up = Directions::from_iter([Direction::Up]);
    /// assert_eq!((up.or(Directions::ALL), Directions::EMPTY.or(up)), (up, up));
    /// ```
    #[inline]
    pub fn or(self, others: Directions) -> Directions {
        if self.is_empty() { others } else { self }
    }

    /// Returns all directions except the opposite of the heading: those reachable by a turn.
    #[inline]
    pub fn of_turns(heading: Direction) -> Directions {
        Directions(Directions::ALL.0 & !(1 << heading.opposite().index()))
    }

    /// Returns whether a direction is a member.
    #[inline]
    pub fn contains(self, direction: Direction) -> bool {
        self.0 >> direction.index() & 1 == 1
    }

    /// Returns the number of members.
    #[inline]
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns whether the set is empty.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the members in the order of their action numbers.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Direction> {
        Direction::ALL
            .into_iter()
            .filter(move |&direction| self.contains(direction))
    }

    /// Returns the mirror image of the set, left to right.
    #[inline]
    pub fn mirrored(self) -> Directions {
        Directions(self.0 & 0b0101 | (self.0 & 0b0010) << 2 | (self.0 & 0b1000) >> 2)
    }

    /// Returns the set as bits by turn from a heading: bit 0 = left, 1 = straight, 2 = right.
    #[inline]
    pub fn turn_bits(self, heading: Direction) -> u8 {
        let rotated = (self.0 | self.0 << 4) >> ((heading.index() + 3) & 3);
        rotated & 0b111
    }
}

impl FromIterator<Direction> for Directions {
    fn from_iter<I: IntoIterator<Item = Direction>>(directions: I) -> Directions {
        let mut set = Directions::EMPTY;
        directions
            .into_iter()
            .for_each(|direction| set.insert(direction));
        set
    }
}

impl fmt::Debug for Directions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_and_bits_agree() {
        for heading in Direction::ALL {
            assert_eq!(heading.turn_to(heading.opposite()), None);
            for turn in Turn::ALL {
                let direction = heading.turned(turn);
                assert_eq!(heading.turn_to(direction), Some(turn));
                let set: Directions = [direction].into_iter().collect();
                assert_eq!(set.turn_bits(heading), 1 << turn as u8);
            }
        }
        assert_eq!(Direction::Up.turned(Turn::Right), Direction::Right);
        assert_eq!(Direction::Up.turned(Turn::Left), Direction::Left);
    }
}
