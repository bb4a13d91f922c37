//! Certificates of winning: cycles in whose order the body lies.

use crate::cycles::Cycle;
use crate::frame::Frame;
use crate::grid::{Grid, NONE};
use hognose_game::{Board, Cell, Position, Status};

/// A cycle through all cells of a board. If the places of a snake's cells on it increase from tail
/// to head, at most once around, then following it wins: the way from the head on to the tail is
/// free, and while the snake follows it, only eating makes it shorter. The cells that such a body
/// skips are *holes*: they come to lie on the way as the tail passes them. (The order is J.
/// Tapsell's, 2015; there the cycle stays the same.)
///
/// A board with an odd number of cells has no Hamiltonian cycle. There the cycle misses one cell,
/// the *spare*, whose place is that of its *twin*: the spare, the twin and the cells before and
/// after the twin are a 2x2 square, so that the cycle may pass through either. A body in order
/// contains one of the two at most, until it fills the board.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Certificate {
    cells: Vec<u16>,
    place: Vec<u16>,
    /// The cells before and after each one.
    links: Vec<[u16; 2]>,
    pair: Option<Pair>,
}

/// Two cells that share a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) spare: u16,
    pub(crate) twin: u16,
}

impl Certificate {
    /// The first zig-zag cycle of a grid's board.
    pub(crate) fn first(grid: &Grid) -> Certificate {
        Certificate::zigzags(grid.board)
            .next()
            .expect("every board has a zig-zag cycle")
    }

    /// The zig-zag cycles of a board, around all cells but a corner if their number is odd.
    pub(crate) fn zigzags(board: Board) -> impl Iterator<Item = Certificate> {
        let odd = !board.has_hamiltonian_cycle();
        let around_all_but_one = Frame::all(board).filter(move |_| odd).map(move |frame| {
            let (cells, pair) = around_all_but_a_corner(frame);
            Certificate::from_cells(board.area(), &cells, Some(pair))
        });
        Cycle::zigzags(board)
            .map(|cycle| Certificate::of(&cycle))
            .chain(around_all_but_one)
    }

    /// The certificate that a Hamiltonian cycle is.
    pub(crate) fn of(cycle: &Cycle) -> Certificate {
        let cells: Vec<u16> = cycle.cells().iter().map(|cell| cell.0).collect();
        Certificate::from_cells(cycle.board().area(), &cells, None)
    }

    /// All of it as numbers: the spare and its twin, `NONE` without them, and the cells in order.
    pub(crate) fn to_numbers(&self) -> impl Iterator<Item = u16> {
        let pair = self
            .pair
            .map_or([NONE; 2], |Pair { spare, twin }| [spare, twin]);
        pair.into_iter().chain(self.cells.iter().copied())
    }

    /// The certificate of such numbers, if they are one of the grid's board.
    pub(crate) fn from_numbers(grid: &Grid, numbers: &[u16]) -> Option<Certificate> {
        let (&[spare, twin], cells) = numbers.split_first_chunk()?;
        let pair = (spare != NONE).then_some(Pair { spare, twin });
        let area = grid.area();
        let neighbors = |from: u16, to: u16| grid.neighbors(from).contains(&to);
        let mut missing = vec![true; area];
        for &cell in cells {
            if !std::mem::take(missing.get_mut(usize::from(cell))?) {
                return None;
            }
        }
        let spares = (0..)
            .zip(&missing)
            .filter(|(_, missing)| **missing)
            .map(|(cell, _)| cell);
        let closed = cells
            .iter()
            .zip(cells.iter().cycle().skip(1))
            .all(|(&from, &to)| neighbors(from, to));
        if cells.is_empty() || !closed || !spares.eq(pair.map(|pair| pair.spare)) {
            return None;
        }
        let certificate = Certificate::from_cells(area, cells, pair);
        pair.is_none_or(|Pair { spare, twin }| {
            let links = certificate
                .links
                .get(usize::from(twin))
                .filter(|_| twin != spare);
            links.is_some_and(|links| links.iter().all(|&cell| neighbors(spare, cell)))
        })
        .then_some(certificate)
    }

    /// The certificate of a cycle's cells in order, and of the cell that it misses with its twin.
    pub(crate) fn from_cells(area: usize, cells: &[u16], pair: Option<Pair>) -> Certificate {
        let place = vec![0; area];
        let links = vec![[NONE; 2]; area];
        let mut certificate = Certificate {
            cells: cells.to_vec(),
            place,
            links,
            pair,
        };
        certificate.index();
        certificate
    }

    /// Becomes the cycle through the cells that `write` pushes.
    pub(crate) fn rewrite(&mut self, pair: Option<Pair>, write: impl FnOnce(&mut Vec<u16>)) {
        self.cells.clear();
        self.pair = pair;
        write(&mut self.cells);
        self.index();
    }

    /// Turns the cycle around.
    pub(crate) fn reverse(&mut self) {
        self.cells.reverse();
        self.index();
    }

    fn index(&mut self) {
        let Some(&last) = self.cells.last() else {
            return;
        };
        let mut before = last;
        for (place, &cell) in (0..).zip(&self.cells) {
            self.place[usize::from(cell)] = place;
            self.links[usize::from(cell)][0] = before;
            self.links[usize::from(before)][1] = cell;
            before = cell;
        }
        if let Some(Pair { spare, twin }) = self.pair {
            self.place[usize::from(spare)] = self.place[usize::from(twin)];
            self.links[usize::from(spare)] = self.links[usize::from(twin)];
        }
    }

