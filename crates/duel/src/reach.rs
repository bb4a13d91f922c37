//! The cells that each snake of a duel can reach, and those that it reaches first.

use crate::bits::{Bits, Grid};
use hognose_game::duel::{DuelPosition, Seat};
use hognose_game::{Board, Cell, Snake};

/// The cells that each snake can reach, those that it reaches before the other, and the steps to
/// each food. One value serves many positions, without allocating.
///
/// Both heads move one cell per step. A snake can enter a covered cell as soon as no body covers
/// it, assuming that neither snake eats: the tail's cell in the first step, the cell before it in
/// the second. A snake may wait for that, but only while it has room: if by step t it could have
/// entered fewer than t cells besides its head's, its search ends. A snake that is shut in
/// therefore reaches little, even though all bodies move on.
///
/// ```
/// use hognose_duel::Reach;
/// use hognose_game::duel::{Duel, DuelRules, Seat};
///
/// let duel = Duel::new(DuelRules::ai_snakes_2021(), 7);
/// let mut reach = Reach::new(duel.position().board());
/// reach.look(duel.position());
/// assert_eq!(reach.reached(Seat::First), 195);
/// // The starts are half-turns of each other, so both reach equally many cells first.
/// assert_eq!(reach.nearer(Seat::First), reach.nearer(Seat::Second));
/// assert!(reach.food_steps(Seat::First)[0].is_some());
/// ```
#[derive(Clone, Debug)]
pub struct Reach {
    board: Board,
    nearer: [u16; 2],
    reached: [u16; 2],
    food_steps: [Vec<Option<u16>>; 2],
    way: Way,
}

/// The search method.
#[derive(Clone, Debug)]
enum Way {
    /// By sets of cells.
    Sets { grid: Grid, spots: Box<[u8]> },
    /// Cell by cell.
    Cells([Search; 2]),
}

impl Reach {
    /// Makes a value for positions on a board. It is fastest if no side is longer than 16.
    pub fn new(board: Board) -> Reach {
        let way = match Grid::new(board) {
            Some(grid) => Way::Sets {
                grid,
                spots: board.cells().map(|cell| grid.spot(cell)).collect(),
            },
            None => Way::Cells([Search::new(board), Search::new(board)]),
        };
        Reach {
            board,
            nearer: [0; 2],
            reached: [0; 2],
            food_steps: [Vec::new(), Vec::new()],
            way,
        }
    }

    /// Searches from both heads of a position. The other methods describe this position until the
    /// next call. A position on another board replaces this value by a new one for that board.
    pub fn look(&mut self, position: &DuelPosition) {
        if position.board() != self.board {
            *self = Reach::new(position.board());
        }
        for steps in &mut self.food_steps {
            steps.clear();
            steps.resize(position.foods().len(), None);
        }
        match &mut self.way {
            Way::Sets { grid, spots } => {
                let Reach {
                    nearer,
                    reached,
                    food_steps,
                    ..
                } = self;
                let spot = |cell: Cell| spots[cell.index()];
                let mut taken = Bits::EMPTY;
                let snakes = Seat::BOTH.map(|seat| position.snake(seat));
                snakes
                    .iter()
                    .for_each(|snake| snake.body().for_each(|cell| taken.insert(spot(cell))));
                let growth = Seat::BOTH.map(|seat| position.growth(seat));
                let heads = snakes.map(|snake| spot(snake.head()));
                let [first, second] = Seat::BOTH.map(|seat| position.length(seat));
                let last_left = first.max(second) as u16;
                let mut spread = Spread::new(grid, heads, grid.all() & !taken, last_left);
                while let Some((step, entered)) = spread
                    .next(|seat, step| Some(spot(left(snakes[seat], growth[seat], step.into())?)))
                {
                    for (seat, steps) in food_steps.iter_mut().enumerate() {
                        for (food, steps) in position.foods().iter().zip(steps) {
                            if entered[seat].contains(spot(food.cell)) {
                                *steps = Some(step);
                            }
                        }
                    }
                }
                let areas = spread.finish();
                (*nearer, *reached) = (areas.nearer.map(Bits::len), areas.reached.map(Bits::len));
            }
            Way::Cells(searches) => {
                for (search, seat) in searches.iter_mut().zip(Seat::BOTH) {
                    search.run(position, seat);
                }
                for (seat, other) in [(0, 1), (1, 0)] {
                    let mine = &searches[seat].steps;
                    let others = &searches[other].steps;
                    // The head's own cell does not count.
                    self.reached[seat] = mine
                        .iter()
                        .filter(|&&steps| steps != NEVER && steps != 0)
                        .count() as u16;
                    self.nearer[seat] = mine
                        .iter()
                        .zip(others)
                        .filter(|&(a, b)| *a != 0 && a < b)
                        .count() as u16;
                    for (food, steps) in position.foods().iter().zip(&mut self.food_steps[seat]) {
                        *steps = Some(mine[food.cell.index()]).filter(|&steps| steps != NEVER);
                    }
                }
            }
        }
    }

    /// Returns how many cells a snake reaches before the other, or the other never reaches. A cell
    /// that both reach in the same step counts for neither, and a snake's head does not count for
    /// that snake.
    pub fn nearer(&self, seat: Seat) -> u16 {
        self.nearer[seat.index()]
    }

    /// Returns how many cells a snake reaches, not counting its head's.
    pub fn reached(&self, seat: Seat) -> u16 {
        self.reached[seat.index()]
    }

