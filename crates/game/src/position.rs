//! A position: what players see, and what a step does to it.

use crate::{Board, Cell, Direction, Directions, Rules, Snake};
use serde::{Deserialize, Serialize};

/// Rules, a snake and foods. Stepping is deterministic, O(1) and allocates nothing; eaten food is
/// not replaced.
///
/// ```
/// use hognose_game::{Board, Cell, Direction, Event, Position, Rules};
///
/// // The head on cell 1 of a 4x4 board, the tail on cell 0, and food ahead.
/// let rules = Rules::new(Board::new(4, 4)?);
/// let mut position = Position::new(rules, Direction::Right, [Cell(1), Cell(0)], [Cell(2)])?;
/// assert_eq!(position.step(Direction::Right), Event::Ate);
/// assert_eq!((position.len(), position.foods()), (3, &[][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Serialize, Deserialize)]
#[serde(into = "PositionText", try_from = "PositionText")]
pub struct Position {
    rules: Rules,
    status: Status,
    snake: Snake,
    /// For each cell, the snake's place if the body covers it, else `FREE` or `FOOD`. Places are
    /// less than 255 * 255.
    places: Box<[u16]>,
    foods: Vec<Cell>,
}

const FREE: u16 = u16::MAX;
const FOOD: u16 = u16::MAX - 1;

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// The head moved onto a free cell, and the tail followed.
    Moved,
    /// The snake ate and grew by one cell.
    Ate,
    /// The snake ate and now fills the board.
    Won,
    /// The game is lost; the position is still the one before the fatal move.
    Lost(Cause),
}

/// Whether a game goes on, is won, or is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The game goes on.
    Ongoing,
    /// The body fills the board.
    Won,
    /// The snake hit something.
    Lost(Cause),
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Status::Ongoing => "ongoing",
            Status::Won => "won",
            Status::Lost(Cause::Wall) => "lost at a wall",
            Status::Lost(Cause::Body) => "lost at its own body",
        })
    }
}

/// What the snake hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    /// The border of the board.
    Wall,
    /// The snake's own body.
    Body,
}

/// Why something is not a valid position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// The body has no cell.
    #[error("the body is empty")]
    EmptyBody,
    /// A cell lies outside the board.
    #[error("cell {0} is not on the board")]
    OffBoard(u16),
    /// Two consecutive body cells are not neighbors.
    #[error("body cells {0} and {1} are not neighbors")]
    Gap(u16, u16),
    /// Two things occupy one cell.
    #[error("cell {0} is occupied twice")]
    Overlap(u16),
    /// The heading is not the direction from the second body cell to the head.
    #[error("the heading must lead from the second body cell to the head, got {0}")]
    Heading(Direction),
    /// There are more foods than the rules allow.
    #[error("expected at most {expected} foods, got {got}")]
    Foods {
        /// The number that the rules allow.
        expected: usize,
        /// The number given.
        got: usize,
    },
    /// The game can't have this status.
    #[error("the status is {got}, but {why}")]
    Status {
        /// The status.
        got: Status,
        /// What contradicts it.
        why: &'static str,
    },
}

impl Position {
    /// Creates a position from its parts: the body from head to tail, and the foods in order of
    /// appearance.
    ///
    /// # Errors
    /// Fails if the parts don't form a valid position.
    pub fn new(
        rules: Rules,
        heading: Direction,
        body: impl IntoIterator<Item = Cell>,
        foods: impl IntoIterator<Item = Cell>,
    ) -> Result<Position, PositionError> {
        let area = rules.board().area();
        let mut position = Position {
            rules,
            status: Status::Ongoing,
            snake: Snake::new(heading, area),
            places: vec![FREE; area].into(),
            foods: Vec::with_capacity(rules.foods()),
        };
        position.replace(heading, body, foods)?;
        Ok(position)
    }

