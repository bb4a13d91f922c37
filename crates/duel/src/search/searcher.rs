//! A bot that searches with alpha-beta.

use super::alpha_beta::Search;
use super::judge::{Judge, is_decided};
use super::ring::ring;
use super::state::{State, World};
use super::table::Table;
use crate::{Budget, Meter, matrix};
use hognose_game::duel::{Bot, DuelPosition, Mixture, Seat, Thought};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Direction, Unsupported};

const MIXING: Purpose = Purpose::new("hognose bot");

/// A bot in one seat.
pub(crate) struct Searcher<J> {
    budget: Budget,
    forgets: bool,
    seat: Seat,
    seed: u64,
    judge: J,
    world: World,
    table: Table,
    thought: Thought,
}

impl<J: Judge> Searcher<J> {
    /// Makes a player from a position on. `name` is for errors. If it forgets, each search starts
    /// without the results of earlier ones.
    pub(crate) fn new(
        name: &str,
        judge: J,
        position: &DuelPosition,
        seat: Seat,
        seed: u64,
        budget: Budget,
        forgets: bool,
    ) -> Result<Searcher<J>, Unsupported> {
        Ok(Searcher {
            budget,
            forgets,
            seat,
            seed,
            judge,
            world: World::new(*position.rules(), &format!("{name} plays"))?,
            table: Table::new(),
            thought: Thought::default(),
        })
    }

    /// Searches, and returns the move and the mixture that it was drawn from.
    fn choose(&mut self, position: &DuelPosition) -> (Direction, Mixture) {
        let meter = Meter::start(self.budget);
        let state = State::new(&self.world, position);
        let snake = position.snake(self.seat);
        if ring(&state) == Some(self.seat) {
            self.thought = Thought::default();
            let tail = position
                .board()
                .direction(snake.head(), snake.tail())
                .expect("head and tail are neighbors");
            return (tail, Mixture::pure(tail));
        }
        if self.forgets {
            self.table = Table::new();
        }
        self.table.begin(position.steps());
        let mut search = Search::new(state, self.seat, meter, &mut self.table, &mut self.judge);
        let mut line = Vec::new();
        let mut mixture = None;
        for depth in self.budget.depths() {
            let (found, mixed, is_final) = if can_meet(position) {
                let moves = [self.seat, self.seat.other()].map(|seat| position.legal_moves(seat));
                let mut draws = rng::keyed(self.seed, MIXING, position.steps().into());
                let values = search.values(depth);
                let (moves, mixed) =
                    matrix::choose(self.seat, moves, &mut draws, |mine, others| {
                        let value = values[mine.index()][others.index()];
                        search.judge.share(value)
                    });
                (vec![moves], Some(mixed), false)
            } else {
                let value = search.value(depth);
                (search.line(), None, is_decided(value))
            };
            // Use the result of an interrupted search only if there is nothing better.
            if search.meter.is_spent() && depth > 1 {
                break;
            }
            (line, mixture) = (found, mixed);
            if is_final || search.meter.is_spent() {
                break;
            }
        }
        self.thought = Thought {
            nodes: search.meter.nodes(),
            line,
        };
        // A search interrupted at once has no move, or one that it has not searched. Without legal
        // moves, the choice still matters: the longer snake may win a head-on.
        let legal = position.legal_moves(self.seat);
        let found = self
            .thought
            .line
            .first()
            .map(|moves| moves[self.seat.index()]);
        let found = found.filter(|&found| legal.is_empty() || legal.contains(found));
        let direction = found.or(legal.iter().next()).unwrap_or(snake.heading());
        (direction, mixture.unwrap_or(Mixture::pure(direction)))
    }
}

impl<J: Judge + Send> Bot for Searcher<J> {
    fn act(&mut self, position: &DuelPosition) -> Direction {
        self.choose(position).0
    }

    /// Returns `None` unless the bot forgets, because its table remembers the results of earlier
    /// searches.
    fn mixture(&mut self, position: &DuelPosition) -> Option<Mixture> {
        (self.forgets && !self.budget.depends_on_clock()).then(|| self.choose(position).1)
    }

    fn thought(&self) -> Thought {
        self.thought.clone()
    }
}

/// Returns whether both heads may enter one cell in the next step.
fn can_meet(position: &DuelPosition) -> bool {
    let [mine, others] = Seat::BOTH.map(|seat| {
        let head = position.snake(seat).head();
        move |there| position.board().neighbor(head, there)
    });
    let targets = |seat| position.legal_moves(seat).iter();
    targets(Seat::First)
        .any(|first| targets(Seat::Second).any(|second| mine(first) == others(second)))
}
