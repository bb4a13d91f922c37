//! The contents of a picture of a position, independent of how it is painted.

use crate::legend::Legend;
use crate::seen::Seen;
use hognose_game::duel::{DuelPosition, Seat};
use hognose_game::{Board, Cell, Direction, Directions, Overlay, Position};

/// The contents of a picture of a position, cell by cell. Painters turn it into terminal output or
/// files.
///
/// ```
/// use hognose_game::duel::Seat;
/// use hognose_game::{Direction, Overlay, Position, Rules};
/// use hognose_viewer::{Drawing, Piece};
///
/// let rules = Rules::new("4x3".parse()?);
/// let board = rules.board();
/// let body = [board.cell(1, 0), board.cell(0, 0)];
/// let position = Position::new(rules, Direction::Right, body, [board.cell(3, 1)])?;
/// let drawing = Drawing::new(&position, &Overlay::default());
/// let head = drawing.cell(board.cell(1, 0));
/// assert_eq!(head.piece, Some(Piece::Head(Seat::First)));
/// assert!(head.body.contains(Direction::Left));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    board: Board,
    is_duel: bool,
    /// One for each cell of the board, row by row.
    cells: Vec<DrawnCell>,
    legend: Option<Legend>,
}

/// The contents of one cell of a picture: a piece, and layers of lines through the cell.
///
/// Each line is given by its joints: the directions in which it leaves the cell. On a torus a joint
/// may cross the border.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawnCell {
    /// The piece on the cell; `None` if the cell is free.
    pub piece: Option<Piece>,
    /// The layer of bodies: the directions of the body's neighbors toward the head and the tail.
    pub body: Directions,
    /// The layer of plans: the directions in which each player's planned path enters and leaves the
    /// cell. A single snake uses the first.
    pub plans: [Directions; 2],
    /// The layer of the cycle: the direction in which the policy's cycle leaves the cell.
    pub cycle: Option<Direction>,
}

/// A piece on a cell. A single snake has the first seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A snake's head.
    Head(Seat),
    /// A cell of a snake's body behind its head.
    Body(Seat),
    /// Food, with its value if values differ.
    Food(Option<u8>),
}

impl Drawing {
    /// Draws a position, and the plan of its policy; [`Overlay::default`] shows no plan.
    pub fn new(position: &Position, overlay: &Overlay) -> Drawing {
        Drawing::of(&Seen::of_game(position, overlay))
    }

    /// Draws a duel, and each player's planned moves from there, which may be empty.
    pub fn of_duel(position: &DuelPosition, plans: &[Vec<Direction>; 2]) -> Drawing {
        Drawing::of(&Seen::of_duel(position, plans))
    }

    /// Adds lines below a duel that show who plays and how it ended.
    ///
    /// # Panics
    /// Panics if there is only one snake.
    pub fn with_legend(self, legend: Legend) -> Drawing {
        assert!(self.is_duel, "a legend names two players");
        Drawing {
            legend: Some(legend),
            ..self
        }
    }

    fn of(seen: &Seen<'_>) -> Drawing {
        let board = seen.board;
        let is_duel = seen.snakes.len() == 2;
        let mut drawing = Drawing {
            board,
            is_duel,
            cells: vec![DrawnCell::default(); board.area()],
            legend: None,
        };
        for food in &seen.foods {
            drawing.cells[food.cell.index()].piece = Some(Piece::Food(food.value));
        }
        for (seat, snake) in Seat::BOTH.into_iter().zip(&seen.snakes) {
            drawing.add_body(seat, &snake.body);
            drawing.add_plan(seat, snake.body[0], snake.plan);
        }
        for (&cell, &next) in seen.cycle.iter().zip(seen.cycle.iter().cycle().skip(1)) {
            drawing.cells[cell.index()].cycle = joint(board, cell, next);
        }
        drawing
    }

    /// Draws a body, from head to tail.
    fn add_body(&mut self, seat: Seat, body: &[Cell]) {
        for &cell in body {
            self.cells[cell.index()].piece = Some(Piece::Body(seat));
        }
        self.cells[body[0].index()].piece = Some(Piece::Head(seat));
        for pair in body.windows(2) {
            if let Some(direction) = joint(self.board, pair[0], pair[1]) {
                self.cells[pair[0].index()].body.insert(direction);
                self.cells[pair[1].index()]
                    .body
                    .insert(direction.opposite());
            }
        }
    }

    /// Draws moves starting from a cell, as far as they stay on the board.
    fn add_plan(&mut self, seat: Seat, mut cell: Cell, moves: &[Direction]) {
        for &direction in moves {
            let Some(next) = self.board.neighbor(cell, direction) else {
                break;
            };
            self.cells[cell.index()].plans[seat.index()].insert(direction);
            self.cells[next.index()].plans[seat.index()].insert(direction.opposite());
            cell = next;
        }
    }

    /// Returns the board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Returns whether there are two snakes.
    pub fn is_duel(&self) -> bool {
        self.is_duel
    }

    /// Returns the legend of a duel, if there is one.
    pub fn legend(&self) -> Option<&Legend> {
        self.legend.as_ref()
    }

    /// Returns the contents of a cell of the board.
    pub fn cell(&self, cell: Cell) -> DrawnCell {
        self.cells[cell.index()]
    }

    /// Returns every cell of the board with its contents, row by row.
    pub fn cells(&self) -> impl Iterator<Item = (Cell, DrawnCell)> {
        self.board.cells().zip(self.cells.iter().copied())
    }
}

/// Returns the direction from a cell to a neighbor; if there are two, as on a torus with two
/// columns, the one that stays in the picture.
pub(crate) fn joint(board: Board, from: Cell, to: Cell) -> Option<Direction> {
    let ways = board.neighbors(from).filter(|&(_, cell)| cell == to);
    ways.map(|(direction, _)| direction)
        .min_by_key(|&direction| crosses_border(board, from, direction))
}

/// Returns whether a joint leaves the picture across the border of a torus.
pub(crate) fn crosses_border(board: Board, cell: Cell, direction: Direction) -> bool {
    match direction {
        Direction::Up => board.row(cell) == 0,
        Direction::Right => board.column(cell) + 1 == board.width(),
        Direction::Down => board.row(cell) + 1 == board.height(),
        Direction::Left => board.column(cell) == 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::Rules;

    /// On a torus with two columns, two directions lead from a cell to its horizontal neighbor; a
    /// picture shows the inner one.
    #[test]
    fn joints_stay_in_the_picture_where_they_can() {
        let position = |board: &str, cells: &[(usize, usize)]| {
            let rules = Rules::new(board.parse().unwrap());
            let body: Vec<Cell> = cells
                .iter()
                .map(|&(column, row)| rules.board().cell(column, row))
                .collect();
            let heading = rules.board().direction(body[1], body[0]).unwrap();
            Position::new(rules, heading, body, [rules.board().cell(0, 2)]).unwrap()
        };
        let joints = |board: &str, cells: &[(usize, usize)]| {
            let position = position(board, cells);
            let drawing = Drawing::new(&position, &Overlay::default());
            position
                .body()
                .map(|cell| drawing.cell(cell).body.iter().collect())
                .collect::<Vec<Vec<Direction>>>()
        };
        assert_eq!(
            joints("2x3-torus", &[(1, 0), (0, 0)]),
            [[Direction::Left], [Direction::Right]]
        );
        assert_eq!(
            joints("4x3-torus", &[(3, 0), (0, 0)]),
            [[Direction::Right], [Direction::Left]]
        );
    }
}
