//! Encoders of duel positions for networks.

use hognose_game::duel::{DuelPosition, Seat};

/// The numbers of a network's inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputSizes {
    /// The number of inputs for each snake.
    pub seat: usize,
    /// The number of inputs shared by both.
    pub shared: usize,
}

impl InputSizes {
    /// Returns the size of an encoded position in bytes: the first snake's, the second's, then the
    /// shared inputs.
    pub fn record(self) -> usize {
        2 * self.seat + self.shared
    }

    /// Returns the parts of an encoded position in a seat's order: its own snake, the other, and
    /// the shared inputs.
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

/// An encoder of duel positions for a network. Each input is a byte, from 0 to 255 for a share from
/// 0 to 1.
///
/// Both snakes' inputs follow the same rule, and shared inputs do not change when the seats are
/// swapped, so one record holds the views of both seats.
pub trait DuelEncoder: Send + Sync {
    /// Returns the numbers of inputs.
    fn sizes(&self) -> InputSizes;

    /// Writes a position of an ongoing game, by the rules that the encoder was made for, into
    /// [`InputSizes::record`] bytes. Eaten foods that have not yet reappeared are unknown.
    fn encode(&self, position: &DuelPosition, into: &mut [u8]);

    /// Returns the seat that is sure to win an ongoing game, if known.
    fn certain_winner(&self, _position: &DuelPosition) -> Option<Seat> {
        None
    }
}
