//! A duel as one seat sees it.

use crate::duel::{DuelPosition, Seat};
use crate::{Board, Directions, Snake};

/// A position as one player sees it: my snake and the opponent's.
#[derive(Clone, Copy, Debug)]
pub struct DuelView<'a> {
    position: &'a DuelPosition,
    seat: Seat,
}

impl DuelPosition {
    /// Returns the view of a seat.
    #[inline]
    pub fn view(&self, seat: Seat) -> DuelView<'_> {
        DuelView {
            position: self,
            seat,
        }
    }
}

impl<'a> DuelView<'a> {
    /// Returns the position.
    #[inline]
    pub fn position(self) -> &'a DuelPosition {
        self.position
    }

    /// Returns my seat.
    #[inline]
    pub fn seat(self) -> Seat {
        self.seat
    }

    /// Returns the board.
    #[inline]
    pub fn board(self) -> Board {
        self.position.board()
    }

    /// Returns my snake.
    #[inline]
    pub fn me(self) -> &'a Snake {
        self.position.snake(self.seat)
    }

    /// Returns the opponent's snake.
    #[inline]
    pub fn other(self) -> &'a Snake {
        self.position.snake(self.seat.other())
    }

    /// Returns how many cells longer I am than the opponent, including pending growth.
    #[inline]
    pub fn lead(self) -> i32 {
        self.position.length(self.seat) as i32 - self.position.length(self.seat.other()) as i32
    }

    /// Returns my pending growth, in steps.
    #[inline]
    pub fn growth(self) -> usize {
        self.position.growth(self.seat)
    }

    /// Returns the opponent's view.
    #[inline]
    pub fn opponent(self) -> DuelView<'a> {
        self.position.view(self.seat.other())
    }

    /// Returns my legal moves; see [`DuelPosition::legal_moves`].
    #[inline]
    pub fn legal_moves(self) -> Directions {
        self.position.legal_moves(self.seat)
    }
}
