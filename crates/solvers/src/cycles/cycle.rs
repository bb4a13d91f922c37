//! Hamiltonian cycles of a board.

use hognose_game::{Board, Cell, Direction, Overlay, Position};

/// A directed Hamiltonian cycle: a closed path through all cells of a board.
///
/// ```
/// use hognose_game::{Board, Game, Rules};
/// use hognose_solvers::Cycle;
///
/// let game = Game::new(Rules::new(Board::new(4, 4)?), 7);
/// let cycle = Cycle::holding(game.position())?;
/// let head = game.position().head();
/// let next = cycle.board().neighbor(head, cycle.next(head)).expect("a cycle stays on the board");
/// assert_eq!(cycle.distance(head, next), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    board: Board,
    /// The cells in order.
    cells: Box<[Cell]>,
    /// The index of each cell in `cells`.
    place: Box<[u16]>,
    /// The move from each cell to the next one.
    next: Box<[Direction]>,
}

impl Cycle {
    /// Returns the cycle that visits these cells in order, or `None` if they are not all cells of
    /// the board, each once, with consecutive cells adjacent.
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
        Some(Cycle {
            board,
            cells: cells.into(),
            place: place.into(),
            next: next.into(),
        })
    }

    /// Returns the board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Returns whether the body is a contiguous path of the cycle, with the head in front.
    pub fn holds(&self, position: &Position) -> bool {
        position.board() == self.board && self.holds_shifted(position, Cell(0))
    }

    /// Returns whether the body, shifted by the column and the row of a cell, is a contiguous path
    /// of the cycle.
    fn holds_shifted(&self, position: &Position, by: Cell) -> bool {
        let head = shifted(self.board, position.head(), by);
        position
            .body()
            .enumerate()
            .all(|(behind, cell)| self.distance(shifted(self.board, cell, by), head) == behind)
    }

    /// Returns whether the body lies in order: counted along the cycle from the tail, the positions
    /// of its cells strictly increase from tail to head. Then the path from the head on to the tail
    /// is free, and following the cycle never hits the body.
    pub fn holds_in_order(&self, position: &Position) -> bool {
        let places = position
            .body()
            .rev()
            .map(|cell| self.distance(position.tail(), cell));
        position.board() == self.board && places.is_sorted_by(|a, b| a < b)
    }

    /// Returns the cycle in the opposite direction.
    pub fn reversed(&self) -> Cycle {
        let cells: Vec<Cell> = self.cells.iter().rev().copied().collect();
        Cycle::from_cells(self.board, &cells).expect("a reversed cycle is a cycle")
    }

    /// Returns this cycle, shifted if the board is a torus, such that it holds the body as a
    /// contiguous path, head in front; `None` if it does not.
    pub(crate) fn shifted_to_hold(&self, position: &Position) -> Option<Cycle> {
        let board = self.board;
        let shifts = if board.is_torus() { board.area() } else { 1 };
        let by = board
            .cells()
            .take(shifts)
            .find(|&by| self.holds_shifted(position, by))?;
        let column = (board.width() - board.column(by)) % board.width();
        let row = (board.height() - board.row(by)) % board.height();
        Some(self.shifted(board.cell(column, row)))
    }

    /// Returns this cycle of a torus, shifted by the column and the row of a cell.
    pub(crate) fn shifted(&self, by: Cell) -> Cycle {
        let cells = self.cells.iter().map(|&cell| shifted(self.board, cell, by));
        let cells: Vec<Cell> = cells.collect();
        Cycle::from_cells(self.board, &cells).expect("a torus looks the same from every cell")
    }

    /// Returns the move from a cell to the next one.
    #[inline]
    pub fn next(&self, cell: Cell) -> Direction {
        self.next[cell.index()]
    }

    /// Returns the steps along the cycle from one cell to another, in `0..area`.
    #[inline]
    pub fn distance(&self, from: Cell, to: Cell) -> usize {
        let (from, to) = (
            usize::from(self.place[from.index()]),
            usize::from(self.place[to.index()]),
        );
        if to >= from {
            to - from
        } else {
            to + self.place.len() - from
        }
    }

    pub(crate) fn overlay(&self) -> Overlay {
        Overlay {
            cycle: self.cells.to_vec(),
            ..Overlay::default()
        }
    }

    /// Returns the cells in order.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }
}

/// A cell of a torus, shifted by the column and the row of another one.
pub(crate) fn shifted(board: Board, cell: Cell, by: Cell) -> Cell {
    let column = (board.column(cell) + board.column(by)) % board.width();
    let row = (board.row(cell) + board.row(by)) % board.height();
    board.cell(column, row)
}
