//! A position of a duel: what both players see, and what a step does to it.

use crate::duel::{
    DuelBody, DuelCause, DuelEvent, DuelPositionError, DuelRules, Food, MIN_LENGTH, MOST_GROWTH,
    Outcome, Seat,
};
use crate::{Board, Cell, Direction, Directions, Snake};
use std::sync::Arc;

/// Rules, two snakes, foods, and two counters: steps, and steps since anyone ate. Stepping is
/// deterministic and takes constant time. Food that is eaten or due to be redrawn is removed; a
/// [`Duel`](crate::duel::Duel) adds the new food.
///
/// A position remembers the steps taken, so that searches can undo them.
///
/// ```
/// use hognose_game::Direction;
/// use hognose_game::duel::{DuelPosition, DuelRules};
///
/// let mut position = DuelPosition::start(DuelRules::ai_snakes_2020());
/// let before = position.clone();
/// position.step([Direction::Right, Direction::Down]);
/// assert_eq!(position.steps(), 1);
/// position.undo();
/// assert_eq!(position, before);
/// ```
#[derive(Clone)]
pub struct DuelPosition {
    rules: DuelRules,
    snakes: [Snake; 2],
    /// The pending growth: the number of steps in which a snake still grows without eating.
    pub(super) growth: [u16; 2],
    foods: Vec<Food>,
    pub(super) steps: u32,
    pub(super) hunger: u16,
    pub(super) outcome: Option<Outcome>,
    /// For each cell, the snake that covers it and the cell's place in its body, or `FREE` or
    /// `FOOD`. One `WALL` follows at the end.
    cells: Box<[u32]>,
    /// For each cell, its neighbors by direction; outside the board, the number of the wall.
    around: Arc<[[Cell; 4]]>,
    /// How to undo each step taken.
    history: Vec<Undo>,
    /// The foods removed in these steps, with their indices in `foods`.
    removed: Vec<(u16, Food)>,
}

const FREE: u32 = u32::MAX;
const FOOD: u32 = u32::MAX - 1;
const WALL: u32 = u32::MAX - 2;
/// A number that no cell has, nor the wall.
const NO_CELL: Cell = Cell(u16::MAX);
/// The bit of cells covered by the second snake; the lower bits are the place in its body.
const SECOND: u32 = 1 << 16;

/// How to undo one step.
#[derive(Clone, Copy, Debug)]
struct Undo {
    /// Whether the snakes moved; they don't in a step that ends the game by a collision.
    moved: bool,
    headings: [Direction; 2],
    /// The cell that each tail left; `None` if the snake grew.
    left: [Option<Cell>; 2],
    growth: [u16; 2],
    hunger: u16,
    /// The number of foods removed.
    removed: u16,
}

impl DuelPosition {
    /// Returns the start position, without food.
    pub fn start(rules: DuelRules) -> DuelPosition {
        let mut position = DuelPosition::empty(rules);
        position.restart();
        position
    }

    /// Resets to the start position, without food.
    pub(crate) fn restart(&mut self) {
        let wall = self.wall();
        self.cells[..wall.index()].fill(FREE);
        self.foods.clear();
        self.forget_steps();
        (self.growth, self.steps, self.hunger, self.outcome) = ([0; 2], 0, 0, None);
        for seat in Seat::BOTH {
            let snake = &mut self.snakes[seat.index()];
            snake.clear(self.rules.start(seat).heading);
            for cell in self.rules.body(seat) {
                self.cells[cell.index()] = covered(seat, snake.add_tail(cell));
            }
        }
    }

    /// Returns a board without snakes and foods.
    fn empty(rules: DuelRules) -> DuelPosition {
        let board = rules.board();
        let area = rules.board().area();
        let wall = Cell(area as u16);
        let around =
            |cell| Direction::ALL.map(|direction| board.neighbor(cell, direction).unwrap_or(wall));
        let mut cells = vec![FREE; area + 1];
        cells[wall.index()] = WALL;
        DuelPosition {
            rules,
            snakes: [
                Snake::new(Direction::Up, area),
                Snake::new(Direction::Up, area),
            ],
            growth: [0; 2],
            foods: Vec::with_capacity(rules.foods()),
            steps: 0,
            hunger: 0,
            outcome: None,
            cells: cells.into(),
            around: board.cells().map(around).collect(),
            history: Vec::new(),
            removed: Vec::new(),
        }
    }

