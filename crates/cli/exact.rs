//! Tables of exact play, read from files or solved on the fly.

use crate::error::{Error, Result};
use hognose_game::Board;
use hognose_tablebase::Table;
use std::path::Path;

/// Reads a board's table from a file or, without one, solves a small board.
pub(crate) fn table(path: Option<&Path>, board: Board) -> Result<Table> {
    match path {
        Some(path) => hognose_policies::read_table(path).map_err(Error::from),
        None if board.area() <= hognose_tablebase::ON_THE_FLY => Ok(Table::solve(board, |_| ())?),
        None => {
            hognose_tablebase::check_board(board)?;
            Err(Error::new(format!(
                "{board} needs a table: hognose tablebase solve --board {board} --out FILE, then \
                 --table FILE"
            )))
        }
    }
}
