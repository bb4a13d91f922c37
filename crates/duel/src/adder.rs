//! AdderBoaCobra: alpha-beta search, and circling around the food.

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
use hognose_game::{Direction, Directions, Unsupported};
use score::Judge;

/// Returns the moves in the order in which the original tries them, which decides ties.
fn in_order(moves: Directions) -> impl Iterator<Item = Direction> {
    [
        Direction::Up,
        Direction::Down,
        Direction::Right,
        Direction::Left,
    ]
    .into_iter()
    .filter(move |&direction| moves.contains(direction))
}

/// The bot AdderBoaCobra of team Serpentine, second of seven in the AI Snakes competition of 2020
/// (Grooten, van der Hert, Schilstra and van Genuchten, *Technical report: AI Snakes competition*,
/// 2020), written from its report and facts about its code.
///
/// It searches with alpha-beta, its own move first and then the opponent's, and plays both at once.
/// If it is longer and food can be circled in one of the 41 [scenarios](Scenario), it lays its body
/// around the food and follows its own tail until the step limit. With several foods it never
/// circles, unless its [style](AdderStyle) says so.
///
/// This bot differs from the code of the original:
///
/// - A head-on collision ends the game within the search. The original searches on, and sees
///   head-on collisions only in leaves.
/// - A head that enters the cell of the other snake's tail dies if that snake eats. If the other
///   snake is next to the food, the original rejects all moves of such a position, and may then
///   play a fatal one.
/// - It lays the ring cell by cell. The original searches for a shortest path from each of the
///   cells to cover to the next, and such paths need not close a ring.
/// - Moves that were best elsewhere at the same depth are searched first.
#[derive(Clone, Copy, Debug)]
pub struct Adder {
    budget: Budget,
    style: AdderStyle,
}

impl Adder {
    /// Makes bots with a budget for each move.
    pub fn new(budget: Budget, style: AdderStyle) -> Adder {
        Adder { budget, style }
    }

    /// Returns the result of alpha-beta for a seat, with `depth` moves of both snakes.
    ///
    /// # Panics
    /// Panics if the depth is 0.
    pub fn alpha_beta(&self, position: &DuelPosition, seat: Seat, depth: u32) -> AdderSearch {
        assert!(depth > 0, "a search has a depth of at least 1");
        search::to_depth(
            &Judge::new(position.board(), seat, self.style),
            position,
            depth,
        )
    }

    /// Returns the result of plain minimax: the value and the move of
    /// [`alpha_beta`](Self::alpha_beta), with more nodes. If several lines of moves are equally
    /// good, it may return another one.
    ///
    /// # Panics
    /// Panics if the depth is 0.
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

    /// It remembers what it circles.
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
