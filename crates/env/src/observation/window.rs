//! The observation `window`: the board around the head, rotated so that the snake faces up.

use super::duels::{self, countdowns, each_food, length};
use super::{Observe, Scene, Space};
use crate::Element;
use crate::element::Ratios;
use hognose_game::duel::DuelView;
use hognose_game::{Board, Cell, Direction, Directions, Sight};

/// Planes with one snake.
pub(super) const PLANES: usize = 4;
/// Scalars with one snake.
pub(super) const SCALARS: usize = 8;

#[derive(Clone, Debug)]
pub(super) struct Window {
    board: Board,
    /// The number of cells from the head to the border of the window.
    middle: i32,
    pub(super) of_area: Ratios,
    /// The scale of numbers of columns and rows.
    cells: Ratios,
    /// The column and row of each cell.
    points: Box<[[u8; 2]]>,
}

impl Observe for Window {
    const GRAIN: usize = 128;

    fn space(Scene { board, duel }: Scene) -> Space {
        let side = side(board);
        let duel = usize::from(duel);
        Space {
            planes: [PLANES + duel, side, side],
            scalars: SCALARS + duel * duels::SCALARS,
        }
    }

    fn new(Scene { board, .. }: Scene) -> Window {
        let side = board.longer_side();
        Window::of(board, side as i32 - 1, Ratios::of(side))
    }

    #[inline]
    fn write<T: Element>(&mut self, game: impl Sight, allowed: Directions, out: &mut [T]) {
        let size = self.frame(game).size();
        let (planes, rest) = out.split_at_mut(PLANES * size);
        // With one snake, the plane of a duel is empty.
        let duel_size = if game.duel().is_some() { size } else { 0 };
        let (other, rest) = rest.split_at_mut(duel_size);
        let (scalars, duel_scalars) = rest.split_at_mut(SCALARS);
        self.write_parts(game, allowed, planes, scalars);
        if let Some(duel) = game.duel() {
            self.write_other(duel, other);
            duels::write_scalars(duel, &self.of_area, duel_scalars);
        }
    }
}

/// Returns the side length of a window that contains the board for any position of the head.
pub(super) fn side(board: Board) -> usize {
    2 * board.longer_side() - 1
}

impl Window {
    /// Creates a window with `middle` cells to each side of the head, and a scale of numbers of
    /// columns and rows.
    pub(super) fn of(board: Board, middle: i32, cells: Ratios) -> Window {
        Window {
            board,
            middle,
            of_area: Ratios::of(board.area()),
            cells,
            points: board
                .cells()
                .map(|cell| [board.column(cell) as u8, board.row(cell) as u8])
                .collect(),
        }
    }

    /// Returns the layout of a window around the head.
    #[inline]
    pub(super) fn frame(&self, game: impl Sight) -> Around<'_> {
        let heading = game.heading();
        let side = 2 * self.middle + 1;
        let strides = [(1, side), (-side, 1), (-1, -side), (side, -1)][heading.index()];
        Around {
            board: self.board,
            middle: self.middle,
            points: &self.points,
            head: game.head(),
            head_point: self.points[game.head().index()].map(i32::from),
            heading,
            strides,
        }
    }

    /// Writes the four planes and eight scalars.
    #[inline]
    pub(super) fn write_parts<T: Element>(
        &self,
        game: impl Sight,
        allowed: Directions,
        planes: &mut [T],
        scalars: &mut [T],
    ) {
        let of_area = self.of_area.get();
        let frame = self.frame(game);
        let (wall, rest) = planes.split_at_mut(frame.size());
        frame.draw_walls(wall, |offset| offset);
        rest.fill(T::ZERO);
        let (body, rest) = rest.split_at_mut(frame.size());
        let (blocked, food) = rest.split_at_mut(frame.size());
        let area = self.board.area();
        for (cell, countdown) in countdowns(game) {
            let value = of_area[countdown.min(area)];
            let still_there = T::bit(countdown > frame.distance(cell));
            frame.each_place(cell, |place| {
                body[place] = value;
                blocked[place] = still_there;
            });
        }
        if let Some(duel) = game.duel() {
            for (cell, countdown) in countdowns(duel.opponent()) {
                let still_there = T::bit(countdown > frame.distance(cell));
                frame.each_place(cell, |place| blocked[place] = still_there);
            }
        }
        each_food(game, |cell, worth| {
            frame.each_place(cell, |place| food[place] = worth)
        });
        self.write_scalars(&frame, game, allowed, scalars);
    }

    /// Writes the eight scalars.
    #[inline]
    pub(super) fn write_scalars<T: Element>(
        &self,
        frame: &Around<'_>,
        game: impl Sight,
        allowed: Directions,
        out: &mut [T],
    ) {
        out[0] = self.of_area.get()[length(game).min(self.board.area())];
        let bits = allowed.turn_bits(game.heading());
        for (turn, allowed) in out[1..4].iter_mut().enumerate() {
            *allowed = T::bit(bits >> turn & 1 == 1);
        }
        let nearest = game.foods().min_by_key(|&food| frame.distance(food));
        let (right, ahead) =
            nearest.map_or((0, 0), |food| rotate(frame.offset(food), game.heading()));
        let cells = self.cells.get();
        let ratio = |distance: i32| cells[distance.max(0) as usize];
        out[4..8].copy_from_slice(&[ratio(ahead), ratio(right), ratio(-ahead), ratio(-right)]);
    }

    /// Writes the plane of the opponent's body.
    pub(super) fn write_other<T: Element>(&self, duel: DuelView<'_>, plane: &mut [T]) {
        let of_area = self.of_area.get();
        let frame = self.frame(duel);
        plane.fill(T::ZERO);
        for (cell, countdown) in countdowns(duel.opponent()) {
            let value = of_area[countdown.min(self.board.area())];
            frame.each_place(cell, |place| plane[place] = value);
        }
    }
}

