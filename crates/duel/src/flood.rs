//! Searches of connected cells.

use hognose_game::duel::DuelPosition;
use hognose_game::{Board, Cell};

/// Returns for each cell whether a body covers it.
pub(crate) fn covered(position: &DuelPosition) -> Vec<bool> {
    let cells = position.board().cells();
    cells
        .map(|cell| position.covered_by(cell).is_some())
        .collect()
}

/// Returns the cells that are connected to a cell by cells not yet taken, each with its distance,
/// the nearest first, and marks them as taken.
pub(crate) fn flood(board: Board, taken: &mut [bool], from: Cell) -> Vec<(Cell, usize)> {
    taken[from.index()] = true;
    let mut found = vec![(from, 0)];
    let mut looked_at = 0;
    while let Some(&(cell, steps)) = found.get(looked_at) {
        looked_at += 1;
        for (_, next) in board.neighbors(cell) {
            if !std::mem::replace(&mut taken[next.index()], true) {
                found.push((next, steps + 1));
            }
        }
    }
    found
}
