//! A bot that solves the matrix game of the next step.

use crate::{Reach, matrix};
use hognose_game::duel::{Bot, DuelPosition, MakeBot, Mixture, Seat, Thought};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Direction, Directions, Unsupported};

const MIXING: Purpose = Purpose::new("one-ply bot");

/// A bot that solves the matrix game of both snakes' next moves exactly. The payoff of a joint move
/// is the game's outcome, or a heuristic of the next position: the lead in length, the lead in
/// cells reached first, and the races to the foods. If optimal play is mixed, it draws its move.
#[derive(Clone, Copy, Debug, Default)]
pub struct OnePly;

/// The value of one cell of length; a win is worth 1.
const LENGTH: f64 = 0.04;
/// The value of reaching all cells first.
const CELLS: f64 = 0.15;
/// The value, per cell of growth, of a food that the snake reaches at once and the other can't
/// reach.
const FOOD: f64 = 0.02;

const NEVER: f64 = 1000.0;

impl MakeBot for OnePly {
    fn make(
        &self,
        position: &DuelPosition,
        seat: Seat,
        seed: u64,
    ) -> Result<Box<dyn Bot>, Unsupported> {
        Ok(Box::new(OnePlyBot {
            seat,
            seed,
            reach: Reach::new(position.board()),
            thought: Thought::default(),
        }))
    }
}

struct OnePlyBot {
    seat: Seat,
    seed: u64,
    reach: Reach,
    thought: Thought,
}

impl OnePlyBot {
    /// Returns a joint move by optimal play of both in the matrix game of the next step, and the
    /// mixture that the own one is drawn from.
    fn choose(&mut self, position: &DuelPosition) -> ([Direction; 2], Mixture) {
        let me = self.seat;
        let moves = [me, me.other()].map(|seat| choices(position, seat));
        let mut draws = rng::keyed(self.seed, MIXING, position.steps().into());
        let mut next = position.clone();
        self.thought.nodes = 0;
        matrix::choose(me, moves, &mut draws, |mine, others| {
            self.thought.nodes += 1;
            next.step(me.joint(mine, others));
            let value = value(&next, me, &mut self.reach);
            next.undo();
            value
        })
    }
}

impl Bot for OnePlyBot {
    fn act(&mut self, position: &DuelPosition) -> Direction {
        let (joint, _) = self.choose(position);
        self.thought.line = vec![joint];
        joint[self.seat.index()]
    }

    fn mixture(&mut self, position: &DuelPosition) -> Option<Mixture> {
        Some(self.choose(position).1)
    }

    fn thought(&self) -> Thought {
        self.thought.clone()
    }
}

/// Returns the legal moves, or going straight on if there are none.
fn choices(position: &DuelPosition, seat: Seat) -> Directions {
    let straight_on = Directions::from_iter([position.snake(seat).heading()]);
    position.legal_moves(seat).or(straight_on)
}

/// Returns the value of a position for a seat, from -1 for a loss to 1 for a win.
fn value(position: &DuelPosition, seat: Seat, reach: &mut Reach) -> f64 {
    if let Some(outcome) = position.outcome() {
        return outcome
            .winner
            .map_or(0.0, |winner| if winner == seat { 1.0 } else { -1.0 });
    }
    reach.look(position);
    let cells = f64::from(reach.nearer(seat)) - f64::from(reach.nearer(seat.other()));
    let steps = |seat| {
        reach
            .food_steps(seat)
            .iter()
            .map(|steps| steps.map_or(NEVER, f64::from))
    };
    let races = position
        .foods()
        .iter()
        .zip(steps(seat).zip(steps(seat.other())));
    let food: f64 = races
        .map(|(food, (mine, others))| f64::from(food.value) * race(mine, others))
        .sum();
    let value = LENGTH * f64::from(position.view(seat).lead())
        + CELLS * cells / position.board().area() as f64
        + FOOD * food;
    value.clamp(-0.99, 0.99)
}

/// Returns the value of a race to a food, from -1 to 1, given the steps of both: by who is first,
/// and how near both are.
fn race(mine: f64, others: f64) -> f64 {
    let first = if mine == others {
        0.0
    } else {
        (others - mine).signum()
    };
    0.5 * (first + (1.0 / (1.0 + mine) - 1.0 / (1.0 + others)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::duel::{Duel, DuelRules};

    /// The game is zero-sum: one seat's gain is the other's loss.
    #[test]
    fn values_of_both_seats_are_opposite() {
        let mut duel = Duel::new(DuelRules::ai_snakes_2021().with_foods(2).unwrap(), 1);
        let mut bots =
            Seat::BOTH.map(|seat| OnePly.make(duel.position(), seat, seat as u64).unwrap());
        let mut reach = Reach::new(duel.position().board());
        while duel.position().outcome().is_none() {
            let [first, second] = Seat::BOTH.map(|seat| value(duel.position(), seat, &mut reach));
            assert_eq!(first, -second);
            let moves = [bots[0].act(duel.position()), bots[1].act(duel.position())];
            duel.step(moves);
        }
    }
}