    /// Becomes another position under the same rules, without allocating; see [`new`](Self::new).
    ///
    /// # Errors
    /// Fails if the parts don't form a valid position; the position is then unspecified, but safe.
    pub fn replace(
        &mut self,
        heading: Direction,
        body: impl IntoIterator<Item = Cell>,
        foods: impl IntoIterator<Item = Cell>,
    ) -> Result<(), PositionError> {
        let board = self.board();
        self.places.fill(FREE);
        self.foods.clear();
        self.status = Status::Ongoing;
        self.snake.clear(heading);
        let mut previous = None;
        for cell in body {
            let place = self
                .places
                .get_mut(cell.index())
                .ok_or(PositionError::OffBoard(cell.0))?;
            if *place != FREE {
                return Err(PositionError::Overlap(cell.0));
            }
            if let Some(before) = previous {
                if board.direction(cell, before).is_none() {
                    return Err(PositionError::Gap(before.0, cell.0));
                }
                if self.snake.len() == 1 && board.neighbor(cell, heading) != Some(before) {
                    return Err(PositionError::Heading(heading));
                }
            }
            *place = self.snake.add_tail(cell) as u16;
            previous = Some(cell);
        }
        if self.len() == 0 {
            return Err(PositionError::EmptyBody);
        }
        for cell in foods {
            match self.places.get(cell.index()) {
                None => return Err(PositionError::OffBoard(cell.0)),
                Some(&FREE) => self.add_food(cell),
                Some(_) => return Err(PositionError::Overlap(cell.0)),
            }
        }
        let expected = self.rules.foods();
        let got = self.foods.len();
        if got > expected {
            return Err(PositionError::Foods { expected, got });
        }
        if self.len() == board.area() {
            self.status = Status::Won;
        }
        Ok(())
    }

    /// Returns this position, mirrored left to right.
    pub fn mirrored(&self) -> Position {
        let mirror = |cell| self.board().mirrored(cell);
        let body = self.body().map(mirror);
        let foods = self.foods().iter().map(|&food| mirror(food));
        let mirrored = Position::new(self.rules, self.heading().mirrored(), body, foods);
        mirrored
            .expect("an image is a valid position")
            .with_status(self.status)
    }

    pub(crate) fn with_status(self, status: Status) -> Position {
        Position { status, ..self }
    }

    /// Returns the rules.
    #[inline]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Returns the board.
    #[inline]
    pub fn board(&self) -> Board {
        self.rules.board()
    }

    /// Returns the snake.
    #[inline]
    pub fn snake(&self) -> &Snake {
        &self.snake
    }

    /// Returns the last move, or initially the start's heading.
    #[inline]
    pub fn heading(&self) -> Direction {
        self.snake.heading()
    }

    /// Returns whether the game goes on.
    #[inline]
    pub fn status(&self) -> Status {
        self.status
    }

    /// Returns the number of body cells, including the head.
    #[expect(clippy::len_without_is_empty, reason = "a snake has at least one cell")]
    #[inline]
    pub fn len(&self) -> usize {
        self.snake.len()
    }

    /// Returns the head's cell.
    #[inline]
    pub fn head(&self) -> Cell {
        self.snake.head()
    }

    /// Returns the last cell of the body.
    #[inline]
    pub fn tail(&self) -> Cell {
        self.snake.tail()
    }

    /// Returns the body cell `behind` steps behind the head; `behind < len()`.
    #[inline]
    pub fn body_cell(&self, behind: usize) -> Cell {
        self.snake.body_cell(behind)
    }

