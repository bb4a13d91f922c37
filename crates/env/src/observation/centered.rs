//! The observation `centered`: a window of one shape for every board, in which only cells very far
//! from the head share entries, and scalars about the connection of free cells.

use super::duels::{self, each_food, growth};
use super::free::{self, Free};
use super::reached::{self, Reached};
use super::window::rotate;
use super::{Observe, Scene, Space};
use crate::Element;
use crate::element::Ratios;
use hognose_game::{Board, Cell, Direction, Directions, Sight};

/// Planes with one snake.
const PLANES: usize = 6;
/// Scalars about the snake and its food.
const SEEN: usize = 8;
/// Parity bits.
const PARITIES: usize = 4;
/// Scalars with one snake.
const SCALARS: usize = SEEN + reached::SCALARS + PARITIES;

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
    of_area: Ratios,
    steps: Ratios,
    cells: Ratios,
    /// The column and row of each cell.
    points: Box<[[i32; 2]]>,
    reached: Reached,
    free: Free,
}

/// Returns the number of entries from the middle of the window for an offset in columns or rows.
#[inline]
fn fold(offset: i32) -> i32 {
    offset.clamp(-MIDDLE, MIDDLE)
}

impl Observe for Centered {
    fn space(Scene { duel, .. }: Scene) -> Space {
        let (planes, scalars) = if duel {
            (PLANES + 3, SCALARS + duels::SCALARS + reached::DUEL_SCALARS)
        } else {
            (PLANES, SCALARS)
        };
        Space {
            planes: [planes, SIDE, SIDE],
            scalars: scalars + free::SCALARS,
        }
    }

    fn new(scene: Scene) -> Centered {
        let board = scene.board;
        Centered {
            board,
            of_area: Ratios::of(board.area()),
            // A path through food may enter a cell a second time.
            steps: Ratios::soft(2 * board.area(), HALF_STEPS),
            cells: Ratios::soft(board.longer_side(), HALF_CELLS),
            points: board
                .cells()
                .map(|cell| [board.column(cell) as i32, board.row(cell) as i32])
                .collect(),
            reached: Reached::new(scene),
            free: Free::new(board),
        }
    }

    #[inline(never)]
    fn write<T: Element>(&mut self, game: impl Sight, allowed: Directions, out: &mut [T]) {
        self.reached.search(game);
        let Space { scalars, .. } = Self::space(Scene {
            board: self.board,
            duel: game.duel().is_some(),
        });
        let (planes, scalars) = out.split_at_mut(out.len() - scalars);
        let (scalars, of_free) = scalars.split_at_mut(scalars.len() - free::SCALARS);
        self.free.write(game, of_free);
        planes.fill(T::ZERO);
        let mut planes = planes.chunks_exact_mut(SIDE * SIDE);
        let [wall, body, blocked, food, reached, arrival] =
            std::array::from_fn(|_| planes.next().expect("six planes"));
        let view = View::of(self, game);
        view.draw_walls(wall);
        let steps = self.steps.get();
        let area = self.board.area();
        let length = game.len() + growth(game);
        for (behind, cell) in game.body().enumerate() {
            let countdown = length - behind;
            let seen = view.look(cell);
            raise(&mut body[seen.place], steps[countdown.min(area)]);
            raise(&mut blocked[seen.place], T::bit(countdown > seen.distance));
        }
        each_food(game, |cell, worth| {
            raise(&mut food[view.look(cell).place], worth)
        });
        self.write_arrivals(&view, 0, reached, arrival);
        if let Some(duel) = game.duel() {
            let [other_body, other_reached, other_arrival] =
                std::array::from_fn(|_| planes.next().expect("nine planes"));
            let other = duel.opponent();
            let length = other.len() + other.growth();
            for (behind, cell) in other.body().enumerate() {
                let countdown = length - behind;
                let seen = view.look(cell);
                raise(&mut other_body[seen.place], steps[countdown.min(area)]);
                raise(&mut blocked[seen.place], T::bit(countdown > seen.distance));
            }
            self.write_arrivals(&view, 1, other_reached, other_arrival);
        }
        self.write_scalars(&view, game, allowed, scalars);
    }
}

