//! The certificate with which a game begins.

use super::certificate::Certificate;
use super::planner::Planner;
use super::repair::Strictness;
use crate::cycles::jumps::check_tail_entry;
use crate::grid::{Grid, tail_to_head};
use hognose_game::{Board, Position, Status, Unsupported};

/// Returns the planner of the last game if it was on the same board, or a new one in its place; see
/// [`Planner::new`].
pub(crate) fn planner_on(
    board: Board,
    last: &mut Option<Planner>,
    margin: f64,
    foresight: bool,
) -> &mut Planner {
    last.take_if(|planner| planner.grid().board != board);
    last.get_or_insert_with(|| Planner::new(Grid::new(board), margin, foresight))
}

/// Finds a certificate of a position.
pub(crate) fn first_certificate(
    planner: &mut Planner,
    position: &Position,
) -> Result<Certificate, Unsupported> {
    check_tail_entry(position)?;
    let board = position.board();
    let body: Vec<u16> = tail_to_head(position).collect();
    for base in Certificate::zigzags(board) {
        if base.holds(&body) || position.status() == Status::Won {
            return Ok(base);
        }
        // The repair is incomplete: where it fails from one cycle, it may succeed from another.
        let mut certificate = base.clone();
        if planner
            .repair()
            .hold(&base, &body, Strictness::InOrder, &mut certificate)
        {
            return Ok(certificate);
        }
    }
    let cells = body.len();
    Err(Unsupported(format!(
        "no cycle of {board} was found on which the snake's {cells} cells lie in order: start with a \
         shorter body or a straight one"
    )))
}

/// Returns the error for a state that does not belong to the position.
pub(crate) fn of_another() -> Unsupported {
    Unsupported("expected a state that was saved at this position".to_owned())
}
