//! What one seat sees of a duel.

use crate::duel::{DuelPosition, Seat};
use crate::{Board, Directions, Snake};

/// A position as one of its players sees it: my snake and the other's.
#[derive(Clone, Copy, Debug)]
pub struct DuelView<'a> {
    position: &'a DuelPosition,
    seat: Seat,
}

impl DuelPosition {
    /// What a seat sees.
    #[inline]
    pub fn view(&self, seat: Seat) -> DuelView<'_> {
        DuelView {
            position: self,
            seat,
        }
    }
}

impl<'a> DuelView<'a> {
    /// The position.
    #[inline]
    pub fn position(self) -> &'a DuelPosition {
        self.position
    }

    /// My seat.
    #[inline]
    pub fn seat(self) -> Seat {
        self.seat
    }

    /// The board.
    #[inline]
    pub fn board(self) -> Board {
        self.position.board()
    }

    /// My snake.
    #[inline]
    pub fn me(self) -> &'a Snake {
        self.position.snake(self.seat)
    }

    /// The other's snake.
    #[inline]
    pub fn other(self) -> &'a Snake {
        self.position.snake(self.seat.other())
    }

    /// By how many cells I am longer than the other, pending growth counted.
    #[inline]
    pub fn lead(self) -> i32 {
        self.position.length(self.seat) as i32 - self.position.length(self.seat.other()) as i32
    }

    /// The steps in which I still grow, whatever I eat.
    #[inline]
    pub fn growth(self) -> usize {
        self.position.growth(self.seat)
    }

    /// What the other sees.
    #[inline]
    pub fn opponent(self) -> DuelView<'a> {
        self.position.view(self.seat.other())
    }

    /// My legal moves; see [`DuelPosition::legal_moves`].
    #[inline]
    pub fn legal_moves(self) -> Directions {
        self.position.legal_moves(self.seat)
    }
}
