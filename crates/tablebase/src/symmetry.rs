//! The symmetries of a board.

use hognose_game::{Board, Cell, Direction};

/// A symmetry: the images of cells and directions.
#[derive(Clone, Debug)]
pub(crate) struct Symmetry {
    /// Indexed by cell.
    pub(crate) cells: Vec<u8>,
    /// Indexed by direction.
    pub(crate) directions: [u8; 4],
}

/// Returns all symmetries of a board, the identity first: 8 for a square, 4 for another rectangle.
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
            // The image of a step gives the image of its direction; every direction has a step.
            let turned = |direction: Direction| {
                let steps = board
                    .cells()
                    .find_map(|cell| Some((cell, board.neighbor(cell, direction)?)));
                let (from, to) = steps.expect("sides are at least 2");
                board
                    .direction(place(from), place(to))
                    .expect("symmetries keep neighbors")
                    .index() as u8
            };
            Symmetry {
                cells: board.cells().map(|cell| place(cell).0 as u8).collect(),
                directions: Direction::ALL.map(turned),
            }
        })
        .collect()
}

/// Returns the first cell of each orbit, in order, given the [`representatives`].
pub(crate) fn first_cells(representatives: &[(u8, usize)]) -> impl Iterator<Item = u8> {
    (0..)
        .zip(representatives)
        .filter(|&(cell, &(least, _))| cell == least)
        .map(|(cell, _)| cell)
}

/// Returns, for each cell, the smallest cell among its images, and the first symmetry that leads
/// there.
pub(crate) fn representatives(board: Board, symmetries: &[Symmetry]) -> Vec<(u8, usize)> {
    board
        .cells()
        .map(|cell| {
            let images = symmetries
                .iter()
                .enumerate()
                .map(|(index, symmetry)| (symmetry.cells[cell.index()], index));
            images.min().expect("the identity is a symmetry")
        })
        .collect()
}
