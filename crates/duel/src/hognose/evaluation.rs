//! The evaluation of positions.

use crate::bits::Bits;
use crate::search::{Judge, State, for_me};
use hognose_game::duel::{DuelRules, Seat};

/// The value when the other snake is shut in and will die.
const SHUT_IN: i32 = 100_000;
/// The value of one cell of length.
const LENGTH: i32 = 4000;
/// The maximum lead that counts.
const LONGEST_LEAD: i32 = 23;
/// The value, per cell of growth, of a food that the snake reaches first.
const FIRST: i32 = 1000;

/// The weights that depend on whether food stays until it is eaten.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights {
    draw: i32,
    /// A cell that the snake reaches first.
    cell: i32,
    /// A food that it reaches at once; proportionally less if later.
    near: i32,
    /// All cells next to the food, covered by the longer snake; proportionally less for some. Only
    /// useful if food stays.
    cover: i32,
    /// An even length of the longer snake, with which it can follow its tail on a ring. Only useful
    /// if food stays.
    even: i32,
}

impl Weights {
    /// Returns the weights for these rules.
    pub(crate) fn new(rules: &DuelRules) -> Weights {
        match rules.redraw_after() {
            Some(_) => Weights {
                draw: -12_000,
                cell: 20,
                near: 2000,
                cover: 0,
                even: 0,
            },
            // The longer snake may win by enclosing the food, so food is worth more than room.
            None => Weights {
                draw: -3000,
                cell: 15,
                near: 3000,
                cover: 8000,
                even: 2000,
            },
        }
    }
}

impl Judge for Weights {
    fn draw(&self) -> i32 {
        self.draw
    }

    fn judge(&mut self, state: &State, me: Seat) -> i32 {
        evaluate(state, me, self)
    }

    fn share(&self, value: i32) -> f64 {
        /// The value of half a win: two and a half cells of length.
        const HALF: f64 = 10_000.0;
        let value = f64::from(value);
        value / (value.abs() + HALF)
    }
}

/// Returns the value for `me` of a position in an ongoing game: a certain loss or win if a snake is
/// shut in, otherwise a weighted sum of advantages. Swapping the seats negates it.
fn evaluate(state: &State, me: Seat, weights: &Weights) -> i32 {
    let seats = [me, me.other()];
    let lengths = seats.map(|seat| state.length(seat));
    let mut spread = state.spread(seats);
    // Food that is reached later has been redrawn by then.
    let time = state.steps_to_redraw();
    let mut near = [0; 2];
    let mut fed = [Bits::EMPTY; 2];
    while let Some((step, entered)) =
        spread.next(|index, step| state.left(seats[index].index(), step))
    {
        if step > time {
            continue;
        }
        for index in [0, 1] {
            let foods = entered[index] & state.foods;
            if !foods.is_empty() {
                fed[index] |= foods;
                near[index] += weights.near * total(state, foods) / i32::from(1 + step);
            }
        }
    }
    let areas = spread.finish();
    let reached = [0, 1].map(|index| areas.reached[index].len());
    // A snake without room until its own tail lets it out dies within that many steps, whatever the
    // other does.
    let is_shut_in = [0, 1].map(|index| !areas.has_room[index] && reached[index] < lengths[index]);
    match is_shut_in {
        [true, false] => return i32::from(reached[0]) - SHUT_IN,
        [false, true] => return SHUT_IN - i32::from(reached[1]),
        [true, true] if reached[0] != reached[1] => {
            return SHUT_IN / 2 * (i32::from(reached[0]) - i32::from(reached[1])).signum();
        }
        _ => {}
    }
    let first = [0, 1].map(|index| total(state, fed[index] & areas.nearer[index]));
    let difference = |[mine, others]: [i32; 2]| mine - others;
    // Leads may be long if foods are worth much, but a certain outcome is worth more.
    let lead = difference(lengths.map(i32::from)).clamp(-LONGEST_LEAD, LONGEST_LEAD);
    let sum = LENGTH * lead
        + weights.cell * difference(areas.nearer.map(|cells| cells.len().into()))
        + FIRST * difference(first)
        + difference(near)
        + enclosing(state, me, weights);
    sum.clamp(1000 - SHUT_IN, SHUT_IN - 1000)
}

/// Returns the number of cells by which some foods let a snake grow.
#[inline]
fn total(state: &State, foods: Bits) -> i32 {
    foods
        .iter()
        .map(|food| i32::from(state.food_value(food)))
        .sum()
}

/// Returns the value of how far the longer snake encloses the foods.
fn enclosing(state: &State, me: Seat, weights: &Weights) -> i32 {
    if weights.cover == 0 || state.foods.is_empty() {
        return 0;
    }
    let Some((longer, _)) = state.lead() else {
        return 0;
    };
    let grid = &state.world.grid;
    let covered = state.foods.iter().map(|food| {
        let around = grid.around(Bits::of(food)) & grid.all();
        weights.cover * i32::from((around & state.taken(longer)).len()) / i32::from(around.len())
    });
    let is_ready = state.length(longer) >= LEAST_RING && state.length(longer).is_multiple_of(2);
    for_me(
        me,
        longer,
        covered.sum::<i32>() + if is_ready { weights.even } else { 0 },
    )
}

/// The minimum length for which being even counts: that of a ring around a cell, less one.
const LEAST_RING: u16 = 7;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::World;
    use hognose_game::Board;
    use hognose_game::duel::{Duel, DuelPosition};
    use hognose_game::rng::{self, Purpose};
    use proptest::prelude::*;

    /// Returns whether some line of `steps` joint moves does not end the game.
    fn goes_on(position: &mut DuelPosition, steps: u32) -> bool {
        if steps == 0 || position.outcome().is_some() {
            return position.outcome().is_none();
        }
        let [first, second] = Seat::BOTH.map(|seat| position.legal_moves(seat));
        first.iter().any(|first| {
            second.iter().any(|second| {
                position.step([first, second]);
                let goes_on = goes_on(position, steps - 1);
                position.undo();
                goes_on
            })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// One seat's gain is the other's loss, and a snake judged as shut in dies when predicted.
        #[test]
        fn values_are_opposite_and_shut_in_snakes_die(seed: u64, foods in 1u16..4, stays: bool) {
            let board = Board::new(6, 5).unwrap();
            let redraw = if stays { None } else { Some(6) };
            let rules = DuelRules::ai_snakes_2021()
                .on(board)
                .unwrap()
                .with_redraw_after(redraw)
                .unwrap();
            let rules = rules.with_foods(foods).unwrap();
            let world = World::new(rules, "a test plays").unwrap();
            let weights = Weights::new(&rules);
            let mut duel = Duel::new(rules, seed);
            let mut draws = rng::keyed(seed, Purpose::new("moves"), 0);
            while duel.position().outcome().is_none() && duel.position().steps() < 60 {
                let state = State::new(&world, duel.position());
                let [first, second] = Seat::BOTH.map(|seat| evaluate(&state, seat, &weights));
                prop_assert_eq!(first, -second);
                let room = SHUT_IN - first.abs();
                if (0..6).contains(&room) {
                    prop_assert!(
                        !goes_on(&mut duel.position().clone(), room as u32 + 1),
                        "{:?}",
                        duel.position()
                    );
                }
                duel.step(Seat::BOTH.map(|seat| {
                    let legal = duel.position().legal_moves(seat);
                    let nth = rng::below(&mut draws, legal.len().max(1) as u64) as usize;
                    legal
                        .iter()
                        .nth(nth)
                        .unwrap_or(duel.position().snake(seat).heading())
                }));
            }
        }
    }
}
