//! Our strongest search.

mod evaluation;
mod search;
mod state;
mod table;

use crate::{Budget, MOST, Matrix, Meter};
use evaluation::{Weights, ring};
use hognose_game::duel::{DuelPosition, Duelist, MakeDuelist, Seat, Thought};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Direction, Unsupported};
use search::{Search, is_decided};
use state::{State, World};
use table::Table;

/// The stream of random numbers from which it draws its moves.
const MIXING: Purpose = Purpose::new("hognose bot");

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
        let (rules, board) = (*position.rules(), position.board());
        let world = World::new(rules)
            .ok_or_else(|| Unsupported(format!("hognose plays on boards of at most 16x16 cells, got {board}")))?;
        Ok(Box::new(HognoseDuelist {
            budget: self.budget,
            seat,
            seed,
            weights: Weights::new(&rules),
            world,
            table: Table::new(),
            thought: Thought::default(),
        }))
    }

    fn depends_on_clock(&self) -> bool {
        self.budget.depends_on_clock()
    }
}

/// Plays one seat.
struct HognoseDuelist {
    budget: Budget,
    seat: Seat,
    seed: u64,
    weights: Weights,
    world: World,
    table: Table,
    thought: Thought,
}

impl Duelist for HognoseDuelist {
    fn act(&mut self, position: &DuelPosition) -> Direction {
        let state = State::new(&self.world, position);
        let snake = position.snake(self.seat);
        if ring(&state) == Some(self.seat) {
            self.thought = Thought::default();
            return position.board().direction(snake.head(), snake.tail()).expect("head and tail are neighbours");
        }
        let mut search = Search::new(state, self.seat, Meter::start(self.budget), &mut self.table, self.weights);
        let mut line = Vec::new();
        for depth in self.budget.depths() {
            let (found, is_final) = if can_meet(position) {
                let values = search.values(depth);
                (vec![solve(position, self.seat, values, self.seed)], false)
            } else {
                let value = search.value(depth);
                (search.line(), is_decided(value))
            };
            // What an interrupted search found is used only where there is nothing better.
            if search.meter.is_spent() && depth > 1 {
                break;
            }
            line = found;
            if is_final || search.meter.is_spent() {
                break;
            }
        }
        self.thought = Thought { nodes: search.meter.nodes(), line };
        // A search that was broken off at once knows no move, or one that it has not looked at. Where no move is legal,
        // the choice still matters: the longer snake may win by a collision of heads.
        let legal = position.legal_moves(self.seat);
        let found = self.thought.line.first().map(|moves| moves[self.seat.index()]);
        let found = found.filter(|&found| legal.is_empty() || legal.contains(found));
        found.or(legal.iter().next()).unwrap_or(snake.heading())
    }

    fn thought(&self) -> Thought {
        self.thought.clone()
    }
}

/// Whether both heads may enter one cell in the next step.
fn can_meet(position: &DuelPosition) -> bool {
    let [mine, others] = Seat::BOTH.map(|seat| {
        let head = position.snake(seat).head();
        move |there| position.board().neighbor(head, there)
    });
    let targets = |seat| position.legal_moves(seat).iter();
    targets(Seat::First).any(|first| targets(Seat::Second).any(|second| mine(first) == others(second)))
}

/// A joint move by optimal play of both, where so much is known of the values of all; mine is drawn.
fn solve(position: &DuelPosition, me: Seat, values: [[i32; MOST]; MOST], seed: u64) -> [Direction; 2] {
    let moves = [me, me.other()].map(|seat| position.legal_moves(seat));
    let matrix = Matrix::new(moves[0].len(), moves[1].len(), |mine, others| share(values[mine][others]));
    let solution = matrix.solve();
    let likeliest = (0..MOST).max_by(|&a, &b| solution.columns[a].total_cmp(&solution.columns[b])).unwrap_or(0);
    let nths = [solution.draw_row(&mut rng::keyed(seed, MIXING, position.steps().into())), likeliest];
    let [mine, others] = [0, 1].map(|index| moves[index].iter().nth(nths[index]).expect("a legal move"));
    me.joint(mine, others)
}

/// A value as a share of a win, from -1 to 1.
fn share(value: i32) -> f64 {
    /// What is worth half a win: two and a half cells of length.
    const HALF: f64 = 10_000.0;
    let value = f64::from(value);
    value / (value.abs() + HALF)
}