    /// Creates a position from its parts: both bodies, the foods in order of appearance, the number
    /// of steps taken, and the number of steps since food was eaten or redrawn.
    ///
    /// # Errors
    /// Fails if the parts don't form a position of an unfinished game.
    pub fn new(
        rules: DuelRules,
        bodies: [DuelBody; 2],
        foods: impl IntoIterator<Item = Food>,
        steps: u32,
        hunger: u16,
    ) -> Result<DuelPosition, DuelPositionError> {
        let growth = [bodies[0].growth, bodies[1].growth];
        if let Some(&growth) = growth.iter().find(|&&growth| growth > MOST_GROWTH) {
            return Err(DuelPositionError::Growth(growth));
        }
        let mut position = DuelPosition {
            growth,
            steps,
            hunger,
            ..DuelPosition::empty(rules)
        };
        for (seat, body) in Seat::BOTH.into_iter().zip(&bodies) {
            position.lay(seat, &body.cells)?;
        }
        let (lowest, highest) = rules.values().into_inner();
        for food in foods {
            match position.cells[..rules.board().area()].get(food.cell.index()) {
                None => return Err(DuelPositionError::OffBoard(food.cell.0)),
                Some(_) if !rules.values().contains(&food.value) => {
                    return Err(DuelPositionError::Value {
                        lowest,
                        highest,
                        got: food.value,
                    });
                }
                Some(&FREE) => position.add_food(food),
                Some(_) => return Err(DuelPositionError::Overlap(food.cell.0)),
            }
        }
        let expected = rules.foods();
        let got = position.foods.len();
        if got > expected {
            return Err(DuelPositionError::Foods { expected, got });
        }
        let counters = [
            ("the number of steps", rules.step_limit(), steps),
            (
                "the number of steps without food",
                rules.redraw_after().map_or(u32::MAX, u32::from),
                u32::from(hunger),
            ),
        ];
        for (what, limit, got) in counters {
            if got >= limit {
                return Err(DuelPositionError::Counter { what, limit, got });
            }
        }
        Ok(position)
    }

    /// Puts a body on the board.
    fn lay(&mut self, seat: Seat, body: &[Cell]) -> Result<(), DuelPositionError> {
        let board = self.board();
        let length = body.len();
        if length < MIN_LENGTH {
            return Err(DuelPositionError::Length { seat, length });
        }
        if let Some(cell) = body.iter().find(|cell| cell.index() >= board.area()) {
            return Err(DuelPositionError::OffBoard(cell.0));
        }
        for (&cell, &behind) in body.iter().zip(&body[1..]) {
            board
                .direction(behind, cell)
                .ok_or(DuelPositionError::Gap(cell.0, behind.0))?;
        }
        let heading = board
            .direction(body[1], body[0])
            .expect("neighbors have a direction");
        self.snakes[seat.index()].clear(heading);
        for &cell in body {
            if self.cells[cell.index()] != FREE {
                return Err(DuelPositionError::Overlap(cell.0));
            }
            self.cells[cell.index()] = covered(seat, self.snakes[seat.index()].add_tail(cell));
        }
        Ok(())
    }

    /// Returns the rules.
    #[inline]
    pub fn rules(&self) -> &DuelRules {
        &self.rules
    }

    /// Returns the board.
    #[inline]
    pub fn board(&self) -> Board {
        self.rules.board()
    }

    /// Returns the snake of a seat.
    #[inline]
    pub fn snake(&self, seat: Seat) -> &Snake {
        &self.snakes[seat.index()]
    }

    /// Returns a snake's pending growth, in steps.
    #[inline]
    pub fn growth(&self, seat: Seat) -> usize {
        self.growth[seat.index()].into()
    }

