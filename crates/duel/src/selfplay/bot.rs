//! The bot that searches on a learned value.

use super::file::ValueFile;
use super::judge::Learned;
use super::network::ValueNetwork;
use crate::Budget;
use crate::search::Searcher;
use hognose_game::Unsupported;
use hognose_game::duel::{Bot, DuelPosition, DuelRules, MakeBot, Seat};
use std::sync::Arc;

/// Alpha-beta on a value that was learned by playing against itself. It plays on boards with sides
/// of at most 16 cells.
///
/// Where both heads may enter one cell in the next step, it solves the game of both moves, and
/// draws its move if the best play is mixed. Its moves follow from the position and the seed alone,
/// unless its budget is a time: then it remembers what it found for earlier moves.
#[derive(Clone, Debug)]
pub struct Selfplay {
    /// By the rules that they were learned by.
    values: Vec<(DuelRules, Arc<ValueNetwork>)>,
    budget: Budget,
}

/// What a draw is worth to the bot, where -1 is a loss and 1 a win: it would rather play on.
const DRAW: f32 = -0.4;
/// What each cell of a lead in length adds to the log-odds of winning that were learned, where the
/// search looks more than one move ahead. Without it such a search eats too little. At a depth of
/// 1, where the value was learned, it gains nothing.
const LEAD: f32 = 0.2;

impl Selfplay {
    /// A bot that searches on a learned value, within a budget for each move.
    pub fn new(file: ValueFile, budget: Budget) -> Selfplay {
        Selfplay::of_files(vec![file], budget)
    }

    /// A bot that searches on the value that was learned by the rules that are most like those of
    /// the game.
    ///
    /// # Panics
    /// When a duel begins, if there are no files.
    pub fn of_files(files: Vec<ValueFile>, budget: Budget) -> Selfplay {
        let values = files
            .into_iter()
            .map(|ValueFile { rules, network }| (rules, Arc::new(network)));
        Selfplay {
            values: values.collect(),
            budget,
        }
    }

    /// The value to play by. Whether food stays until it is eaten makes the greatest difference,
    /// then the board.
    fn value_for(&self, rules: &DuelRules) -> Arc<ValueNetwork> {
        let likeness = |own: &DuelRules| {
            (
                own == rules,
                own.redraw_after().is_some() == rules.redraw_after().is_some(),
                own.board() == rules.board(),
            )
        };
        // Of those that are alike, the last one.
        let (_, value) = self
            .values
            .iter()
            .max_by_key(|(own, _)| likeness(own))
            .expect("there is a value");
        Arc::clone(value)
    }
}

impl MakeBot for Selfplay {
    fn make(
        &self,
        position: &DuelPosition,
        seat: Seat,
        seed: u64,
    ) -> Result<Box<dyn Bot>, Unsupported> {
        let lead = if self.budget == Budget::Depth(1) {
            0.0
        } else {
            LEAD
        };
        let learned = Learned::new(self.value_for(position.rules()), DRAW, lead);
        let searcher = Searcher::new("selfplay", learned, position, seat, seed, self.budget)?;
        Ok(Box::new(if self.depends_on_clock() {
            searcher
        } else {
            searcher.forgetting()
        }))
    }

    fn depends_on_clock(&self) -> bool {
        self.budget.depends_on_clock()
    }
}
