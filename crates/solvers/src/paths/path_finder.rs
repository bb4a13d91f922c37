//! Paths on the current board: cells that the body covers now stay blocked, except for the target.

use hognose_game::{Board, Cell, Direction, Position};
use std::collections::VecDeque;

/// Extends a path to its right first, then to its left, in clockwise quarter turns.
pub(crate) const RIGHT_FIRST: [usize; 2] = [1, 3];
/// Extends a path to its left first, then to its right, in clockwise quarter turns.
pub(crate) const LEFT_FIRST: [usize; 2] = [3, 1];

/// The mark of a cell that a search has not looked at.
const UNSEEN: u8 = 4;
/// The mark of a cell that a path can't enter.
const CLOSED: u8 = 5;

/// A finder of shortest paths, by breadth-first search, and of longer ones, by extending them. It
/// reuses its memory.
///
/// Cells that the body covers now stay blocked, except for the target. A path is a list of moves,
/// the first of which is legal.
///
/// ```
/// use hognose_game::{Board, Direction, Position, Rules};
/// use hognose_solvers::PathFinder;
///
/// let board = Board::new(4, 4)?;
/// let head = board.cell(0, 0);
/// let position = Position::new(Rules::new(board), Direction::Right, [head], [])?;
/// let mut paths = PathFinder::new(board);
/// assert_eq!(paths.shortest(&position, board.cell(0, 3)).map(|path| path.len()), Some(3));
/// assert_eq!(paths.longest(&position, board.cell(0, 3)).map(|path| path.len()), Some(15));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PathFinder {
    /// The neighbors of each cell by direction; the cell itself for none.
    neighbors: Box<[[Cell; 4]]>,
    /// For each cell, the index of the move that entered it in the last search, [`UNSEEN`] or
    /// [`CLOSED`].
    marks: Vec<u8>,
    queue: Vec<Cell>,
    on_path: Vec<bool>,
}

impl PathFinder {
    /// Makes a finder for positions of a board.
    pub fn new(board: Board) -> PathFinder {
        let neighbors = board.cells().map(|cell| {
            Direction::ALL.map(|direction| board.neighbor(cell, direction).unwrap_or(cell))
        });
        PathFinder {
            neighbors: neighbors.collect(),
            marks: vec![UNSEEN; board.area()],
            queue: Vec::new(),
            on_path: vec![false; board.area()],
        }
    }

    /// Returns a shortest path from the head to `target`, or `None` if there is none. The search
    /// expands cells straight ahead first, to make few turns ("chuyangliu/snake").
    pub fn shortest(&mut self, position: &Position, target: Cell) -> Option<Vec<Direction>> {
        let head = position.head();
        self.marks.fill(UNSEEN);
        self.marks[head.index()] = position.heading().index() as u8;
        self.queue.clear();
        let legal = position.legal_moves();
        for turn in [0, 1, 3, 2] {
            let direction = Direction::from_index(position.heading().index() + turn);
            if legal.contains(direction) && self.enter(position, target, head, direction) {
                return Some(self.path_to(head, target));
            }
        }
        let mut next = 0;
        while let Some(&cell) = self.queue.get(next) {
            next += 1;
            let straight = usize::from(self.marks[cell.index()]);
            // Straight ahead, right and left; the cell behind has been entered.
            for turn in [0, 1, 3] {
                let direction = Direction::from_index(straight + turn);
                if self.enter(position, target, cell, direction) {
                    return Some(self.path_to(head, target));
                }
            }
        }
        None
    }

    /// Returns for each cell whether it is the head's, or the last search entered it.
    pub(crate) fn reached(&self) -> Vec<bool> {
        self.marks.iter().map(|&mark| mark < UNSEEN).collect()
    }

    /// Enters the next cell in a direction, if it is open and not entered. Returns whether it is
    /// the target.
    #[inline]
    fn enter(
        &mut self,
        position: &Position,
        target: Cell,
        from: Cell,
        direction: Direction,
    ) -> bool {
        let cell = self.neighbors[from.index()][direction.index()];
        let mark = &mut self.marks[cell.index()];
        if *mark != UNSEEN {
            return false;
        }
        if cell == target || is_open(position, cell) {
            *mark = direction.index() as u8;
            self.queue.push(cell);
        } else {
            *mark = CLOSED;
        }
        cell == target
    }

    /// Returns a shortest path from the head to `target` that makes horizontal moves as early as
    /// possible ("Slitherin Round", section 4), or `None` if there is none.
    pub fn shortest_row_first(&self, position: &Position, target: Cell) -> Option<Vec<Direction>> {
        self.shortest_in_order(
            position,
            target,
            [
                Direction::Left,
                Direction::Right,
                Direction::Up,
                Direction::Down,
            ],
        )
    }

    /// Returns a shortest path from the head to `target` that makes vertical moves as early as
    /// possible, or `None` if there is none.
    pub fn shortest_column_first(
        &self,
        position: &Position,
        target: Cell,
    ) -> Option<Vec<Direction>> {
        self.shortest_in_order(
            position,
            target,
            [
                Direction::Up,
                Direction::Down,
                Direction::Left,
                Direction::Right,
            ],
        )
    }

