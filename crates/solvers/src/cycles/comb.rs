//! The layout that cycles of the whole board and of its parts share.

use super::cycle::Cycle;
use crate::frame::Frame;
use hognose_game::{Board, Cell, Direction, Position, Unsupported};

/// For each direction along the cycle and each cell: the rung that starts there, and its end.
pub(crate) type Rungs = [Vec<Option<(Direction, Cell)>>; 2];

/// A layout on a board.
#[derive(Clone, Debug)]
pub(crate) struct Comb {
    frame: Frame,
    /// The cycle of the whole board, forward and reversed.
    pub(crate) cycles: [Cycle; 2],
    /// The number of column pairs; if the number of columns is odd, the last three count as one
    /// pair.
    pub(crate) units: usize,
}

impl Comb {
    /// Returns all layouts on a board, in the order in which they are tried.
    pub(crate) fn all(board: Board) -> impl Iterator<Item = Comb> {
        Frame::all(board).filter_map(move |frame| Comb::new(board, frame))
    }

    /// Returns the first layout whose cycle contains the body as a path in one of its directions,
    /// and that direction.
    pub(crate) fn holding(position: &Position) -> Result<(Comb, usize), Unsupported> {
        let board = position.board();
        let mut combs = Comb::all(board).peekable();
        if combs.peek().is_none() {
            return Err(Unsupported(format!(
                "can't divide {board} into two parts with Hamiltonian cycles: one side must be \
                 even and one at least 4"
            )));
        }
        combs
            .find_map(|comb| {
                let way = (0..2).find(|&way| comb.cycles[way].holds(position))?;
                Some((comb, way))
            })
            .ok_or_else(|| {
                Unsupported(format!(
                    "the snake's {} cells lie on no cycle of this layout: start with a shorter body",
                    position.len()
                ))
            })
    }

    /// Returns the layout in a frame, or `None` if its columns can't be divided.
    fn new(board: Board, frame: Frame) -> Option<Comb> {
        let width = frame.width();
        let height = frame.height();
        if width < 4 || (width % 2 == 1 && height % 2 == 1) {
            return None;
        }
        let line = height - 1;
        let mut cells: Vec<Cell> = (0..width)
            .rev()
            .map(|column| frame.cell(column, line))
            .collect();
        let pairs = if width.is_multiple_of(2) {
            width
        } else {
            width - 3
        };
        for column in 0..pairs {
            let rows = (0..line).map(|row| frame.cell(column, row));
            if column % 2 == 0 {
                cells.extend(rows.rev())
            } else {
                cells.extend(rows)
            }
        }
        if pairs < width {
            // Up one column, then down the last two row by row: with an odd number of rows it ends
            // at the right.
            cells.extend((0..line).rev().map(|row| frame.cell(pairs, row)));
            for row in 0..line {
                cells.extend(
                    [1 + row % 2, 2 - row % 2].map(|column| frame.cell(pairs + column, row)),
                );
            }
        }
        let cycle = Cycle::from_cells(board, &cells)?;
        let reversed = cycle.reversed();
        Some(Comb {
            frame,
            cycles: [cycle, reversed],
            units: width / 2,
        })
    }

    /// Returns the rungs at both ends of each of `parts` ranges of units.
    pub(crate) fn rungs(&self, parts: usize) -> Rungs {
        let frame = self.frame;
        let board = self.cycles[0].board();
        let line = frame.height() - 1;
        let mut rungs = [vec![None; board.area()], vec![None; board.area()]];
        for part in 0..parts {
            let column = |unit: usize| {
                if unit == self.units {
                    frame.width()
                } else {
                    2 * unit
                }
            };
            let first = column(part * self.units / parts);
            let last = column((part + 1) * self.units / parts) - 1;
            // Forward: up at the first column, down at the last; reversed, the other way around.
            for (up, down, way) in [(first, last, 0), (last, first, 1)] {
                let upward = [line, line - 1].map(|row| frame.cell(up, row));
                let downward = [line - 1, line].map(|row| frame.cell(down, row));
                for [from, to] in [upward, downward] {
                    let direction = board.direction(from, to);
                    rungs[way][from.index()] = direction.map(|direction| (direction, to));
                }
            }
        }
        rungs
    }
}
