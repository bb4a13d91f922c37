//! Hamiltonian cycles of a board.

use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Board, Cell, Direction, Directions, Position, Unsupported};

const TREE: Purpose = Purpose::new("spanning tree");

/// A directed cycle through all cells of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    board: Board,
    /// The cells in order.
    cells: Box<[Cell]>,
    /// The place of each cell on the cycle.
    place: Box<[u16]>,
    /// The move from each cell to the next one.
    next: Box<[Direction]>,
}

/// One of the eight ways to lay a zig-zag: teeth along rows or columns, either side for the return lane, either
/// direction.
#[derive(Clone, Copy, Debug)]
struct Zigzag {
    transposed: bool,
    flipped: bool,
    reversed: bool,
}

impl Cycle {
    /// The cycle that visits cells in this order; `None` unless it visits each cell of the board once, by neighbours.
    pub fn from_cells(board: Board, cells: &[Cell]) -> Option<Cycle> {
        if cells.len() != board.area() {
            return None;
        }
        let mut place = vec![u16::MAX; board.area()];
        let mut next = vec![Direction::Up; board.area()];
        for (index, &cell) in cells.iter().enumerate() {
            if *place.get(cell.index())? != u16::MAX {
                return None;
            }
            place[cell.index()] = index as u16;
            next[cell.index()] = board.direction(cell, cells[(index + 1) % cells.len()])?;
        }
        Some(Cycle { board, cells: cells.into(), place: place.into(), next: next.into() })
    }

    /// The cycle around a uniformly random spanning tree of the board's 2x2 blocks (Wilson, 1996), clockwise.
    ///
    /// # Errors
    /// When a side is odd.
    pub fn around_random_tree(board: Board, seed: u64) -> Result<Cycle, Unsupported> {
        let (columns, rows) = (board.width() / 2, board.height() / 2);
        if !board.width().is_multiple_of(2) || !board.height().is_multiple_of(2) {
            return Err(Unsupported(format!("spanning trees of 2x2 blocks need both sides even, got {board}")));
        }
        let joined = random_tree(columns, rows, &mut rng::keyed(seed, TREE, 0));
        // Clockwise around the tree: along the block's own side, or out of the block where the tree leaves it there.
        let next = |cell: Cell| {
            let (column, row) = (board.column(cell), board.row(cell));
            let (along, out) = match (column % 2, row % 2) {
                (0, 0) => (Direction::Right, Direction::Up),
                (1, 0) => (Direction::Down, Direction::Right),
                (1, 1) => (Direction::Left, Direction::Down),
                _ => (Direction::Up, Direction::Left),
            };
            let leaves = joined[row / 2 * columns + column / 2].contains(out);
            board.neighbor(cell, if leaves { out } else { along }).expect("the tree stays on the board")
        };
        let cells: Vec<Cell> =
            std::iter::successors(Some(Cell(0)), |&cell| Some(next(cell))).take(board.area()).collect();
        Ok(Cycle::from_cells(board, &cells).expect("the way around a tree is a Hamiltonian cycle"))
    }

    /// The first zig-zag cycle that holds the body as a contiguous path, head in front.
    ///
    /// # Errors
    /// When the board has no Hamiltonian cycle, or no zig-zag holds the body.
    pub fn holding(position: &Position) -> Result<Cycle, Unsupported> {
        let board = position.board();
        if !board.has_hamiltonian_cycle() {
            return Err(Unsupported(format!(
                "no Hamiltonian cycle exists on {board}: one side must be even, or the board a torus"
            )));
        }
        zigzags(board).map(|zigzag| zigzag.cycle(board)).find(|cycle| cycle.holds(position)).ok_or_else(|| {
            Unsupported(format!("the snake's {} cells lie on no zig-zag cycle of {board}", position.len()))
        })
    }

    /// The way around a random spanning tree, if it holds the body.
    pub(crate) fn random_holding(position: &Position, seed: u64) -> Result<Cycle, Unsupported> {
        let cycle = Cycle::around_random_tree(position.board(), seed)?;
        if cycle.holds(position) {
            return Ok(cycle);
        }
        Err(Unsupported(format!("the snake's {} cells do not lie on the random cycle of this game", position.len())))
    }

    /// The same cycle, if the game begins with a single cell, which lies on every cycle of its board; else the first
    /// zig-zag that holds the body.
    ///
    /// # Errors
    /// See [`holding`](Self::holding).
    pub(crate) fn for_game(last: Option<Cycle>, position: &Position) -> Result<Cycle, Unsupported> {
        match last {
            Some(cycle) if position.len() == 1 && cycle.board == position.board() => Ok(cycle),
            _ => Cycle::holding(position),
        }
    }

    /// Whether the body is a contiguous path of the cycle, head in front.
    pub fn holds(&self, position: &Position) -> bool {
        position.board() == self.board
            && position.body().enumerate().all(|(behind, cell)| self.distance(cell, position.head()) == behind)
    }

    /// The move from a cell to the next one.
    #[inline]
    pub fn next(&self, cell: Cell) -> Direction {
        self.next[cell.index()]
    }

    /// Steps along the cycle from one cell to another, 0..area.
    #[inline]
    pub fn distance(&self, from: Cell, to: Cell) -> usize {
        let (from, to) = (usize::from(self.place[from.index()]), usize::from(self.place[to.index()]));
        if to >= from { to - from } else { to + self.place.len() - from }
    }

