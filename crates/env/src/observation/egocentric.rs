//! The observation `egocentric`: a window around the head, and where the snakes can get to.

use super::reached::{self, Reached};
use super::window::{self, Window};
use super::{Observe, Scene, Space, duels, split};
use crate::Element;
use hognose_game::{Directions, Sight};

/// Planes with one snake.
const PLANES: usize = window::PLANES + 2;
/// Scalars with one snake.
const SCALARS: usize = window::SCALARS + reached::SCALARS;

#[derive(Clone, Debug)]
pub(super) struct Egocentric {
    window: Window,
    reached: Reached,
}

impl Observe for Egocentric {
    fn space(Scene { board, duel }: Scene) -> Space {
        let side = window::side(board);
        let duel = usize::from(duel);
        Space {
            planes: [PLANES + 3 * duel, side, side],
            scalars: SCALARS + duel * (duels::SCALARS + reached::DUEL_SCALARS),
        }
    }

    fn new(scene: Scene) -> Egocentric {
        Egocentric {
            window: Window::new(scene),
            reached: Reached::new(scene),
        }
    }

    #[inline(never)]
    fn write<T: Element>(&mut self, game: impl Sight, allowed: Directions, out: &mut [T]) {
        self.reached.search(game);
        let board = game.board();
        let area = board.area() as u32;
        let frame = self.window.frame(game);
        let size = frame.size();
        let (seen, rest) = out.split_at_mut(window::PLANES * size);
        let ([reached, arrival], rest) = split(rest, size);
        // With one snake, the planes of a duel are empty.
        let duel_size = if game.duel().is_some() { size } else { 0 };
        let ([other_body, other_reached, other_arrival], scalars) = split(rest, duel_size);
        let (window_scalars, rest) = scalars.split_at_mut(window::SCALARS);
        let (reached_scalars, duel_scalars) = rest.split_at_mut(reached::SCALARS);

        self.window.write_parts(game, allowed, seen, window_scalars);
        for plane in [
            &mut *reached,
            &mut *arrival,
            &mut *other_reached,
            &mut *other_arrival,
        ] {
            plane.fill(T::ZERO);
        }
        for cell in board.cells() {
            let [own, other] = self.reached.earliest(cell);
            if let Some(step) = own {
                frame.each_place(cell, |place| {
                    reached[place] = T::ONE;
                    arrival[place] = T::ratio(step.into(), area);
                });
            }
            if let Some(step) = other {
                frame.each_place(cell, |place| {
                    other_reached[place] = T::ONE;
                    other_arrival[place] = T::ratio(step.into(), area);
                });
            }
        }
        let scale = |steps| T::ratio(steps, area);
        self.reached.write(game, scale, reached_scalars);
        if let Some(duel) = game.duel() {
            let (seen, searched) = duel_scalars.split_at_mut(duels::SCALARS);
            self.window.write_other(duel, other_body);
            duels::write_scalars(duel, &self.window.of_area, seen);
            self.reached.write_duel(duel, scale, searched);
        }
    }
}
