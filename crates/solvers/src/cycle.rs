//! Hamiltonian cycles of a board.

use crate::PathFinder;
use crate::frame::Frame;
use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Board, Cell, Direction, Directions, Overlay, Position, Unsupported};
use std::sync::{Arc, Mutex, PoisonError};

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
        Ok(Cycle::around_tree(board, &random_tree(columns, rows, &mut rng::keyed(seed, TREE, 0))))
    }

    /// The cycle around a spanning tree of the board's 2x2 blocks, clockwise; for each block the directions of its edges.
    pub(crate) fn around_tree(board: Board, joined: &[Directions]) -> Cycle {
        let next = |cell: Cell| {
            let (block, along, out) = traffic(board, cell);
            let direction = if joined[block].contains(out) { out } else { along };
            board.neighbor(cell, direction).expect("the tree stays on the board")
        };
        let cells: Vec<Cell> =
            std::iter::successors(Some(Cell(0)), |&cell| Some(next(cell))).take(board.area()).collect();
        Cycle::from_cells(board, &cells).expect("the way around a tree is a Hamiltonian cycle")
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
        zigzags(board).find(|cycle| cycle.holds(position)).ok_or_else(|| {
            Unsupported(format!("the snake's {} cells lie on no zig-zag cycle of {board}", position.len()))
        })
    }

    /// The first zig-zag cycle of a board; `None` if it has none.
    pub(crate) fn zigzag(board: Board) -> Option<Cycle> {
        zigzags(board).next()
    }

    /// The cycle that documents 002 and 004 build: a path from the head to the tail, extended until it covers the board, and
    /// closed by the body; where the extension gets stuck, the first zig-zag that holds the body.
    ///
    /// # Errors
    /// See [`holding`](Self::holding).
    pub fn extended(position: &Position) -> Result<Cycle, Unsupported> {
        PathFinder::new(position.board()).cycle(position).map_or_else(|| Cycle::holding(position), Ok)
    }

    /// The way around a random spanning tree, if it holds the body.
    pub(crate) fn random_holding(position: &Position, seed: u64) -> Result<Cycle, Unsupported> {
        let cycle = Cycle::around_random_tree(position.board(), seed)?;
        if cycle.holds(position) {
            return Ok(cycle);
        }
        Err(Unsupported(format!("the snake's {} cells do not lie on the random cycle of this game", position.len())))
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Whether the body is a contiguous path of the cycle, head in front.
    pub fn holds(&self, position: &Position) -> bool {
        position.board() == self.board
            && position.body().enumerate().all(|(behind, cell)| self.distance(cell, position.head()) == behind)
    }

    /// Whether the body's places on the cycle, counted from the tail, strictly increase from tail to head: then the way
    /// from the head on to the tail is free, and following the cycle never hits the body.
    pub fn holds_in_order(&self, position: &Position) -> bool {
        let places = position.body().rev().map(|cell| self.distance(position.tail(), cell));
        position.board() == self.board && places.is_sorted_by(|a, b| a < b)
    }

    /// The same cycle walked the other way.
    pub fn reversed(&self) -> Cycle {
        let cells: Vec<Cell> = self.cells.iter().rev().copied().collect();
        Cycle::from_cells(self.board, &cells).expect("a cycle may be walked either way")
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

    /// The cycle and a plan, given last move first, as a viewer shows them.
    pub(crate) fn overlay(&self, plan: &[Direction]) -> Overlay {
        Overlay { cycle: self.cells.to_vec(), plan: plan.iter().rev().copied().collect() }
    }

    /// The cells in order.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }
}

/// The zig-zags of games. Those that begin with a single cell share one, since a single cell lies on every cycle.
#[derive(Debug, Default)]
pub(crate) struct Zigzags {
    shared: Mutex<Option<Arc<Cycle>>>,
}

impl Zigzags {
    /// The first zig-zag that holds the body as a contiguous path, head in front.
    ///
    /// # Errors
    /// When the board has no Hamiltonian cycle, or no zig-zag holds the body.
    pub(crate) fn holding(&self, position: &Position) -> Result<Arc<Cycle>, Unsupported> {
        if position.len() > 1 {
            return Cycle::holding(position).map(Arc::new);
        }
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cycle) = shared.as_ref().filter(|cycle| cycle.board == position.board()) {
            return Ok(Arc::clone(cycle));
        }
        Ok(Arc::clone(shared.insert(Arc::new(Cycle::holding(position)?))))
    }
}

