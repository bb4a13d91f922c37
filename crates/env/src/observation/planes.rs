//! The observation `planes`: the board as it is.

use super::duels::{clocks, countdowns, each_food, growth};
use super::{Change, OUTSIDE, Observe, Scene, Space, number, split};
use crate::Element;
use crate::element::Ratios;
use hognose_game::duel::DuelView;
use hognose_game::{Directions, Sight};

#[derive(Clone, Debug)]
pub(super) struct Planes {
    area: usize,
    of_area: Ratios,
}

/// Planes with one snake.
const PLANES: usize = 5;
/// Planes that a duel adds.
const DUEL_PLANES: usize = 5;

impl Observe for Planes {
    const GRAIN: usize = 1024;
    const UPDATES: bool = true;

    fn space(Scene { board, duel }: Scene) -> Space {
        let planes = PLANES + usize::from(duel) * DUEL_PLANES;
        Space {
            planes: [planes, board.height(), board.width()],
            scalars: 0,
        }
    }

    fn new(Scene { board, .. }: Scene) -> Planes {
        Planes {
            area: board.area(),
            of_area: Ratios::of(board.area()),
        }
    }

    fn write<T: Element>(&mut self, game: impl Sight, _allowed: Directions, out: &mut [T]) {
        out.fill(T::ZERO);
        let ([body, head, tail, food, ahead], rest) = split(out, self.area);
        self.write_snake(game, [body, head, tail]);
        each_food(game, |cell, worth| food[cell.index()] = worth);
        if let Some(cell) = game.ahead() {
            ahead[cell.index()] = T::ONE;
        }
        if let Some(duel) = game.duel() {
            let (other, clocks) = split(rest, self.area);
            self.write_snake(duel.opponent(), other);
            self.update_clocks(duel, split(clocks, self.area).0);
        }
    }

    #[inline(always)]
    fn update<T: Element>(&self, change: &Change, game: impl Sight, out: &mut [T]) {
        let area = self.area;
        let ([body, head, tail, food, ahead], rest) = split(out, area);
        if change.foods {
            if game.duel().is_some() {
                food.fill(T::ZERO);
            } else {
                food[game.head().index()] = T::ZERO;
            }
            each_food(game, |cell, worth| food[cell.index()] = worth);
        }
        self.update_snake(game, [body, head, tail]);
        // If nothing lies ahead, the last cell is written instead, which saves a branch; it is 0
        // then.
        ahead[usize::from(change.ahead).min(area - 1)] = T::ZERO;
        let now = number(game.ahead());
        ahead[usize::from(now).min(area - 1)] = T::bit(now != OUTSIDE);
        if let Some(duel) = game.duel() {
            let (other, clocks) = split(rest, area);
            self.update_snake(duel.opponent(), other);
            self.update_clocks(duel, split(clocks, area).0);
        }
    }
}

impl Planes {
    /// Draws a snake on empty planes: body, head, tail.
    #[inline(always)]
    fn write_snake<T: Element>(&self, game: impl Sight, [body, head, tail]: [&mut [T]; 3]) {
        let of_area = self.of_area.get();
        for (cell, countdown) in countdowns(game) {
            body[cell.index()] = of_area[countdown.min(self.area)];
        }
        head[game.head().index()] = T::ONE;
        tail[game.tail().index()] = T::ONE;
    }

    /// Updates a snake after a step.
    #[inline(always)]
    fn update_snake<T: Element>(&self, game: impl Sight, [body, head, tail]: [&mut [T]; 3]) {
        let of_area = self.of_area.get();
        let len = game.len();
        for (steps, &value) in of_area[..=len].iter().enumerate() {
            body[game.cell_left_after(steps).index()] = value;
        }
        head[game.cell_left_after(len - 1).index()] = T::ZERO;
        tail[game.cell_left_after(0).index()] = T::ZERO;
        if growth(game) > 0 {
            return self.write_snake(game, [body, head, tail]);
        }
        head[game.head().index()] = T::ONE;
        tail[game.tail().index()] = T::ONE;
    }

    /// Writes the clocks that have changed.
    #[inline(always)]
    fn update_clocks<T: Element>(&self, duel: DuelView<'_>, planes: [&mut [T]; 2]) {
        for (plane, value) in planes.into_iter().zip(clocks(duel)) {
            if plane[0] != value {
                plane.fill(value);
            }
        }
    }
}