    /// The last cell in order, whose next one is the first.
    pub fn last(&self) -> Cell {
        self.cells[self.cells.len() - 1]
    }

    /// The cells in order.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }
}

/// A uniformly random spanning tree of a grid by loop-erased random walks (Wilson, 1996): for each node the directions of its
/// edges.
fn random_tree(columns: usize, rows: usize, draws: &mut Generator) -> Vec<Directions> {
    let nodes = columns * rows;
    let step = |node: usize, direction: Direction| {
        let (column, row) = (node % columns, node / columns);
        match direction {
            Direction::Up => row.checked_sub(1).map(|_| node - columns),
            Direction::Down => (row + 1 < rows).then_some(node + columns),
            Direction::Left => column.checked_sub(1).map(|_| node - 1),
            Direction::Right => (column + 1 < columns).then_some(node + 1),
        }
    };
    let mut edges = vec![Directions::EMPTY; nodes];
    let mut in_tree = vec![false; nodes];
    let mut last_exit = vec![Direction::Up; nodes];
    in_tree[0] = true;
    for start in 1..nodes {
        let mut node = start;
        while !in_tree[node] {
            let direction = Direction::from_index(rng::below(draws, 4) as usize);
            if let Some(next) = step(node, direction) {
                last_exit[node] = direction;
                node = next;
            }
        }
        let mut node = start;
        while !in_tree[node] {
            in_tree[node] = true;
            let direction = last_exit[node];
            edges[node].insert(direction);
            node = step(node, direction).expect("the walk stayed on the grid");
            edges[node].insert(direction.opposite());
        }
    }
    edges
}

/// The zig-zags of a board, in the order in which they are tried.
fn zigzags(board: Board) -> impl Iterator<Item = Zigzag> {
    let teeth = move |transposed| if transposed { board.width() } else { board.height() };
    (0..8u8)
        .map(|bits| Zigzag { transposed: bits & 4 != 0, flipped: bits & 2 != 0, reversed: bits & 1 != 0 })
        .filter(move |zigzag| teeth(zigzag.transposed) % 2 == 0 || (board.is_torus() && board.area() % 2 == 1))
}

impl Zigzag {
    /// Teeth are rows: along the first, back along the second, and so on, all but the first column; then back up the
    /// first column. An odd number of teeth needs a torus: the first tooth is walked the other way, across the border.
    fn cycle(self, board: Board) -> Cycle {
        let (teeth, length) =
            if self.transposed { (board.width(), board.height()) } else { (board.height(), board.width()) };
        let odd = teeth % 2;
        let mut cells = vec![(0, 0)];
        for tooth in 0..teeth {
            let outward = tooth % 2 == odd;
            cells.extend((1..length).map(|i| (tooth, if outward { i } else { length - i })));
        }
        cells.extend((1..teeth).rev().map(|tooth| (tooth, 0)));
        if self.reversed {
            cells.reverse();
        }
        let cell = |(tooth, i): (usize, usize)| {
            let i = if self.flipped { length - 1 - i } else { i };
            if self.transposed { board.cell(tooth, i) } else { board.cell(i, tooth) }
        };
        let cells: Vec<Cell> = cells.into_iter().map(cell).collect();
        Cycle::from_cells(board, &cells).expect("a zig-zag is a Hamiltonian cycle")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A 6x4 board has 3x2 blocks, whose grid has 15 spanning trees; the 4x4 board's 2x2 grid has 4 (A007341). Each is as likely.
    #[test]
    fn random_trees_are_uniform_and_give_cycles() {
        for (width, height, trees) in [(4, 4, 4), (6, 4, 15), (2, 2, 1), (2, 8, 1)] {
            let board = Board::new(width, height).unwrap();
            let mut counts = std::collections::HashMap::new();
            for seed in 0..200 * trees {
                let cycle = Cycle::around_random_tree(board, seed).unwrap();
                *counts.entry(cycle.cells().to_vec()).or_insert(0u32) += 1;
            }
            assert_eq!(counts.len() as u64, trees, "{board}");
            assert!(counts.values().all(|&count| count.abs_diff(200) < 75), "{counts:?}");
        }
        assert!(Cycle::around_random_tree(Board::new(4, 5).unwrap(), 0).is_err());
    }

    #[test]
    fn zigzags_are_cycles_of_every_board_that_has_one() {
        for (width, height) in (2..=9).flat_map(|width| (2..=9).map(move |height| (width, height))) {
            let board = Board::new(width, height).unwrap();
            for board in [board, board.torus()] {
                assert_eq!(zigzags(board).next().is_some(), board.has_hamiltonian_cycle(), "{board}");
                for zigzag in zigzags(board) {
                    let cycle = zigzag.cycle(board);
                    let mut cell = Cell(0);
                    for step in 0..board.area() {
                        assert_eq!(cycle.distance(Cell(0), cell), step);
                        cell = board.neighbor(cell, cycle.next(cell)).unwrap();
                    }
                    assert_eq!(cell, Cell(0));
                    assert_eq!(Cycle::from_cells(board, cycle.cells()).unwrap(), cycle);
                }
            }
        }
    }
}
