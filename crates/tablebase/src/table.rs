//! A solved board.

use crate::index::{MAX_AREA, PathIndex};
use crate::solve::Solver;
use crate::symmetry::{Symmetry, representatives, symmetries};
use hognose_game::{Board, Cell, Direction, Event, Position, Status, Unsupported};
use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;

/// E of every body on a board: the least expected number of steps to fill the board for sure, from
/// the moment before the next food appears. E is infinite if no win is sure.
///
/// ```
/// use hognose_game::{Board, Game, Rules};
/// use hognose_tablebase::Table;
///
/// let board = Board::new(3, 3)?;
/// let table = Table::solve(board, |_| ())?;
/// assert!((table.expected(&[board.cell(0, 0)]) - 17.7051).abs() < 1e-4);
/// let game = Game::new(Rules::new(board), 7);
/// let (steps, moves) = table.best(game.position())?.expect("a single cell wins for sure");
/// assert!(moves.len() as f64 <= steps);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Table {
    index: PathIndex,
    symmetries: Vec<Symmetry>,
    representatives: Vec<(u8, usize)>,
    /// Indexed by length, from 1.
    lengths: Vec<Length>,
}

/// The bodies of a length whose tail is the first cell of its orbit.
#[derive(Clone, Debug)]
struct Length {
    /// For each cell, what to subtract from a body's number to get its index in `values`.
    shift: Vec<usize>,
    values: Vec<f64>,
    least: f64,
}

/// Why there is no table.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TableError {
    /// The board is a torus or has too many cells.
    #[error("a table needs a board with walls and at most {MAX_AREA} cells, got {0}")]
    Board(Board),
    /// The bodies don't fit into memory.
    #[error(
        "{board} has {bodies} bodies, which need {needed:.2} GiB, got a limit of {given:.2} GiB: \
         allow more with --memory"
    )]
    Memory {
        /// The board.
        board: Board,
        /// The number of bodies, as "more than N" if counting stopped early.
        bodies: String,
        /// The GiB needed, at least.
        needed: f64,
        /// The GiB allowed.
        given: f64,
    },
    /// The values don't belong to the board.
    #[error("the values do not belong to {0}")]
    Values(Board),
}

/// Checks that a board can have a table.
///
/// # Errors
/// Fails if it is a torus, or has more than [`MAX_AREA`] cells.
pub fn check_board(board: Board) -> Result<(), TableError> {
    if board.is_torus() || board.area() > MAX_AREA {
        Err(TableError::Board(board))
    } else {
        Ok(())
    }
}

impl Table {
    /// Solves a board, and passes the result of each length to `progress`.
    ///
    /// # Errors
    /// Fails if the board can't be solved. [`check`](crate::check) checks whether its bodies fit
    /// into memory.
    pub fn solve(board: Board, progress: impl FnMut(crate::Solved)) -> Result<Table, TableError> {
        let solved = Table::solve_while(board, || ControlFlow::Continue(()), progress)?;
        Ok(solved.expect("`go_on` never breaks"))
    }

    /// Like [`solve`](Self::solve), but calls `go_on` between foods; returns `None` if it breaks.
    ///
    /// # Errors
    /// Fails if the board can't be solved.
    pub fn solve_while(
        board: Board,
        mut go_on: impl FnMut() -> ControlFlow<()>,
        mut progress: impl FnMut(crate::Solved),
    ) -> Result<Option<Table>, TableError> {
        check_board(board)?;
        let mut solver = Solver::new(board);
        let mut values = vec![solver.stored()];
        while let Some(solved) = solver.step(&mut go_on) {
            values.push(solver.stored());
            progress(solved);
        }
        if solver.length() > 1 {
            return Ok(None);
        }
        values.reverse();
        Table::from_values(solver.into_index(), values).map(Some)
    }

    /// Creates a table from the [`Solver::stored`] values of each length, from 1.
    ///
    /// # Errors
    /// Fails if the number of values does not fit the board.
    pub fn from_values(index: PathIndex, values: Vec<Vec<f64>>) -> Result<Table, TableError> {
        let board = index.board();
        let symmetries = symmetries(board);
        let representatives = representatives(board, &symmetries);
        if values.len() != board.area() {
            return Err(TableError::Values(board));
        }
        let lengths = (1..).zip(values).map(|(length, values)| {
            let starts = index.starts(length);
            let mut shift = vec![0; board.area()];
            let mut left_out = 0;
            for cell in 0..board.area() {
                shift[cell] = left_out;
                if usize::from(representatives[cell].0) != cell {
                    left_out += starts[cell + 1] - starts[cell];
                }
            }
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let right = values.len() + left_out == index.count(length);
            right
                .then_some(Length {
                    shift,
                    values,
                    least,
                })
                .ok_or(TableError::Values(board))
        });
        let lengths = lengths.collect::<Result<Vec<Length>, TableError>>()?;
        Ok(Table {
            index,
            symmetries,
            representatives,
            lengths,
        })
    }

