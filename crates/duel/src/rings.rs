//! Rings: closed paths of cells on which a body can follow its own tail forever.

use crate::flood::flood;
use hognose_game::{Board, Cell};

/// Returns all rings of at most `longest` cells: simple cycles of the board's cells, as
/// self-avoiding polygons. A snake that covers a ring, with its head next to its tail, can follow
/// its tail forever.
///
/// Each ring appears once, starting with its lowest cell. Their number grows about sevenfold for
/// every two additional cells.
///
/// ```
/// use hognose_duel::rings;
/// use hognose_game::Board;
///
/// assert_eq!(rings(Board::new(3, 3)?, 8).len(), 13);
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
pub fn rings(board: Board, longest: usize) -> Vec<Vec<Cell>> {
    let mut search = Search {
        board,
        longest,
        covered: vec![false; board.area()],
        path: Vec::new(),
        found: Vec::new(),
    };
    for start in board.cells() {
        search.enter(start);
    }
    search.found
}

/// How a ring keeps a food from an opponent in the largest part of the board outside the ring and
/// the food.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Enclosure {
    /// The opponent reaches no neighbor of the food.
    Closed,
    /// The opponent reaches one neighbor of the food without passing over it: after eating, it
    /// finds no other way back.
    Open,
}

impl Enclosure {
    /// Returns how a ring keeps a food that is not on it from the opponent, or `None` if it does
    /// not.
    pub fn of(board: Board, ring: &[Cell], food: Cell) -> Option<Enclosure> {
        let mut taken = vec![false; board.area()];
        ring.iter()
            .chain([&food])
            .for_each(|cell| taken[cell.index()] = true);
        let mut largest = Vec::new();
        for cell in board.cells() {
            if !taken[cell.index()] {
                let part = flood(board, &mut taken, cell);
                if part.len() > largest.len() {
                    largest = part;
                }
            }
        }
        match board
            .neighbors(food)
            .filter(|(_, cell)| largest.iter().any(|(reached, _)| reached == cell))
            .count()
        {
            0 => Some(Enclosure::Closed),
            1 => Some(Enclosure::Open),
            _ => None,
        }
    }
}

/// A search for rings whose lowest cell is the first of the path.
struct Search {
    board: Board,
    longest: usize,
    covered: Vec<bool>,
    path: Vec<Cell>,
    found: Vec<Vec<Cell>>,
}

impl Search {
    fn enter(&mut self, cell: Cell) {
        self.covered[cell.index()] = true;
        self.path.push(cell);
        let start = self.path[0];
        for (_, next) in self.board.neighbors(cell) {
            // Report one of the two directions.
            if next == start && self.path.len() > 2 && self.path[1] < cell {
                self.found.push(self.path.clone());
            }
            let left = self.longest - self.path.len();
            if next > start
                && !self.covered[next.index()]
                && self.board.distance(next, start) <= left
            {
                self.enter(next);
            }
        }
        self.path.pop();
        self.covered[cell.index()] = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn rings_enclose_a_food_or_leave_one_way_in() {
        let board = Board::new(6, 6).unwrap();
        let ring = |cells: &[(usize, usize)]| {
            cells
                .iter()
                .map(|&(column, row)| board.cell(column, row))
                .collect::<Vec<_>>()
        };
        let square = ring(&[
            (0, 1),
            (1, 1),
            (1, 0),
            (2, 0),
            (2, 1),
            (2, 2),
            (1, 2),
            (0, 2),
        ]);
        assert_eq!(
            Enclosure::of(board, &square, board.cell(0, 0)),
            Some(Enclosure::Closed)
        );
        assert_eq!(Enclosure::of(board, &square, board.cell(3, 3)), None);
        let beside = ring(&[(1, 0), (2, 0), (2, 1), (1, 1)]);
        assert_eq!(
            Enclosure::of(board, &beside, board.cell(0, 0)),
            Some(Enclosure::Open)
        );
        assert_eq!(
            Enclosure::of(board, &beside, board.cell(0, 1)),
            Some(Enclosure::Open)
        );
        assert_eq!(Enclosure::of(board, &beside, board.cell(0, 2)), None);
    }

    fn counts(board: Board, longest: usize) -> Vec<(usize, usize)> {
        let mut counts = BTreeMap::new();
        rings(board, longest)
            .iter()
            .for_each(|ring| *counts.entry(ring.len()).or_insert(0) += 1);
        counts.into_iter().collect()
    }

    /// Self-avoiding polygons on the square lattice, per cell (OEIS A002931).
    #[test]
    fn rings_of_a_torus_are_polygons() {
        let board = Board::new(13, 13).unwrap().torus();
        let expected = [(4, 1), (6, 2), (8, 7), (10, 28), (12, 124)];
        assert_eq!(
            counts(board, 12),
            expected.map(|(length, count)| (length, 169 * count))
        );
    }

    /// Hamiltonian cycles of 4x4 (OEIS A003763).
    #[test]
    fn rings_of_a_board_end_in_hamiltonian_cycles() {
        assert_eq!(counts(Board::new(4, 4).unwrap(), 16).last(), Some(&(16, 6)));
    }
}
