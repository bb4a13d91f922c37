//! The symmetries of a board.

use hognose_game::{Board, Cell, Direction};

/// A symmetry: where it takes cells and directions.
#[derive(Clone, Debug)]
pub(crate) struct Symmetry {
    /// By cell.
    pub(crate) cells: Vec<u8>,
    /// By direction.
    pub(crate) directions: [u8; 4],
}

/// All symmetries of a board: 8 of a square, 4 of another rectangle; the identity first.
pub(crate) fn symmetries(board: Board) -> Vec<Symmetry> {
    let width = board.width();
    let height = board.height();
    let square = width == height;
    (0..if square { 8u8 } else { 4 })
        .map(|bits| {
            let place = |cell: Cell| {
                let mut column = board.column(cell);
                let mut row = board.row(cell);
                if bits & 1 != 0 {
                    column = width - 1 - column;
                }
                if bits & 2 != 0 {
                    row = height - 1 - row;
                }
                if bits & 4 != 0 {
                    board.cell(row, column)
                } else {
                    board.cell(column, row)
                }
            };
            // Where a step from some cell leads to says where the direction goes; every direction
            // leads somewhere.
            let turned = |direction: Direction| {
                let steps = board
                    .cells()
                    .find_map(|cell| Some((cell, board.neighbor(cell, direction)?)));
                let (from, to) = steps.expect("sides are at least 2");
                board
                    .direction(place(from), place(to))
                    .expect("symmetries keep neighbours")
                    .index() as u8
            };
            Symmetry {
                cells: board.cells().map(|cell| place(cell).0 as u8).collect(),
                directions: Direction::ALL.map(turned),
            }
        })
        .collect()
}

/// For each cell, the smallest cell that a symmetry takes it to, and the first symmetry that does.
pub(crate) fn representatives(board: Board, symmetries: &[Symmetry]) -> Vec<(u8, usize)> {
    board
        .cells()
        .map(|cell| {
            let images = symmetries
                .iter()
                .enumerate()
                .map(|(index, symmetry)| (symmetry.cells[cell.index()], index));
            images.min().expect("there is the identity")
        })
        .collect()
}
