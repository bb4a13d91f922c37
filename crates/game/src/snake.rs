//! A snake: the cells of its body, and how it moves.

use crate::{Cell, Direction};

/// The body of a snake, from head to tail, and its heading. A snake does not know the board or what
/// else is on it: a [`Position`](crate::Position) decides where it may go.
#[derive(Clone, Debug)]
pub struct Snake {
    heading: Direction,
    length: usize,
    /// The index of the head in `ring`; the body follows at lower indices, wrapping around.
    head_place: usize,
    ring: Box<[Cell]>,
}

impl Snake {
    /// Creates a snake without a body, which may grow to `room` cells.
    pub(crate) fn new(heading: Direction, room: usize) -> Snake {
        Snake {
            heading,
            length: 0,
            head_place: room - 1,
            ring: vec![Cell(0); room].into(),
        }
    }

    /// Removes the whole body.
    pub(crate) fn clear(&mut self, heading: Direction) {
        (self.heading, self.length, self.head_place) = (heading, 0, self.ring.len() - 1);
    }

    /// Adds a cell behind the tail, before the snake has moved; returns the cell's place.
    pub(crate) fn add_tail(&mut self, cell: Cell) -> usize {
        let place = self.head_place - self.length;
        self.ring[place] = cell;
        self.length += 1;
        place
    }

    /// Moves the head into a cell. The snake grows, or its tail leaves the last cell.
    #[inline]
    pub(crate) fn advance(&mut self, direction: Direction, cell: Cell, grows: bool) {
        self.head_place = if self.head_place + 1 == self.ring.len() {
            0
        } else {
            self.head_place + 1
        };
        self.ring[self.head_place] = cell;
        self.length += usize::from(grows);
        self.heading = direction;
    }

    /// Undoes the last [`advance`](Self::advance), given the previous heading and the cell that the
    /// tail left, if any.
    #[inline]
    pub(crate) fn retreat(&mut self, heading: Direction, left: Option<Cell>) {
        self.head_place = self.place_behind(1);
        match left {
            Some(cell) => {
                let tail = self.tail_place();
                self.ring[tail] = cell;
            }
            None => self.length -= 1,
        }
        self.heading = heading;
    }

    /// Returns the last move, or initially the start's heading.
    #[inline]
    pub fn heading(&self) -> Direction {
        self.heading
    }

    /// Returns the number of body cells, including the head.
    #[expect(clippy::len_without_is_empty, reason = "a snake has at least one cell")]
    #[inline]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns the head's cell.
    #[inline]
    pub fn head(&self) -> Cell {
        self.ring[self.head_place]
    }

    /// Returns the last cell of the body.
    #[inline]
    pub fn tail(&self) -> Cell {
        self.ring[self.tail_place()]
    }

    /// Returns the body cell `behind` steps behind the head; `behind < len()`.
    #[inline]
    pub fn body_cell(&self, behind: usize) -> Cell {
        debug_assert!(behind < self.length);
        self.ring[self.place_behind(behind)]
    }

    /// Returns the body from head to tail.
    pub fn body(&self) -> impl DoubleEndedIterator<Item = Cell> + ExactSizeIterator + '_ {
        (0..self.length).map(|behind| self.body_cell(behind))
    }

    /// Returns the cell that the tail leaves in the given step from now; see
    /// [`Sight::cell_left_after`](crate::Sight::cell_left_after).
    #[inline]
    pub fn cell_left_after(&self, steps: usize) -> Cell {
        debug_assert!(steps <= self.length);
        self.ring[self.place_behind(self.length - steps)]
    }

    /// Returns how many steps without eating it takes the body to leave a place: 1 for the tail's.
    #[inline]
    pub(crate) fn steps_until_left(&self, place: usize) -> usize {
        let behind = if place <= self.head_place {
            self.head_place - place
        } else {
            self.head_place + self.ring.len() - place
        };
        self.length - behind
    }

    /// Returns the head's place. Each body cell has a place, which it keeps while the body covers
    /// it.
    #[inline]
    pub(crate) fn head_place(&self) -> usize {
        self.head_place
    }

    #[inline]
    pub(crate) fn tail_place(&self) -> usize {
        self.place_behind(self.length - 1)
    }

    #[inline]
    fn place_behind(&self, behind: usize) -> usize {
        let place = self.head_place + self.ring.len() - behind;
        if place >= self.ring.len() {
            place - self.ring.len()
        } else {
            place
        }
    }
}

/// Snakes are equal if their headings and bodies are equal.
impl PartialEq for Snake {
    fn eq(&self, other: &Snake) -> bool {
        self.heading == other.heading && self.body().eq(other.body())
    }
}

impl Eq for Snake {}
