//! Turns that were pressed ahead of a snake.

use crate::Direction;
use std::collections::VecDeque;

/// The turns that a player at a keyboard has pressed and that were not made yet, the first one
/// first.
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
    /// How many may wait.
    most: usize,
    /// Whether the game has begun: the first turn may be the heading, and begins it.
    began: bool,
}

impl Turns {
    /// No turn, before the game has begun. At most so many may wait.
    pub fn new(most: usize) -> Turns {
        Turns {
            pressed: VecDeque::new(),
            most,
            began: false,
        }
    }

    /// Whether the game has begun.
    pub fn began(&self) -> bool {
        self.began
    }

    /// Remembers a turn of a snake with this heading. One straight back does nothing unless the
    /// snake can turn on the spot, and neither does one to where it goes anyway.
    pub fn press(&mut self, direction: Direction, heading: Direction, turns_back: bool) {
        let heading = self.pressed.back().copied().unwrap_or(heading);
        let back = direction == heading.opposite() && !turns_back;
        let repeated = direction == heading && self.began;
        if !back && !repeated && self.pressed.len() < self.most {
            self.pressed.push_back(direction);
            self.began = true;
        }
    }

    /// Takes the move that was pressed first; without one, the snake goes straight on.
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
        assert!(!turns.began(), "back does not begin");
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