    /// Returns the length that is compared between snakes: body cells plus pending growth.
    #[inline]
    pub fn length(&self, seat: Seat) -> usize {
        self.snake(seat).len() + self.growth(seat)
    }

    /// Returns the foods in order of appearance.
    #[inline]
    pub fn foods(&self) -> &[Food] {
        &self.foods
    }

    /// Returns the number of steps taken.
    #[inline]
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Returns the number of steps since food was eaten or redrawn.
    #[inline]
    pub fn hunger(&self) -> u16 {
        self.hunger
    }

    /// Returns how the game ended; `None` while it goes on. After a collision, the position still
    /// shows both snakes before the fatal step.
    #[inline]
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Returns whether a cell holds neither a body nor food.
    #[inline]
    pub fn is_free(&self, cell: Cell) -> bool {
        self.cells[cell.index()] == FREE
    }

    /// Returns whether a cell holds food.
    #[inline]
    pub fn is_food(&self, cell: Cell) -> bool {
        self.cells[cell.index()] == FOOD
    }

    /// Returns the seat of the snake that covers a cell.
    #[inline]
    pub fn covered_by(&self, cell: Cell) -> Option<Seat> {
        match self.cells[cell.index()] {
            FREE | FOOD => None,
            covered if covered & SECOND == 0 => Some(Seat::First),
            _ => Some(Seat::Second),
        }
    }

    /// Returns the number of steps until no body covers a cell, if nobody eats: 0 on uncovered
    /// cells, 1 on a tail that moves, the [`length`](Self::length) on a head.
    #[inline]
    pub fn steps_until_free(&self, cell: Cell) -> u16 {
        let Some(seat) = self.covered_by(cell) else {
            return 0;
        };
        let place = (self.cells[cell.index()] & !SECOND) as usize;
        let steps = self.snake(seat).steps_until_left(place) + self.growth(seat);
        u16::try_from(steps).unwrap_or(u16::MAX)
    }

    /// Returns the moves that a snake may survive: those that stay on the board and enter neither
    /// body. The cell of a tail may be entered if no growth is pending, although the opponent's
    /// tail stays if the opponent eats. A finished game has none.
    #[inline]
    pub fn legal_moves(&self, seat: Seat) -> Directions {
        if self.outcome.is_some() {
            return Directions::EMPTY;
        }
        // A snake that grows leaves no cell.
        let leaving = Seat::BOTH.map(|whose| {
            if self.growth(whose) == 0 {
                self.snake(whose).tail()
            } else {
                NO_CELL
            }
        });
        let [up, right, down, left] = self.around[self.snake(seat).head().index()].map(|cell| {
            u8::from(
                (self.cells[cell.index()] >= FOOD) | (cell == leaving[0]) | (cell == leaving[1]),
            )
        });
        Directions::from_bits(up | right << 1 | down << 2 | left << 3)
    }

    /// Returns the next cell in a direction; `None` outside the board.
    #[inline]
    pub fn neighbor(&self, cell: Cell, direction: Direction) -> Option<Cell> {
        Some(self.around[cell.index()][direction.index()]).filter(|&cell| cell != self.wall())
    }

    /// Returns the number after the last cell.
    #[inline]
    fn wall(&self) -> Cell {
        Cell((self.cells.len() - 1) as u16)
    }