    /// Returns the steps in which a snake reaches each food, in the order of
    /// [`DuelPosition::foods`]; `None` for a food that it does not reach.
    pub fn food_steps(&self, seat: Seat) -> &[Option<u16>] {
        &self.food_steps[seat.index()]
    }
}

/// Returns the cell that a snake's tail leaves in a future step, if the snake does not eat before.
#[inline]
fn left(snake: &Snake, growth: usize, step: usize) -> Option<Cell> {
    let step = step
        .checked_sub(growth)
        .filter(|&step| 0 < step && step <= snake.len())?;
    Some(snake.cell_left_after(step))
}

/// A search by sets of cells, for both snakes at once, step by step.
#[derive(Debug)]
pub(crate) struct Spread<'a> {
    grid: &'a Grid,
    heads: [Bits; 2],
    free: Bits,
    last_left: u16,
    step: u16,
    areas: Areas,
}

/// The result of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Areas {
    /// By seat: the spots that it reaches before the other.
    pub(crate) nearer: [Bits; 2],
    /// By seat: the spots that it reaches.
    pub(crate) reached: [Bits; 2],
    /// By seat: whether it could always enter another cell.
    pub(crate) has_room: [bool; 2],
}

impl Spread<'_> {
    /// Starts a search from two heads. `free` are the spots that no body covers; `last_left` is the
    /// step in which a body leaves the last spot.
    #[inline(always)]
    pub(crate) fn new(grid: &Grid, heads: [u8; 2], free: Bits, last_left: u16) -> Spread<'_> {
        let heads = heads.map(Bits::of);
        let areas = Areas {
            nearer: [Bits::EMPTY; 2],
            reached: heads,
            has_room: [true; 2],
        };
        Spread {
            grid,
            heads,
            free,
            last_left,
            step: 0,
            areas,
        }
    }

    /// Returns the next step in which a snake enters spots for the first time, and these spots by
    /// seat; `None` if there is no such step. `left` returns the spot that a seat's tail leaves in
    /// a step.
    #[inline(always)]
    pub(crate) fn next(
        &mut self,
        left: impl Fn(usize, u16) -> Option<u8>,
    ) -> Option<(u16, [Bits; 2])> {
        let Areas {
            nearer,
            reached,
            has_room,
        } = &mut self.areas;
        loop {
            self.step += 1;
            if self.step <= self.last_left {
                for seat in [0, 1] {
                    if let Some(spot) = left(seat, self.step) {
                        self.free.insert(spot);
                    }
                }
            }
            let mut entered = [Bits::EMPTY; 2];
            for seat in [0, 1] {
                if has_room[seat] {
                    entered[seat] = self.grid.around(reached[seat]) & self.free & !reached[seat];
                }
            }
            nearer[0] |= entered[0] & !(reached[1] | entered[1]);
            nearer[1] |= entered[1] & !(reached[0] | entered[0]);
            let is_still = [entered[0].is_empty(), entered[1].is_empty()];
            for seat in [0, 1] {
                reached[seat] |= entered[seat];
                // There is room as long as each step enters a cell.
                has_room[seat] &= !is_still[seat] || reached[seat].len() > self.step;
            }
            if is_still != [true; 2] {
                return Some((self.step, entered));
            }
            if *has_room == [false; 2] || self.step >= self.last_left {
                return None;
            }
        }
    }

    /// Returns, by seat, the spots that it has reached first so far.
    #[inline(always)]
    pub(crate) fn nearer(&self) -> [Bits; 2] {
        self.areas.nearer
    }

    /// Returns the result, without each snake's head.
    #[inline(always)]
    pub(crate) fn finish(self) -> Areas {
        let Areas {
            nearer,
            reached: [first, second],
            has_room,
        } = self.areas;
        Areas {
            nearer,
            reached: [first & !self.heads[0], second & !self.heads[1]],
            has_room,
        }
    }
}

const NEVER: u16 = u16::MAX;

/// A search from one head, cell by cell, for boards of any size.
#[derive(Clone, Debug)]
struct Search {
    /// For each cell, the first step in which the snake can enter it.
    steps: Box<[u16]>,
    is_seen: Box<[bool]>,
    /// Seen cells that are not yet entered.
    open: Vec<Cell>,
    /// Cells seen for the first time in the current step.
    next: Vec<Cell>,
}

impl Search {
    fn new(board: Board) -> Search {
        let area = board.area();
        Search {
            steps: vec![NEVER; area].into(),
            is_seen: vec![false; area].into(),
            open: Vec::new(),
            next: Vec::new(),
        }
    }

    fn run(&mut self, position: &DuelPosition, seat: Seat) {
        let board = position.board();
        let head = position.snake(seat).head();
        self.steps.fill(NEVER);
        self.is_seen.fill(false);
        let Search {
            steps,
            is_seen,
            open,
            next,
        } = self;
        is_seen[head.index()] = true;
        let mut see_around = |cell: Cell, open: &mut Vec<Cell>| {
            for (_, cell) in board.neighbors(cell) {
                if !std::mem::replace(&mut is_seen[cell.index()], true) {
                    open.push(cell);
                }
            }
        };
        open.clear();
        see_around(head, open);
        steps[head.index()] = 0;
        let mut reached = 0;
        for step in 1.. {
            let before = reached;
            open.retain(|&cell| {
                let may_enter = position.steps_until_free(cell) <= step;
                if may_enter {
                    steps[cell.index()] = step;
                    reached += 1;
                    see_around(cell, next);
                }
                !may_enter
            });
            open.append(next);
            if reached == before && (reached < step || open.is_empty()) {
                break;
            }
        }
    }
}