    /// Returns a shortest path that always takes the first direction of `order` that leads nearer.
    fn shortest_in_order(
        &self,
        position: &Position,
        target: Cell,
        order: [Direction; 4],
    ) -> Option<Vec<Direction>> {
        let distance = self.distances(position, target);
        let legal = position.legal_moves();
        let head = position.head();
        let firsts = legal
            .iter()
            .map(|direction| self.neighbors[head.index()][direction.index()]);
        let length = 1 + firsts.filter_map(|cell| distance[cell.index()]).min()?;
        let mut path = Vec::with_capacity(length);
        let mut cell = head;
        while cell != target {
            let left = length - path.len();
            let direction = order
                .into_iter()
                .find(|&direction| {
                    let next = self.neighbors[cell.index()][direction.index()];
                    (cell != head || legal.contains(direction))
                        && distance[next.index()] == Some(left - 1)
                })
                .expect("a shortest path continues");
            path.push(direction);
            cell = self.neighbors[cell.index()][direction.index()];
        }
        Some(path)
    }

    /// Returns the steps from each open cell to the target, or `None` for cells without a path.
    fn distances(&self, position: &Position, target: Cell) -> Vec<Option<usize>> {
        let mut distance = vec![None; self.neighbors.len()];
        distance[target.index()] = Some(0);
        let mut queue = VecDeque::from([(target, 0)]);
        while let Some((cell, steps)) = queue.pop_front() {
            for neighbor in self.neighbors[cell.index()] {
                if is_open(position, neighbor) && distance[neighbor.index()].is_none() {
                    distance[neighbor.index()] = Some(steps + 1);
                    queue.push_back((neighbor, steps + 1));
                }
            }
        }
        distance
    }

    /// Returns a long path from the head to `target`: a shortest path, extended until no two
    /// consecutive cells on it have two free cells beside them ("chuyangliu/snake"). `None` if
    /// there is no path.
    pub fn longest(&mut self, position: &Position, target: Cell) -> Option<Vec<Direction>> {
        let mut path = self.shortest(position, target)?;
        self.extend(position, &mut path, RIGHT_FIRST);
        Some(path)
    }

    /// Returns the first move of [`longest`](Self::longest), without the rest of the path.
    pub(crate) fn start_of_longest(
        &mut self,
        position: &Position,
        target: Cell,
    ) -> Option<Direction> {
        let path = self.shortest(position, target)?;
        self.mark(position.head(), &path);
        let mut first = path[0];
        while let Some(side) = self.detour(position, position.head(), first, RIGHT_FIRST) {
            first = side;
        }
        Some(first)
    }

    /// Extends a path from the head: wherever two consecutive cells have two free cells beside
    /// them, the path makes a detour through those.
    pub(crate) fn extend(
        &mut self,
        position: &Position,
        path: &mut Vec<Direction>,
        sides: [usize; 2],
    ) {
        self.mark(position.head(), path);
        let mut index = 0;
        let mut cell = position.head();
        while let Some(&direction) = path.get(index) {
            match self.detour(position, cell, direction, sides) {
                Some(side) => {
                    path.splice(index..=index, [side, direction, side.opposite()]);
                }
                None => {
                    index += 1;
                    cell = self.neighbors[cell.index()][direction.index()];
                }
            }
        }
    }

    /// Marks the cells of a path from the head, and no others.
    fn mark(&mut self, head: Cell, path: &[Direction]) {
        self.on_path.fill(false);
        let mut cell = head;
        self.on_path[cell.index()] = true;
        for direction in path {
            cell = self.neighbors[cell.index()][direction.index()];
            self.on_path[cell.index()] = true;
        }
    }

    /// Finds two free cells beside a move that are not on the path, and marks them. Returns the
    /// direction to them.
    fn detour(
        &mut self,
        position: &Position,
        cell: Cell,
        direction: Direction,
        sides: [usize; 2],
    ) -> Option<Direction> {
        let after = self.neighbors[cell.index()][direction.index()];
        sides.into_iter().find_map(|turn| {
            let side = Direction::from_index(direction.index() + turn);
            let beside = [cell, after].map(|cell| self.neighbors[cell.index()][side.index()]);
            let usable = |cell: &Cell| is_open(position, *cell) && !self.on_path[cell.index()];
            if !beside.iter().all(usable) {
                return None;
            }
            beside
                .into_iter()
                .for_each(|cell| self.on_path[cell.index()] = true);
            Some(side)
        })
    }

    fn path_to(&self, head: Cell, target: Cell) -> Vec<Direction> {
        let mut path = Vec::new();
        let mut cell = target;
        while cell != head {
            let direction = Direction::from_index(self.marks[cell.index()].into());
            path.push(direction);
            cell = self.neighbors[cell.index()][direction.opposite().index()];
        }
        path.reverse();
        path
    }
}

/// Returns whether a path may enter a cell on its way.
#[inline]
pub(crate) fn is_open(position: &Position, cell: Cell) -> bool {
    position.is_free(cell) || position.is_food(cell)
}
