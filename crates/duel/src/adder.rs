//! AdderBoaCobra: alpha-beta, and circling around the food.

mod circling;
mod minimax;
mod scenario;
mod score;
mod search;
mod walk;

pub use scenario::Scenario;
pub use score::{AdderStyle, Circles, Waiting};
pub use search::AdderSearch;

use crate::Budget;
use circling::Circling;
use hognose_game::duel::{Bot, DuelPosition, MakeBot, Mixture, Seat, Thought};
use hognose_game::{Direction, Unsupported};
use score::Judge;

/// The bot AdderBoaCobra of team Serpentine, second of seven in the AI Snakes competition of 2020
/// (Grooten, van der Hert, Schilstra and van Genuchten, *Technical report: AI Snakes competition*,
/// 2020), after its report and the facts of its code.
///
/// It searches with alpha-beta, its own move first and then the opponent's, and plays both
/// together. Where it is longer and food can be circled in one of the 41 [scenarios](Scenario), it
/// lays its body around it, and follows its own tail until the step limit. With several foods it
/// never circles, unless its [style](AdderStyle) says so.
///
/// Where this bot differs from the code of the original:
///
/// - A head-on ends the game inside the search, too. The original goes on, and sees head-ons in
///   leaves alone.
/// - A head that enters the cell of the other's tail dies if the other eats. The original gives up
///   all moves of such a position where the other is next to the food, and then may play a fatal
///   one.
/// - It lays the ring cell by cell. The original searches a shortest way from one of the cells to
///   cover to the next, and such ways need not close a ring.
/// - Moves that were best elsewhere at the same depth are searched first.
#[derive(Clone, Copy, Debug)]
pub struct Adder {
    budget: Budget,
    style: AdderStyle,
}

impl Adder {
    /// The bot with a budget for each move.
    pub fn new(budget: Budget, style: AdderStyle) -> Adder {
        Adder { budget, style }
    }

    /// What alpha-beta finds for a seat, both snakes moving `depth` times.
    ///
    /// # Panics
    /// When the depth is 0.
    pub fn alpha_beta(&self, position: &DuelPosition, seat: Seat, depth: u32) -> AdderSearch {
        assert!(depth > 0, "a search has a depth of at least 1");
        search::to_depth(
            &Judge::new(position.board(), seat, self.style),
            position,
            depth,
        )
    }

    /// What plain minimax finds: the value and the move of [`alpha_beta`](Self::alpha_beta), with
    /// more nodes. Where several lines of moves are equally good, it may tell another.
    ///
    /// # Panics
    /// When the depth is 0.
    pub fn minimax(&self, position: &DuelPosition, seat: Seat, depth: u32) -> AdderSearch {
        assert!(depth > 0, "a search has a depth of at least 1");
        minimax::minimax(
            &Judge::new(position.board(), seat, self.style),
            position,
            depth,
        )
    }
}

impl MakeBot for Adder {
    fn make(
        &self,
        position: &DuelPosition,
        seat: Seat,
        _seed: u64,
    ) -> Result<Box<dyn Bot>, Unsupported> {
        Ok(Box::new(AdderBot {
            judge: Judge::new(position.board(), seat, self.style),
            budget: self.budget,
            circling: Circling::new(seat, self.style.circles),
            thought: Thought::default(),
        }))
    }

    fn depends_on_clock(&self) -> bool {
        self.budget.depends_on_clock()
    }
}

struct AdderBot {
    judge: Judge,
    budget: Budget,
    circling: Option<Circling>,
    thought: Thought,
}

impl Bot for AdderBot {
    fn act(&mut self, position: &DuelPosition) -> Direction {
        if let Some(direction) = self
            .circling
            .as_mut()
            .and_then(|circling| circling.act(position))
        {
            self.thought = Thought::default();
            return direction;
        }
        let AdderSearch {
            best, line, nodes, ..
        } = search::deepen(&self.judge, position, self.budget);
        self.thought = Thought { line, nodes };
        best.unwrap_or_else(|| position.snake(self.judge.me).heading())
    }

    /// What it circles, it remembers.
    fn mixture(&mut self, position: &DuelPosition) -> Option<Mixture> {
        if self.circling.is_some() || self.budget.depends_on_clock() {
            return None;
        }
        Some(Mixture::pure(self.act(position)))
    }

    fn thought(&self) -> Thought {
        self.thought.clone()
    }
}