    /// Returns the body from head to tail.
    pub fn body(&self) -> impl DoubleEndedIterator<Item = Cell> + ExactSizeIterator + '_ {
        self.snake.body()
    }

    /// Returns the foods in order of appearance.
    #[inline]
    pub fn foods(&self) -> &[Cell] {
        &self.foods
    }

    /// Returns whether a cell holds neither body nor food.
    #[inline]
    pub fn is_free(&self, cell: Cell) -> bool {
        self.places[cell.index()] == FREE
    }

    /// Returns whether a cell holds food.
    #[inline]
    pub fn is_food(&self, cell: Cell) -> bool {
        self.places[cell.index()] == FOOD
    }

    /// Returns how many steps without eating it takes the body to leave a cell: 0 if uncovered, 1
    /// on the tail, the length on the head.
    #[inline]
    pub fn steps_until_free(&self, cell: Cell) -> u16 {
        let place = self.places[cell.index()];
        if place >= FOOD {
            0
        } else {
            self.snake.steps_until_left(place.into()) as u16
        }
    }

    /// Returns the moves that do not lose in this step; none in a finished game.
    #[inline]
    pub fn legal_moves(&self) -> Directions {
        if self.status != Status::Ongoing {
            return Directions::EMPTY;
        }
        Direction::ALL
            .into_iter()
            .filter(|&direction| self.target(direction).is_ok())
            .collect()
    }

    /// Moves the head one cell. A finished game does not change; its result is returned again.
    #[inline]
    pub fn step(&mut self, direction: Direction) -> Event {
        match self.status {
            Status::Ongoing => {}
            Status::Won => return Event::Won,
            Status::Lost(cause) => return Event::Lost(cause),
        }
        let cell = match self.target(direction) {
            Ok(cell) => cell,
            Err(cause) => {
                self.status = Status::Lost(cause);
                return Event::Lost(cause);
            }
        };
        let ate = self.places[cell.index()] == FOOD;
        if ate {
            self.foods.retain(|&food| food != cell);
        } else {
            let tail = self.tail();
            self.places[tail.index()] = FREE;
        }
        self.snake.advance(direction, cell, ate);
        self.places[cell.index()] = self.snake.head_place() as u16;
        match (ate, self.len() == self.places.len()) {
            (false, _) => Event::Moved,
            (true, false) => Event::Ate,
            (true, true) => {
                self.status = Status::Won;
                Event::Won
            }
        }
    }

    #[inline]
    pub(crate) fn add_food(&mut self, cell: Cell) {
        debug_assert!(self.is_free(cell));
        self.places[cell.index()] = FOOD;
        self.foods.push(cell);
    }

    /// Returns the cell that a move enters, or what it hits.
    #[inline]
    fn target(&self, direction: Direction) -> Result<Cell, Cause> {
        let cell = self
            .board()
            .neighbor(self.head(), direction)
            .ok_or(Cause::Wall)?;
        if self.len() > 1 && direction == self.heading().opposite() {
            return Err(Cause::Body);
        }
        let place = self.places[cell.index()];
        let enters_tail =
            || self.rules.tail_entry() && usize::from(place) == self.snake.tail_place();
        if place >= FOOD || enters_tail() {
            Ok(cell)
        } else {
            Err(Cause::Body)
        }
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.rules == other.rules
            && self.status == other.status
            && self.foods == other.foods
            && self.snake == other.snake
    }
}

impl Eq for Position {}

/// Draws the board: `@` is the head, `o` the body, `*` food, `.` a free cell.
impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for cell in self.board().cells() {
            let symbol = match self.places[cell.index()] {
                FREE => '.',
                FOOD => '*',
                place if usize::from(place) == self.snake.head_place() => '@',
                _ => 'o',
            };
            write!(f, "{symbol}")?;
            if self.board().column(cell) + 1 == self.board().width() {
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:?} heading {} {:?}\n{self}",
            self.rules,
            self.heading(),
            self.status
        )
    }
}

#[derive(Serialize, Deserialize)]
struct PositionText {
    rules: Rules,
    heading: Direction,
    body: Vec<Cell>,
    foods: Vec<Cell>,
    status: Status,
}

impl From<Position> for PositionText {
    fn from(position: Position) -> PositionText {
        PositionText {
            rules: position.rules,
            heading: position.heading(),
            body: position.body().collect(),
            foods: position.foods.clone(),
            status: position.status,
        }
    }
}

impl TryFrom<PositionText> for Position {
    type Error = PositionError;

    fn try_from(text: PositionText) -> Result<Position, PositionError> {
        let mut position = Position::new(text.rules, text.heading, text.body, text.foods)?;
        let why = match (position.status, text.status) {
            (found, given) if found == given => return Ok(position),
            (Status::Won, _) => "the body fills the board",
            (_, Status::Lost(cause))
                if Direction::ALL
                    .iter()
                    .any(|&move_| position.target(move_) == Err(cause)) =>
            {
                position.status = text.status;
                return Ok(position);
            }
            (_, Status::Lost(_)) => "no move loses like this",
            _ => "the body does not fill the board",
        };
        Err(PositionError::Status {
            got: text.status,
            why,
        })
    }
}
