//! Tablebases of small boards.

use crate::answer::{Answer, text};
use hognose_game::Board;
use hognose_tablebase::{ON_THE_FLY, Table, check};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// A callback that receives the completed share of a long task, from 0 to 1.
pub(crate) type Progress<'a> = &'a mut dyn FnMut(f64);

/// The memory limit of a table, in GiB. The boards solved here need far less.
const MEMORY: f64 = 1.0;

thread_local! {
    static SOLVED: RefCell<HashMap<Board, Arc<Table>>> = RefCell::default();
}

/// Returns whether a board is small enough to solve while the user waits.
pub(crate) fn can_solve(board: Board) -> bool {
    !board.is_torus() && board.area() <= ON_THE_FLY
}

/// Returns the table of a board, and solves the board the first time.
pub(crate) fn solved(board: Board, progress: Progress<'_>) -> Answer<Arc<Table>> {
    if let Some(table) = SOLVED.with_borrow(|solved| solved.get(&board).cloned()) {
        return Ok(table);
    }
    let bodies = check(board, MEMORY).map_err(text)?.bodies as f64;
    let mut done = 0.0;
    progress(done);
    let table = Table::solve(board, |solved| {
        done += solved.bodies as f64 / bodies;
        progress(done);
    });
    let table = Arc::new(table.map_err(text)?);
    // Solving does not report bodies that fill the board.
    progress(1.0);
    SOLVED.with_borrow_mut(|solved| solved.insert(board, Arc::clone(&table)));
    Ok(table)
}
