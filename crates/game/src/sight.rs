//! An observer's view of a game.

use crate::duel::DuelView;
use crate::{Board, Cell, Direction, Directions, LeanGame, Position};

/// What an observer may see of a game, whatever its type: encoders, searches and rewards accept any
/// `Sight`. [`&Position`](Position) and [`&LeanGame`](LeanGame) implement it. A [`DuelView`] is
/// what one seat of a duel sees: the body is its own snake's, and [`duel`](Self::duel) has the
/// rest.
///
/// ```
/// use hognose_game::{Board, Cell, Direction, Position, Rules, Sight};
///
/// /// Returns the number of steps to the nearest food, as if the board were empty.
/// fn food_distance(game: impl Sight) -> Option<usize> {
///     game.nearest_food().map(|food| game.board().distance(game.head(), food))
/// }
///
/// let rules = Rules::new(Board::new(4, 4)?);
/// let position = Position::new(rules, Direction::Right, [Cell(0)], [Cell(7)])?;
/// assert_eq!(food_distance(&position), Some(4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[expect(clippy::len_without_is_empty, reason = "a snake has at least one cell")]
pub trait Sight: Copy {
    /// Returns the board.
    fn board(&self) -> Board;
    /// Returns whether the head may enter the cell that the tail leaves in the same step.
    fn tail_entry(&self) -> bool;
    /// Returns the head's cell.
    fn head(&self) -> Cell;
    /// Returns the last move, or initially the start's heading.
    fn heading(&self) -> Direction;
    /// Returns the number of body cells, including the head.
    fn len(&self) -> usize;
    /// Returns the body cell `behind` steps behind the head; `behind < len()`.
    fn body_cell(&self, behind: usize) -> Cell;
    /// Returns the foods in order of appearance.
    fn foods(&self) -> impl Iterator<Item = Cell>;
    /// Returns the moves that do not lose in this step; none in a finished game.
    fn legal_moves(&self) -> Directions;
    /// Returns how many steps without eating it takes the body to leave a cell: 0 if uncovered, 1
    /// on the tail, the length on the head. In a duel, both bodies count.
    fn steps_until_free(&self, cell: Cell) -> u16;
    /// Returns the cell that the tail leaves in the given step from now, if the snake does not eat
    /// until then; `steps` is at most the length. Step 0 is the last one in which the tail moved;
    /// if there was none, or the body fills the board, any cell is returned.
    fn cell_left_after(&self, steps: usize) -> Cell;

    /// Returns the last cell of the body.
    #[inline]
    fn tail(&self) -> Cell {
        self.cell_left_after(1)
    }

    /// Returns the duel as this snake's player sees it; `None` in a game of one snake.
    #[inline]
    fn duel(&self) -> Option<DuelView<'_>> {
        None
    }

    /// Returns the next cell in a direction; `None` outside the board.
    #[inline]
    fn neighbor(&self, cell: Cell, direction: Direction) -> Option<Cell> {
        self.board().neighbor(cell, direction)
    }

    /// Returns the cell in front of the head; `None` outside the board.
    #[inline]
    fn ahead(&self) -> Option<Cell> {
        self.neighbor(self.head(), self.heading())
    }

    /// Returns the food nearest to the head on an empty board, the first of equals.
    #[inline]
    fn nearest_food(&self) -> Option<Cell> {
        let board = self.board();
        let head = self.head();
        self.foods().min_by_key(|&food| board.distance(head, food))
    }

    /// Returns the body from head to tail.
    #[inline]
    fn body(&self) -> impl DoubleEndedIterator<Item = Cell> + ExactSizeIterator {
        (0..self.len()).map(|behind| self.body_cell(behind))
    }
}

impl Sight for &Position {
    #[inline]
    fn board(&self) -> Board {
        Position::board(self)
    }

    #[inline]
    fn tail_entry(&self) -> bool {
        self.rules().tail_entry()
    }

    #[inline]
    fn head(&self) -> Cell {
        Position::head(self)
    }

    #[inline]
    fn heading(&self) -> Direction {
        Position::heading(self)
    }

    #[inline]
    fn len(&self) -> usize {
        Position::len(self)
    }

    #[inline]
    fn body_cell(&self, behind: usize) -> Cell {
        Position::body_cell(self, behind)
    }

    #[inline]
    fn foods(&self) -> impl Iterator<Item = Cell> {
        Position::foods(self).iter().copied()
    }

    #[inline]
    fn legal_moves(&self) -> Directions {
        Position::legal_moves(self)
    }

    #[inline]
    fn steps_until_free(&self, cell: Cell) -> u16 {
        Position::steps_until_free(self, cell)
    }

    #[inline]
    fn cell_left_after(&self, steps: usize) -> Cell {
        self.snake().cell_left_after(steps)
    }
}

impl<const N: usize> Sight for &LeanGame<N> {
    #[inline]
    fn board(&self) -> Board {
        self.rules().board()
    }

    #[inline]
    fn tail_entry(&self) -> bool {
        self.rules().rules().tail_entry()
    }

    #[inline]
    fn head(&self) -> Cell {
        LeanGame::head(self)
    }

    #[inline]
    fn heading(&self) -> Direction {
        LeanGame::heading(self)
    }

    #[inline]
    fn len(&self) -> usize {
        LeanGame::len(self)
    }

    #[inline]
    fn body_cell(&self, behind: usize) -> Cell {
        LeanGame::body_cell(self, behind)
    }

    #[inline]
    fn foods(&self) -> impl Iterator<Item = Cell> {
        LeanGame::foods(self).iter().copied()
    }

    #[inline]
    fn legal_moves(&self) -> Directions {
        LeanGame::legal_moves(self)
    }

    #[inline]
    fn steps_until_free(&self, cell: Cell) -> u16 {
        LeanGame::steps_until_free(self, cell)
    }

    #[inline]
    fn cell_left_after(&self, steps: usize) -> Cell {
        LeanGame::cell_left_after(self, steps)
    }

    #[inline]
    fn neighbor(&self, cell: Cell, direction: Direction) -> Option<Cell> {
        self.rules().neighbor(cell, direction)
    }
}

impl Sight for DuelView<'_> {
    #[inline]
    fn board(&self) -> Board {
        DuelView::board(*self)
    }

    #[inline]
    fn tail_entry(&self) -> bool {
        true
    }

    #[inline]
    fn head(&self) -> Cell {
        self.me().head()
    }

    #[inline]
    fn heading(&self) -> Direction {
        self.me().heading()
    }

    #[inline]
    fn len(&self) -> usize {
        self.me().len()
    }

    #[inline]
    fn body_cell(&self, behind: usize) -> Cell {
        self.me().body_cell(behind)
    }

    #[inline]
    fn foods(&self) -> impl Iterator<Item = Cell> {
        self.position().foods().iter().map(|food| food.cell)
    }

    #[inline]
    fn legal_moves(&self) -> Directions {
        DuelView::legal_moves(*self)
    }

    #[inline]
    fn steps_until_free(&self, cell: Cell) -> u16 {
        self.position().steps_until_free(cell)
    }

    #[inline]
    fn cell_left_after(&self, steps: usize) -> Cell {
        self.me().cell_left_after(steps)
    }

    #[inline]
    fn neighbor(&self, cell: Cell, direction: Direction) -> Option<Cell> {
        self.position().neighbor(cell, direction)
    }

    #[inline]
    fn duel(&self) -> Option<DuelView<'_>> {
        Some(*self)
    }
}
