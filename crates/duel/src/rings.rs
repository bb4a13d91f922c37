//! The bodies that can follow their own tails for ever: closed rings of cells.

use hognose_game::{Board, Cell};

/// All rings of at most `longest` cells: simple cycles of the board's cells, as self-avoiding polygons. A snake that
/// covers a ring, its head next to its tail, may follow its tail for ever.
///
/// Each ring is told once, from its lowest cell on. Their number grows by a factor of about seven for every two cells
/// more.
///
/// ```
/// use hognose_duel::rings;
/// use hognose_game::Board;
///
/// assert_eq!(rings(Board::new(3, 3)?, 8).len(), 13);
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
pub fn rings(board: Board, longest: usize) -> Vec<Vec<Cell>> {
    let mut search = Search { board, longest, covered: vec![false; board.area()], path: Vec::new(), found: Vec::new() };
    for start in board.cells() {
        search.enter(start);
    }
    search.found
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
            // One of the two ways around is told.
            if next == start && self.path.len() > 2 && self.path[1] < cell {
                self.found.push(self.path.clone());
            }
            let left = self.longest - self.path.len();
            if next > start && !self.covered[next.index()] && self.board.distance(next, start) <= left {
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

    fn counts(board: Board, longest: usize) -> Vec<(usize, usize)> {
        let mut counts = BTreeMap::new();
        rings(board, longest).iter().for_each(|ring| *counts.entry(ring.len()).or_insert(0) += 1);
        counts.into_iter().collect()
    }

    /// Self-avoiding polygons on the square lattice, for each cell (OEIS A002931).
    #[test]
    fn rings_of_a_torus_are_polygons() {
        let board = Board::new(13, 13).unwrap().torus();
        let expected = [(4, 1), (6, 2), (8, 7), (10, 28), (12, 124)];
        assert_eq!(counts(board, 12), expected.map(|(length, count)| (length, 169 * count)));
    }

    /// Hamiltonian cycles of 4x4 (OEIS A003763).
    #[test]
    fn rings_of_a_board_end_in_hamiltonian_cycles() {
        assert_eq!(counts(Board::new(4, 4).unwrap(), 16).last(), Some(&(16, 6)));
    }
}