    /// Moves both heads one cell. A finished game does not change; its outcome is returned again.
    #[inline]
    pub fn step(&mut self, moves: [Direction; 2]) -> DuelEvent {
        if self.outcome.is_some() {
            return self.standstill();
        }
        let targets = Seat::BOTH
            .map(|seat| self.around[self.snake(seat).head().index()][moves[seat.index()].index()]);
        let found = targets.map(|target| self.cells[target.index()]);
        let eaten = [0, 1].map(|i| {
            if found[i] == FOOD {
                self.food_at(targets[i])
            } else {
                None
            }
        });
        let growth = [0, 1].map(|i| {
            let value = eaten[i].map_or(0, |food| u16::from(self.foods[food].value));
            (self.growth[i] + value).min(MOST_GROWTH)
        });
        self.history.push(Undo {
            moved: false,
            headings: Seat::BOTH.map(|seat| self.snake(seat).heading()),
            left: [None; 2],
            growth: self.growth,
            hunger: self.hunger,
            removed: 0,
        });
        self.steps += 1;
        // In most steps, no body covers the two target cells.
        let apart = found[0] >= FOOD && found[1] >= FOOD && targets[0] != targets[1];
        let causes = if apart {
            [None; 2]
        } else {
            self.collisions(targets, growth.map(|growth| growth == 0))
        };
        if causes != [None; 2] {
            let lengths =
                Seat::BOTH.map(|seat| self.snake(seat).len() + usize::from(growth[seat.index()]));
            self.outcome = Some(Outcome::of(self.rules.head_on(), causes, lengths));
            return self.standstill();
        }
        self.advance(moves, targets, growth);
        let ate = eaten.map(|food| food.is_some());
        let redrawn = self.remove_foods(eaten);
        if self.steps == self.rules.step_limit() {
            let lengths = Seat::BOTH.map(|seat| self.length(seat));
            self.outcome = Some(Outcome::of(
                self.rules.head_on(),
                [Some(DuelCause::StepLimit); 2],
                lengths,
            ));
        }
        DuelEvent {
            ate,
            redrawn,
            outcome: self.outcome,
        }
    }

    /// Returns the result of a step in which no snake moves.
    fn standstill(&self) -> DuelEvent {
        DuelEvent {
            ate: [false; 2],
            redrawn: false,
            outcome: self.outcome,
        }
    }

    /// Undoes the last step, and returns whether there was one. Steps before the position was
    /// created, or before food last spawned in it, can't be undone.
    #[inline]
    pub fn undo(&mut self) -> bool {
        let Some(undo) = self.history.pop() else {
            return false;
        };
        self.steps -= 1;
        self.outcome = None;
        if !undo.moved {
            return true;
        }
        self.hunger = undo.hunger;
        self.growth = undo.growth;
        for seat in Seat::BOTH {
            let index = seat.index();
            let head = self.snakes[index].head();
            self.cells[head.index()] = FREE;
            self.snakes[index].retreat(undo.headings[index], undo.left[index]);
        }
        // After all heads are removed, since a head may have entered the cell that the other tail
        // left.
        for seat in Seat::BOTH {
            if let Some(cell) = undo.left[seat.index()] {
                self.cells[cell.index()] = covered(seat, self.snake(seat).tail_place());
            }
        }
        for _ in 0..undo.removed {
            let (index, food) = self.removed.pop().expect("removed foods are remembered");
            self.foods.insert(index.into(), food);
            self.cells[food.cell.index()] = FOOD;
        }
        true
    }

    /// Forgets the steps taken: they can no longer be undone.
    #[inline]
    pub fn forget_steps(&mut self) {
        self.history.clear();
        self.removed.clear();
    }

    #[inline]
    pub(crate) fn add_food(&mut self, food: Food) {
        debug_assert!(self.is_free(food.cell));
        self.cells[food.cell.index()] = FOOD;
        self.foods.push(food);
    }

    /// Returns the index in `foods` of the food on a cell.
    fn food_at(&self, cell: Cell) -> Option<usize> {
        self.foods.iter().position(|food| food.cell == cell)
    }

    fn collisions(&self, targets: [Cell; 2], tail_leaves: [bool; 2]) -> [Option<DuelCause>; 2] {
        let targets = targets.map(|target| Some(target).filter(|&target| target != self.wall()));
        let blocks = |whose: Seat, cell: Cell| {
            let left = tail_leaves[whose.index()] && cell == self.snake(whose).tail();
            self.covered_by(cell) == Some(whose) && !left
        };
        let suicides =
            Seat::BOTH.map(|seat| targets[seat.index()].is_some_and(|cell| blocks(seat, cell)));
        let heads = [Some(self.snakes[0].head()), Some(self.snakes[1].head())];
        let meet =
            targets[0].is_some() && (targets[0] == targets[1] || targets == [heads[1], heads[0]]);
        Seat::BOTH.map(|seat| match targets[seat.index()] {
            None => Some(DuelCause::Wall),
            Some(_) if suicides[seat.index()] => Some(DuelCause::OwnBody),
            // A head that does not move meets nobody.
            Some(_) if meet && !suicides[seat.other().index()] => Some(DuelCause::HeadOn),
            Some(cell) if blocks(seat.other(), cell) => Some(DuelCause::OtherBody),
            Some(_) => None,
        })
    }

