//! Lookup tables of a board's neighbors, for fast searches.

use hognose_game::{Board, Cell, Direction, Position};

pub(crate) const NONE: u16 = u16::MAX;

/// Neighbors, columns and colors of a board's cells, with cells as plain numbers.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub(crate) board: Board,
    /// Whether neighbors always differ in color: not on a torus with an odd side.
    pub(crate) is_bipartite: bool,
    neighbors: Box<[[u16; 4]]>,
    columns_rows: Box<[(u8, u8)]>,
}

impl Grid {
    /// Makes the grid of a board. If a side of a torus is 2, two cells are neighbors both within the
    /// board and across the border: the grid has the edge within the board only.
    pub(crate) fn new(board: Board) -> Grid {
        let sides = [board.height(), board.width()];
        let walled = walled(board);
        let neighbors = board.cells().map(|cell| {
            Direction::ALL.map(|direction| {
                let wraps = sides[direction.index() % 2] > 2;
                let board = if wraps { board } else { walled };
                board
                    .neighbor(cell, direction)
                    .map_or(NONE, |neighbor| neighbor.0)
            })
        });
        let columns_rows = board
            .cells()
            .map(|cell| (board.column(cell) as u8, board.row(cell) as u8));
        Grid {
            board,
            is_bipartite: !board.is_torus() || sides.iter().all(|side| side.is_multiple_of(2)),
            neighbors: neighbors.collect(),
            columns_rows: columns_rows.collect(),
        }
    }

    #[inline]
    pub(crate) fn area(&self) -> usize {
        self.neighbors.len()
    }

    /// Returns the neighbors by direction, `NONE` outside the board.
    #[inline]
    pub(crate) fn neighbors(&self, cell: u16) -> [u16; 4] {
        self.neighbors[usize::from(cell)]
    }

    /// Returns the index of `to` among the neighbors of `from`.
    #[inline]
    pub(crate) fn side(&self, from: u16, to: u16) -> usize {
        self.neighbors(from)
            .iter()
            .position(|&neighbor| neighbor == to)
            .expect("the cells are neighbors")
    }

    pub(crate) fn direction(&self, from: u16, to: u16) -> Direction {
        Direction::from_index(self.side(from, to))
    }

    /// Returns whether every certificate leaves one cell out.
    pub(crate) fn has_spare(&self) -> bool {
        !self.board.has_hamiltonian_cycle()
    }

    /// Returns the least difference in length between paths of different lengths that join the same
    /// cells.
    pub(crate) fn parity(&self) -> usize {
        if self.is_bipartite { 2 } else { 1 }
    }

    /// Returns the checkerboard color of a cell. Neighbors differ in color on a bipartite grid; if
    /// the number of cells is odd, color 0 has one cell more than color 1.
    #[inline]
    pub(crate) fn color(&self, cell: u16) -> u8 {
        let (column, row) = self.columns_rows[usize::from(cell)];
        (column ^ row) & 1
    }

    /// Returns the fewest steps between two cells on the empty board.
    #[inline]
    pub(crate) fn distance(&self, a: u16, b: u16) -> usize {
        if self.board.is_torus() {
            return self.board.distance(Cell(a), Cell(b));
        }
        let a = self.columns_rows[usize::from(a)];
        let b = self.columns_rows[usize::from(b)];
        usize::from(a.0.abs_diff(b.0)) + usize::from(a.1.abs_diff(b.1))
    }
}

/// Returns the cells of a body from tail to head.
pub(crate) fn tail_to_head(position: &Position) -> impl Iterator<Item = u16> {
    position.body().rev().map(|Cell(cell)| cell)
}

/// Returns the board with walls instead of wrapping borders.
pub(crate) fn walled(board: Board) -> Board {
    Board::new(board.width() as u8, board.height() as u8).expect("the board has these sides")
}
