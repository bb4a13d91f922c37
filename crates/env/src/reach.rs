//! Where the snake can get to, given that its body moves on: a time-aware breadth-first search after each move.

use hognose_game::{Board, Cell, Direction, Position, Turn};

const NONE: u16 = u16::MAX;

/// What can be reached after one move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveReach {
    /// How many of the cells that the body does not cover now are reached.
    pub free_cells: u32,
    /// Steps to the nearest food, this move included; `None` if none is reached.
    pub food_steps: Option<u16>,
    /// Whether the tail's cell is reached.
    pub tail: bool,
}

/// The search and its memory. A cell may be entered at step t if the body will have left it by then: if
/// [`Position::steps_until_free`] is at most t (less than t without tail entry), and one less once the way has led through food,
/// since the tail waits for a step where the snake eats. Ways through food are followed only to where no other way leads as soon.
#[derive(Clone, Debug)]
pub struct Reach {
    neighbors: Box<[[u16; 4]]>,
    /// Steps until the body has left each cell.
    countdown: Box<[u16]>,
    /// For the move searched last: hungry ways, and those that have eaten.
    ways: [Ways; 2],
    /// The least arrival over all moves searched.
    earliest: Box<[u16]>,
    moves: [MoveReach; 3],
}

/// A breadth-first search.
#[derive(Clone, Debug)]
struct Ways {
    /// The step in which each cell is entered, or `NONE`.
    arrival: Box<[u16]>,
    queue: Box<[u16]>,
    next: usize,
    end: usize,
}

impl Ways {
    fn clear(&mut self) {
        self.arrival.fill(NONE);
        (self.next, self.end) = (0, 0);
    }

    fn enter(&mut self, cell: u16, step: u16) {
        if self.arrival[usize::from(cell)] == NONE {
            self.arrival[usize::from(cell)] = step;
            self.queue[self.end] = cell;
            self.end += 1;
        }
    }

    /// The next cell that is entered in this step.
    fn next_in(&mut self, step: u16) -> Option<u16> {
        let cell = *self.queue[..self.end].get(self.next)?;
        if self.arrival[usize::from(cell)] != step {
            return None;
        }
        self.next += 1;
        Some(cell)
    }
}

impl Reach {
    /// The search on a board.
    pub fn new(board: Board) -> Reach {
        let neighbor = |cell, direction| board.neighbor(cell, direction).map_or(NONE, |cell| cell.0);
        let array = || vec![0; board.area()].into_boxed_slice();
        Reach {
            neighbors: board.cells().map(|cell| Direction::ALL.map(|direction| neighbor(cell, direction))).collect(),
            countdown: array(),
            ways: std::array::from_fn(|_| Ways { arrival: array(), queue: array(), next: 0, end: 0 }),
            earliest: array(),
            moves: Default::default(),
        }
    }

    /// Searches after each of the three turns from the heading; turns that lose reach nothing.
    pub fn search(&mut self, position: &Position) {
        self.countdown.fill(0);
        for (behind, cell) in position.body().enumerate() {
            self.countdown[cell.index()] = (position.len() - behind) as u16;
        }
        self.earliest.fill(NONE);
        let legal = position.legal_moves();
        for turn in Turn::ALL {
            let direction = position.heading().turned(turn);
            self.moves[turn as usize] = match position.board().neighbor(position.head(), direction) {
                Some(cell) if legal.contains(direction) => self.search_from(cell, position),
                _ => MoveReach::default(),
            };
        }
    }

    fn search_from(&mut self, first: Cell, position: &Position) -> MoveReach {
        let mut reach = MoveReach::default();
        let late = u16::from(!position.rules().tail_entry());
        let tail = position.tail().0;
        let [hungry, fed] = &mut self.ways;
        hungry.clear();
        fed.clear();
        if position.is_food(first) {
            fed.enter(first.0, 1)
        } else {
            hungry.enter(first.0, 1)
        }
        for step in 1.. {
            if hungry.next == hungry.end && fed.next == fed.end {
                break;
            }
            let open = |countdown: u16, waited: u16| countdown == 0 || countdown + late + waited <= step + 1;
            let mut reached = |cell: u16| {
                let index = usize::from(cell);
                self.earliest[index] = self.earliest[index].min(step);
                reach.free_cells += u32::from(self.countdown[index] == 0);
                reach.tail |= cell == tail;
                if reach.food_steps.is_none() && position.is_food(Cell(cell)) {
                    reach.food_steps = Some(step);
                }
            };
            while let Some(cell) = hungry.next_in(step) {
                if fed.arrival[usize::from(cell)] == NONE {
                    reached(cell);
                }
                for neighbor in self.neighbors[usize::from(cell)].into_iter().filter(|&neighbor| neighbor != NONE) {
                    if open(self.countdown[usize::from(neighbor)], 0) {
                        let ways = if position.is_food(Cell(neighbor)) { &mut *fed } else { &mut *hungry };
                        ways.enter(neighbor, step + 1);
                    }
                }
            }
            while let Some(cell) = fed.next_in(step) {
                reached(cell);
                for neighbor in self.neighbors[usize::from(cell)].into_iter().filter(|&neighbor| neighbor != NONE) {
                    let index = usize::from(neighbor);
                    if hungry.arrival[index] == NONE && open(self.countdown[index], 1) {
                        fed.enter(neighbor, step + 1);
                    }
                }
            }
        }
        reach
    }

    /// What the three turns of the last search reach: left, straight, right.
    pub fn moves(&self) -> [MoveReach; 3] {
        self.moves
    }

    /// The step in which a cell is entered after the best turn; `None` if no turn reaches it.
    pub fn earliest(&self, cell: Cell) -> Option<u16> {
        Some(self.earliest[cell.index()]).filter(|&step| step != NONE)
    }

    /// [`Position::steps_until_free`] of the position searched last.
    pub fn countdown(&self, cell: Cell) -> u16 {
        self.countdown[cell.index()]
    }
}