/// The 2x2 block of a cell, and the two moves of right-hand traffic: along the block's own side, and out of the block.
pub(crate) fn traffic(board: Board, cell: Cell) -> (usize, Direction, Direction) {
    let (column, row) = (board.column(cell), board.row(cell));
    let (along, out) = match (column % 2, row % 2) {
        (0, 0) => (Direction::Right, Direction::Up),
        (1, 0) => (Direction::Down, Direction::Right),
        (1, 1) => (Direction::Left, Direction::Down),
        _ => (Direction::Up, Direction::Left),
    };
    (row / 2 * (board.width() / 2) + column / 2, along, out)
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
fn zigzags(board: Board) -> impl Iterator<Item = Cycle> {
    Frame::upright(board)
        .filter(move |frame| frame.height().is_multiple_of(2) || (board.is_torus() && !board.area().is_multiple_of(2)))
        .flat_map(move |frame| [false, true].map(|reversed| (frame, reversed)))
        .map(move |(frame, reversed)| {
            let cycle = Cycle::from_cells(board, &zigzag(frame)).expect("a zig-zag is a Hamiltonian cycle");
            if reversed { cycle.reversed() } else { cycle }
        })
}

/// The "spiked" cycle that proves Conjecture 1 of document 000 (Mahoney, Harmer, 2021): along the first row, back along the
/// second, and so on, all but the first column; then back up the first column. An odd number of rows needs a torus: the
/// first row is walked the other way, across the border.
fn zigzag(frame: Frame) -> Vec<Cell> {
    let odd = frame.height() % 2;
    let mut cells = vec![frame.cell(0, 0)];
    for row in 0..frame.height() {
        let outward = row % 2 == odd;
        cells.extend((1..frame.width()).map(|i| frame.cell(if outward { i } else { frame.width() - i }, row)));
    }
    cells.extend((1..frame.height()).rev().map(|row| frame.cell(0, row)));
    cells
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

    /// The lattice path of document 000's proof for 6 rows and 6 columns, as (row, column) from 1: its corners, in order.
    #[test]
    fn the_spiked_cycle_of_document_000_is_a_zigzag() {
        let board = Board::new(6, 6).unwrap();
        let corners = [(1, 1), (2, 1), (2, 5), (3, 5), (3, 1), (4, 1), (4, 5), (5, 5), (5, 1), (6, 1), (6, 6), (1, 6)];
        let mut cells = Vec::new();
        for (index, &(row, column)) in corners.iter().enumerate() {
            let (mut at, to) = ((row, column), corners[(index + 1) % corners.len()]);
            while at != to {
                cells.push(board.cell(at.1 - 1, at.0 - 1));
                at = (at.0 + usize::from(at.0 < to.0) - usize::from(at.0 > to.0), at.1);
                at = (at.0, at.1 + usize::from(at.1 < to.1) - usize::from(at.1 > to.1));
            }
        }
        let spiked = Cycle::from_cells(board, &cells).unwrap();
        assert!(zigzags(board).any(|zigzag| board.cells().all(|cell| zigzag.next(cell) == spiked.next(cell))));
    }

    #[test]
    fn zigzags_are_cycles_of_every_board_that_has_one() {
        for (width, height) in (2..=9).flat_map(|width| (2..=9).map(move |height| (width, height))) {
            let board = Board::new(width, height).unwrap();
            for board in [board, board.torus()] {
                assert_eq!(zigzags(board).next().is_some(), board.has_hamiltonian_cycle(), "{board}");
                for cycle in zigzags(board) {
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
