//! The observation `centered`: a window of one shape for every board, in which only cells very far
//! from the head share entries, and scalars about the connection of free cells.

use super::duels::{self, countdowns, each_food, length};
use super::free::{self, Free};
use super::reached::{self, Reached};
use super::window::{self, Around, Window};
use super::{Observe, Scene, Space, split};
use crate::Element;
use crate::element::Ratios;
use hognose_game::{Board, Directions, Sight};

/// Planes with one snake.
const PLANES: usize = 6;
/// Parity bits.
const PARITIES: usize = 4;
/// Scalars with one snake.
const SCALARS: usize = window::SCALARS + reached::SCALARS + PARITIES;

/// The number of steps, and of columns or rows, that is encoded as one half.
const HALF_STEPS: usize = 16;
const HALF_CELLS: usize = 8;

/// The distance, in columns and rows, up to which each has its own entry. All farther ones share
/// one.
const EXACT: i32 = 10;
/// The number of entries from the middle of the window to its border.
const MIDDLE: i32 = EXACT + 1;
/// The side length of the window.
const SIDE: usize = 2 * MIDDLE as usize + 1;

#[derive(Clone, Debug)]
pub(super) struct Centered {
    board: Board,
    window: Window,
    steps: Ratios,
    reached: Reached,
    free: Free,
}

impl Observe for Centered {
    fn space(Scene { duel, .. }: Scene) -> Space {
        let duel = usize::from(duel);
        let duel_scalars = duel * (duels::SCALARS + reached::DUEL_SCALARS);
        Space {
            planes: [PLANES + 3 * duel, SIDE, SIDE],
            scalars: SCALARS + duel_scalars + free::SCALARS,
        }
    }

    fn new(scene: Scene) -> Centered {
        let board = scene.board;
        Centered {
            board,
            window: Window::of(board, MIDDLE, Ratios::soft(board.longer_side(), HALF_CELLS)),
            // A path through food may enter a cell a second time.
            steps: Ratios::soft(2 * board.area(), HALF_STEPS),
            reached: Reached::new(scene),
            free: Free::new(board),
        }
    }

    #[inline(never)]
    fn write<T: Element>(&mut self, game: impl Sight, allowed: Directions, out: &mut [T]) {
        self.reached.search(game);
        let planes = PLANES + 3 * usize::from(game.duel().is_some());
        let (planes, scalars) = out.split_at_mut(planes * SIDE * SIDE);
        let (scalars, of_free) = scalars.split_at_mut(scalars.len() - free::SCALARS);
        self.free.write(game, of_free);
        planes.fill(T::ZERO);
        let ([wall, body, blocked, food, reached, arrival], rest) = split(planes, SIDE * SIDE);
        let frame = self.window.frame(game);
        frame.draw_walls(wall, fold);
        self.write_body(&frame, game, body, blocked);
        each_food(game, |cell, worth| {
            raise(&mut food[place(&frame, frame.offset(cell))], worth)
        });
        self.write_arrivals(&frame, 0, reached, arrival);
        if let Some(duel) = game.duel() {
            let ([body, reached, arrival], _) = split(rest, SIDE * SIDE);
            self.write_body(&frame, duel.opponent(), body, blocked);
            self.write_arrivals(&frame, 1, reached, arrival);
        }
        self.write_scalars(&frame, game, allowed, scalars);
    }
}

/// Returns the number of entries from the middle of the window for an offset in columns or rows.
#[inline]
fn fold(offset: i32) -> i32 {
    offset.clamp(-MIDDLE, MIDDLE)
}

/// Returns the entry of a cell, given its offset from the head.
#[inline]
fn place(frame: &Around<'_>, (columns, rows): (i32, i32)) -> usize {
    frame.place((fold(columns), fold(rows)))
}

impl Centered {
    /// Draws the body of the player of `game`, which may be the opponent of the one at the head.
    #[inline]
    fn write_body<T: Element>(
        &self,
        frame: &Around<'_>,
        game: impl Sight,
        body: &mut [T],
        blocked: &mut [T],
    ) {
        let steps = self.steps.get();
        for (cell, countdown) in countdowns(game) {
            let offset @ (columns, rows) = frame.offset(cell);
            let place = place(frame, offset);
            let distance = (columns.abs() + rows.abs()) as usize;
            raise(&mut body[place], steps[countdown.min(self.board.area())]);
            raise(&mut blocked[place], T::bit(countdown > distance));
        }
    }

    /// Writes where the own snake (0) or the opponent (1) can get to.
    fn write_arrivals<T: Element>(
        &self,
        frame: &Around<'_>,
        whose: usize,
        reached: &mut [T],
        arrival: &mut [T],
    ) {
        let steps = self.steps.get();
        for cell in self.board.cells() {
            if let Some(step) = self.reached.earliest(cell)[whose] {
                let place = place(frame, frame.offset(cell));
                let step = steps[usize::from(step)];
                if reached[place] == T::ZERO || step < arrival[place] {
                    arrival[place] = step;
                }
                reached[place] = T::ONE;
            }
        }
    }

    fn write_scalars<T: Element>(
        &self,
        frame: &Around<'_>,
        game: impl Sight,
        allowed: Directions,
        out: &mut [T],
    ) {
        let board = self.board;
        let (seen, rest) = out.split_at_mut(window::SCALARS);
        let (searched, rest) = rest.split_at_mut(reached::SCALARS);
        let (parities, duel_scalars) = rest.split_at_mut(PARITIES);

        self.window.write_scalars(frame, game, allowed, seen);

        let steps = self.steps.get();
        let soft = |number: u32| steps[number as usize];
        self.reached.write(game, soft, searched);

        let odd = |number: usize| number % 2 == 1;
        let head = game.head();
        let nearest = game.foods().map(|food| frame.distance(food)).min();
        parities.copy_from_slice(
            &[
                odd(board.area()),
                odd(board.area()) && !odd(board.column(head) + board.row(head)),
                odd(length(game)),
                nearest.is_some_and(odd),
            ]
            .map(T::bit),
        );

        if let Some(duel) = game.duel() {
            let (clocks, searched) = duel_scalars.split_at_mut(duels::SCALARS);
            duels::write_scalars(duel, &self.window.of_area, clocks);
            self.reached.write_duel(duel, soft, searched);
        }
    }
}

/// Raises a value to another if that is greater.
#[inline]
fn raise<T: Element>(value: &mut T, to: T) {
    if *value < to {
        *value = to;
    }
}
