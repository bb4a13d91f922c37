//! What is known for certain of the position at hand.

use super::certificate::Certificate;
use super::planner::Planner;
use super::problem::tail_to_head;
use super::repair::Strictness;
use crate::cycles::jumps::check_tail_entry;
use crate::grid::Grid;
use hognose_game::{Board, Position, Status, Unsupported};

/// A certificate of a position, and what plans from there.
#[derive(Clone, Debug)]
pub(crate) struct Guarantee {
    pub(crate) planner: Planner,
    pub(crate) certificate: Certificate,
}

impl Guarantee {
    /// Begins at a position, with the memory of another game if that was on the same board.
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

    /// The planner of another game if that was on the same board, or a new one.
    pub(crate) fn planner(last: Option<Guarantee>, board: Board, margin: f64) -> Planner {
        let planner = last
            .map(|last| last.planner)
            .filter(|planner| planner.grid().board == board);
        planner.unwrap_or_else(|| Planner::new(Grid::new(board), margin))
    }
}

/// A certificate of a position.
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
        // The repair is good but not complete: it may succeed from another cycle.
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
        "no cycle of {board} was found on which the snake's {cells} cells lie in order"
    )))
}

/// What a plan of so many steps leaves of its cost, in thousandths of a step.
pub(crate) fn outlook(cost: f64, steps: usize) -> u32 {
    ((cost - steps as f64) * 1e3).round() as u32
}

/// The refusal of a state that is not of the position at hand.
pub(crate) fn of_another() -> Unsupported {
    Unsupported("expected what was known for certain of a position of this board".to_owned())
}
