//! Circling: when to lay a ring around the food, how to get there, and when to stay in it.

use crate::Circles;
use crate::adder::scenario::Scenario;
use crate::adder::walk::Walk;
use crate::flood::{covered, flood};
use hognose_game::duel::{DuelPosition, Food, Seat};
use hognose_game::{Cell, Direction};

/// The number of moves for which a complete ring stays after new food, before the bot decides
/// again. By then, an opponent that came for the food of an open ring has died.
const STAYS: u32 = 4;
/// The distance from which alpha-beta leads to the food.
const FAR: usize = 5;
/// A move is safe if at least this percentage of the reachable cells stays reachable after it.
const SAFE: usize = 80;

/// The memory of a seat's circling.
#[derive(Clone, Debug)]
pub(super) struct Circling {
    seat: Seat,
    circles: Circles,
    food: Option<Cell>,
    /// The length of the snake at the last position.
    length: usize,
    plan: Option<Plan>,
    ring: Ring,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ring {
    /// The ring is not complete.
    Broken,
    /// The ring is complete around the current food.
    Complete,
    /// The ring was complete around the last food, and stays for this number of moves.
    Stays(u32),
}

/// A scenario, and the progress through it.
#[derive(Clone, Debug)]
struct Plan {
    scenario: Scenario,
    /// The index of the next cell of its ring; `None` for the nearest.
    next: Option<usize>,
    /// Whether the snake follows the ring in reverse order.
    is_reversed: bool,
}

impl Circling {
    /// Returns a seat's memory at the start of a game, or `None` if it never circles.
    pub(super) fn new(seat: Seat, circles: Circles) -> Option<Circling> {
        (circles != Circles::Never).then_some(Circling {
            seat,
            circles,
            food: None,
            length: 0,
            plan: None,
            ring: Ring::Broken,
        })
    }

    /// Returns the move that lays the ring or follows the tail, or `None` if there is nothing to
    /// circle, or alpha-beta is better.
    pub(super) fn act(&mut self, position: &DuelPosition) -> Option<Direction> {
        let food = self.choose(position)?;
        self.notice(position, food);
        let food = food.cell;
        let plan = self.plan.as_mut()?;
        if self.ring == Ring::Broken && plan.is_complete(position, self.seat, food) {
            self.ring = Ring::Complete;
        }
        if self.ring != Ring::Broken {
            return follow_tail(position, self.seat);
        }
        if plan.should_wait(position, self.seat, food) {
            None
        } else {
            plan.walk(position, self.seat, food)
        }
    }

    /// Returns the food to circle: of several, the previous one while it lasts, else the nearest.
    fn choose(&self, position: &DuelPosition) -> Option<Food> {
        if position.rules().foods() > 1 && self.circles == Circles::OneFood {
            return None;
        }
        let head = position.snake(self.seat).head();
        let foods = position.foods().iter();
        let kept = foods.clone().find(|food| self.food == Some(food.cell));
        kept.or_else(|| foods.min_by_key(|food| position.board().distance(head, food.cell)))
            .copied()
    }

    /// Plans again when food has appeared, unless a complete ring stays. With several foods, also
    /// plans again after the snake has eaten another one.
    fn notice(&mut self, position: &DuelPosition, food: Food) {
        let length = position.length(self.seat);
        let has_grown = position.rules().foods() > 1 && self.length != length;
        let is_new = self.food != Some(food.cell) || has_grown;
        (self.food, self.length) = (Some(food.cell), length);
        self.ring = match self.ring {
            Ring::Complete if is_new => Ring::Stays(STAYS),
            Ring::Stays(left) if left > 1 => Ring::Stays(left - 1),
            Ring::Broken if !is_new => return,
            Ring::Complete => return,
            Ring::Stays(_) | Ring::Broken => {
                self.plan = Plan::choose(position, self.seat, food);
                Ring::Broken
            }
        };
    }
}

impl Plan {
    /// Returns the scenario with the fewest missing cells, the nearest of these, if the snake is
    /// long enough for any.
    fn choose(position: &DuelPosition, seat: Seat, food: Food) -> Option<Plan> {
        let length = position.length(seat);
        let lead = position.view(seat).lead();
        if !length.is_multiple_of(2) || lead < 1 {
            return None;
        }
        let mut scenarios = Scenario::around(position.board(), food.cell);
        // The opponent may eat once in an open ring, and must still be shorter then.
        let may_be_open =
            lead > i32::from(food.value) && scenarios.iter().any(|scenario| scenario.is_open);
        scenarios
            .retain(|scenario| scenario.is_open == may_be_open && scenario.ring.len() <= length);
        let walk = Walk::avoiding(position, seat, food.cell);
        let scenario = scenarios.into_iter().min_by_key(|scenario| {
            let steps = scenario.ring.iter().filter_map(|&cell| walk.steps(cell));
            (
                scenario.missing(position, seat),
                steps.min().unwrap_or(u16::MAX),
            )
        })?;
        Some(Plan {
            scenario,
            next: None,
            is_reversed: false,
        })
    }