    /// The cells in order, without the spare.
    pub(crate) fn cells(&self) -> &[u16] {
        &self.cells
    }

    pub(crate) fn pair(&self) -> Option<&Pair> {
        self.pair.as_ref()
    }

    /// The cells before and after each one.
    pub(crate) fn links(&self) -> &[[u16; 2]] {
        &self.links
    }

    #[inline]
    pub(crate) fn place(&self, cell: u16) -> u16 {
        self.place[usize::from(cell)]
    }

    /// The cell after this one when the snake comes there in some steps. Of two cells that share a
    /// place it is the one with food, unless the tail is still on the other one: eating would leave
    /// the body on both. Such a food is eaten the next time around.
    #[inline]
    pub(crate) fn next(&self, cell: u16, position: &Position, step: usize) -> u16 {
        let next = self.links[usize::from(cell)][1];
        let Some(Pair { spare, twin }) = self.pair.filter(|pair| pair.twin == next) else {
            return next;
        };
        let left = |cell: u16| usize::from(position.steps_until_free(Cell(cell))) < step;
        let (food, other) = if position.is_food(Cell(spare)) {
            (spare, twin)
        } else {
            (twin, spare)
        };
        if !position.is_food(Cell(food)) {
            return twin;
        }
        if left(other) || position.len() == self.cells.len() {
            food
        } else {
            other
        }
    }

    /// Steps along the cycle from one cell to another, less than once around.
    #[inline]
    pub(crate) fn distance(&self, from: u16, to: u16) -> usize {
        let (from, to) = (usize::from(self.place(from)), usize::from(self.place(to)));
        if to >= from {
            to - from
        } else {
            to + self.cells.len() - from
        }
    }

    /// Calls `hole` with the number of cells that the body skips before each of its cells, counted
    /// from the tail, where it skips some; `false` if the body, given from tail to head, is not in
    /// order.
    #[inline]
    pub(crate) fn holes(&self, body: &[u16], mut hole: impl FnMut(usize, usize)) -> bool {
        // Two cells lie in either order, but the next step must not turn back; nor may it where the
        // tail is the spare.
        if let [tail, head] = *body
            && self.cells.len() > 2
            && self.distance(head, tail) == 1
        {
            return false;
        }
        let mut last = 0;
        for (index, &cell) in (1..).zip(&body[1..]) {
            let distance = self.distance(body[0], cell);
            if distance <= last {
                return false;
            }
            if distance > last + 1 {
                hole(index, distance - last - 1);
            }
            last = distance;
        }
        true
    }

    /// The index on the body of the one of two cells that share a place, if it is there: the other
    /// one is a hole, too.
    pub(crate) fn shared(&self, body: &[u16]) -> Option<usize> {
        let Pair { spare, twin } = self.pair?;
        body.iter().position(|&cell| cell == spare || cell == twin)
    }

    /// Whether a body, given from tail to head, is in order.
    pub(crate) fn holds(&self, body: &[u16]) -> bool {
        self.holes(body, |_, _| ())
    }

    /// Whether the game is won for whoever follows the cycle, or already.
    pub(crate) fn wins_from(&self, position: &Position) -> bool {
        let body: Vec<u16> = position.body().rev().map(|Cell(cell)| cell).collect();
        match position.status() {
            Status::Ongoing => self.holds(&body),
            status => status == Status::Won,
        }
    }

    /// The cells in order, for a viewer or another crate.
    pub(crate) fn as_cells(&self) -> Vec<Cell> {
        self.cells.iter().map(|&cell| Cell(cell)).collect()
    }
}

impl Clone for Certificate {
    fn clone(&self) -> Certificate {
        let cells = self.cells.clone();
        let place = self.place.clone();
        let links = self.links.clone();
        Certificate {
            cells,
            place,
            links,
            pair: self.pair,
        }
    }

    /// Reuses memory, which searches need.
    fn clone_from(&mut self, source: &Certificate) {
        self.cells.clone_from(&source.cells);
        self.place.clone_from(&source.place);
        self.links.clone_from(&source.links);
        self.pair = source.pair;
    }
}

/// A cycle around all but the first cell of a frame with odd sides: along the second row and back
/// through the rows below as a zig-zag; the cells of the first row are taken in two by two from the
/// second, all but the first one.
fn around_all_but_a_corner(frame: Frame) -> (Vec<u16>, Pair) {
    let mut cells = vec![frame.cell(0, 1)];
    for column in 1..frame.width() {
        // Up at odd columns, down at even ones.
        let rows = if column % 2 == 1 { [1, 0] } else { [0, 1] };
        cells.extend(rows.map(|row| frame.cell(column, row)));
    }
    for row in 2..frame.height() {
        let outward = row % 2 == 1;
        cells.extend(
            (1..frame.width())
                .map(|i| frame.cell(if outward { i } else { frame.width() - i }, row)),
        );
    }
    cells.extend((2..frame.height()).rev().map(|row| frame.cell(0, row)));
    let pair = Pair {
        spare: frame.cell(0, 0).0,
        twin: frame.cell(1, 1).0,
    };
    (cells.into_iter().map(|cell| cell.0).collect(), pair)
}
