//! Our strongest search.

mod evaluation;

use crate::Budget;
use crate::search::Searcher;
use hognose_game::Unsupported;
use hognose_game::duel::{DuelPosition, Duelist, MakeDuelist, Seat};

pub(crate) use evaluation::Weights;

/// Alpha-beta on what both snakes reach, and in how many steps; the README of this crate tells more. It plays on boards
/// with sides of at most 16 cells.
///
/// Own moves come first in its search, so the other answers what it can't know. Where both heads may enter one cell in
/// the next step, it solves the game of both moves instead, and draws its move if the best play is mixed.
#[derive(Clone, Copy, Debug)]
pub struct Hognose {
    budget: Budget,
}

impl Hognose {
    /// A bot that searches within a budget for each move.
    pub fn new(budget: Budget) -> Hognose {
        Hognose { budget }
    }
}

impl MakeDuelist for Hognose {
    fn make(&self, position: &DuelPosition, seat: Seat, seed: u64) -> Result<Box<dyn Duelist>, Unsupported> {
        let weights = Weights::new(position.rules());
        Ok(Box::new(Searcher::new("hognose", weights, position, seat, seed, self.budget)?))
    }

    fn depends_on_clock(&self) -> bool {
        self.budget.depends_on_clock()
    }
}