impl Centered {
    /// Writes where the own snake (0) or the opponent (1) can get to.
    fn write_arrivals<T: Element>(
        &self,
        view: &View<'_>,
        whose: usize,
        reached: &mut [T],
        arrival: &mut [T],
    ) {
        let steps = self.steps.get();
        for cell in self.board.cells() {
            if let Some(step) = self.reached.earliest(cell)[whose] {
                let place = view.look(cell).place;
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
        view: &View<'_>,
        game: impl Sight,
        allowed: Directions,
        out: &mut [T],
    ) {
        let board = self.board;
        let heading = game.heading();
        let length = game.len() + growth(game);
        let (seen, rest) = out.split_at_mut(SEEN);
        let (searched, rest) = rest.split_at_mut(reached::SCALARS);
        let (parities, duel_scalars) = rest.split_at_mut(PARITIES);

        seen[0] = self.of_area.get()[length.min(board.area())];
        let bits = allowed.turn_bits(heading);
        for (turn, allowed) in seen[1..4].iter_mut().enumerate() {
            *allowed = T::bit(bits >> turn & 1 == 1);
        }
        let nearest = game.foods().min_by_key(|&food| view.look(food).distance);
        let (right, ahead) = nearest.map_or((0, 0), |food| rotate(view.offset(food), heading));
        let cells = self.cells.get();
        seen[4..].copy_from_slice(
            &[ahead, right, -ahead, -right].map(|distance| cells[distance.max(0) as usize]),
        );

        let steps = self.steps.get();
        let soft = |number: u32| steps[number as usize];
        self.reached.write_on(game, soft, searched);

        let odd = |number: usize| number % 2 == 1;
        let [column, row] = self.points[game.head().index()];
        parities.copy_from_slice(
            &[
                odd(board.area()),
                odd(board.area()) && (column + row) % 2 == 0,
                odd(length),
                nearest.is_some_and(|food| odd(view.look(food).distance)),
            ]
            .map(T::bit),
        );

        if let Some(duel) = game.duel() {
            let (clocks, searched) = duel_scalars.split_at_mut(duels::SCALARS);
            duels::write_scalars(duel, &self.of_area, clocks);
            self.reached.write_duel_on(duel, soft, searched);
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

/// A cell as seen from the head.
#[derive(Clone, Copy)]
struct Seen {
    place: usize,
    /// The fewest steps to it on the empty board.
    distance: usize,
}

/// The layout of the window.
struct View<'a> {
    window: &'a Centered,
    head: Cell,
    head_point: [i32; 2],
    heading: Direction,
    /// The offset of the entries for one column to the right and one row down on the board.
    strides: (i32, i32),
}

impl<'a> View<'a> {
    fn of(window: &'a Centered, game: impl Sight) -> View<'a> {
        let head = game.head();
        let heading = game.heading();
        let side = SIDE as i32;
        let strides = [(1, side), (-side, 1), (-1, -side), (side, -1)][heading.index()];
        View {
            window,
            head,
            head_point: window.points[head.index()],
            heading,
            strides,
        }
    }

    /// Returns the columns and rows from the head to a cell; on a torus, the shorter way around.
    #[inline]
    fn offset(&self, cell: Cell) -> (i32, i32) {
        if self.window.board.is_torus() {
            return self.window.board.offset(self.head, cell);
        }
        let [column, row] = self.window.points[cell.index()];
        (column - self.head_point[0], row - self.head_point[1])
    }

    #[inline]
    fn look(&self, cell: Cell) -> Seen {
        let (columns, rows) = self.offset(cell);
        let center = MIDDLE * (SIDE as i32 + 1);
        let place = center + fold(columns) * self.strides.0 + fold(rows) * self.strides.1;
        Seen {
            place: place as usize,
            distance: (columns.abs() + rows.abs()) as usize,
        }
    }

    /// Writes 1 outside the board and 0 inside.
    fn draw_walls<T: Element>(&self, wall: &mut [T]) {
        let board = self.window.board;
        if board.is_torus() {
            return;
        }
        let [column, row] = self.head_point;
        let last_column = board.width() as i32 - 1;
        let last_row = board.height() as i32 - 1;
        let [a, b] = [(-column, -row), (last_column - column, last_row - row)].map(|corner| {
            let (right, ahead) = rotate(corner, self.heading);
            (
                (MIDDLE + fold(right)) as usize,
                (MIDDLE - fold(ahead)) as usize,
            )
        });
        let columns = a.0.min(b.0)..a.0.max(b.0) + 1;
        let rows = a.1.min(b.1)..a.1.max(b.1) + 1;
        wall.fill(T::ONE);
        for row in wall
            .chunks_exact_mut(SIDE)
            .skip(rows.start)
            .take(rows.len())
        {
            row[columns.clone()].fill(T::ZERO);
        }
    }
}
