//! Zig-zag cycles.

use super::cycle::Cycle;
use crate::frame::Frame;
use hognose_game::{Board, Cell, Position, Unsupported};

impl Cycle {
    /// Returns the first zig-zag cycle that contains the body as a path, head in front.
    ///
    /// # Errors
    /// Fails if the board has no Hamiltonian cycle, or no zig-zag contains the body.
    pub fn holding(position: &Position) -> Result<Cycle, Unsupported> {
        let board = position.board();
        if !board.has_hamiltonian_cycle() {
            return Err(Unsupported(format!(
                "no Hamiltonian cycle exists on {board}: one side must be even, or the board a \
                 torus"
            )));
        }
        Cycle::zigzags(board)
            .find(|cycle| cycle.holds(position))
            .or_else(|| Cycle::zigzags(board).find_map(|cycle| cycle.shifted_to_hold(position)))
            .ok_or_else(|| {
                Unsupported(format!(
                    "the snake's {} cells lie on no zig-zag cycle of {board}: start with a shorter \
                     body or a straight one",
                    position.len()
                ))
            })
    }

    /// Returns the zig-zags of a board, in the order in which they are tried.
    pub(crate) fn zigzags(board: Board) -> impl Iterator<Item = Cycle> {
        Frame::upright(board)
            .filter(move |frame| {
                frame.height().is_multiple_of(2)
                    || (board.is_torus() && !board.area().is_multiple_of(2))
            })
            .flat_map(move |frame| [false, true].map(|reversed| (frame, reversed)))
            .map(move |(frame, reversed)| {
                let cycle = Cycle::from_cells(board, &zigzag(frame))
                    .expect("a zig-zag is a Hamiltonian cycle");
                if reversed { cycle.reversed() } else { cycle }
            })
    }
}

/// Returns the "spiked" cycle that proves Conjecture 1 of "Slitherin Round" (Mahoney, Harmer,
/// 2021): along the first row, back along the second, and so on, all except the first column; then
/// back up the first column. An odd number of rows needs a torus: the cycle follows the first row
/// in the other direction, across the border.
fn zigzag(frame: Frame) -> Vec<Cell> {
    let odd = frame.height() % 2;
    let mut cells = vec![frame.cell(0, 0)];
    for row in 0..frame.height() {
        let outward = row % 2 == odd;
        cells.extend(
            (1..frame.width())
                .map(|i| frame.cell(if outward { i } else { frame.width() - i }, row)),
        );
    }
    cells.extend((1..frame.height()).rev().map(|row| frame.cell(0, row)));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lattice path of the proof in "Slitherin Round" for 6 rows and 6 columns, as (row,
    /// column) from 1: its corners, in order.
    #[test]
    fn the_spiked_cycle_of_slitherin_round_is_a_zigzag() {
        let board = Board::new(6, 6).unwrap();
        let corners = [
            (1, 1),
            (2, 1),
            (2, 5),
            (3, 5),
            (3, 1),
            (4, 1),
            (4, 5),
            (5, 5),
            (5, 1),
            (6, 1),
            (6, 6),
            (1, 6),
        ];
        let mut cells = Vec::new();
        for (index, &(row, column)) in corners.iter().enumerate() {
            let mut at = (row, column);
            let to = corners[(index + 1) % corners.len()];
            while at != to {
                cells.push(board.cell(at.1 - 1, at.0 - 1));
                at = (
                    at.0 + usize::from(at.0 < to.0) - usize::from(at.0 > to.0),
                    at.1,
                );
                at = (
                    at.0,
                    at.1 + usize::from(at.1 < to.1) - usize::from(at.1 > to.1),
                );
            }
        }
        let spiked = Cycle::from_cells(board, &cells).unwrap();
        assert!(Cycle::zigzags(board).any(|zigzag| {
            board
                .cells()
                .all(|cell| zigzag.next(cell) == spiked.next(cell))
        }));
    }

    #[test]
    fn zigzags_are_cycles_of_every_board_that_has_one() {
        for (width, height) in (2..=9).flat_map(|width| (2..=9).map(move |height| (width, height)))
        {
            let board = Board::new(width, height).unwrap();
            for board in [board, board.torus()] {
                assert_eq!(
                    Cycle::zigzags(board).next().is_some(),
                    board.has_hamiltonian_cycle(),
                    "{board}"
                );
                for cycle in Cycle::zigzags(board) {
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
