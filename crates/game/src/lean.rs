//! Games for large batches: equivalent to [`Game`], with fewer bytes and fewer instructions.

use crate::game::{food_draws, start_of};
use crate::{
    Board, Cause, Cell, Direction, Directions, Event, Game, Position, Rules, Seed, Status, rng,
};
use std::sync::Arc;

/// Values of cells besides the stamps. A stamp greater than the clock marks a cell of the body, any
/// other a free cell.
const FOOD: u16 = 0;
const FREE: u16 = 1;
const WALL: u16 = u16::MAX;

/// What all lean games with the same rules share. `N` is a power of two greater than the board's
/// area.
#[derive(Clone, Debug)]
pub struct LeanRules<const N: usize> {
    rules: Rules,
    /// The four neighbors of each cell, by direction; outside the board the number `area`, which
    /// holds a wall.
    around: [[u16; 4]; N],
    /// The head may enter cells with stamps up to the clock plus this number.
    tail_entry: u32,
}

/// A game for large batches, without features that only single games need. Every step stamps the
/// head's cell with a step number. The clock advances too, except when the snake eats, so it lags
/// behind the stamp by the snake's length: the body is where stamps are greater than the clock. A
/// step thus writes one cell, and none for the tail. Property tests compare it with [`Game`], its
/// definition, step by step. `N` is the one of its [`LeanRules`].
///
/// ```
/// use hognose_game::{Board, Direction, Event, LeanGame, LeanRules, Rules};
/// use std::sync::Arc;
///
/// let rules = Arc::new(LeanRules::<64>::new(Rules::new(Board::new(6, 6)?)));
/// let mut game = LeanGame::new(&rules, 42);
/// let direction = game.legal_moves().iter().next().expect("a snake of one cell can move");
/// assert!(matches!(game.step(direction), Event::Moved | Event::Ate));
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
#[derive(Clone, Debug)]
#[repr(C)]
pub struct LeanGame<const N: usize> {
    /// The stamp of the head's cell.
    stamp: u32,
    clock: u32,
    head: u16,
    heading: Direction,
    legal: Directions,
    status: Status,
    rules: Arc<LeanRules<N>>,
    cells: [u16; N],
    /// The cell of each stamp, at index stamp modulo `N`.
    trail: [u16; N],
    foods: Vec<Cell>,
    seed: Seed,
    spawned: u64,
}

impl<const N: usize> LeanRules<N> {
    /// Creates rules for lean games.
    ///
    /// # Panics
    /// Panics if `N` is not a power of two, greater than 16,384, or not greater than the area of the
    /// board.
    pub fn new(rules: Rules) -> LeanRules<N> {
        let board = rules.board();
        let area = board.area();
        assert!(
            N.is_power_of_two() && N <= 1 << 14 && N > area,
            "N must be a power of two above {area} cells and at most 16384, got {N}"
        );
        let outside = Cell(area as u16);
        let mut around = [[0; 4]; N];
        for (around, cell) in around.iter_mut().zip(board.cells()) {
            *around = Direction::ALL.map(|to| board.neighbor(cell, to).unwrap_or(outside).0);
        }
        LeanRules {
            rules,
            around,
            tail_entry: rules.tail_entry().into(),
        }
    }

    /// Returns the rules.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Returns the board.
    #[inline]
    pub fn board(&self) -> Board {
        self.rules.board()
    }

    /// Returns the next cell in a direction, from a table; `None` outside the board.
    #[inline]
    pub fn neighbor(&self, cell: Cell, direction: Direction) -> Option<Cell> {
        let neighbor = self.number(cell.0, direction);
        (usize::from(neighbor) != self.board().area()).then_some(Cell(neighbor))
    }

    #[inline]
    fn number(&self, cell: u16, direction: Direction) -> u16 {
        self.around[at::<N>(cell)][direction.index()]
    }
}

/// Returns an index that needs no bounds check.
#[inline]
fn at<const N: usize>(place: u16) -> usize {
    usize::from(place) & (N - 1)
}

impl<const N: usize> LeanGame<N> {
    /// Creates a new game, like [`Game::new`]; the seed decides the start and foods.
    pub fn new(rules: &Arc<LeanRules<N>>, seed: Seed) -> LeanGame<N> {
        let mut game = LeanGame {
            head: 0,
            stamp: 0,
            clock: 0,
            heading: Direction::Up,
            legal: Directions::EMPTY,
            status: Status::Ongoing,
            rules: Arc::clone(rules),
            cells: [WALL; N],
            trail: [0; N],
            foods: Vec::with_capacity(rules.rules.foods()),
            seed,
            spawned: 0,
        };
        game.restart(rules, seed);
        game
    }

