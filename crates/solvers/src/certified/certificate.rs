//! Certificates of a win: cycles on which the body lies in order.

use crate::cycles::Cycle;
use crate::frame::Frame;
use crate::grid::{Grid, NONE, tail_to_head};
use hognose_game::{Board, Cell, Position, Status, Unsupported};

/// A cycle through all cells of a board. If the positions of a snake's cells on it increase from
/// tail to head, within one lap, then following it wins: the path from the head on to the tail is
/// free, and stays free, since eating only makes it shorter. The cells that such a body skips are
/// *holes*; the path includes them once the tail has passed them. (The order is J. Tapsell's, 2015,
/// whose cycle stays the same.)
///
/// A board with an odd number of cells has no Hamiltonian cycle. There the cycle misses one cell,
/// the *spare*, which shares the position of its *twin*: the spare, the twin and the cells before
/// and after the twin form a 2x2 square, so that the cycle may pass through either. A body in order
/// contains at most one of the two, until it fills the board.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Certificate {
    cells: Vec<u16>,
    place: Vec<u16>,
    /// The cells before and after each cell.
    links: Vec<[u16; 2]>,
    pair: Option<Pair>,
}

/// Two cells that share a position on the cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) spare: u16,
    pub(crate) twin: u16,
}

impl Certificate {
    /// Returns the first zig-zag cycle of a grid's board.
    pub(crate) fn first(grid: &Grid) -> Certificate {
        Certificate::zigzags(grid.board)
            .next()
            .expect("every board has a zig-zag cycle")
    }

    /// Returns a board's zig-zag cycles, through all cells except a corner if their number is odd.
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

    /// Makes the certificate of a Hamiltonian cycle.
    pub(crate) fn of(cycle: &Cycle) -> Certificate {
        let cells: Vec<u16> = cycle.cells().iter().map(|cell| cell.0).collect();
        Certificate::from_cells(cycle.board().area(), &cells, None)
    }

    /// Returns the certificate as numbers: the spare and its twin, or `NONE` twice, then the cells
    /// in order.
    pub(crate) fn to_numbers(&self) -> impl Iterator<Item = u16> {
        let pair = self
            .pair
            .map_or([NONE; 2], |Pair { spare, twin }| [spare, twin]);
        pair.into_iter().chain(self.cells.iter().copied())
    }

    /// Reads a certificate from such numbers, if they form one on the grid's board.
    pub(crate) fn from_numbers(grid: &Grid, numbers: &[u16]) -> Option<Certificate> {
        let (&[spare, twin], cells) = numbers.split_first_chunk()?;
        let pair = (spare != NONE).then_some(Pair { spare, twin });
        let mut all: Vec<u16> = cells.to_vec();
        all.extend(pair.map(|pair| pair.spare));
        all.sort_unstable();
        let is_twin = pair.is_none_or(|pair| cells.contains(&pair.twin));
        if !is_twin || !all.into_iter().eq(0..grid.area() as u16) {
            return None;
        }
        let certificate = Certificate::from_cells(grid.area(), cells, pair);
        let joins = |cell: u16| {
            let [before, after] = certificate.links[usize::from(cell)];
            let around = grid.neighbors(cell);
            around.contains(&before) && around.contains(&after)
        };
        // The spare has the links of its twin.
        (0..grid.area() as u16).all(joins).then_some(certificate)
    }

    /// Makes the certificate of a cycle's cells in order; `pair` is the cell that it misses, with
    /// its twin.
    pub(crate) fn from_cells(area: usize, cells: &[u16], pair: Option<Pair>) -> Certificate {
        let mut certificate = Certificate {
            cells: cells.to_vec(),
            place: vec![0; area],
            links: vec![[NONE; 2]; area],
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

    /// Reverses the direction of the cycle.
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

    /// Returns the cells in order, without the spare.
    pub(crate) fn cells(&self) -> &[u16] {
        &self.cells
    }

    pub(crate) fn pair(&self) -> Option<&Pair> {
        self.pair.as_ref()
    }

    /// Returns the cells before and after each cell.
    pub(crate) fn links(&self) -> &[[u16; 2]] {
        &self.links
    }

    #[inline]
    pub(crate) fn place(&self, cell: u16) -> u16 {
        self.place[usize::from(cell)]
    }

    /// Returns the cell after `cell` for a snake that enters it at `step` from this position. Of
    /// two cells that share a position, it is the one with food, unless the tail is still on the
    /// other one: eating would leave the body on both. The snake eats such food on the next lap.
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

    /// Returns the steps along the cycle from one cell to another, less than one lap.
    #[inline]
    pub(crate) fn distance(&self, from: u16, to: u16) -> usize {
        let (from, to) = (usize::from(self.place(from)), usize::from(self.place(to)));
        if to >= from {
            to - from
        } else {
            to + self.cells.len() - from
        }
    }

    /// Returns whether a body, given from tail to head, is in order. At each gap, calls `hole` with
    /// the index of the body's cell after it, counted from the tail, and the number of skipped
    /// cells.
    #[inline]
    pub(crate) fn holes(&self, body: &[u16], mut hole: impl FnMut(usize, usize)) -> bool {
        // Two cells are in order either way, but the next step must not turn back, also not from
        // the spare.
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

    /// Returns the index on the body of the spare or the twin, if the body contains one. The other
    /// one is then also a hole.
    pub(crate) fn shared(&self, body: &[u16]) -> Option<usize> {
        let Pair { spare, twin } = self.pair?;
        body.iter().position(|&cell| cell == spare || cell == twin)
    }

    /// Returns whether a body, given from tail to head, is in order.
    pub(crate) fn holds(&self, body: &[u16]) -> bool {
        self.holes(body, |_, _| ())
    }

    /// Returns whether following the cycle wins from a position, or the game is already won.
    pub(crate) fn wins_from(&self, position: &Position) -> bool {
        let body: Vec<u16> = tail_to_head(position).collect();
        match position.status() {
            Status::Ongoing => self.holds(&body),
            status => status == Status::Won,
        }
    }

    /// Returns the cells in order.
    pub(crate) fn as_cells(&self) -> Vec<Cell> {
        self.cells.iter().map(|&cell| Cell(cell)).collect()
    }
}

impl Clone for Certificate {
    fn clone(&self) -> Certificate {
        Certificate {
            cells: self.cells.clone(),
            place: self.place.clone(),
            links: self.links.clone(),
            pair: self.pair,
        }
    }

    /// Reuses memory.
    fn clone_from(&mut self, source: &Certificate) {
        self.cells.clone_from(&source.cells);
        self.place.clone_from(&source.place);
        self.links.clone_from(&source.links);
        self.pair = source.pair;
    }
}

/// Returns the error for a state whose certificate does not belong to the position.
pub(crate) fn of_another() -> Unsupported {
    Unsupported("expected a state that was saved at this position".to_owned())
}

/// Returns a cycle through all cells except the first of a frame with odd sides: along the second
/// row and back through the rows below as a zig-zag. Detours from the second row take in the cells
/// of the first row two by two, all except the first one.
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
