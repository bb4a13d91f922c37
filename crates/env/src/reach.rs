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

/// The search and its memory. A cell may be entered at step t if the body will have left it by then, no food being
/// eaten on the way: if [`Position::steps_until_free`] is at most t (less than t without tail entry).
#[derive(Clone, Debug)]
pub struct Reach {
    neighbors: Box<[[u16; 4]]>,
    /// Steps until the body has left each cell.
    countdown: Box<[u16]>,
    /// For the move searched last: the step in which each cell is entered, or `NONE`.
    arrival: Box<[u16]>,
    /// The least arrival over all moves searched.
    earliest: Box<[u16]>,
    queue: Box<[u16]>,
    moves: [MoveReach; 3],
}

impl Reach {
    /// The search on a board.
    pub fn new(board: Board) -> Reach {
        let neighbor = |cell, direction| board.neighbor(cell, direction).map_or(NONE, |cell| cell.0);
        let array = || vec![0; board.area()].into_boxed_slice();
        Reach {
            neighbors: board.cells().map(|cell| Direction::ALL.map(|direction| neighbor(cell, direction))).collect(),
            countdown: array(),
            arrival: array(),
            earliest: array(),
            queue: array(),
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
        self.arrival.fill(NONE);
        self.arrival[first.index()] = 1;
        self.queue[0] = first.0;
        let (mut next, mut end) = (0, 1);
        while next < end {
            let cell = self.queue[next];
            next += 1;
            let step = self.arrival[usize::from(cell)];
            self.earliest[usize::from(cell)] = self.earliest[usize::from(cell)].min(step);
            reach.free_cells += u32::from(self.countdown[usize::from(cell)] == 0);
            reach.tail |= cell == tail;
            if reach.food_steps.is_none() && position.is_food(Cell(cell)) {
                reach.food_steps = Some(step);
            }
            for neighbor in self.neighbors[usize::from(cell)] {
                let index = usize::from(neighbor);
                if neighbor != NONE && self.arrival[index] == NONE {
                    let countdown = self.countdown[index];
                    if countdown == 0 || countdown + late <= step + 1 {
                        self.arrival[index] = step + 1;
                        self.queue[end] = neighbor;
                        end += 1;
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