    /// Restarts as a new game, under the same or other rules, without allocating.
    pub fn restart(&mut self, rules: &Arc<LeanRules<N>>, seed: Seed) {
        let (heading, body) = start_of(rules.rules, seed);
        self.place(rules, heading, body, &[]);
        self.begin(seed);
    }

    /// Restarts from a position under these rules: its foods stay, missing ones are spawned.
    pub fn restart_from(&mut self, rules: &Arc<LeanRules<N>>, position: &Position, seed: Seed) {
        self.place(rules, position.heading(), position.body(), position.foods());
        self.status = position.status();
        self.begin(seed);
    }

    /// Becomes a copy of a game under these rules, including its future, without allocating.
    pub fn restore(&mut self, rules: &Arc<LeanRules<N>>, game: &Game) {
        let position = game.position();
        self.place(rules, position.heading(), position.body(), position.foods());
        (self.status, self.seed, self.spawned) = (position.status(), game.seed(), game.spawned());
        self.legal = self.legal_if_ongoing();
    }

    /// Converts this game to a [`Game`], which offers more methods.
    pub fn to_game(&self) -> Game {
        let position = Position::new(
            self.rules.rules,
            self.heading,
            (0..self.len()).map(|behind| self.body_cell(behind)),
            self.foods.iter().copied(),
        );
        let position = position.expect("a valid position").with_status(self.status);
        Game::of_parts(position, self.seed, self.spawned)
    }

    fn place(
        &mut self,
        rules: &Arc<LeanRules<N>>,
        heading: Direction,
        body: impl Iterator<Item = Cell>,
        foods: &[Cell],
    ) {
        if !Arc::ptr_eq(&self.rules, rules) {
            self.rules = Arc::clone(rules);
        }
        let area = rules.board().area();
        self.cells[..area].fill(FREE);
        self.cells[area] = WALL;
        (self.heading, self.status) = (heading, Status::Ongoing);
        // From head to tail, so stamps decrease; `N` is greater than the length.
        self.stamp = u32::from(FREE) + N as u32;
        self.clock = self.stamp;
        for cell in body {
            self.trail[at::<N>(self.clock as u16)] = cell.0;
            self.cells[cell.index()] = self.clock as u16;
            self.clock -= 1;
        }
        self.head = self.body_cell(0).0;
        self.foods.clear();
        self.foods.extend_from_slice(foods);
        foods
            .iter()
            .for_each(|food| self.cells[food.index()] = FOOD);
    }

    fn begin(&mut self, seed: Seed) {
        (self.seed, self.spawned) = (seed, 0);
        self.spawn();
        self.legal = self.legal_if_ongoing();
    }

    /// Moves the head one cell, and replaces food that was eaten. A finished game does not change;
    /// its result is returned again.
    #[inline(always)]
    pub fn step(&mut self, direction: Direction) -> Event {
        if self.status != Status::Ongoing || !self.legal.contains(direction) {
            return self.stop(direction);
        }
        let target = self.rules.number(self.head, direction);
        let ate = self.cells[at::<N>(target)] == FOOD;
        self.stamp += 1;
        self.cells[at::<N>(target)] = self.stamp as u16;
        self.trail[at::<N>(self.stamp as u16)] = target;
        (self.head, self.heading) = (target, direction);
        let event = if ate {
            self.eat()
        } else {
            self.clock += 1;
            self.legal = self.find_legal_moves();
            Event::Moved
        };
        if self.stamp + 1 == WALL.into() {
            self.turn_back_the_clock();
        }
        event
    }

    /// Makes stamps small again before they outgrow 16 bits.
    #[cold]
    fn turn_back_the_clock(&mut self) {
        let back = (self.clock - u32::from(FREE)) / N as u32 * N as u32;
        let area = self.area();
        for cell in self.cells[..area].iter_mut().filter(|cell| **cell != FOOD) {
            *cell = if u32::from(*cell) > self.clock {
                *cell - back as u16
            } else {
                FREE
            };
        }
        (self.stamp, self.clock) = (self.stamp - back, self.clock - back);
    }

