//! Which cells each snake of a duel can reach, and which it reaches first.

use crate::bits::{Bits, Grid};
use hognose_game::duel::{DuelPosition, Seat};
use hognose_game::{Board, Cell, Snake};

/// The cells that each snake can reach, which of them it reaches before the other, and how soon
/// each reaches each food. One value serves many positions, without allocating.
///
/// Both heads move one cell a step. A cell that a body covers may be entered as soon as no body
/// covers it any more, if neither snake eats until then: the tail's cell in the first step, the
/// cell before it in the second. A snake may wait for that, but only while it has room: if by step
/// t it could have entered fewer than t cells besides that of its head, its search ends. So a snake
/// that is shut in reaches little, although all bodies move on.
///
/// ```
/// use hognose_duel::Reach;
/// use hognose_game::duel::{Duel, DuelRules, Seat};
///
/// let duel = Duel::new(DuelRules::ai_snakes_2021(), 7);
/// let mut reach = Reach::new(duel.position().board());
/// reach.look(duel.position());
/// assert_eq!(reach.reached(Seat::First), 195);
/// // The starts are half-turns of each other, so both own as much of the board.
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

/// How the cells are searched.
#[derive(Clone, Debug)]
enum Way {
    /// By sets of cells.
    Sets { grid: Grid, spots: Box<[u8]> },
    /// Cell by cell.
    Cells([Search; 2]),
}

impl Reach {
    /// For positions on a board, fastest where no side is longer than 16.
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

    /// Searches from both heads of a position. Answers are about this position until the next call.
    /// A position on another board makes this a new value for that board.
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
                let last_left = Seat::BOTH
                    .map(|seat| position.length(seat))
                    .into_iter()
                    .max()
                    .unwrap_or(0) as u16;
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
                    // The head's own cell is not counted.
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

    /// How many cells a snake reaches before the other, or reaches while the other never does. A
    /// cell that both reach in the same step is nobody's, and the cell of a snake's own head does
    /// not count for it.
    pub fn nearer(&self, seat: Seat) -> u16 {
        self.nearer[seat.index()]
    }

    /// How many cells a snake reaches, that of its head not counted.
    pub fn reached(&self, seat: Seat) -> u16 {
        self.reached[seat.index()]
    }

    /// The steps in which a snake reaches each food, in the order of [`DuelPosition::foods`];
    /// `None`: it does not.
    pub fn food_steps(&self, seat: Seat) -> &[Option<u16>] {
        &self.food_steps[seat.index()]
    }
}

/// The cell that a snake's tail leaves in a step from now, if it does not eat until then.
#[inline]
fn left(snake: &Snake, growth: usize, step: usize) -> Option<Cell> {
    let step = step
        .checked_sub(growth)
        .filter(|&step| 0 < step && step <= snake.len())?;
    Some(snake.cell_left_after(step))
}

/// A search by sets of cells for both snakes side by side, one step after another.
#[derive(Debug)]
pub(crate) struct Spread<'a> {
    grid: &'a Grid,
    heads: [Bits; 2],
    free: Bits,
    last_left: u16,
    step: u16,
    areas: Areas,
}

/// What a search has found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Areas {
    /// By seat: the spots that it reaches before the other.
    pub(crate) nearer: [Bits; 2],
    /// By seat: the spots that it reaches.
    pub(crate) reached: [Bits; 2],
    /// Whether a snake could always enter another cell.
    pub(crate) has_room: [bool; 2],
}

impl Spread<'_> {
    /// A search from two heads. `free` are the spots that no body covers, and `last_left` is the
    /// step in which the last spot is left by a body.
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

    /// The next step in which a snake enters spots for the first time, and those spots by seat;
    /// `None` if there is no such step. `left` tells the spot that the tail of a seat leaves in a
    /// step.
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
                // As long as each step enters a cell, there is room.
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

    /// By seat: the spots that were reached first so far.
    #[inline(always)]
    pub(crate) fn nearer(&self) -> [Bits; 2] {
        self.areas.nearer
    }

    /// What was found, the cell of each snake's own head left out.
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
    /// For each cell, the step in which it is entered first.
    steps: Box<[u16]>,
    is_seen: Box<[bool]>,
    /// Seen cells that are not entered yet.
    open: Vec<Cell>,
    /// Cells that are seen first in the current step.
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