    /// Moves both snakes, which must survive.
    #[inline]
    fn advance(&mut self, moves: [Direction; 2], targets: [Cell; 2], growth: [u16; 2]) {
        let undo = self.history.last_mut().expect("the step is in the history");
        undo.moved = true;
        for seat in Seat::BOTH {
            let index = seat.index();
            let grows = growth[index] > 0;
            if !grows {
                let tail = self.snakes[index].tail();
                undo.left[index] = Some(tail);
                self.cells[tail.index()] = FREE;
            }
            self.growth[index] = growth[index] - u16::from(grows);
        }
        // After all tails have left, since a head may enter the cell that the other tail left.
        for seat in Seat::BOTH {
            let index = seat.index();
            let cell = targets[seat.index()];
            self.snakes[index].advance(moves[index], cell, growth[index] > 0);
            self.cells[cell.index()] = covered(seat, self.snakes[index].head_place());
        }
    }

    /// Removes the food eaten, or all food if nobody has eaten for too long, and returns whether
    /// all of it was removed.
    #[inline]
    fn remove_foods(&mut self, mut eaten: [Option<usize>; 2]) -> bool {
        let before = self.removed.len();
        let mut redrawn = false;
        if eaten == [None; 2] {
            self.hunger = self.hunger.saturating_add(1);
            redrawn = self.rules.steps_to_redraw(self.hunger) == Some(0);
        } else {
            self.hunger = 0;
            // The later index first, so that the earlier one stays valid.
            eaten.sort();
            for index in eaten.into_iter().rev().flatten() {
                self.removed.push((index as u16, self.foods.remove(index)));
            }
        }
        if redrawn {
            self.hunger = 0;
            while let Some(food) = self.foods.pop() {
                self.cells[food.cell.index()] = FREE;
                self.removed.push((self.foods.len() as u16, food));
            }
        }
        self.history
            .last_mut()
            .expect("the step is in the history")
            .removed = (self.removed.len() - before) as u16;
        redrawn
    }
}

/// Returns the entry in `cells` of a cell that a snake covers.
#[inline]
fn covered(seat: Seat, place: usize) -> u32 {
    place as u32 | if seat == Seat::Second { SECOND } else { 0 }
}

/// Positions are equal if everything that both players see is equal.
impl PartialEq for DuelPosition {
    fn eq(&self, other: &DuelPosition) -> bool {
        self.rules == other.rules
            && self.snakes == other.snakes
            && self.growth == other.growth
            && self.foods == other.foods
            && (self.steps, self.hunger, self.outcome) == (other.steps, other.hunger, other.outcome)
    }
}

impl Eq for DuelPosition {}

/// Draws the board: `A` and `a` are the head and body of the first snake, `B` and `b` of the
/// second, `*` is food, `.` is a free cell.
impl std::fmt::Display for DuelPosition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for cell in self.board().cells() {
            let symbol = match self.covered_by(cell) {
                Some(seat) if self.snake(seat).head() == cell => ['A', 'B'][seat.index()],
                Some(seat) => ['a', 'b'][seat.index()],
                None if self.is_food(cell) => '*',
                None => '.',
            };
            write!(f, "{symbol}")?;
            if self.board().column(cell) + 1 == self.board().width() {
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for DuelPosition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let DuelPosition {
            rules,
            growth,
            foods,
            steps,
            hunger,
            outcome,
            ..
        } = self;
        write!(
            f,
            "{rules}; growth {growth:?}, {foods:?}, steps {steps}, hunger {hunger}, \
             {outcome:?}\n{self}"
        )
    }
}
