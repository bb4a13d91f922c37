//! Games for large batches: what [`Game`] plays, in fewer bytes and fewer instructions.

use crate::game::{food_draws, start_of};
use crate::{Board, Cause, Cell, Direction, Directions, Event, Game, Position, Rules, Seed, Status, rng};

/// What lies on a cell. The highest bit says that the head may enter.
const WALL: u8 = 0x00;
const BODY: u8 = 0x01;
const FREE: u8 = 0x80;
const FOOD: u8 = 0x81;
const ENTERABLE_TAIL: u8 = 0x82;

/// What all lean games of the same rules share. `N` is a power of two above the board's area.
#[derive(Clone, Debug)]
pub struct LeanRules<const N: usize> {
    rules: Rules,
    /// The four cells around each cell, 16 bits each by direction; outside the board the number `area`, on which a wall stands.
    around: Box<[u64; N]>,
    tail: u8,
}

/// A game without what only single games need: the body is a ring, and of other cells it knows only whether the head may enter.
/// Compared step by step with [`Game`], its definition, in property tests. `N` is that of its [`LeanRules`], which every call
/// needs.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct LeanGame<const N: usize> {
    head: u16,
    tail: u16,
    /// Where the head stands in `ring`, modulo `N`; the body follows at lower places.
    head_place: u16,
    length: u16,
    heading: Direction,
    legal: Directions,
    status: Status,
    cells: [u8; N],
    ring: [u16; N],
    foods: Vec<Cell>,
    seed: Seed,
    spawned: u64,
}

impl<const N: usize> LeanRules<N> {
    /// The rules for lean games.
    ///
    /// # Panics
    /// When `N` is no power of two, above 65,536, or not above the board's area.
    pub fn new(rules: Rules) -> LeanRules<N> {
        let board = rules.board();
        let area = board.area();
        assert!(N.is_power_of_two() && N <= 1 << 16 && N > area, "{N} is no size for a board of {area} cells");
        let number = |cell, direction| board.neighbor(cell, direction).map_or(area as u64, |cell| cell.0.into());
        let around = |cell| Direction::ALL.into_iter().rev().fold(0, |all, to| all << 16 | number(cell, to));
        let mut cells: Vec<u64> = board.cells().map(around).collect();
        cells.resize(N, 0);
        let around = cells.try_into().expect("N entries");
        LeanRules { rules, around, tail: if rules.tail_entry() { ENTERABLE_TAIL } else { BODY } }
    }

    /// The rules.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The board.
    #[inline]
    pub fn board(&self) -> Board {
        self.rules.board()
    }

    /// [`Board::neighbor`], from a table.
    #[inline]
    pub fn neighbor(&self, cell: Cell, direction: Direction) -> Option<Cell> {
        let neighbor = self.number(cell.0, direction);
        (usize::from(neighbor) != self.board().area()).then_some(Cell(neighbor))
    }

    #[inline]
    fn number(&self, cell: u16, direction: Direction) -> u16 {
        (self.around[at::<N>(cell)] >> (16 * direction.index())) as u16
    }
}

/// An index that needs no check.
#[inline]
fn at<const N: usize>(place: u16) -> usize {
    usize::from(place) & (N - 1)
}

impl<const N: usize> LeanGame<N> {
    /// [`Game::new`].
    pub fn new(rules: &LeanRules<N>, seed: Seed) -> LeanGame<N> {
        let mut game = LeanGame {
            head: 0,
            tail: 0,
            head_place: 0,
            length: 0,
            heading: Direction::Up,
            legal: Directions::EMPTY,
            status: Status::Ongoing,
            cells: [WALL; N],
            ring: [0; N],
            foods: Vec::with_capacity(rules.rules.foods()),
            seed,
            spawned: 0,
        };
        game.restart(rules, seed);
        game
    }

    /// [`Game::restart`].
    pub fn restart(&mut self, rules: &LeanRules<N>, seed: Seed) {
        let (heading, body) = start_of(rules.rules, seed);
        self.place(rules, heading, body, &[]);
        self.begin(rules, seed);
    }

    /// Becomes the game of [`Game::from_position`].
    pub fn restart_from(&mut self, rules: &LeanRules<N>, position: &Position, seed: Seed) {
        self.place(rules, position.heading(), position.body(), position.foods());
        self.status = position.status();
        self.begin(rules, seed);
    }

    /// Becomes the same game as this one.
    pub fn restore(&mut self, rules: &LeanRules<N>, game: &Game) {
        let position = game.position();
        self.place(rules, position.heading(), position.body(), position.foods());
        (self.status, self.seed, self.spawned) = (position.status(), game.seed(), game.spawned());
        self.legal = self.find_legal_moves(rules);
    }

    /// The same game with everything.
    pub fn to_game(&self, rules: &LeanRules<N>) -> Game {
        let position = Position::new(rules.rules, self.heading, self.body(), self.foods.iter().copied());
        let position = position.expect("it is one").with_status(self.status);
        Game::of_parts(position, self.seed, self.spawned)
    }

