//! Observations: what the agent sees of a position. Every value is a ratio in [0, 1]; as `u8` it is 255 times the
//! ratio, rounded up, so that nothing small becomes 0.

use crate::Reach;
use hognose_game::{Board, Cell, Direction, Directions, Event, Position, Turn};
use sealed::Sealed;
use serde::{Deserialize, Serialize};

/// An observation, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Observation {
    /// The board as it lies, 5 planes of height x width: steps until the body has left the cell / area (tail 1 / area,
    /// head length / area); head; tail; food; the cell straight ahead.
    Planes,
    /// The board around the head, rotated so that the snake faces up; S = longer side. 6 planes of (2S-1) x (2S-1):
    /// wall; steps until the body has left the cell / area; blocked on arrival (the body is still there after as many
    /// steps as the cell is away from the head); food; reached; arrival step / area ([`Reach`], best move). Then 20 scalars:
    /// length / area; allowed left, straight, right; columns and rows to the nearest food ahead, to the right, behind, to
    /// the left / S; for each of left, straight, right: share of the free cells reached, 1 / steps to food (0 if not
    /// reached), steps to food / area (1 if not reached), tail reached.
    #[default]
    Egocentric,
    /// What `egocentric` sees without searching: its first 4 planes and first 8 scalars.
    Window,
    /// 24 scalars: forbidden left, straight, right; heading up, right, down, left; nearest food up, right, down, left;
    /// length / area; and the 12 reach numbers of `egocentric`.
    Features,
}

impl Observation {
    /// All observations with their names.
    pub const ALL: [(&'static str, Observation); 4] = [
        ("planes", Observation::Planes),
        ("egocentric", Observation::Egocentric),
        ("window", Observation::Window),
        ("features", Observation::Features),
    ];

    /// The shape of this observation on a board.
    pub fn space(self, board: Board) -> Space {
        let window = 2 * board.longer_side() - 1;
        let [planes, height, width, scalars] = match self {
            Observation::Planes => [5, board.height(), board.width(), 0],
            Observation::Egocentric => [6, window, window, 20],
            Observation::Window => [4, window, window, 8],
            Observation::Features => [0, 0, 0, 24],
        };
        Space { planes: [planes, height, width], scalars }
    }
}

/// The shape of an observation: planes first, row by row, then scalars. As `f32` every value is in [0, 1], as `u8` in
/// 0..=255.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Space {
    /// Planes, height, width.
    pub planes: [usize; 3],
    /// How many scalars follow the planes.
    pub scalars: usize,
}

impl Space {
    /// The number of values.
    #[expect(clippy::len_without_is_empty, reason = "no observation is empty")]
    pub fn len(self) -> usize {
        self.planes.iter().product::<usize>() + self.scalars
    }
}

/// A value of an observation: `f32` in [0, 1], or `u8` in 0..=255.
pub trait Element: Copy + Default + PartialEq + Send + Sync + std::fmt::Debug + Sealed + 'static {
    /// 0.
    const ZERO: Self;
    /// 1 as `f32`, 255 as `u8`.
    const ONE: Self;
    /// `part / whole`, with `part <= whole`; 0 stands only for 0.
    fn ratio(part: u32, whole: u32) -> Self;
    /// The value as a number in [0, 1].
    fn to_unit(self) -> f32;

    /// 1 or 0.
    #[inline]
    fn bit(bit: bool) -> Self {
        if bit { Self::ONE } else { Self::ZERO }
    }
}

/// `f32` and `u8` have everything twice; this chooses.
pub(crate) mod sealed {
    use super::Tables;
    use crate::Batch;

