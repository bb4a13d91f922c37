//! Our strongest search.

mod evaluation;

use crate::Budget;
use crate::search::Searcher;
use hognose_game::Unsupported;
use hognose_game::duel::{Bot, DuelPosition, MakeBot, Seat};

pub(crate) use evaluation::Weights;

/// Alpha-beta on what both snakes reach, and in how many steps; the README of this crate tells
/// more. It plays on boards with sides of at most 16 cells.
///
/// Own moves come first in its search, so the other answers what it can't know. Where both heads
/// may enter one cell in the next step, it solves the game of both moves instead, and draws its
/// move if the best play is mixed.
#[derive(Clone, Copy, Debug)]
pub struct Hognose {
    budget: Budget,
    forgets: bool,
}

impl Hognose {
    /// A bot that searches within a budget for each move.
    pub fn new(budget: Budget) -> Hognose {
        Hognose {
            budget,
            forgets: false,
        }
    }

    /// This bot, but each search begins without what earlier ones have found. So its moves follow
    /// from the position alone.
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
        let searcher = Searcher::new("hognose", weights, position, seat, seed, self.budget)?;
        Ok(Box::new(if self.forgets {
            searcher.forgetting()
        } else {
            searcher
        }))
    }

    fn depends_on_clock(&self) -> bool {
        self.budget.depends_on_clock()
    }
}
