//! What a position is worth.

use super::state::State;
use crate::bits::Bits;
use crate::reach::Spread;
use hognose_game::duel::{DuelRules, Seat};

/// A win, less the steps until it.
pub(crate) const WIN: i32 = 1_000_000;
/// A win by the clock that is certain, less the steps until it is.
const RING: i32 = 300_000;
/// The other snake is shut in, and will die.
const SHUT_IN: i32 = 100_000;
/// One cell more in length.
const LENGTH: i32 = 4000;
/// A longer lead counts no more.
const LONGEST_LEAD: i32 = 23;
/// A food that lets the snake grow by one cell, and that it reaches first.
const FIRST: i32 = 1000;

/// What things are worth that depend on whether food stays until it is eaten.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights {
    draw: i32,
    /// A cell that the snake reaches first.
    cell: i32,
    /// A food that it reaches at once; less in proportion if later.
    near: i32,
    /// All cells next to the food, covered by the longer snake; less in proportion. Of use only where food stays.
    cover: i32,
    /// The longer snake has an even length, so that it may follow its tail on a ring. Of use only where food stays.
    even: i32,
}

impl Weights {
    /// The weights for these rules.
    pub(crate) fn new(rules: &DuelRules) -> Weights {
        match rules.redraw_after() {
            Some(_) => Weights { draw: -12_000, cell: 20, near: 2000, cover: 0, even: 0 },
            // Who is longer may win by enclosing the food, so food is worth more than room.
            None => Weights { draw: -3000, cell: 15, near: 3000, cover: 8000, even: 2000 },
        }
    }
}

/// What a position is worth to me, from both ways of looking at it: what can't be avoided any more, or a sum of what is
/// good.
pub(crate) fn evaluate(state: &State, me: Seat, weights: &Weights) -> i32 {
    if let Some(winner) = state.winner() {
        return match winner {
            None => weights.draw,
            Some(winner) => for_me(me, winner, WIN - late(state)),
        };
    }
    let seats = [me, me.other()];
    let lengths = seats.map(|seat| state.length(seat));
    let grid = &state.world.grid;
    let spread = Spread {
        grid,
        heads: seats.map(|seat| state.head(seat)),
        free: grid.all() & !(state.taken(Seat::First) | state.taken(Seat::Second)),
        last_left: lengths[0].max(lengths[1]),
    };
    // Food that is reached later has been drawn again.
    let time = state.steps_to_redraw();
    let (mut near, mut fed) = ([0; 2], [Bits::EMPTY; 2]);
    let areas = spread.run(
        |index, step| state.left(seats[index].index(), step),
        |step, entered| {
            if step > time {
                return;
            }
            for index in [0, 1] {
                let foods = entered[index] & state.foods;
                if !foods.is_empty() {
                    fed[index] |= foods;
                    near[index] += weights.near * total(state, foods) / i32::from(1 + step);
                }
            }
        },
    );
    let reached = [0, 1].map(|index| areas.reached[index].len());
    // Whoever has no room left before its own tail lets it out dies within so many steps, whatever the other does.
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
    // Leads may be long where foods are worth much, but what is certain is worth more.
    let lead = difference(lengths.map(i32::from)).clamp(-LONGEST_LEAD, LONGEST_LEAD);
    let sum = LENGTH * lead
        + weights.cell * difference(areas.nearer.map(|cells| cells.len().into()))
        + FIRST * difference(first)
        + difference(near)
        + enclosing(state, me, weights);
    sum.clamp(1000 - SHUT_IN, SHUT_IN - 1000)
}

/// How late it is. After so many steps, later ones are as late.
fn late(state: &State) -> i32 {
    state.steps().min(100_000) as i32
}

/// By how many cells some foods let a snake grow.
#[inline]
fn total(state: &State, foods: Bits) -> i32 {
    foods.iter().map(|food| i32::from(state.food_value(food))).sum()
}

/// What is good for one seat, seen from mine.
fn for_me(me: Seat, seat: Seat, value: i32) -> i32 {
    if seat == me { value } else { -value }
}

/// Who is longer, and by how much.
fn longer(state: &State) -> Option<(Seat, u16)> {
    let [first, second] = Seat::BOTH.map(|seat| state.length(seat));
    let lead = first.abs_diff(second);
    (lead > 0).then_some((if first > second { Seat::First } else { Seat::Second }, lead))
}

/// How far the longer snake is with enclosing the foods.
fn enclosing(state: &State, me: Seat, weights: &Weights) -> i32 {
    if weights.cover == 0 || state.foods.is_empty() {
        return 0;
    }
    let Some((longer, _)) = longer(state) else { return 0 };
    let grid = &state.world.grid;
    let covered = state.foods.iter().map(|food| {
        let around = grid.around(Bits::of(food)) & grid.all();
        weights.cover * i32::from((around & state.taken(longer)).len()) / i32::from(around.len())
    });
    let is_ready = state.length(longer) >= LEAST_RING && state.length(longer).is_multiple_of(2);
    for_me(me, longer, covered.sum::<i32>() + if is_ready { weights.even } else { 0 })
}

/// The shortest length for which being even counts: that of a ring around a cell, less one.
const LEAST_RING: u16 = 7;

/// The seat that wins by the clock for certain if it follows its tail from now on: it is longer, its head is next to its
/// tail, and the other can't get at any food, or only by entering a dead end after which it is still shorter. If the
/// other enters the cell that the tail leaves, both heads meet there, and the longer wins.
#[inline]
pub(crate) fn ring(state: &State) -> Option<Seat> {
    if !state.world.is_ring_safe {
        return None;
    }
    let (longer, lead) = longer(state)?;
    (state.is_ring(longer) && is_enclosed(state, longer, lead)).then_some(longer)
}

