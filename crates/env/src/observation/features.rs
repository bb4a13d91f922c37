//! The observation `features`: a few numbers, for small networks and linear functions.

use super::{Observe, Space, reached};
use crate::{Element, Reach};
use hognose_game::{Board, Direction, Directions, Sight, Turn};

#[derive(Clone, Debug)]
pub(super) struct Features {
    reach: Reach,
}

impl Observe for Features {
    fn space(_: Board) -> Space {
        Space { planes: [0, 0, 0], scalars: 12 + reached::SCALARS }
    }

    fn new(board: Board) -> Features {
        Features { reach: Reach::new(board) }
    }

    #[inline(never)]
    fn write<T: Element>(&mut self, game: impl Sight, allowed: Directions, out: &mut [T]) {
        self.reach.search(game);
        let (board, head) = (game.board(), game.head());
        let (right, down) = game.nearest_food().map_or((0, 0), |food| board.offset(head, food));
        for turn in Turn::ALL {
            out[turn as usize] = T::bit(!allowed.contains(game.heading().turned(turn)));
        }
        for direction in Direction::ALL {
            out[3 + direction.index()] = T::bit(direction == game.heading());
        }
        out[7..11].copy_from_slice(&[down < 0, right > 0, down > 0, right < 0].map(T::bit));
        out[11] = T::ratio(game.len() as u32, board.area() as u32);
        reached::write(&self.reach, game, &mut out[12..]);
    }
}
