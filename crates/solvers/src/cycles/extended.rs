//! Cycles built by extending a path ("chuyangliu/snake" and "Killer Devouring Snake").

use super::cycle::Cycle;
use crate::paths::path_finder::{LEFT_FIRST, PathFinder, RIGHT_FIRST};
use hognose_game::{Cell, Direction, Position, Unsupported};

impl Cycle {
    /// Returns the cycle that "chuyangliu/snake" and "Killer Devouring Snake" build: a path from
    /// the head to the tail, extended until it covers the board, and closed by the body. If the
    /// extension gets stuck, returns the first zig-zag that contains the body as a path.
    ///
    /// # Errors
    /// Fails if the extension gets stuck and no zig-zag contains the body.
    pub fn extended(position: &Position) -> Result<Cycle, Unsupported> {
        extended(position).map_or_else(|| Cycle::holding(position), Ok)
    }
}

/// Returns the cycle of an extended path, or `None` if every extension gets stuck before it covers
/// the board.
fn extended(position: &Position) -> Option<Cycle> {
    let board = position.board();
    let head = position.head();
    let mut paths = PathFinder::new(board);
    for path in paths_to_tail(position, &mut paths)
        .into_iter()
        .filter(|path| board.neighbor(head, path[0]).is_some())
    {
        for sides in [RIGHT_FIRST, LEFT_FIRST] {
            let mut path = path.clone();
            paths.extend(position, &mut path, sides);
            if path.len() + position.len().max(2) - 1 == board.area() {
                return closed_by_body(position, &path);
            }
        }
    }
    None
}

/// Returns short paths from the head to the tail. The step from the head to the tail itself closes
/// a body of two cells. For a single cell, any neighbor serves as the tail.
fn paths_to_tail(position: &Position, paths: &mut PathFinder) -> Vec<Vec<Direction>> {
    let first = position.heading();
    match (
        position.len(),
        position.board().direction(position.head(), position.tail()),
    ) {
        (1, _) => [0, 1, 2, 3]
            .map(|turn| vec![Direction::from_index(first.index() + turn)])
            .into(),
        (_, Some(direction)) => vec![vec![direction]],
        (_, None) => paths
            .shortest(position, position.tail())
            .into_iter()
            .collect(),
    }
}

/// Returns the cycle made of the body, from tail to head, and a path from the head back to the
/// tail.
fn closed_by_body(position: &Position, path: &[Direction]) -> Option<Cycle> {
    let board = position.board();
    let mut cells: Vec<Cell> = position.body().rev().collect();
    let mut cell = position.head();
    for &direction in path {
        cell = board
            .neighbor(cell, direction)
            .expect("a path stays on the board");
        cells.push(cell);
    }
    cells.truncate(board.area());
    Cycle::from_cells(board, &cells)
}
