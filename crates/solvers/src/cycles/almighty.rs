//! The Almighty Moves for boards with two odd sides ("Slitherin Round": Mahoney, Harmer, 2021).

use super::jumps::{after_eating, check_tail_entry};
use crate::frame::Frame;
use hognose_game::{
    Board, Cell, Direction, MakePolicy, Overlay, Policy, Position, Route, Unsupported,
};

/// A policy that alternates two overlapping cycles, each of which misses a cell that the other one
/// visits. No cycle visits all cells of a board with two odd sides.
///
/// [`Almighty::long`] is the construction that proves Conjecture 2 of "Slitherin Round", for every
/// odd board. Its two laps of area - 1 steps differ in one cell. Each step therefore enters a cell
/// that the last lap left out, or entered area - 1 steps ago; a snake of at most area - 1 cells has
/// left it by then. If tail entry is allowed, it wins every game.
///
/// [`Almighty::branch`] is the older move that the document compares it with (section 4, method 5;
/// Figure 11, a lost picture: "two overlapping paths beginning at the top right and ending on the
/// bottom left"). Here the two paths are teeth along the rows and teeth along the columns. A long
/// snake hits itself when it changes from one to the other.
///
/// ```
/// use hognose_game::{Board, Game, MakePolicy, Rules};
/// use hognose_solvers::Almighty;
///
/// let game = Game::new(Rules::new(Board::new(7, 5)?), 7);
/// let mut policy = Almighty::long().make(game.position(), 0)?;
/// assert!(game.position().legal_moves().contains(policy.act(game.position())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Almighty {
    long: bool,
    turns: bool,
}

struct AlmightyPolicy {
    settings: Almighty,
    /// Forward and reversed.
    ways: [Laps; 2],
    way: usize,
    lap: usize,
    /// The remaining moves of a reversed path to the food.
    route: Route,
}

/// Two cycles that are followed alternately.
#[derive(Clone, Debug)]
struct Laps {
    board: Board,
    /// For each cycle, the move from each cell to the next; `None` on the cell that it misses.
    next: [Vec<Option<Direction>>; 2],
    /// The cell where one lap ends and the other begins.
    fork: Cell,
}

impl Almighty {
    /// Returns the Almighty Move Long.
    pub fn long() -> Almighty {
        Almighty {
            long: true,
            turns: false,
        }
    }

    /// Returns the Almighty Move Long, but reversing direction when that reaches the food sooner
    /// ("Slitherin Round", section 8).
    pub fn long_with_turning() -> Almighty {
        Almighty {
            turns: true,
            ..Almighty::long()
        }
    }

    /// Returns the Almighty Move Branch.
    pub fn branch() -> Almighty {
        Almighty {
            long: false,
            ..Almighty::long()
        }
    }
}

impl AlmightyPolicy {
    /// Returns the reversed path to the food, and the lap that it ends on, if it is shorter than
    /// the path ahead, avoids the body, and is long enough for the whole snake.
    fn way_back(&self, position: &Position) -> Option<(usize, Vec<Direction>)> {
        let &[food] = position.foods() else {
            return None;
        };
        let head = position.head();
        let (_, ahead) = self.ways[self.way].walk(self.lap, head, food, usize::MAX)?;
        let firsts = position.legal_moves();
        firsts
            .iter()
            .flat_map(|first| [(first, 0), (first, 1)])
            .filter_map(|(first, lap)| {
                let next = position.board().neighbor(head, first)?;
                let (lap, rest) = self.ways[1 - self.way].walk(lap, next, food, ahead.len() - 1)?;
                let path = [vec![first], rest].concat();
                let avoids_body =
                    path.len() > position.len() && after_eating(position, &path).is_some();
                avoids_body.then_some((lap, path))
            })
            .min_by_key(|(_, path)| path.len())
    }
}

impl Laps {
    /// Makes laps that visit cells in these orders; both begin at the fork.
    fn new(board: Board, laps: [Vec<Cell>; 2]) -> Laps {
        let fork = laps[0][0];
        let next = laps.map(|cells| {
            let mut next = vec![None; board.area()];
            for (index, &cell) in cells.iter().enumerate() {
                next[cell.index()] = board.direction(cell, cells[(index + 1) % cells.len()]);
            }
            debug_assert_eq!(
                next.iter().filter(|direction| direction.is_none()).count(),
                1
            );
            next
        });
        Laps { board, next, fork }
    }

    /// Returns the laps of the Almighty Move Long, forward and reversed.
    fn long(board: Board, frame: Frame) -> [Laps; 2] {
        let width = frame.width();
        let height = frame.height();
        // Two cells up the first column, spikes along the rows, the last row, and down the last
        // column ...
        let mut common = vec![(0, 0), (0, 1)];
        for row in 2..height - 1 {
            common.extend(
                (0..width - 1).map(|i| (if row % 2 == 0 { i } else { width - 2 - i }, row)),
            );
        }
        common.extend((0..width).map(|column| (column, height - 1)));
        common.extend((0..height - 1).rev().map(|row| (width - 1, row)));
        // ... back through the first two rows, column by column, as far as the fork ...
        for column in (3..width - 1).rev() {
            common.extend([(column, 1 - column % 2), (column, column % 2)]);
        }
        let fork = (2, 1);
        let join = (1, 0);
        if let Some(index) = common.iter().position(|&cell| cell == fork) {
            common.truncate(index);
        }
        // ... and home by either of two cells.
        let forward = [(1, 1), (2, 0)].map(|either| {
            let cells = [fork, either, join]
                .into_iter()
                .chain(common.iter().copied());
            cells
                .map(|(column, row)| frame.cell(column, row))
                .collect::<Vec<Cell>>()
        });
        let reversed = forward.clone().map(|mut cells| {
            cells.reverse();
            cells.rotate_right(3);
            cells
        });
        [Laps::new(board, forward), Laps::new(board, reversed)]
    }