    fn place(&mut self, rules: &LeanRules<N>, heading: Direction, body: impl Iterator<Item = Cell>, foods: &[Cell]) {
        self.cells[..rules.board().area()].fill(FREE);
        (self.heading, self.status, self.head_place, self.length) = (heading, Status::Ongoing, 0, 0);
        for cell in body {
            self.ring[at::<N>(self.length.wrapping_neg())] = cell.0;
            self.cells[cell.index()] = BODY;
            self.tail = cell.0;
            self.length += 1;
        }
        self.head = self.ring[0];
        self.cells[at::<N>(self.tail)] = rules.tail;
        self.foods.clear();
        self.foods.extend_from_slice(foods);
        foods.iter().for_each(|food| self.cells[food.index()] = FOOD);
        if usize::from(self.length) == rules.board().area() {
            self.status = Status::Won;
        }
    }

    fn begin(&mut self, rules: &LeanRules<N>, seed: Seed) {
        (self.seed, self.spawned) = (seed, 0);
        self.spawn(rules);
        self.legal = self.find_legal_moves(rules);
    }

    /// [`Game::step`].
    #[inline(always)]
    pub fn step(&mut self, rules: &LeanRules<N>, direction: Direction) -> Event {
        if self.status != Status::Ongoing || !self.legal.contains(direction) {
            return self.stop(rules, direction);
        }
        let target = rules.number(self.head, direction);
        let ate = self.cells[at::<N>(target)] == FOOD;
        self.head_place = self.head_place.wrapping_add(1);
        self.ring[at::<N>(self.head_place)] = target;
        (self.head, self.heading) = (target, direction);
        let mut event = Event::Moved;
        if ate {
            event = self.eat(rules);
        } else {
            self.cells[at::<N>(self.tail)] = FREE;
            self.tail = self.ring[at::<N>(self.tail_place())];
            self.cells[at::<N>(self.head)] = BODY;
            self.cells[at::<N>(self.tail)] = rules.tail;
        }
        self.legal = self.find_legal_moves(rules);
        event
    }

    /// A step that moves nothing: the game is over, or ends here.
    #[cold]
    fn stop(&mut self, rules: &LeanRules<N>, direction: Direction) -> Event {
        if self.status == Status::Ongoing {
            let hit = rules.neighbor(Cell(self.head), direction);
            self.status = Status::Lost(if hit.is_none() { Cause::Wall } else { Cause::Body });
        }
        match self.status {
            Status::Lost(cause) => Event::Lost(cause),
            Status::Ongoing | Status::Won => Event::Won,
        }
    }

    #[cold]
    fn eat(&mut self, rules: &LeanRules<N>) -> Event {
        self.foods.retain(|food| food.0 != self.head);
        self.length += 1;
        self.cells[at::<N>(self.head)] = BODY;
        if usize::from(self.length) == rules.board().area() {
            self.status = Status::Won;
            return Event::Won;
        }
        self.spawn(rules);
        Event::Ate
    }

    fn spawn(&mut self, rules: &LeanRules<N>) {
        let area = rules.board().area();
        let foods = rules.rules.foods().min(area - self.len());
        while self.status == Status::Ongoing && self.foods.len() < foods {
            let mut draws = food_draws(self.seed, self.spawned);
            let cell = loop {
                let cell = rng::below(&mut draws, area as u64) as u16;
                if self.cells[at::<N>(cell)] == FREE {
                    break cell;
                }
            };
            self.cells[at::<N>(cell)] = FOOD;
            self.foods.push(Cell(cell));
            self.spawned += 1;
        }
    }

    #[inline]
    fn find_legal_moves(&self, rules: &LeanRules<N>) -> Directions {
        let around = rules.around[at::<N>(self.head)];
        let [up, right, down, left] = [0, 16, 32, 48].map(|shift| self.cells[at::<N>((around >> shift) as u16)] >> 7);
        let back = u8::from(self.length > 1) << (self.heading.index() ^ 2);
        Directions::from_bits((up | right << 1 | down << 2 | left << 3) & !back)
    }

    #[inline]
    fn tail_place(&self) -> u16 {
        self.head_place.wrapping_sub(self.length - 1)
    }

    /// [`Position::legal_moves`].
    #[inline]
    pub fn legal_moves(&self) -> Directions {
        self.legal
    }

    /// [`Position::heading`].
    #[inline]
    pub fn heading(&self) -> Direction {
        self.heading
    }

    /// [`Position::status`].
    #[inline]
    pub fn status(&self) -> Status {
        self.status
    }

    /// [`Position::len`].
    #[expect(clippy::len_without_is_empty, reason = "a snake has at least one cell")]
    #[inline]
    pub fn len(&self) -> usize {
        self.length.into()
    }

    /// [`Position::head`].
    #[inline]
    pub fn head(&self) -> Cell {
        Cell(self.head)
    }

    /// [`Position::tail`].
    #[inline]
    pub fn tail(&self) -> Cell {
        Cell(self.tail)
    }

    /// [`Position::foods`].
    #[inline]
    pub fn foods(&self) -> &[Cell] {
        &self.foods
    }

    /// [`Position::body_cell`].
    #[inline]
    pub fn body_cell(&self, behind: usize) -> Cell {
        debug_assert!(behind < self.len());
        Cell(self.ring[at::<N>(self.head_place.wrapping_sub(behind as u16))])
    }

    /// [`Position::body`].
    #[inline]
    pub fn body(&self) -> impl Iterator<Item = Cell> + '_ {
        (0..self.len()).map(|behind| self.body_cell(behind))
    }
}
