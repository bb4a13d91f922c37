//! A queue of turns pressed on a keyboard.

use crate::Direction;
use std::collections::VecDeque;

/// The turns that a player has pressed but the snake has not made yet, in order.
///
/// ```
/// use hognose_game::{Direction, Turns};
///
/// let mut turns = Turns::new(usize::MAX);
/// turns.press(Direction::Left, Direction::Up, false);
/// turns.press(Direction::Down, Direction::Up, false);
/// assert_eq!(
///     [(); 3].map(|()| turns.next(Direction::Down)),
///     [Direction::Left, Direction::Down, Direction::Down]
/// );
/// ```
#[derive(Clone, Debug)]
pub struct Turns {
    pressed: VecDeque<Direction>,
    /// The maximum number of waiting turns.
    most: usize,
    /// Whether the game has begun. The first turn begins it, even if it equals the heading.
    began: bool,
}

impl Turns {
    /// Creates an empty queue of at most `most` turns, before the game has begun.
    pub fn new(most: usize) -> Turns {
        Turns {
            pressed: VecDeque::new(),
            most,
            began: false,
        }
    }

    /// Returns whether the game has begun.
    pub fn began(&self) -> bool {
        self.began
    }

    /// Queues a turn of a snake with this heading. Ignores the direction in which it already goes
    /// and, unless `turns_back` is set, the opposite one.
    pub fn press(&mut self, direction: Direction, heading: Direction, turns_back: bool) {
        let heading = self.pressed.back().copied().unwrap_or(heading);
        let back = direction == heading.opposite() && !turns_back;
        let repeated = direction == heading && self.began;
        if !back && !repeated && self.pressed.len() < self.most {
            self.pressed.push_back(direction);
            self.began = true;
        }
    }

    /// Takes the first turn; without one, the snake goes straight on.
    pub fn next(&mut self, heading: Direction) -> Direction {
        self.pressed.pop_front().unwrap_or(heading)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Direction::{Down, Left, Right, Up};

    #[test]
    fn turns_are_made_in_order_and_none_is_lost() {
        let mut turns = Turns::new(usize::MAX);
        turns.press(Down, Up, false);
        assert!(!turns.began(), "a turn back must not begin the game");
        turns.press(Up, Up, false);
        assert!(turns.began());
        for direction in [Up, Right, Left, Down, Down, Left, Up] {
            turns.press(direction, Up, false);
        }
        let made: Vec<Direction> = (0..7).map(|_| turns.next(Up)).collect();
        assert_eq!(made, [Up, Right, Down, Left, Up, Up, Up]);
        let mut two = Turns::new(2);
        [Right, Up, Right]
            .into_iter()
            .for_each(|direction| two.press(direction, Up, false));
        assert_eq!([two.next(Up), two.next(Up), two.next(Up)], [Right, Up, Up]);
        let mut one_cell = Turns::new(2);
        one_cell.press(Down, Up, true);
        assert_eq!(one_cell.next(Up), Down);
    }
}
