//! What a network sees of a position of a duel.

use hognose_game::duel::{DuelPosition, Seat};

/// How many inputs a network has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputSizes {
    /// Inputs that tell of one snake.
    pub seat: usize,
    /// Inputs that tell of both alike.
    pub shared: usize,
}

impl InputSizes {
    /// The bytes of an encoded position: those of the first snake, of the second, and of both.
    pub fn record(self) -> usize {
        2 * self.seat + self.shared
    }

    /// The parts of an encoded position in the order in which a seat sees it: its own snake, the
    /// other, and both.
    #[inline]
    pub fn view(self, record: &[u8], seat: Seat) -> [&[u8]; 3] {
        let (snakes, shared) = record.split_at(2 * self.seat);
        let (first, second) = snakes.split_at(self.seat);
        match seat {
            Seat::First => [first, second, shared],
            Seat::Second => [second, first, shared],
        }
    }
}

/// Writes down what a network sees of positions of duels. Each input is a byte, from 0 for nothing
/// to 255 for all.
///
/// What tells of a snake is written for both snakes by the same rule, and what tells of both does
/// not change when the seats are exchanged. So one record has the views of both seats.
pub trait DuelEncoder: Send + Sync {
    /// How many inputs there are.
    fn sizes(&self) -> InputSizes;

    /// Writes a position of the rules that the encoder was made for, in which the game goes on,
    /// into [`InputSizes::record`] bytes. Foods that were eaten and have not yet appeared again are
    /// unknown.
    fn encode(&self, position: &DuelPosition, into: &mut [u8]);

    /// The seat that is sure to win a game that goes on, where that is known.
    fn certain_winner(&self, _position: &DuelPosition) -> Option<Seat> {
        None
    }
}