/// The layout of a window around the head, rotated so that the snake faces up.
pub(super) struct Around<'a> {
    board: Board,
    middle: i32,
    points: &'a [[u8; 2]],
    head: Cell,
    head_point: [i32; 2],
    heading: Direction,
    /// The offset of the entries for one column to the right and one row down on the board.
    strides: (i32, i32),
}

impl Around<'_> {
    #[inline]
    fn side(&self) -> usize {
        (2 * self.middle + 1) as usize
    }

    #[inline]
    pub(super) fn size(&self) -> usize {
        self.side() * self.side()
    }

    /// Returns the columns and rows from the head to a cell.
    #[inline]
    pub(super) fn offset(&self, cell: Cell) -> (i32, i32) {
        if self.board.is_torus() {
            return self.offset_on_torus(cell);
        }
        let [column, row] = self.points[cell.index()].map(i32::from);
        (column - self.head_point[0], row - self.head_point[1])
    }

    /// Inlined, this would slow the loops of all other boards.
    #[inline(never)]
    fn offset_on_torus(&self, cell: Cell) -> (i32, i32) {
        self.board.offset(self.head, cell)
    }

    /// Returns the fewest steps from the head to a cell on an empty board.
    #[inline]
    pub(super) fn distance(&self, cell: Cell) -> usize {
        let (columns, rows) = self.offset(cell);
        (columns.abs() + rows.abs()) as usize
    }

    #[inline]
    pub(super) fn place(&self, (columns, rows): (i32, i32)) -> usize {
        let center = self.middle * (2 * self.middle + 2);
        (center + columns * self.strides.0 + rows * self.strides.1) as usize
    }

    /// Visits the entry of a cell; on a torus, all of its entries.
    #[inline]
    pub(super) fn each_place(&self, cell: Cell, mut visit: impl FnMut(usize)) {
        let (columns, rows) = self.offset(cell);
        if !self.board.is_torus() {
            return visit(self.place((columns, rows)));
        }
        let middle = self.middle;
        let copies = move |offset: i32, side: usize| {
            let side = side as i32;
            let first = offset - (offset + middle) / side * side;
            (first..=middle).step_by(side as usize)
        };
        for rows in copies(rows, self.board.height()) {
            for columns in copies(columns, self.board.width()) {
                visit(self.place((columns, rows)));
            }
        }
    }

    /// Writes 1 outside the board and 0 inside, given the entry for an offset in columns or rows.
    #[inline]
    pub(super) fn draw_walls<T: Element>(&self, wall: &mut [T], fold: impl Fn(i32) -> i32) {
        let &Around { board, middle, .. } = self;
        if board.is_torus() {
            return wall.fill(T::ZERO);
        }
        let [column, row] = self.head_point;
        let last_column = board.width() as i32 - 1;
        let last_row = board.height() as i32 - 1;
        let corners = [(-column, -row), (last_column - column, last_row - row)];
        let [a, b] = corners.map(|corner| {
            let (right, ahead) = rotate(corner, self.heading);
            [
                (middle + fold(right)) as usize,
                (middle - fold(ahead)) as usize,
            ]
        });
        let columns = a[0].min(b[0])..a[0].max(b[0]) + 1;
        let rows = a[1].min(b[1])..a[1].max(b[1]) + 1;
        wall.fill(T::ONE);
        for row in wall
            .chunks_exact_mut(self.side())
            .skip(rows.start)
            .take(rows.len())
        {
            clear(&mut row[columns.clone()]);
        }
    }
}

/// Fills a short row with 0 by two overlapping writes, since `fill` would call a function.
#[inline]
fn clear<T: Element>(row: &mut [T]) {
    fn both_ends<T: Element, const N: usize>(row: &mut [T]) {
        *row.first_chunk_mut().expect("at least N values") = [T::ZERO; N];
        *row.last_chunk_mut().expect("at least N values") = [T::ZERO; N];
    }
    match row.len() {
        4..8 => both_ends::<T, 4>(row),
        8..16 => both_ends::<T, 8>(row),
        16..=32 => both_ends::<T, 16>(row),
        _ => row.fill(T::ZERO),
    }
}

/// Rotates (columns to the right, rows down) to (cells to the right, cells ahead) as seen from the
/// head.
#[inline]
fn rotate((right, down): (i32, i32), heading: Direction) -> (i32, i32) {
    // The first row of each matrix computes cells to the right, the second cells ahead. A `match`
    // would be mispredicted too often.
    const TURNS: [[[i32; 2]; 2]; 4] = [
        [[1, 0], [0, -1]],
        [[0, 1], [1, 0]],
        [[-1, 0], [0, 1]],
        [[0, -1], [-1, 0]],
    ];
    let [a, b] = TURNS[heading.index()];
    (a[0] * right + a[1] * down, b[0] * right + b[1] * down)
}
