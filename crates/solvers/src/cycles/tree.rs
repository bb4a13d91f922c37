//! Cycles around spanning trees of the board's 2x2 blocks.

use super::cycle::Cycle;
use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Board, Cell, Direction, Directions, Position, Unsupported};

const TREE: Purpose = Purpose::new("spanning tree");

impl Cycle {
    /// Returns the clockwise cycle around a uniformly random spanning tree of the board's 2x2
    /// blocks (Wilson, 1996).
    ///
    /// # Errors
    /// When a side is odd.
    pub fn around_random_tree(board: Board, seed: u64) -> Result<Cycle, Unsupported> {
        let columns = board.width() / 2;
        let rows = board.height() / 2;
        if !board.width().is_multiple_of(2) || !board.height().is_multiple_of(2) {
            return Err(Unsupported(format!(
                "spanning trees of 2x2 blocks need both sides even, got {board}"
            )));
        }
        Ok(Cycle::around_tree(
            board,
            &random_tree(columns, rows, &mut rng::keyed(seed, TREE, 0)),
        ))
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

    /// Returns the cycle around a random spanning tree, if it contains the body as a path.
    pub(crate) fn random_holding(position: &Position, seed: u64) -> Result<Cycle, Unsupported> {
        let cycle = Cycle::around_random_tree(position.board(), seed)?;
        if cycle.holds(position) {
            return Ok(cycle);
        }
        Err(Unsupported(format!(
            "the snake's {} cells don't lie on the random cycle of this game",
            position.len()
        )))
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

/// Returns a uniformly random spanning tree of a grid, by loop-erased random walks (Wilson, 1996):
/// for each node, the directions of its edges.
fn random_tree(columns: usize, rows: usize, draws: &mut Generator) -> Vec<Directions> {
    let nodes = columns * rows;
    let step = |node: usize, direction: Direction| {
        let column = node % columns;
        let row = node / columns;
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
                let cycle = Cycle::around_random_tree(board, seed).unwrap();
                *counts.entry(cycle.cells().to_vec()).or_insert(0u32) += 1;
            }
            assert_eq!(counts.len() as u64, trees, "{board}");
            assert!(
                counts.values().all(|&count| count.abs_diff(200) < 75),
                "{counts:?}"
            );
        }
        assert!(Cycle::around_random_tree(Board::new(4, 5).unwrap(), 0).is_err());
    }
}