    /// Returns the laps of the Almighty Move Branch: from the bottom left up the first column and
    /// along the first row to the fork, then through the rest by rows or by columns. The last two
    /// rows or columns are covered crosswise, to end at the left.
    fn branch(board: Board, frame: Frame) -> Laps {
        let width = frame.width();
        let height = frame.height();
        let lane = (0..height)
            .rev()
            .map(|row| (0, row))
            .chain((1..width - 1).map(|column| (column, 0)));
        let fork = (width - 1, 0);
        let mut by_rows = vec![fork];
        for row in 1..height - 2 {
            by_rows.extend((1..width).map(|i| (if row % 2 == 1 { width - i } else { i }, row)));
        }
        for column in (1..width).rev() {
            let first = if column % 2 == 0 {
                height - 2
            } else {
                height - 1
            };
            by_rows.extend([(column, first), (column, 2 * height - 3 - first)]);
        }
        by_rows.extend(lane.clone().skip(1));
        let mut by_columns = vec![fork];
        for column in (3..width).rev() {
            by_columns.extend(
                (1..height).map(|i| (column, if column % 2 == 0 { i } else { height - i })),
            );
        }
        for row in 1..height - 1 {
            by_columns.extend([(1 + row % 2, row), (2 - row % 2, row)]);
        }
        by_columns.push((1, height - 1));
        by_columns.extend(lane);
        Laps::new(
            board,
            [by_rows, by_columns]
                .map(|cells| cells.into_iter().map(|(c, r)| frame.cell(c, r)).collect()),
        )
    }

    /// Returns the move from a cell, and the lap that it belongs to.
    fn step(&self, lap: usize, cell: Cell) -> (usize, Direction) {
        let lap = if cell == self.fork { 1 - lap } else { lap };
        match self.next[lap][cell.index()] {
            Some(direction) => (lap, direction),
            None => (
                1 - lap,
                self.next[1 - lap][cell.index()]
                    .expect("each lap visits the cell that the other one misses"),
            ),
        }
    }

    /// Returns the moves from a cell to the food and the lap of the last one, if there are fewer
    /// than `limit` moves. Ignores the body.
    fn walk(
        &self,
        mut lap: usize,
        from: Cell,
        food: Cell,
        limit: usize,
    ) -> Option<(usize, Vec<Direction>)> {
        let mut path = Vec::new();
        let mut cell = from;
        while cell != food && path.len() < limit {
            let direction;
            (lap, direction) = self.step(lap, cell);
            path.push(direction);
            cell = self
                .board
                .neighbor(cell, direction)
                .expect("a lap stays on the board");
        }
        (path.len() < limit).then_some((lap, path))
    }

    /// Returns the lap on which the body lies, head in front.
    fn holding(&self, position: &Position) -> Option<usize> {
        let body: Vec<Cell> = position.body().collect();
        let leads = |lap: usize, from: Cell, to: Cell| {
            self.next[lap][from.index()].and_then(|direction| self.board.neighbor(from, direction))
                == Some(to)
        };
        (0..2).find(|&lap| body.windows(2).all(|pair| leads(lap, pair[1], pair[0])))
    }
}

impl MakePolicy for Almighty {
    fn make(&self, position: &Position, _seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        let board = position.board();
        if board.area().is_multiple_of(2) {
            return Err(Unsupported(format!(
                "almighty moves need both sides odd, got {board}"
            )));
        }
        if self.long {
            check_tail_entry(position)?;
        }
        let ways = Frame::all(board).map(|frame| match self.long {
            true => Laps::long(board, frame),
            false => std::array::from_fn(|_| Laps::branch(board, frame)),
        });
        let (ways, way, lap) = ways
            .into_iter()
            .find_map(|ways| {
                let holds = |way: usize| Some((way, ways[way].holding(position)?));
                let (way, lap) = (0..2).find_map(holds)?;
                Some((ways, way, lap))
            })
            .ok_or_else(|| {
                Unsupported(format!(
                    "the snake's {} cells lie on no almighty move of {board}",
                    position.len()
                ))
            })?;
        Ok(Box::new(AlmightyPolicy {
            settings: *self,
            ways,
            way,
            lap,
            route: Route::default(),
        }))
    }
}

impl Policy for AlmightyPolicy {
    fn act(&mut self, position: &Position) -> Direction {
        if let Some(direction) = self.route.next() {
            return direction;
        }
        if self.settings.turns
            && let Some((lap, path)) = self.way_back(position)
        {
            (self.way, self.lap) = (1 - self.way, lap);
            return self.route.begin(path).expect("a path to food has moves");
        }
        let direction;
        (self.lap, direction) = self.ways[self.way].step(self.lap, position.head());
        debug_assert!(
            !self.settings.long || position.legal_moves().contains(direction),
            "{position:?}"
        );
        direction
    }

    fn overlay(&self) -> Overlay {
        let Laps { board, next, fork } = &self.ways[self.way];
        let cycle = std::iter::successors(Some(*fork), |&cell| {
            next[self.lap][cell.index()].and_then(|direction| board.neighbor(cell, direction))
        })
        .take(board.area() - 1)
        .collect();
        self.route.overlay(cycle)
    }
}
