//! Random cycles: the ways around spanning trees of the board's 2x2 blocks.

use super::cycle::Cycle;
use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Board, Cell, Direction, Directions, Position, Unsupported};

const TREE: Purpose = Purpose::new("spanning tree");

/// How many random cycles are tried for one that holds a body.
const TRIES: u64 = 100;

impl Cycle {
    /// Returns a random cycle: clockwise around a uniformly random spanning tree of the board's 2x2
    /// blocks (Wilson, 1996) or, on a torus with an odd side, a zig-zag. Each `index` gives another
    /// one.
    ///
    /// # Errors
    /// Fails if a side is odd, unless the board is a torus.
    pub fn random(board: Board, seed: u64, index: u64) -> Result<Cycle, Unsupported> {
        let mut draws = rng::keyed(seed, TREE, index);
        if board.width().is_multiple_of(2) && board.height().is_multiple_of(2) {
            return Ok(Cycle::around_tree(board, &random_tree(board, &mut draws)));
        }
        if !board.is_torus() {
            return Err(Unsupported(format!(
                "random cycles need both sides even or a torus, got {board}"
            )));
        }
        let zigzags: Vec<Cycle> = Cycle::zigzags(board).collect();
        let which = rng::below(&mut draws, zigzags.len() as u64) as usize;
        let by = Cell(rng::below(&mut draws, board.area() as u64) as u16);
        Ok(zigzags[which].shifted(by))
    }

    /// A random cycle that holds the body as a contiguous path, head in front. On a torus, each one
    /// is shifted to hold it.
    pub(crate) fn random_holding(position: &Position, seed: u64) -> Result<Cycle, Unsupported> {
        let board = position.board();
        for index in 0..TRIES {
            let cycle = Cycle::random(board, seed, index)?;
            let held = cycle
                .shifted_to_hold(position)
                .or_else(|| cycle.reversed().shifted_to_hold(position));
            if let Some(cycle) = held {
                return Ok(cycle);
            }
        }
        Err(Unsupported(format!(
            "the snake's {} cells lie on none of {TRIES} random cycles of {board}: start with a \
             shorter body",
            position.len()
        )))
    }

    /// Returns the clockwise cycle around a spanning tree of the board's 2x2 blocks. `joined` lists
    /// the directions of each block's edges.
    pub(crate) fn around_tree(board: Board, joined: &[Directions]) -> Cycle {
        let next = |cell: Cell| {
            let (block, along, out) = traffic(board, cell);
            let direction = if joined[block].contains(out) {
                out
            } else {
                along
            };
            board
                .neighbor(cell, direction)
                .expect("the tree stays on the board")
        };
        let cells: Vec<Cell> = std::iter::successors(Some(Cell(0)), |&cell| Some(next(cell)))
            .take(board.area())
            .collect();
        Cycle::from_cells(board, &cells).expect("the path around a tree is a Hamiltonian cycle")
    }
}

/// Returns the 2x2 block of a cell, and its two moves in right-hand traffic: along the block's
/// side, and out of the block.
pub(crate) fn traffic(board: Board, cell: Cell) -> (usize, Direction, Direction) {
    let column = board.column(cell);
    let row = board.row(cell);
    let (along, out) = match (column % 2, row % 2) {
        (0, 0) => (Direction::Right, Direction::Up),
        (1, 0) => (Direction::Down, Direction::Right),
        (1, 1) => (Direction::Left, Direction::Down),
        _ => (Direction::Up, Direction::Left),
    };
    (row / 2 * (board.width() / 2) + column / 2, along, out)
}

/// Returns a uniformly random spanning tree of a board's 2x2 blocks, by loop-erased random walks
/// (Wilson, 1996): for each block, the directions of its edges. On a torus, edges may cross the
/// borders.
fn random_tree(board: Board, draws: &mut Generator) -> Vec<Directions> {
    let columns = board.width() / 2;
    let rows = board.height() / 2;
    let nodes = columns * rows;
    let step = |node: usize, direction: Direction| {
        let cell = board.cell(2 * (node % columns), 2 * (node / columns));
        let beyond = board.neighbor(board.neighbor(cell, direction)?, direction)?;
        Some(traffic(board, beyond).0)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A 6x4 board has 3x2 blocks, a grid with 15 spanning trees; the 2x2 blocks of the 4x4 board
    /// have 4 (A007341). All are equally likely.
    #[test]
    fn random_trees_are_uniform_and_give_cycles() {
        for (width, height, trees) in [(4, 4, 4), (6, 4, 15), (2, 2, 1), (2, 8, 1)] {
            let board = Board::new(width, height).unwrap();
            let mut counts = std::collections::HashMap::new();
            for seed in 0..200 * trees {
                let cycle = Cycle::random(board, seed, 0).unwrap();
                *counts.entry(cycle.cells().to_vec()).or_insert(0u32) += 1;
            }
            assert_eq!(counts.len() as u64, trees, "{board}");
            assert!(
                counts.values().all(|&count| count.abs_diff(200) < 75),
                "{counts:?}"
            );
        }
        assert!(Cycle::random(Board::new(4, 5).unwrap(), 0, 0).is_err());
    }
}
