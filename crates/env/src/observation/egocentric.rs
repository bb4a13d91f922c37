//! The observation `egocentric`: a window around the head, and where the snake can get to.

use super::window::{self, Window};
use super::{Observe, Space, reached};
use crate::{Element, Reach};
use hognose_game::{Board, Directions, Sight};

#[derive(Clone, Debug)]
pub(super) struct Egocentric {
    window: Window,
    reach: Reach,
}

impl Observe for Egocentric {
    fn space(board: Board) -> Space {
        let side = window::side(board);
        Space { planes: [window::PLANES + 2, side, side], scalars: window::SCALARS + reached::SCALARS }
    }

    fn new(board: Board) -> Egocentric {
        Egocentric { window: Window::new(board), reach: Reach::new(board) }
    }

    #[inline(never)]
    fn write<T: Element>(&mut self, game: impl Sight, allowed: Directions, out: &mut [T]) {
        self.reach.search(game);
        let board = game.board();
        let area = board.area() as u32;
        let frame = self.window.frame(game);
        let (planes, scalars) = out.split_at_mut((window::PLANES + 2) * frame.size());
        let (seen, searched) = planes.split_at_mut(window::PLANES * frame.size());
        let (window_scalars, reached_scalars) = scalars.split_at_mut(window::SCALARS);
        self.window.write_parts(game, allowed, seen, window_scalars);
        let (reached, arrival) = searched.split_at_mut(frame.size());
        reached.fill(T::ZERO);
        arrival.fill(T::ZERO);
        for cell in board.cells() {
            if let Some(step) = self.reach.earliest(cell) {
                frame.each_place(cell, |place| {
                    reached[place] = T::ONE;
                    arrival[place] = T::ratio(step.into(), area);
                });
            }
        }
        reached::write(&self.reach, game, reached_scalars);
    }
}
