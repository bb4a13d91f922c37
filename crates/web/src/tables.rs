//! Exact play on small boards.

use crate::answer::{Answer, text};
use hognose_game::Board;
use hognose_tablebase::{ON_THE_FLY, Table, check};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// Hears how much of something long is done, from 0 to 1.
pub(crate) type Progress<'a> = &'a mut dyn FnMut(f64);

/// GiB that a table may take. The boards that are solved need far less.
const MEMORY: f64 = 1.0;

thread_local! {
    static SOLVED: RefCell<HashMap<Board, Arc<Table>>> = RefCell::default();
}

/// Whether a board is small enough to be solved while somebody waits.
pub(crate) fn can_solve(board: Board) -> bool {
    !board.is_torus() && board.area() <= ON_THE_FLY
}

/// The table of a board, which is solved if it was not yet.
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
    // Bodies that fill the board are never told of.
    progress(1.0);
    SOLVED.with_borrow_mut(|solved| solved.insert(board, Arc::clone(&table)));
    Ok(table)
}