    /// Returns whether the snake is a ring around the food: it covers all cells, its head is next
    /// to its tail, and the opponent can't reach the food, or, if the ring is open, reaches it from
    /// at most one side.
    fn is_complete(&self, position: &DuelPosition, seat: Seat, food: Cell) -> bool {
        let board = position.board();
        let snake = position.snake(seat);
        let is_closed_line =
            position.growth(seat) == 0 && board.direction(snake.head(), snake.tail()).is_some();
        if !is_closed_line || self.scenario.missing(position, seat) > 0 {
            return false;
        }
        // The opponent's paths end at the food.
        let mut taken = covered(position);
        taken[food.index()] = true;
        let reached = flood(board, &mut taken, position.snake(seat.other()).head());
        let sides = board
            .neighbors(food)
            .filter(|(_, side)| reached.iter().any(|(cell, _)| cell == side));
        sides.count() <= usize::from(self.scenario.is_open)
    }

    /// Returns whether alpha-beta should move instead (Algorithm 1 of the report).
    fn should_wait(&self, position: &DuelPosition, seat: Seat, food: Cell) -> bool {
        let board = position.board();
        let is_far = board.distance(position.snake(seat).head(), food) >= FAR;
        let has_begun = self.scenario.missing(position, seat) < self.scenario.cells.len();
        let other_is_there = board.distance(position.snake(seat.other()).head(), food) == 1;
        is_far && !has_begun || other_is_there && !self.scenario.is_open
    }

    /// Returns a step to the next cell, or toward the farthest cell if that step would cost too
    /// much room.
    fn walk(&mut self, position: &DuelPosition, seat: Seat, food: Cell) -> Option<Direction> {
        let walk = Walk::avoiding(position, seat, food);
        let target = self.target(position, seat, &walk)?;
        let step = walk.first(target)?;
        let room = Walk::after(position, seat, step).map_or(0, |after| after.len());
        if room * 100 < walk.len() * SAFE {
            walk.first_to_farthest()
        } else {
            Some(step)
        }
    }

    /// Returns the next cell of the ring, in the direction from which the snake comes.
    fn target(&mut self, position: &DuelPosition, seat: Seat, walk: &Walk) -> Option<Cell> {
        let ring = &self.scenario.ring;
        let snake = position.snake(seat);
        if let Some(at) = ring.iter().position(|&cell| cell == snake.head()) {
            let [after, before] = [(at + 1) % ring.len(), (at + ring.len() - 1) % ring.len()];
            let steps = |place: usize| walk.steps(ring[place]).unwrap_or(u16::MAX);
            if ring[after] == snake.body_cell(1) {
                self.is_reversed = true;
            } else if ring[before] == snake.body_cell(1) {
                self.is_reversed = false;
            } else if self.next.is_none() {
                self.is_reversed = steps(before) < steps(after);
            }
            self.next = Some(if self.is_reversed { before } else { after });
        }
        match self.next {
            Some(next) => Some(ring[next]),
            None => {
                let reached = ring.iter().filter(|&&cell| walk.steps(cell).is_some());
                reached.copied().min_by_key(|&cell| walk.steps(cell))
            }
        }
    }
}

fn follow_tail(position: &DuelPosition, seat: Seat) -> Option<Direction> {
    let snake = position.snake(seat);
    let direction = position.board().direction(snake.head(), snake.tail())?;
    position
        .legal_moves(seat)
        .contains(direction)
        .then_some(direction)
}
