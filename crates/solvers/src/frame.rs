//! Orientations of a construction on a board.

use hognose_game::{Board, Cell};

/// One of the eight orientations of a rectangle on a board: optionally transposed, with columns or
/// rows optionally mirrored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    board: Board,
    transposed: bool,
    columns_mirrored: bool,
    rows_mirrored: bool,
}

impl Frame {
    /// Returns all eight frames, the plain one first.
    pub(crate) fn all(board: Board) -> impl Iterator<Item = Frame> {
        (0..8u8).map(move |bits| Frame {
            board,
            transposed: bits & 4 != 0,
            columns_mirrored: bits & 2 != 0,
            rows_mirrored: bits & 1 != 0,
        })
    }

    /// Returns the frames whose rows are not mirrored, for constructions that look the same upside
    /// down.
    pub(crate) fn upright(board: Board) -> impl Iterator<Item = Frame> {
        Frame::all(board).filter(|frame| !frame.rows_mirrored)
    }

    /// Returns the construction's columns.
    pub(crate) fn width(self) -> usize {
        if self.transposed {
            self.board.height()
        } else {
            self.board.width()
        }
    }

    /// Returns the construction's rows.
    pub(crate) fn height(self) -> usize {
        if self.transposed {
            self.board.width()
        } else {
            self.board.height()
        }
    }

    /// Returns the board's cell at a column and a row of the construction.
    pub(crate) fn cell(self, column: usize, row: usize) -> Cell {
        let turned = |place: usize, side: usize, mirrored: bool| {
            if mirrored { side - 1 - place } else { place }
        };
        let column = turned(column, self.width(), self.columns_mirrored);
        let row = turned(row, self.height(), self.rows_mirrored);
        if self.transposed {
            self.board.cell(row, column)
        } else {
            self.board.cell(column, row)
        }
    }
}
