//! Hamiltonian cycles of a board.

use hognose_game::{Board, Cell, Direction, Position, Unsupported};

/// A directed cycle through all cells of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    board: Board,
    /// The cells in order.
    cells: Box<[Cell]>,
    /// The place of each cell on the cycle.
    place: Box<[u16]>,
    /// The move from each cell to the next one.
    next: Box<[Direction]>,
}

/// One of the eight ways to lay a zig-zag: teeth along rows or columns, either side for the return lane, either
/// direction.
#[derive(Clone, Copy, Debug)]
struct Zigzag {
    transposed: bool,
    flipped: bool,
    reversed: bool,
}

impl Cycle {
    /// The cycle that visits cells in this order; `None` unless it visits each cell of the board once, by neighbours.
    pub fn from_cells(board: Board, cells: &[Cell]) -> Option<Cycle> {
        if cells.len() != board.area() {
            return None;
        }
        let mut place = vec![u16::MAX; board.area()];
        let mut next = vec![Direction::Up; board.area()];
        for (index, &cell) in cells.iter().enumerate() {
            if *place.get(cell.index())? != u16::MAX {
                return None;
            }
            place[cell.index()] = index as u16;
            next[cell.index()] = board.direction(cell, cells[(index + 1) % cells.len()])?;
        }
        Some(Cycle { board, cells: cells.into(), place: place.into(), next: next.into() })
    }

    /// The first zig-zag cycle that holds the body as a contiguous path, head in front.
    ///
    /// # Errors
    /// When the board has no Hamiltonian cycle, or no zig-zag holds the body.
    pub fn holding(position: &Position) -> Result<Cycle, Unsupported> {
        let board = position.board();
        if !board.has_hamiltonian_cycle() {
            return Err(Unsupported(format!(
                "no Hamiltonian cycle exists on {board}: one side must be even, or the board a torus"
            )));
        }
        zigzags(board).map(|zigzag| zigzag.cycle(board)).find(|cycle| cycle.holds(position)).ok_or_else(|| {
            Unsupported(format!("the snake's {} cells lie on no zig-zag cycle of {board}", position.len()))
        })
    }

    /// The same cycle, if the game begins with a single cell, which lies on every cycle of its board; else the first
    /// zig-zag that holds the body.
    ///
    /// # Errors
    /// See [`holding`](Self::holding).
    pub(crate) fn for_game(last: Option<Cycle>, position: &Position) -> Result<Cycle, Unsupported> {
        match last {
            Some(cycle) if position.len() == 1 && cycle.board == position.board() => Ok(cycle),
            _ => Cycle::holding(position),
        }
    }

    /// Whether the body is a contiguous path of the cycle, head in front.
    pub fn holds(&self, position: &Position) -> bool {
        let steps = position.len() - 1;
        position.board() == self.board
            && position.body().enumerate().all(|(behind, cell)| self.distance(cell, position.head()) == behind)
            && steps < self.board.area()
    }

    /// The move from a cell to the next one.
    #[inline]
    pub fn next(&self, cell: Cell) -> Direction {
        self.next[cell.index()]
    }

    /// Steps along the cycle from one cell to another, 0..area.
    #[inline]
    pub fn distance(&self, from: Cell, to: Cell) -> usize {
        let (from, to) = (usize::from(self.place[from.index()]), usize::from(self.place[to.index()]));
        if to >= from { to - from } else { to + self.place.len() - from }
    }

    /// The last cell in order, whose next one is the first.
    pub fn last(&self) -> Cell {
        self.cells[self.cells.len() - 1]
    }

    /// The cells in order.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }
}

/// The zig-zags of a board, in the order in which they are tried.
fn zigzags(board: Board) -> impl Iterator<Item = Zigzag> {
    let teeth = move |transposed| if transposed { board.width() } else { board.height() };
    (0..8u8)
        .map(|bits| Zigzag { transposed: bits & 4 != 0, flipped: bits & 2 != 0, reversed: bits & 1 != 0 })
        .filter(move |zigzag| teeth(zigzag.transposed) % 2 == 0 || (board.is_torus() && board.area() % 2 == 1))
}

impl Zigzag {
    /// Teeth are rows: along the first, back along the second, and so on, all but the first column; then back up the
    /// first column. An odd number of teeth needs a torus: the first tooth is walked the other way, across the border.
    fn cycle(self, board: Board) -> Cycle {
        let (teeth, length) =
            if self.transposed { (board.width(), board.height()) } else { (board.height(), board.width()) };
        let odd = teeth % 2;
        let mut cells = vec![(0, 0)];
        for tooth in 0..teeth {
            let outward = tooth % 2 == odd;
            cells.extend((1..length).map(|i| (tooth, if outward { i } else { length - i })));
        }
        cells.extend((1..teeth).rev().map(|tooth| (tooth, 0)));
        if self.reversed {
            cells.reverse();
        }
        let cell = |(tooth, i): (usize, usize)| {
            let i = if self.flipped { length - 1 - i } else { i };
            if self.transposed { board.cell(tooth, i) } else { board.cell(i, tooth) }
        };
        let cells: Vec<Cell> = cells.into_iter().map(cell).collect();
        Cycle::from_cells(board, &cells).expect("a zig-zag is a Hamiltonian cycle")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zigzags_are_cycles_of_every_board_that_has_one() {
        for (width, height) in (2..=9).flat_map(|width| (2..=9).map(move |height| (width, height))) {
            let board = Board::new(width, height).unwrap();
            for board in [board, board.torus()] {
                assert_eq!(zigzags(board).next().is_some(), board.has_hamiltonian_cycle(), "{board}");
                for zigzag in zigzags(board) {
                    let cycle = zigzag.cycle(board);
                    let mut cell = Cell(0);
                    for step in 0..board.area() {
                        assert_eq!(cycle.distance(Cell(0), cell), step);
                        cell = board.neighbor(cell, cycle.next(cell)).unwrap();
                    }
                    assert_eq!(cell, Cell(0));
                    assert_eq!(Cycle::from_cells(board, cycle.cells()).unwrap(), cycle);
                }
            }
        }
    }
}
