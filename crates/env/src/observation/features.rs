//! The observation `features`: a few numbers for small networks and linear functions.

use super::reached::{self, Reached};
use super::{Observe, Scene, Space, duels};
use crate::Element;
use crate::element::Ratios;
use hognose_game::{Direction, Directions, Sight, Turn};

/// Scalars with one snake.
const SCALARS: usize = 12 + reached::SCALARS;

#[derive(Clone, Debug)]
pub(super) struct Features {
    reached: Reached,
    of_area: Ratios,
}

impl Observe for Features {
    fn space(Scene { duel, .. }: Scene) -> Space {
        Space {
            planes: [0, 0, 0],
            scalars: SCALARS + usize::from(duel) * (duels::SCALARS + reached::DUEL_SCALARS),
        }
    }

    fn new(scene: Scene) -> Features {
        Features {
            reached: Reached::new(scene),
            of_area: Ratios::of(scene.board.area()),
        }
    }

    #[inline(never)]
    fn write<T: Element>(&mut self, game: impl Sight, allowed: Directions, out: &mut [T]) {
        self.reached.search(game);
        let board = game.board();
        let head = game.head();
        let (right, down) = game
            .nearest_food()
            .map_or((0, 0), |food| board.offset(head, food));
        let (out, duel_scalars) = out.split_at_mut(SCALARS);
        for turn in Turn::ALL {
            out[turn as usize] = T::bit(!allowed.contains(game.heading().turned(turn)));
        }
        for direction in Direction::ALL {
            out[3 + direction.index()] = T::bit(direction == game.heading());
        }
        out[7..11].copy_from_slice(&[down < 0, right > 0, down > 0, right < 0].map(T::bit));
        out[11] = self.of_area.get()[duels::length(game).min(board.area())];
        let scale = |steps| T::ratio(steps, board.area() as u32);
        self.reached.write(game, scale, &mut out[12..]);
        if let Some(duel) = game.duel() {
            let (seen, searched) = duel_scalars.split_at_mut(duels::SCALARS);
            duels::write_scalars(duel, &self.of_area, seen);
            self.reached.write_duel(duel, scale, searched);
        }
    }
}