    /// Returns the board.
    pub fn board(&self) -> Board {
        self.index.board()
    }

    /// Returns the number of bodies of all lengths.
    pub fn bodies(&self) -> usize {
        self.index.total()
    }

    /// Returns the values as [`from_values`](Self::from_values) takes them, by length from 1.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &[f64]> + ExactSizeIterator {
        self.lengths.iter().map(|length| length.values.as_slice())
    }

    /// Returns E of a body, with its cells from tail to head; infinite if no win is sure.
    pub fn expected(&self, body: &[Cell]) -> f64 {
        let (tail, symmetry) = self.representatives[body[0].index()];
        let symmetry = &self.symmetries[symmetry];
        let image: Vec<Cell> = body
            .iter()
            .map(|cell| Cell(symmetry.cells[cell.index()].into()))
            .collect();
        let Length { shift, values, .. } = &self.lengths[body.len() - 1];
        values[self.index.number(&image) - shift[usize::from(tail)]]
    }

    /// Returns V of a position, which is the least expected number of steps to fill the board for
    /// sure, and optimal moves up to the food; `None` if no win is sure.
    ///
    /// # Errors
    /// Fails if the position has another board, other rules, or not exactly one food.
    pub fn best(&self, position: &Position) -> Result<Option<(f64, Vec<Direction>)>, Unsupported> {
        self.check(position)?;
        Ok(self.search(position))
    }

    /// Returns V of each move, including the step itself; `None` for moves that lose or leave no
    /// sure win.
    ///
    /// # Errors
    /// Fails if the position has another board, other rules, or not exactly one food.
    pub fn moves(&self, position: &Position) -> Result<[Option<f64>; 4], Unsupported> {
        self.check(position)?;
        Ok(Direction::ALL.map(|direction| {
            let mut after = position.clone();
            match after.step(direction) {
                Event::Lost(_) => None,
                Event::Won => Some(1.0),
                Event::Ate => {
                    Some(1.0 + self.expected(&body(&after))).filter(|value| value.is_finite())
                }
                Event::Moved => self.search(&after).map(|(value, _)| 1.0 + value),
            }
        }))
    }

    /// Checks that the table covers a position.
    ///
    /// # Errors
    /// Fails if the position has another board, other rules, or not exactly one food.
    pub fn check(&self, position: &Position) -> Result<(), Unsupported> {
        let board = self.board();
        let rules = position.rules();
        if rules.board() != board {
            return Err(Unsupported(format!(
                "expected a game on {board}, the board of the table, got {}",
                rules.board()
            )));
        }
        if !rules.tail_entry() || rules.foods() != 1 {
            return Err(Unsupported(
                "the table needs rules with one food and tail entry".into(),
            ));
        }
        if position.foods().len() != 1 && position.status() == Status::Ongoing {
            return Err(Unsupported(format!(
                "expected a position with one food, got {}",
                position.foods().len()
            )));
        }
        Ok(())
    }

    /// Searches breadth-first from the body, as deep as an exit may improve on the best one found.
    fn search(&self, position: &Position) -> Option<(f64, Vec<Direction>)> {
        let board = self.board();
        let &[food] = position.foods() else {
            return None;
        };
        let least = self.lengths[position.len()].least;
        // Each position is reached by the moves before it.
        let mut queue = VecDeque::from([(position.clone(), Vec::new())]);
        let mut seen = HashSet::from([self.index.number(&body(position))]);
        let mut best: Option<(f64, Vec<Direction>)> = None;
        while let Some((position, moves)) = queue.pop_front() {
            // The food is at least this far away, and no body is better than the best.
            let steps = moves.len() + board.distance(position.head(), food);
            let bound = steps as f64 + least;
            if best.as_ref().is_some_and(|(value, _)| bound >= *value) || bound.is_infinite() {
                continue;
            }
            for direction in position.legal_moves().iter() {
                let mut after = position.clone();
                let event = after.step(direction);
                let moves = [&moves[..], &[direction]].concat();
                let reached = body(&after);
                if event == Event::Moved {
                    if seen.insert(self.index.number(&reached)) {
                        queue.push_back((after, moves));
                    }
                    continue;
                }
                let value = moves.len() as f64 + self.expected(&reached);
                if value.is_finite() && best.as_ref().is_none_or(|(least, _)| value < *least) {
                    best = Some((value, moves));
                }
            }
        }
        best
    }
}

/// Returns a body from tail to head.
fn body(position: &Position) -> Vec<Cell> {
    position.body().rev().collect()
}
