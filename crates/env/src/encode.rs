//! Observations: what the agent sees of a position. Every value is a ratio in [0, 1]; as `u8` it is 255 times the
//! ratio, rounded up, so that nothing small becomes 0.

use crate::Reach;
use hognose_game::{Board, Cell, Direction, Directions, Position, Turn};
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
    /// 24 scalars: forbidden left, straight, right; heading up, right, down, left; nearest food up, right, down, left;
    /// length / area; and the 12 reach numbers of `egocentric`.
    Features,
}

impl Observation {
    /// All observations with their names.
    pub const ALL: [(&'static str, Observation); 3] =
        [("planes", Observation::Planes), ("egocentric", Observation::Egocentric), ("features", Observation::Features)];

    /// The shape of this observation on a board.
    pub fn space(self, board: Board) -> Space {
        let window = 2 * board.longer_side() - 1;
        let [planes, height, width, scalars] = match self {
            Observation::Planes => [5, board.height(), board.width(), 0],
            Observation::Egocentric => [6, window, window, 20],
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
pub trait Element: Copy + Default + PartialEq + Send + Sync + std::fmt::Debug + 'static {
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

/// Writes the observation of positions of one board.
#[derive(Clone, Debug)]
pub struct Encoder {
    observation: Observation,
    board: Board,
    space: Space,
    reach: Reach,
}

impl Encoder {
    /// The encoder of an observation on a board.
    pub fn new(observation: Observation, board: Board) -> Encoder {
        Encoder { observation, board, space: observation.space(board), reach: Reach::new(board) }
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
            Observation::Planes => encode_planes(position, out),
            Observation::Egocentric => self.encode_egocentric(position, allowed, out),
            Observation::Features => self.encode_features(position, allowed, out),
        }
    }

    fn encode_egocentric<T: Element>(&mut self, position: &Position, allowed: Directions, out: &mut [T]) {
        self.reach.search(position);
        let board = self.board;
        let side = board.longer_side();
        let area = board.area() as u32;
        let [_, window, _] = self.space.planes;
        let (planes, scalars) = out.split_at_mut(self.space.len() - self.space.scalars);
        let mut planes = planes.chunks_exact_mut(window * window);
        let [wall, body, blocked, food, reached, arrival] = std::array::from_fn(|_| planes.next().expect("six planes"));
        wall.fill(T::ONE);
        for plane in [&mut *body, blocked, food, reached, arrival] {
            plane.fill(T::ZERO);
        }
        let mut write = |place: usize, cell: Cell, distance: usize| {
            let countdown = self.reach.countdown(cell);
            wall[place] = T::ZERO;
            if countdown > 0 {
                body[place] = T::ratio(countdown.into(), area);
                blocked[place] = T::bit(usize::from(countdown) > distance);
            }
            if position.is_food(cell) {
                food[place] = T::ONE;
            }
            if let Some(step) = self.reach.earliest(cell) {
                reached[place] = T::ONE;
                arrival[place] = T::ratio(step.into(), area);
            }
        };
        let (head, heading) = (position.head(), position.heading());
        let middle = side as i32 - 1;
        let place = |(right, ahead): (i32, i32)| ((middle - ahead) as usize) * window + (middle + right) as usize;
        if board.is_torus() {
            let (width, height) = (board.width() as i32, board.height() as i32);
            for row in -middle..=middle {
                for column in -middle..=middle {
                    let x = (board.column(head) as i32 + column).rem_euclid(width) as usize;
                    let y = (board.row(head) as i32 + row).rem_euclid(height) as usize;
                    let cell = board.cell(x, y);
                    write(place(rotate((column, row), heading)), cell, board.distance(head, cell));
                }
            }
        } else {
            let (head_column, head_row) = (board.column(head) as i32, board.row(head) as i32);
            let mut number = 0;
            for row in 0..board.height() as i32 {
                for column in 0..board.width() as i32 {
                    let offset = (column - head_column, row - head_row);
                    let distance = (offset.0.abs() + offset.1.abs()) as usize;
                    write(place(rotate(offset, heading)), Cell(number), distance);
                    number += 1;
                }
            }
        }
        let offset = nearest_food(position).map_or((0, 0), |food| rotate(board.offset(head, food), heading));
        let ratio = |distance: i32| T::ratio(distance.max(0) as u32, side as u32);
        scalars[0] = T::ratio(position.len() as u32, area);
        for turn in Turn::ALL {
            scalars[1 + turn as usize] = T::bit(allowed.contains(heading.turned(turn)));
        }
        let (right, ahead) = offset;
        scalars[4..8].copy_from_slice(&[ratio(ahead), ratio(right), ratio(-ahead), ratio(-right)]);
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

fn encode_planes<T: Element>(position: &Position, out: &mut [T]) {
    let board = position.board();
    let area = board.area();
    out.fill(T::ZERO);
    for (behind, cell) in position.body().enumerate() {
        out[cell.index()] = T::ratio((position.len() - behind) as u32, area as u32);
    }
    out[area + position.head().index()] = T::ONE;
    out[2 * area + position.tail().index()] = T::ONE;
    for &food in position.foods() {
        out[3 * area + food.index()] = T::ONE;
    }
    if let Some(ahead) = board.neighbor(position.head(), position.heading()) {
        out[4 * area + ahead.index()] = T::ONE;
    }
}

/// (columns, rows) to the right and down, seen from the head: (to the right, ahead).
#[inline]
fn rotate((right, down): (i32, i32), heading: Direction) -> (i32, i32) {
    match heading {
        Direction::Up => (right, -down),
        Direction::Right => (down, right),
        Direction::Down => (-right, down),
        Direction::Left => (-down, -right),
    }
}

fn nearest_food(position: &Position) -> Option<Cell> {
    position.foods().iter().copied().min_by_key(|&food| position.board().distance(position.head(), food))
}
