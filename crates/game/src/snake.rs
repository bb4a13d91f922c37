//! A snake: the cells of its body, and how it moves on.

use crate::{Cell, Direction};

/// The body of a snake, from head to tail, and its heading. A snake knows neither the board nor
/// what else lies there: a [`Position`](crate::Position) decides where it may go.
#[derive(Clone, Debug)]
pub struct Snake {
    heading: Direction,
    length: usize,
    /// Where the head stands in `ring`; the body follows at lower places, wrapping around.
    head_place: usize,
    ring: Box<[Cell]>,
}

impl Snake {
    /// A snake without a body yet, which may grow to `room` cells.
    pub(crate) fn new(heading: Direction, room: usize) -> Snake {
        Snake {
            heading,
            length: 0,
            head_place: room - 1,
            ring: vec![Cell(0); room].into(),
        }
    }

    /// Takes the whole body away.
    pub(crate) fn clear(&mut self, heading: Direction) {
        (self.heading, self.length, self.head_place) = (heading, 0, self.ring.len() - 1);
    }

    /// Lengthens the body behind its tail, before the snake has moved; returns the cell's place.
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

    /// Takes back the last [`advance`](Self::advance): the heading is the one before it, and the
    /// tail lies again on the cell that it left, if it left one.
    #[inline]
    pub(crate) fn retreat(&mut self, heading: Direction, left: Option<Cell>) {
        self.head_place = if self.head_place == 0 {
            self.ring.len() - 1
        } else {
            self.head_place - 1
        };
        match left {
            Some(cell) => {
                let tail = self.tail_place();
                self.ring[tail] = cell;
            }
            None => self.length -= 1,
        }
        self.heading = heading;
    }

    /// The last move, before it the start's heading.
    #[inline]
    pub fn heading(&self) -> Direction {
        self.heading
    }

    /// The number of body cells, the head included.
    #[expect(clippy::len_without_is_empty, reason = "a snake has at least one cell")]
    #[inline]
    pub fn len(&self) -> usize {
        self.length
    }

    /// The head's cell.
    #[inline]
    pub fn head(&self) -> Cell {
        self.ring[self.head_place]
    }

    /// The last cell of the body.
    #[inline]
    pub fn tail(&self) -> Cell {
        self.ring[self.tail_place()]
    }

    /// The cell of the body so many steps behind the head, which is less than the length.
    #[inline]
    pub fn body_cell(&self, behind: usize) -> Cell {
        debug_assert!(behind < self.length);
        self.ring[self.place_behind(behind)]
    }

    /// The body from head to tail.
    pub fn body(&self) -> impl DoubleEndedIterator<Item = Cell> + ExactSizeIterator + '_ {
        (0..self.length).map(|behind| self.body_cell(behind))
    }

    /// The cell that the tail leaves in the given step from now, if the snake does not eat until
    /// then; `steps` is at most the length. Step 0 is the last one in which the tail moved; if
    /// there was none, or the body fills the board, the cell is any.
    #[inline]
    pub fn cell_left_after(&self, steps: usize) -> Cell {
        debug_assert!(steps <= self.length);
        self.ring[self.place_behind(self.length - steps)]
    }

    /// The steps, none of them eating, after which the body has left the cell at a place: 1 at the
    /// tail's.
    #[inline]
    pub(crate) fn steps_until_left(&self, place: usize) -> usize {
        let behind = if place <= self.head_place {
            self.head_place - place
        } else {
            self.head_place + self.ring.len() - place
        };
        self.length - behind
    }

    /// The head's place. Places number the cells of the body; a cell keeps its place while the body
    /// covers it.
    #[inline]
    pub(crate) fn head_place(&self) -> usize {
        self.head_place
    }

    /// The tail's place.
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

/// Snakes are equal if their headings and bodies are.
impl PartialEq for Snake {
    fn eq(&self, other: &Snake) -> bool {
        self.heading == other.heading && self.body().eq(other.body())
    }
}

impl Eq for Snake {}
