//! Our strongest search without learning.

mod evaluation;

use crate::Budget;
use crate::search::Searcher;
use hognose_game::Unsupported;
use hognose_game::duel::{Bot, DuelPosition, MakeBot, Seat};

pub(crate) use evaluation::Weights;

/// Alpha-beta that values which cells both snakes reach, and in how many steps; the page *Bots for
/// duels* of the book describes it. It plays on boards with sides of at most 16 cells.
///
/// Its search moves first, so that the other answers a move that it can't know. If both heads may
/// enter one cell in the next step, it solves the matrix game of both moves instead, and draws its
/// move if optimal play is mixed.
#[derive(Clone, Copy, Debug)]
pub struct Hognose {
    budget: Budget,
    forgets: bool,
}

impl Hognose {
    /// Returns a bot with a budget for each move.
    pub fn new(budget: Budget) -> Hognose {
        Hognose {
            budget,
            forgets: false,
        }
    }

    /// Returns this bot with searches that forget the results of earlier ones. Its moves then
    /// depend only on the position.
    pub fn forgetting(self) -> Hognose {
        Hognose {
            forgets: true,
            ..self
        }
    }
}

impl MakeBot for Hognose {
    fn make(
        &self,
        position: &DuelPosition,
        seat: Seat,
        seed: u64,
    ) -> Result<Box<dyn Bot>, Unsupported> {
        let weights = Weights::new(position.rules());
        Ok(Box::new(Searcher::new(
            "hognose",
            weights,
            position,
            seat,
            seed,
            self.budget,
            self.forgets,
        )?))
    }

    fn depends_on_clock(&self) -> bool {
        self.budget.depends_on_clock()
    }
}