    /// Returns the result of a step that moves nothing: the game is over, or ends now.
    #[cold]
    fn stop(&mut self, direction: Direction) -> Event {
        if self.status == Status::Ongoing {
            let hit = self.rules.neighbor(Cell(self.head), direction);
            self.status = Status::Lost(if hit.is_none() {
                Cause::Wall
            } else {
                Cause::Body
            });
            self.legal = Directions::EMPTY;
        }
        match self.status {
            Status::Lost(cause) => Event::Lost(cause),
            Status::Ongoing | Status::Won => Event::Won,
        }
    }

    #[cold]
    fn eat(&mut self) -> Event {
        self.foods.retain(|food| food.0 != self.head);
        if self.len() == self.area() {
            self.status = Status::Won;
        }
        self.spawn();
        self.legal = self.legal_if_ongoing();
        if self.status == Status::Won {
            Event::Won
        } else {
            Event::Ate
        }
    }

    fn spawn(&mut self) {
        let area = self.area();
        let foods = self.rules.rules.foods().min(area - self.len());
        while self.status == Status::Ongoing && self.foods.len() < foods {
            let mut draws = food_draws(self.seed, self.spawned);
            let cell = loop {
                let cell = rng::below(&mut draws, area as u64) as u16;
                let stamp = self.cells[at::<N>(cell)];
                if stamp != FOOD && u32::from(stamp) <= self.clock {
                    break cell;
                }
            };
            self.cells[at::<N>(cell)] = FOOD;
            self.foods.push(Cell(cell));
            self.spawned = self.spawned.wrapping_add(1);
        }
    }

    fn legal_if_ongoing(&self) -> Directions {
        if self.status == Status::Ongoing {
            self.find_legal_moves()
        } else {
            Directions::EMPTY
        }
    }

    #[inline]
    fn find_legal_moves(&self) -> Directions {
        let around = self.rules.around[at::<N>(self.head)];
        let open = self.clock + self.rules.tail_entry;
        let [up, right, down, left] =
            around.map(|cell| u8::from(u32::from(self.cells[at::<N>(cell)]) <= open));
        let mut legal = Directions::from_bits(up | right << 1 | down << 2 | left << 3);
        if self.len() == 2 {
            // The neck is the tail. In longer snakes, it is blocked anyway.
            legal.remove(self.heading.opposite());
        }
        legal
    }

    /// Returns the moves that do not lose in this step; none in a finished game.
    #[inline]
    pub fn legal_moves(&self) -> Directions {
        self.legal
    }

    /// Returns the last move, or initially the start's heading.
    #[inline]
    pub fn heading(&self) -> Direction {
        self.heading
    }

    /// Returns whether the game goes on.
    #[inline]
    pub fn status(&self) -> Status {
        self.status
    }

    /// Returns the rules.
    #[inline]
    pub fn rules(&self) -> &LeanRules<N> {
        &self.rules
    }

    #[inline]
    fn area(&self) -> usize {
        self.rules.board().area()
    }

    /// Returns the number of body cells, including the head.
    #[expect(clippy::len_without_is_empty, reason = "a snake has at least one cell")]
    #[inline]
    pub fn len(&self) -> usize {
        (self.stamp - self.clock) as usize
    }

    /// Returns the head's cell.
    #[inline]
    pub fn head(&self) -> Cell {
        Cell(self.head)
    }

    /// Returns the foods in order of appearance.
    #[inline]
    pub fn foods(&self) -> &[Cell] {
        &self.foods
    }

    /// Returns the body cell `behind` steps behind the head; `behind < len()`.
    #[inline]
    pub fn body_cell(&self, behind: usize) -> Cell {
        debug_assert!(behind < self.len());
        self.cell_stamped(self.stamp - behind as u32)
    }

    /// Returns the cell that the body leaves in the given step from now, if nothing is eaten until
    /// then. Step 0 is the last one in which the tail moved in this game; if there was none, any
    /// cell is returned.
    #[inline]
    pub fn cell_left_after(&self, steps: usize) -> Cell {
        debug_assert!(steps <= self.len());
        self.cell_stamped(self.clock + steps as u32)
    }

    /// Returns how many steps without eating it takes the body to leave a cell; 0 if uncovered.
    #[inline]
    pub fn steps_until_free(&self, cell: Cell) -> u16 {
        u32::from(self.cells[at::<N>(cell.0)]).saturating_sub(self.clock) as u16
    }

    #[inline]
    fn cell_stamped(&self, stamp: u32) -> Cell {
        Cell(self.trail[at::<N>(stamp as u16)])
    }
}
