//! The report's 41 scenarios of circling a food.

use hognose_game::Direction::{Down, Left, Right, Up};
use hognose_game::duel::{DuelPosition, Seat};
use hognose_game::{Board, Cell};

/// A scenario of circling a food: cells that the body must cover to form a ring that follows its
/// own tail.
///
/// The order of these cells does not determine the ring, because several shortest paths lead from
/// one to the next, and not all of them close a ring. A scenario therefore also contains the
/// shortest ring.
///
/// The report of AdderBoaCobra (Grooten et al., 2020) has 41: one for food away from the borders,
/// and the mirrored versions of six more for corners and sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Whether the opponent can reach the food, but not come back from there.
    pub is_open: bool,
    /// The cells to cover.
    pub cells: Vec<Cell>,
    /// The shortest ring through these cells. A snake must be at least as long.
    pub ring: Vec<Cell>,
}

/// A scenario for a food on the left border. Cells are columns from this border, and rows.
struct Shape {
    is_open: bool,
    food: At,
    cells: &'static [(usize, i32)],
    ring: &'static [(usize, i32)],
}

/// The position of the food on the left border, and the origin of rows.
enum At {
    /// At most two cells below the corner, which is the origin of rows.
    NearCorner,
    /// This many cells below the corner, which is the origin of rows.
    Row(usize),
    /// At least three cells away from both corners. The food is the origin of rows.
    Middle,
}

