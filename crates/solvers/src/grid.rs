//! A board's neighbours in tables, for what searches it millions of times.

use hognose_game::{Board, Cell, Direction};

/// No cell.
pub(crate) const NONE: u16 = u16::MAX;

/// The neighbours, columns and colors of a board's cells, which are plain numbers here.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub(crate) board: Board,
    neighbors: Box<[[u16; 4]]>,
    columns_rows: Box<[(u8, u8)]>,
}

impl Grid {
    /// The grid of a board. Two cells of a torus may have two edges between them, or the same
    /// color, if a side is 2 or odd: the borders of such a torus are walls here.
    pub(crate) fn new(board: Board) -> Grid {
        let board = Grid::board_of(board);
        let neighbors = board.cells().map(|cell| {
            Direction::ALL.map(|direction| {
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
            neighbors: neighbors.collect(),
            columns_rows: columns_rows.collect(),
        }
    }

    /// The board, perhaps with walls, that the grid of a board is of.
    pub(crate) fn board_of(board: Board) -> Board {
        let sides = [board.width(), board.height()];
        let wraps = board.is_torus()
            && sides
                .into_iter()
                .all(|side| side > 2 && side.is_multiple_of(2));
        if wraps { board } else { walled(board) }
    }

    /// Whether cells that follow each other are neighbours.
    pub(crate) fn is_path(&self, cells: &[u16]) -> bool {
        cells
            .windows(2)
            .all(|pair| self.neighbors(pair[0]).contains(&pair[1]))
    }

    #[inline]
    pub(crate) fn area(&self) -> usize {
        self.neighbors.len()
    }

    /// The neighbours by direction, `NONE` outside the board.
    #[inline]
    pub(crate) fn neighbors(&self, cell: u16) -> [u16; 4] {
        self.neighbors[usize::from(cell)]
    }

    /// Which of the neighbours a cell is.
    #[inline]
    pub(crate) fn side(&self, from: u16, to: u16) -> usize {
        self.neighbors(from)
            .iter()
            .position(|&neighbor| neighbor == to)
            .expect("the cells are neighbours")
    }

    pub(crate) fn direction(&self, from: u16, to: u16) -> Direction {
        Direction::from_index(self.side(from, to))
    }

    /// Neighbours differ in color; on a board with an odd number of cells there is one more of
    /// color 0 than of color 1.
    #[inline]
    pub(crate) fn color(&self, cell: u16) -> u8 {
        let (column, row) = self.columns_rows[usize::from(cell)];
        (column ^ row) & 1
    }

    /// The fewest steps between two cells of the empty board.
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

/// The board with walls around it.
pub(crate) fn walled(board: Board) -> Board {
    Board::new(board.width() as u8, board.height() as u8).expect("the board has these sides")
}