/// What a position with such a ring is worth to me.
pub(crate) fn ring_value(state: &State, me: Seat, seat: Seat) -> i32 {
    for_me(me, seat, RING - late(state))
}

/// Whether a body that stays where it is keeps all foods from the other snake.
fn is_enclosed(state: &State, seat: Seat, lead: u16) -> bool {
    let grid = &state.world.grid;
    let open = grid.all() & !state.taken(seat);
    let mut reached = Bits::of(state.head(seat.other()));
    loop {
        let next = reached | grid.around(reached) & open & !state.foods;
        if next == reached {
            break;
        }
        reached = next;
    }
    let is_kept = |food: u8| {
        let around = grid.around(Bits::of(food));
        let is_dead_end = (around & open).len() == 1 && lead > state.food_value(food).into();
        (around & reached).is_empty() || is_dead_end
    };
    !state.foods.is_empty() && state.foods.iter().all(is_kept)
}

#[cfg(test)]
mod tests {
    use super::super::state::World;
    use super::*;
    use hognose_game::duel::{Duel, DuelBody, DuelPosition, Food};
    use hognose_game::rng::{self, Purpose};
    use hognose_game::{Board, Cell, Direction};
    use proptest::prelude::*;
    use std::collections::HashSet;

    /// Whether some line of so many joint moves does not end the game.
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

        /// What one seat gains, the other loses; and whoever is said to be shut in dies as soon as it is said.
        #[test]
        fn values_are_opposite_and_shut_in_snakes_die(seed: u64, foods in 1u16..4, stays: bool) {
            let board = Board::new(6, 5).unwrap();
            let redraw = if stays { None } else { Some(6) };
            let rules = DuelRules::ai_snakes_2021().on(board).unwrap().with_redraw_after(redraw).unwrap();
            let rules = rules.with_foods(foods).unwrap();
            let (world, weights) = (World::new(rules).unwrap(), Weights::new(&rules));
            let mut duel = Duel::new(rules, seed);
            let mut draws = rng::keyed(seed, Purpose::new("moves"), 0);
            while duel.position().outcome().is_none() && duel.position().steps() < 60 {
                let state = State::new(&world, duel.position());
                let [first, second] = Seat::BOTH.map(|seat| evaluate(&state, seat, &weights));
                prop_assert_eq!(first, -second);
                let room = SHUT_IN - first.abs();
                if (0..6).contains(&room) {
                    prop_assert!(!goes_on(&mut duel.position().clone(), room as u32 + 1), "{:?}", duel.position());
                }
                duel.step(Seat::BOTH.map(|seat| {
                    let legal = duel.position().legal_moves(seat);
                    let nth = rng::below(&mut draws, legal.len().max(1) as u64) as usize;
                    legal.iter().nth(nth).unwrap_or(duel.position().snake(seat).heading())
                }));
            }
        }
    }

    /// Whatever the other does, a ring is not left and not lost: all positions that can follow are looked at.
    #[test]
    fn rings_are_safe() {
        let board = Board::new(6, 5).unwrap();
        let body = |cells: &[(usize, usize)]| DuelBody {
            cells: cells.iter().map(|&(column, row)| board.cell(column, row)).collect(),
            growth: 0,
        };
        let closed = body(&[(1, 1), (2, 1), (3, 1), (3, 2), (3, 3), (2, 3), (1, 3), (1, 2)]);
        let open = body(&[(1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (1, 1)]);
        let cases = [
            (&closed, (2, 2), body(&[(5, 0), (5, 1), (5, 2)]), true),
            (&closed, (4, 2), body(&[(5, 0), (5, 1), (5, 2)]), false),
            (&open, (0, 1), body(&[(5, 0), (5, 1), (5, 2)]), false),
            (&open, (0, 0), body(&[(5, 0), (5, 1), (5, 2)]), true),
            // The other would be as long after it ate.
            (&open, (0, 0), body(&[(5, 0), (5, 1), (5, 2), (5, 3), (5, 4)]), false),
        ];
        for (mine, (column, row), other, is_ring) in cases {
            let rules = DuelRules::ai_snakes_2020().on(board).unwrap();
            let world = World::new(rules).unwrap();
            let food = Food { cell: board.cell(column, row), value: 1 };
            let start = DuelPosition::new(rules, [mine.clone(), other], [food], 0, 0).unwrap();
            assert_eq!(ring(&State::new(&world, &start)), is_ring.then_some(Seat::First), "{start:?}");
            if !is_ring {
                continue;
            }
            let key = |position: &DuelPosition| -> (Cell, Vec<Cell>) {
                (position.snake(Seat::First).head(), position.snake(Seat::Second).body().collect())
            };
            let (mut seen, mut open) = (HashSet::from([key(&start)]), vec![start]);
            while let Some(position) = open.pop() {
                let snake = position.snake(Seat::First);
                let tail = board.direction(snake.head(), snake.tail()).unwrap();
                for other in Direction::ALL {
                    let mut next = position.clone();
                    let event = next.step([tail, other]);
                    assert!(event.outcome.is_none_or(|outcome| outcome.winner == Some(Seat::First)), "{position:?}");
                    assert!(next.length(Seat::First) > next.length(Seat::Second));
                    if event.outcome.is_none() && seen.insert(key(&next)) {
                        // Only the places matter, so that the clock never runs out.
                        let bodies = Seat::BOTH.map(|seat| DuelBody {
                            cells: next.snake(seat).body().collect(),
                            growth: next.growth(seat) as u16,
                        });
                        open.push(DuelPosition::new(rules, bodies, next.foods().iter().copied(), 0, 0).unwrap());
                    }
                }
            }
            assert!(seen.len() > 200, "{}", seen.len());
        }
    }
}