const SHAPES: [Shape; 6] = [
    Shape {
        is_open: true,
        food: At::NearCorner,
        cells: &[(1, 2), (1, 0), (2, 0), (2, 2)],
        ring: &[(1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (1, 1)],
    },
    Shape {
        is_open: false,
        food: At::Row(0),
        cells: &[(0, 1), (1, 0), (2, 2)],
        ring: &[
            (1, 0),
            (2, 0),
            (2, 1),
            (2, 2),
            (1, 2),
            (0, 2),
            (0, 1),
            (1, 1),
        ],
    },
    Shape {
        is_open: false,
        food: At::Row(1),
        cells: &[(0, 2), (1, 0), (2, 3)],
        ring: &[
            (1, 0),
            (2, 0),
            (2, 1),
            (2, 2),
            (2, 3),
            (1, 3),
            (0, 3),
            (0, 2),
            (1, 2),
            (1, 1),
        ],
    },
    Shape {
        is_open: false,
        food: At::Row(2),
        cells: &[(0, 3), (1, 0), (2, 4)],
        ring: &[
            (1, 0),
            (2, 0),
            (2, 1),
            (2, 2),
            (2, 3),
            (2, 4),
            (1, 4),
            (0, 4),
            (0, 3),
            (1, 3),
            (1, 2),
            (1, 1),
        ],
    },
    Shape {
        is_open: true,
        food: At::Middle,
        cells: &[(1, 0), (0, -1), (2, -2)],
        ring: &[
            (0, -1),
            (0, -2),
            (1, -2),
            (2, -2),
            (2, -1),
            (2, 0),
            (1, 0),
            (1, -1),
        ],
    },
    Shape {
        is_open: false,
        food: At::Middle,
        cells: &[(2, 2), (0, 2), (0, 1), (1, 0), (0, -1), (0, -2), (2, -2)],
        ring: &[
            (0, -1),
            (0, -2),
            (1, -2),
            (2, -2),
            (2, -1),
            (2, 0),
            (2, 1),
            (2, 2),
            (1, 2),
            (0, 2),
            (0, 1),
            (1, 1),
            (1, 0),
            (1, -1),
        ],
    },
];

impl Scenario {
    /// Returns all scenarios for a food. On a torus, no cell is on a border.
    pub fn around(board: Board, food: Cell) -> Vec<Scenario> {
        if let Some(ring) = ring_around(board, food) {
            let wraps_onto_itself = board.width().min(board.height()) < 4;
            if wraps_onto_itself {
                return Vec::new();
            }
            return vec![Scenario {
                is_open: false,
                cells: ring.iter().copied().step_by(2).collect(),
                ring,
            }];
        }
        let mut found: Vec<Scenario> = Vec::new();
        for frame in frames(board) {
            for scenario in SHAPES.iter().filter_map(|shape| shape.around(&frame, food)) {
                if !found.iter().any(|known| known.is_same(&scenario)) {
                    found.push(scenario);
                }
            }
        }
        found
    }

    /// Returns how many of the cells to cover a snake does not cover.
    pub(super) fn missing(&self, position: &DuelPosition, seat: Seat) -> usize {
        let cells = self.cells.iter();
        cells
            .filter(|&&cell| position.covered_by(cell) != Some(seat))
            .count()
    }

    /// Returns whether both cover the same cells.
    fn is_same(&self, other: &Scenario) -> bool {
        self.is_open == other.is_open
            && self.cells.len() == other.cells.len()
            && self.cells.iter().all(|cell| other.cells.contains(cell))
    }
}

impl Shape {
    fn around(&self, frame: &Frame, food: Cell) -> Option<Scenario> {
        let row = frame.iter().position(|row| row[0] == food)?;
        let (fits, origin) = match self.food {
            At::NearCorner => (row <= 2, 0),
            At::Row(expected) => (row == expected, 0),
            At::Middle => (row >= 3 && row + 3 < frame.len(), row as i32),
        };
        if !fits {
            return None;
        }
        let place = |cells: &[(usize, i32)]| {
            let place = |&(column, row): &(usize, i32)| {
                let row = frame.get(usize::try_from(origin + row).ok()?)?;
                row.get(column).copied()
            };
            cells.iter().map(place).collect::<Option<Vec<Cell>>>()
        };
        Some(Scenario {
            is_open: self.is_open,
            cells: place(self.cells)?,
            ring: place(self.ring)?,
        })
    }
}

/// Returns the ring of eight cells around a food that is not on a border.
fn ring_around(board: Board, food: Cell) -> Option<Vec<Cell>> {
    let mut ring = Vec::new();
    for (side, turn) in [(Up, Right), (Right, Down), (Down, Left), (Left, Up)] {
        let beside = board.neighbor(food, side)?;
        ring.extend([beside, board.neighbor(beside, turn)?]);
    }
    Some(ring)
}

/// A board in one of its eight orientations, so that any border can be the left one: its cells by
/// row and column.
type Frame = Vec<Vec<Cell>>;

/// Returns a board in all orientations.
fn frames(board: Board) -> impl Iterator<Item = Frame> {
    (0..8).map(move |bits| {
        let mut columns: Vec<usize> = (0..board.width()).collect();
        let mut rows: Vec<usize> = (0..board.height()).collect();
        if bits & 1 != 0 {
            columns.reverse();
        }
        if bits & 2 != 0 {
            rows.reverse();
        }
        if bits & 4 != 0 {
            let lines = columns.iter();
            lines
                .map(|&column| rows.iter().map(|&row| board.cell(column, row)).collect())
                .collect()
        } else {
            let lines = rows.iter();
            lines
                .map(|&row| {
                    columns
                        .iter()
                        .map(|&column| board.cell(column, row))
                        .collect()
                })
                .collect()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Enclosure;

    #[test]
    fn there_are_41_on_the_board_of_the_competition() {
        let board = Board::new(14, 14).unwrap();
        let mut corners_and_sides: Vec<Scenario> = Vec::new();
        let mut count = 0;
        for food in board.cells() {
            let column = board.column(food);
            let row = board.row(food);
            let near_corner = |at: usize| at.min(13 - at) <= 2;
            let on_edge = [column, row].iter().any(|at| at % 13 == 0);
            if on_edge && near_corner(column) && near_corner(row) {
                // These have fixed cells. Some serve several foods.
                for scenario in Scenario::around(board, food) {
                    if !corners_and_sides
                        .iter()
                        .any(|known| known.is_same(&scenario))
                    {
                        corners_and_sides.push(scenario);
                    }
                }
            } else if column == 5 || row == 5 {
                // These move with the food: count one food for each side, and one in the middle.
                count += if on_edge || column == row {
                    Scenario::around(board, food).len()
                } else {
                    0
                };
            }
        }
        assert_eq!((corners_and_sides.len(), count), (8 + 4 + 8 + 8, 1 + 8 + 4));
    }

    #[test]
    fn every_ring_keeps_its_food() {
        let board = Board::new(14, 14).unwrap();
        for food in board.cells() {
            for scenario in Scenario::around(board, food) {
                let expected = if scenario.is_open {
                    Enclosure::Open
                } else {
                    Enclosure::Closed
                };
                assert_eq!(
                    Enclosure::of(board, &scenario.ring, food),
                    Some(expected),
                    "{food:?}: {scenario:?}"
                );
            }
        }
    }

    #[test]
    fn small_boards_and_tori_have_what_fits() {
        for (width, height) in [
            (2, 2),
            (2, 5),
            (3, 3),
            (4, 3),
            (5, 4),
            (6, 7),
            (7, 14),
            (255, 2),
        ] {
            let board = Board::new(width, height).unwrap();
            for board in [board, board.torus()] {
                for food in board.cells() {
                    for Scenario { cells, ring, .. } in Scenario::around(board, food) {
                        assert!(
                            cells.iter().all(|cell| ring.contains(cell)) && !ring.contains(&food)
                        );
                        let next = ring.iter().cycle().skip(1);
                        assert!(
                            ring.iter()
                                .zip(next)
                                .all(|(&cell, &next)| board.distance(cell, next) == 1)
                        );
                        assert!((1..ring.len()).all(|place| !ring[..place].contains(&ring[place])));
                    }
                }
            }
        }
        let torus = Board::new(7, 5).unwrap().torus();
        assert!(
            torus
                .cells()
                .all(|food| Scenario::around(torus, food).len() == 1)
        );
    }
}