    /// A batch of either element.
    #[derive(Debug)]
    pub enum AnyBatch<'a> {
        F32(Batch<'a, f32>),
        U8(Batch<'a, u8>),
    }

    pub trait Sealed: Sized {
        fn any(batch: Batch<'_, Self>) -> AnyBatch<'_>;
        fn tables<'a>(units: &'a Tables<f32>, bytes: &'a Tables<u8>) -> &'a Tables<Self>;
    }

    impl Sealed for f32 {
        fn any(batch: Batch<'_, f32>) -> AnyBatch<'_> {
            AnyBatch::F32(batch)
        }

        #[inline]
        fn tables<'a>(units: &'a Tables<f32>, _: &'a Tables<u8>) -> &'a Tables<f32> {
            units
        }
    }

    impl Sealed for u8 {
        fn any(batch: Batch<'_, u8>) -> AnyBatch<'_> {
            AnyBatch::U8(batch)
        }

        #[inline]
        fn tables<'a>(_: &'a Tables<f32>, bytes: &'a Tables<u8>) -> &'a Tables<u8> {
            bytes
        }
    }
}

impl Element for f32 {
    const ZERO: f32 = 0.0;
    const ONE: f32 = 1.0;

    #[inline]
    fn ratio(part: u32, whole: u32) -> f32 {
        part as f32 / whole as f32
    }

    fn to_unit(self) -> f32 {
        self
    }
}

impl Element for u8 {
    const ZERO: u8 = 0;
    const ONE: u8 = 255;

    #[inline]
    fn ratio(part: u32, whole: u32) -> u8 {
        (255 * part).div_ceil(whole) as u8
    }

    fn to_unit(self) -> f32 {
        f32::from(self) / 255.0
    }
}

/// What an encoder must see of a position, whatever keeps it.
pub(crate) trait Sight {
    fn head(&self) -> Cell;
    fn tail(&self) -> Cell;
    fn heading(&self) -> Direction;
    /// The cell straight ahead; `None` outside the board.
    fn ahead(&self) -> Option<Cell>;
    fn len(&self) -> usize;
    fn foods(&self) -> &[Cell];
    /// The cell of the body so many steps behind the head, which is less than the length.
    fn body_cell(&self, behind: usize) -> Cell;
    /// From head to tail.
    fn body(&self) -> impl Iterator<Item = Cell> {
        (0..self.len()).map(|behind| self.body_cell(behind))
    }
}

impl Sight for Position {
    fn head(&self) -> Cell {
        Position::head(self)
    }

    fn tail(&self) -> Cell {
        Position::tail(self)
    }

    fn heading(&self) -> Direction {
        Position::heading(self)
    }

    fn ahead(&self) -> Option<Cell> {
        self.board().neighbor(Position::head(self), Position::heading(self))
    }

    fn len(&self) -> usize {
        Position::len(self)
    }

    fn foods(&self) -> &[Cell] {
        Position::foods(self)
    }

    fn body_cell(&self, behind: usize) -> Cell {
        Position::body_cell(self, behind)
    }
}

/// Ratios that need no division.
#[derive(Clone, Debug)]
pub struct Tables<T> {
    /// By number of cells or steps: of the area.
    of_area: Box<[T]>,
    /// By number of columns or rows: of the longer side.
    of_side: Box<[T]>,
}

impl<T: Element> Tables<T> {
    fn new(board: Board) -> Tables<T> {
        let ratios = |whole: usize| (0..=whole as u32).map(|part| T::ratio(part, whole as u32)).collect();
        Tables { of_area: ratios(board.area()), of_side: ratios(board.longer_side()) }
    }
}

/// A sight that remembers what the body has left.
pub(crate) trait Trail: Sight {
    /// The cell that the body leaves after so many steps that eat nothing; after 0, the one that it left last in this game, or
    /// any cell if it has left none.
    fn cell_left_after(&self, steps: usize) -> Cell;
}

/// What [`Encoder::update`] must know beside the position after a step.
pub(crate) struct Mark {
    /// The cell that lay ahead before the step, or the board's area outside the board.
    ahead: u16,
    /// What the step did.
    pub(crate) event: Event,
}

/// Writes the observation of positions of one board.
#[derive(Clone, Debug)]
pub struct Encoder {
    observation: Observation,
    board: Board,
    space: Space,
    reach: Reach,
    units: Tables<f32>,
    bytes: Tables<u8>,
    /// Column and row of each cell.
    points: Box<[[u8; 2]]>,
}

impl Encoder {
    /// The encoder of an observation on a board.
    pub fn new(observation: Observation, board: Board) -> Encoder {
        Encoder {
            observation,
            board,
            space: observation.space(board),
            reach: Reach::new(board),
            units: Tables::new(board),
            bytes: Tables::new(board),
            points: board.cells().map(|cell| [board.column(cell) as u8, board.row(cell) as u8]).collect(),
        }
    }

    pub(crate) fn observation(&self) -> Observation {
        self.observation
    }

    /// The observation's shape.
    pub fn space(&self) -> Space {
        self.space
    }

    /// Writes the observation of a position and its allowed moves; `out` has [`Space::len`] values.
    ///
    /// # Panics
    /// When the position is of another board, or `out` of another length.
    pub fn encode<T: Element>(&mut self, position: &Position, allowed: Directions, out: &mut [T]) {
        assert_eq!(position.board(), self.board, "the position is of another board");
        assert_eq!(out.len(), self.space.len(), "the buffer is of another length");
        match self.observation {
            Observation::Planes | Observation::Window => self.encode_sight(position, allowed, out),
            Observation::Egocentric => self.encode_egocentric(position, allowed, out),
            Observation::Features => self.encode_features(position, allowed, out),
        }
    }

    /// The same for the observations that are no more than seen.
    #[inline]
    pub(crate) fn encode_sight<T: Element>(&self, sight: &impl Sight, allowed: Directions, out: &mut [T]) {
        match self.observation {
            Observation::Planes => self.encode_planes(sight, out),
            _ => {
                let (planes, scalars) = out.split_at_mut(self.space.len() - 8);
                self.encode_window(sight, allowed, planes, scalars);
            }
        }
    }

    fn encode_planes<T: Element>(&self, sight: &impl Sight, out: &mut [T]) {
        let area = self.board.area();
        let tables = T::tables(&self.units, &self.bytes);
        out.fill(T::ZERO);
        for (behind, cell) in sight.body().enumerate() {
            out[cell.index()] = tables.of_area[sight.len() - behind];
        }
        out[area + sight.head().index()] = T::ONE;
        out[2 * area + sight.tail().index()] = T::ONE;
        for &food in sight.foods() {
            out[3 * area + food.index()] = T::ONE;
        }
        if let Some(ahead) = sight.ahead() {
            out[4 * area + ahead.index()] = T::ONE;
        }
    }

    /// What [`update`](Self::update) needs, asked before the step; `None` where an observation can only be written anew.
    #[inline]
    pub(crate) fn mark(&self, sight: &impl Sight) -> Option<Mark> {
        let planes = self.observation == Observation::Planes;
        planes.then(|| Mark { ahead: self.number(sight.ahead()), event: Event::Moved })
    }

    /// Turns the planes of the position before a step into those of the position after it.
    #[inline(always)]
    pub(crate) fn update<T: Element>(&self, sight: &impl Trail, mark: &Mark, out: &mut [T]) {
        let area = self.board.area();
        let of_area = &T::tables(&self.units, &self.bytes).of_area;
        let (body, rest) = out.split_at_mut(area);
        let (head, rest) = rest.split_at_mut(area);
        let (tail, rest) = rest.split_at_mut(area);
        let (food, ahead) = rest.split_at_mut(area);
        let len = sight.len();
        if matches!(mark.event, Event::Lost(_)) {
            return;
        }
        if mark.event != Event::Moved {
            food[sight.head().index()] = T::ZERO;
            sight.foods().iter().for_each(|cell| food[cell.index()] = T::ONE);
        }
        for (steps, &value) in of_area[..=len].iter().enumerate() {
            body[sight.cell_left_after(steps).index()] = value;
        }
        head[sight.cell_left_after(len - 1).index()] = T::ZERO;
        head[sight.head().index()] = T::ONE;
        tail[sight.cell_left_after(0).index()] = T::ZERO;
        tail[sight.tail().index()] = T::ONE;
        ahead[usize::from(mark.ahead).min(area - 1)] = T::ZERO;
        let now = self.number(sight.ahead());
        ahead[usize::from(now).min(area - 1)] = T::bit(usize::from(now) < area);
    }

    /// Of a cell, or the board's area outside the board.
    #[inline]
    fn number(&self, cell: Option<Cell>) -> u16 {
        cell.map_or(self.board.area() as u16, |cell| cell.0)
    }

    /// The four planes and eight scalars of [`Observation::Window`].
    #[inline]
    fn encode_window<T: Element>(&self, sight: &impl Sight, allowed: Directions, planes: &mut [T], scalars: &mut [T]) {
        let tables = T::tables(&self.units, &self.bytes);
        let frame = Frame::new(self, sight.head(), sight.heading());
        let (wall, rest) = planes.split_at_mut(frame.size());
        frame.draw_walls(wall);
        rest.fill(T::ZERO);
        let (body, rest) = rest.split_at_mut(frame.size());
        let (blocked, food) = rest.split_at_mut(frame.size());
        for (behind, cell) in sight.body().enumerate() {
            let countdown = sight.len() - behind;
            let (value, still_there) = (tables.of_area[countdown], T::bit(countdown > frame.distance(cell)));
            frame.each_place(cell, |place| {
                body[place] = value;
                blocked[place] = still_there;
            });
        }
        for &cell in sight.foods() {
            frame.each_place(cell, |place| food[place] = T::ONE);
        }
        let nearest = sight.foods().iter().copied().min_by_key(|&food| frame.distance(food));
        let (right, ahead) = nearest.map_or((0, 0), |food| rotate(frame.offset(food), sight.heading()));
        let ratio = |distance: i32| tables.of_side[distance.max(0) as usize];
        scalars[0] = tables.of_area[sight.len()];
        let bits = allowed.turn_bits(sight.heading());
        for (turn, allowed) in scalars[1..4].iter_mut().enumerate() {
            *allowed = T::bit(bits >> turn & 1 == 1);
        }
        scalars[4..8].copy_from_slice(&[ratio(ahead), ratio(right), ratio(-ahead), ratio(-right)]);
    }

    fn encode_egocentric<T: Element>(&mut self, position: &Position, allowed: Directions, out: &mut [T]) {
        self.reach.search(position);
        let area = self.board.area() as u32;
        let frame = Frame::new(self, position.head(), position.heading());
        let (planes, scalars) = out.split_at_mut(6 * frame.size());
        let (seen, searched) = planes.split_at_mut(4 * frame.size());
        self.encode_window(position, allowed, seen, &mut scalars[..8]);
        let (reached, arrival) = searched.split_at_mut(frame.size());
        reached.fill(T::ZERO);
        arrival.fill(T::ZERO);
        for cell in self.board.cells() {
            if let Some(step) = self.reach.earliest(cell) {
                frame.each_place(cell, |place| {
                    reached[place] = T::ONE;
                    arrival[place] = T::ratio(step.into(), area);
                });
            }
        }
        self.write_reach(position, &mut scalars[8..]);
    }

    fn encode_features<T: Element>(&mut self, position: &Position, allowed: Directions, out: &mut [T]) {
        self.reach.search(position);
        let (right, down) = nearest_food(position).map_or((0, 0), |food| self.board.offset(position.head(), food));
        for turn in Turn::ALL {
            out[turn as usize] = T::bit(!allowed.contains(position.heading().turned(turn)));
        }
        for direction in Direction::ALL {
            out[3 + direction.index()] = T::bit(direction == position.heading());
        }
        out[7..11].copy_from_slice(&[down < 0, right > 0, down > 0, right < 0].map(T::bit));
        out[11] = T::ratio(position.len() as u32, self.board.area() as u32);
        self.write_reach(position, &mut out[12..]);
    }

    fn write_reach<T: Element>(&self, position: &Position, out: &mut [T]) {
        let area = self.board.area() as u32;
        let free = (area - position.len() as u32).max(1);
        for (reach, out) in self.reach.moves().iter().zip(out.chunks_exact_mut(4)) {
            out[0] = T::ratio(reach.free_cells, free);
            out[1] = reach.food_steps.map_or(T::ZERO, |steps| T::ratio(1, steps.into()));
            out[2] = reach.food_steps.map_or(T::ONE, |steps| T::ratio(steps.into(), area));
            out[3] = T::bit(reach.tail);
        }
    }
}

/// Where cells lie in a window around the head that is rotated so that the snake faces up.
struct Frame<'a> {
    board: Board,
    points: &'a [[u8; 2]],
    head: Cell,
    head_point: (i32, i32),
    heading: Direction,
    /// From the head to the window's border.
    middle: i32,
    /// Places to go for one column to the right and for one row down on the board.
    strides: (i32, i32),
}

impl<'a> Frame<'a> {
    #[inline]
    fn new(encoder: &'a Encoder, head: Cell, heading: Direction) -> Frame<'a> {
        let board = encoder.board;
        let middle = board.longer_side() as i32 - 1;
        let side = 2 * middle + 1;
        let strides = [(1, side), (-side, 1), (-1, -side), (side, -1)][heading.index()];
        let [column, row] = encoder.points[head.index()].map(i32::from);
        Frame { board, points: &encoder.points, head, head_point: (column, row), heading, middle, strides }
    }

    #[inline]
    fn side(&self) -> usize {
        (2 * self.middle + 1) as usize
    }

    /// The number of places.
    #[inline]
    fn size(&self) -> usize {
        self.side() * self.side()
    }

    /// [`Board::offset`] from the head.
    #[inline]
    fn offset(&self, cell: Cell) -> (i32, i32) {
        if self.board.is_torus() {
            return self.board.offset(self.head, cell);
        }
        let [column, row] = self.points[cell.index()].map(i32::from);
        (column - self.head_point.0, row - self.head_point.1)
    }

    /// [`Board::distance`] from the head.
    #[inline]
    fn distance(&self, cell: Cell) -> usize {
        let (columns, rows) = self.offset(cell);
        (columns.abs() + rows.abs()) as usize
    }

    #[inline]
    fn place(&self, (columns, rows): (i32, i32)) -> usize {
        let center = self.middle * (2 * self.middle + 2);
        (center + columns * self.strides.0 + rows * self.strides.1) as usize
    }

    /// Visits the place of a cell; on a torus, all of them.
    #[inline]
    fn each_place(&self, cell: Cell, mut visit: impl FnMut(usize)) {
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

    /// 1 outside the board, 0 inside.
    #[inline]
    fn draw_walls<T: Element>(&self, wall: &mut [T]) {
        if self.board.is_torus() {
            return wall.fill(T::ZERO);
        }
        let (column, row) = self.head_point;
        let (last_column, last_row) = (self.board.width() as i32 - 1, self.board.height() as i32 - 1);
        let corners = [(-column, -row), (last_column - column, last_row - row)];
        let [a, b] = corners.map(|corner| {
            let (right, ahead) = rotate(corner, self.heading);
            ((self.middle + right) as usize, (self.middle - ahead) as usize)
        });
        let (columns, rows) = (a.0.min(b.0)..a.0.max(b.0) + 1, a.1.min(b.1)..a.1.max(b.1) + 1);
        wall.fill(T::ONE);
        for row in wall.chunks_exact_mut(self.side()).skip(rows.start).take(rows.len()) {
            clear(&mut row[columns.clone()]);
        }
    }
}

/// Fills a short row with 0 by two writes that overlap: `fill` would call a function.
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

/// (columns, rows) to the right and down, seen from the head: (to the right, ahead).
#[inline]
fn rotate((right, down): (i32, i32), heading: Direction) -> (i32, i32) {
    // The first row of each is what lies to the right, the second what lies ahead. A `match` would be guessed wrong too often.
    const TURNS: [[[i32; 2]; 2]; 4] = [[[1, 0], [0, -1]], [[0, 1], [1, 0]], [[-1, 0], [0, 1]], [[0, -1], [-1, 0]]];
    let [a, b] = TURNS[heading.index()];
    (a[0] * right + a[1] * down, b[0] * right + b[1] * down)
}

fn nearest_food(position: &Position) -> Option<Cell> {
    position.foods().iter().copied().min_by_key(|&food| position.board().distance(position.head(), food))
}
