//! The observation `planes`: the board as it lies.

use super::{Change, OUTSIDE, Observe, Space, number};
use crate::Element;
use crate::element::Ratios;
use hognose_game::{Board, Directions, Event, Sight};

#[derive(Clone, Debug)]
pub(super) struct Planes {
    area: usize,
    of_area: Ratios,
}

impl Observe for Planes {
    const GRAIN: usize = 1024;
    const UPDATES: bool = true;

    fn space(board: Board) -> Space {
        Space { planes: [5, board.height(), board.width()], scalars: 0 }
    }

    fn new(board: Board) -> Planes {
        Planes { area: board.area(), of_area: Ratios::of(board.area()) }
    }

    fn write<T: Element>(&mut self, game: impl Sight, _allowed: Directions, out: &mut [T]) {
        let of_area = self.of_area.get();
        out.fill(T::ZERO);
        let [body, head, tail, food, ahead] = self.split(out);
        for (behind, cell) in game.body().enumerate() {
            body[cell.index()] = of_area[game.len() - behind];
        }
        head[game.head().index()] = T::ONE;
        tail[game.tail().index()] = T::ONE;
        game.foods().iter().for_each(|cell| food[cell.index()] = T::ONE);
        if let Some(cell) = game.ahead() {
            ahead[cell.index()] = T::ONE;
        }
    }

    #[inline(always)]
    fn update<T: Element>(&self, change: &Change, game: impl Sight, out: &mut [T]) {
        let area = self.area;
        let of_area = self.of_area.get();
        let [body, head, tail, food, ahead] = self.split(out);
        let len = game.len();
        if matches!(change.event, Event::Lost(_)) {
            return;
        }
        if change.event != Event::Moved {
            food[game.head().index()] = T::ZERO;
            game.foods().iter().for_each(|cell| food[cell.index()] = T::ONE);
        }
        for (steps, &value) in of_area[..=len].iter().enumerate() {
            body[game.cell_left_after(steps).index()] = value;
        }
        head[game.cell_left_after(len - 1).index()] = T::ZERO;
        head[game.head().index()] = T::ONE;
        tail[game.cell_left_after(0).index()] = T::ZERO;
        tail[game.tail().index()] = T::ONE;
        // Where nothing lies ahead, the last cell is written instead of branching; it is 0 then.
        ahead[usize::from(change.ahead).min(area - 1)] = T::ZERO;
        let now = number(game.ahead());
        ahead[usize::from(now).min(area - 1)] = T::bit(now != OUTSIDE);
    }
}

impl Planes {
    /// The five planes.
    #[inline(always)]
    fn split<'a, T>(&self, out: &'a mut [T]) -> [&'a mut [T]; 5] {
        let (body, rest) = out.split_at_mut(self.area);
        let (head, rest) = rest.split_at_mut(self.area);
        let (tail, rest) = rest.split_at_mut(self.area);
        let (food, ahead) = rest.split_at_mut(self.area);
        [body, head, tail, food, ahead]
    }
}
