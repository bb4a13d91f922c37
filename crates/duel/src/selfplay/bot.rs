//! A bot that searches on a learned value.

use super::file::ValueFile;
use super::judge::Learned;
use super::network::ValueNetwork;
use crate::Budget;
use crate::search::Searcher;
use hognose_game::Unsupported;
use hognose_game::duel::{Bot, DuelPosition, DuelRules, MakeBot, Seat};
use std::sync::Arc;

/// Alpha-beta on a value learned by self-play. It plays on boards with sides of at most 16 cells.
///
/// If both heads may enter one cell in the next step, it solves the matrix game of both moves, and
/// draws its move if optimal play is mixed. Its moves depend only on the position and the seed,
/// except with a time budget: then it remembers the results of earlier searches.
#[derive(Clone, Debug)]
pub struct Selfplay {
    /// The values, with the rules that each was learned with.
    values: Vec<(DuelRules, Arc<ValueNetwork>)>,
    budget: Budget,
}

/// The bot's value of a draw, from -1 for a loss to 1 for a win: it prefers to play on.
const DRAW: f32 = -0.4;
/// The addition to the learned log-odds of winning for each cell of a lead in length, for searches
/// deeper than one move: without it they eat too little. At a depth of 1, at which the value was
/// learned, it gains nothing.
const LEAD: f32 = 0.2;

impl Selfplay {
    /// Returns a bot that searches on a learned value, with a budget for each move.
    pub fn new(file: ValueFile, budget: Budget) -> Selfplay {
        Selfplay::of_files(vec![file], budget)
    }

    /// Returns a bot that searches on the value whose rules are most similar to the game's.
    ///
    /// # Panics
    /// Panics when a duel begins, if there are no files.
    pub fn of_files(files: Vec<ValueFile>, budget: Budget) -> Selfplay {
        let values = files
            .into_iter()
            .map(|ValueFile { rules, network }| (rules, Arc::new(network)));
        Selfplay {
            values: values.collect(),
            budget,
        }
    }

    /// Returns the value to play by. Whether food stays until it is eaten matters most, then the
    /// board.
    fn value_for(&self, rules: &DuelRules) -> Arc<ValueNetwork> {
        let likeness = |own: &DuelRules| {
            (
                own == rules,
                own.redraw_after().is_some() == rules.redraw_after().is_some(),
                own.board() == rules.board(),
            )
        };
        // Of equally similar ones, the last.
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
        Ok(Box::new(Searcher::new(
            "selfplay",
            learned,
            position,
            seat,
            seed,
            self.budget,
            !self.depends_on_clock(),
        )?))
    }

    fn depends_on_clock(&self) -> bool {
        self.budget.depends_on_clock()
    }
}
