//! The certificate of the current position.

use super::certificate::Certificate;
use super::planner::Planner;
use super::problem::tail_to_head;
use super::repair::Strictness;
use crate::cycles::jumps::check_tail_entry;
use crate::grid::Grid;
use hognose_game::{Board, Position, Status, Unsupported};

/// A certificate of a position, and a planner to continue from it.
#[derive(Clone, Debug)]
pub(crate) struct Guarantee {
    pub(crate) planner: Planner,
    pub(crate) certificate: Certificate,
}

impl Guarantee {
    /// Starts at a position, and reuses the memory of another game on the same board.
    pub(crate) fn new(
        last: Option<Guarantee>,
        position: &Position,
        margin: f64,
    ) -> Result<Guarantee, Unsupported> {
        check_tail_entry(position)?;
        let mut planner = Guarantee::planner(last, position.board(), margin);
        let certificate = first_certificate(&mut planner, position)?;
        Ok(Guarantee {
            planner,
            certificate,
        })
    }

    /// Returns the planner of another game if it was on the same board, or a new one.
    pub(crate) fn planner(last: Option<Guarantee>, board: Board, margin: f64) -> Planner {
        let planner = last
            .map(|last| last.planner)
            .filter(|planner| planner.grid().board == board);
        planner.unwrap_or_else(|| Planner::new(Grid::new(board), margin))
    }
}

/// Finds a certificate of a position.
fn first_certificate(
    planner: &mut Planner,
    position: &Position,
) -> Result<Certificate, Unsupported> {
    let mut body = Vec::new();
    tail_to_head(position, &mut body);
    for base in Certificate::zigzags(planner.grid().board) {
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
    let board = position.board();
    let cells = body.len();
    Err(Unsupported(format!(
        "no cycle of {board} was found on which the snake's {cells} cells lie in order: start with a \
         shorter body or a straight one"
    )))
}

/// Returns a plan's cost beyond its steps, in thousandths of a step.
pub(crate) fn outlook(cost: f64, steps: usize) -> u32 {
    ((cost - steps as f64) * 1e3).round() as u32
}

/// Returns the error for a state that does not belong to the position.
pub(crate) fn of_another() -> Unsupported {
    Unsupported("expected a state that was saved at this position".to_owned())
}
