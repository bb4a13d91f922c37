//! Hand-crafted inputs: room, foods, lengths and time.

use super::encoder::{DuelEncoder, InputSizes};
use crate::bits::Bits;
use crate::reach::Areas;
use crate::search::{State, World, ring};
use hognose_game::Unsupported;
use hognose_game::duel::{DuelPosition, DuelRules, Seat};
use multiversion::multiversion;

/// An encoder of positions by hand-crafted features: for each snake the cells that it reaches
/// first, soon and ever, its path to the food, its length, moves and borders, and how far it
/// encloses the food; for both the distance of their heads, the remaining time and the state of the
/// food. It supports boards with sides of at most 16 cells.
#[derive(Debug)]
pub struct Features {
    world: World,
}

/// The number of inputs of one snake.
const SEAT: usize = 36;
/// The number of shared inputs.
const SHARED: usize = 18;
pub(crate) const SIZES: InputSizes = InputSizes {
    seat: SEAT,
    shared: SHARED,
};
/// The size of an encoded position in bytes.
pub(crate) const RECORD: usize = 2 * SEAT + SHARED;

impl Features {
    /// Makes an encoder for positions of these rules.
    ///
    /// # Errors
    /// Fails if the board is too large.
    pub fn new(rules: DuelRules) -> Result<Features, Unsupported> {
        Ok(Features {
            world: World::new(rules, "features are computed")?,
        })
    }
}

impl DuelEncoder for Features {
    fn sizes(&self) -> InputSizes {
        SIZES
    }

    fn encode(&self, position: &DuelPosition, into: &mut [u8]) {
        into.copy_from_slice(&encode(&State::new(&self.world, position)));
    }

    fn certain_winner(&self, position: &DuelPosition) -> Option<Seat> {
        let may_be = self.world.is_ring_safe
            && Seat::BOTH.into_iter().any(|seat| {
                let snake = position.snake(seat);
                position
                    .board()
                    .direction(snake.head(), snake.tail())
                    .is_some()
            });
        may_be
            .then(|| ring(&State::new(&self.world, position)))
            .flatten()
    }
}

/// Returns a share of a whole as a byte.
#[inline(always)]
fn share(part: u16, whole: u16) -> u8 {
    (255 * u32::from(part.min(whole)) / u32::from(whole)) as u8
}

#[inline]
fn flag(is_so: bool) -> u8 {
    if is_so { 255 } else { 0 }
}

/// The features from the reach of both snakes.
struct Found {
    areas: Areas,
    /// By seat: the number of cells reached first within 3 and 7 steps.
    soon: [[u16; 2]; 2],
    /// By seat: the number of cells entered in the second, third and fourth step.
    opening: [[u16; 3]; 2],
    /// The cells that both enter in the same step.
    contested: Bits,
    /// By seat: the steps to the nearest food.
    food: [Option<u16>; 2],
    /// By seat: the value of the foods that it reaches first.
    first: [u16; 2],
    /// The value of the foods that both reach in the same step.
    together: u16,
}

/// Computes the reach of both snakes.
#[inline(always)]
fn look(state: &State) -> Found {
    let mut spread = state.spread(Seat::BOTH);
    let mut soon = [[0; 2]; 2];
    let mut opening = [[0; 3]; 2];
    let mut contested = Bits::EMPTY;
    let mut food = [None; 2];
    let mut fed = [Bits::EMPTY; 2];
    let mut first = [0; 2];
    let mut together = 0;
    let value = |foods: Bits| {
        foods
            .iter()
            .map(|food| u16::from(state.food_value(food)))
            .sum::<u16>()
    };
    let mut last = 0;
    while let Some((step, entered)) = spread.next(|seat, step| state.left(seat, step)) {
        last = step;
        for seat in [0, 1] {
            match step {
                2..=4 => opening[seat][usize::from(step - 2)] = entered[seat].len(),
                7 => soon[seat][1] = spread.nearer()[seat].len(),
                _ => {}
            }
            if step == 3 {
                soon[seat][0] = spread.nearer()[seat].len();
            }
        }
        contested |= entered[0] & entered[1];
        let foods = [0, 1].map(|seat| entered[seat] & state.foods);
        if !(foods[0] | foods[1]).is_empty() {
            let others = [fed[1] | foods[1], fed[0] | foods[0]];
            for seat in [0, 1] {
                if !foods[seat].is_empty() {
                    food[seat] = food[seat].or(Some(step));
                    first[seat] += value(foods[seat] & !others[seat]);
                }
                fed[seat] |= foods[seat];
            }
            together += value(foods[0] & foods[1]);
        }
    }
    let areas = spread.finish();
    for seat in [0, 1] {
        let nearer = areas.nearer[seat].len();
        if last < 3 {
            soon[seat][0] = nearer;
        }
        if last < 7 {
            soon[seat][1] = nearer;
        }
    }
    Found {
        areas,
        soon,
        opening,
        contested,
        food,
        first,
        together,
    }
}

/// Encodes a position of an ongoing game.
///
/// It is also compiled for wider registers; the result is the same.
#[multiversion(targets(
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt+avx512f",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub(crate) fn encode(state: &State<'_>) -> [u8; RECORD] {
    let found = look(state);
    let mut record = [0; RECORD];
    for (seat, into) in Seat::BOTH.into_iter().zip(record.chunks_exact_mut(SEAT)) {
        into.copy_from_slice(&of_seat(state, &found, seat));
    }
    record[2 * SEAT..].copy_from_slice(&of_both(state, &found));
    record
}

#[inline(always)]
fn of_seat(state: &State, found: &Found, seat: Seat) -> [u8; SEAT] {
    let grid = &state.world.grid;
    let index = seat.index();
    let other = seat.other().index();
    let area = grid.all().len();
    let nearer = found.areas.nearer[index].len();
    let reached = found.areas.reached[index].len();
    let length = state.length(seat);
    let lead = state
        .length(seat)
        .saturating_sub(state.length(seat.other()));
    let is_shut_in = !found.areas.has_room[index] && reached < length;
    let moves = state.legal_moves(seat).len();
    let steps = found.food[index];
    let ahead = match (steps, found.food[other]) {
        (Some(own), Some(others)) => others.saturating_sub(own),
        (Some(_), None) => 8,
        _ => 0,
    };
    let is_in_time = steps.is_some_and(|steps| steps <= state.steps_to_redraw());
    let taken = state.taken(seat);
    let beside = grid.around(state.foods) & grid.all();
    let around = (grid.around(beside) | beside) & grid.all() & !state.foods;
    let covered = |cells: Bits| share((cells & taken).len(), cells.len().max(1));
    let [to_border, to_corner] = state.borders(seat);
    let tail = Bits::of(state.tail(seat));
    [
        share(nearer, area),
        share(found.soon[index][0], 16),
        share(found.soon[index][1], 64),
        share(reached, area),
        share(found.opening[index][0], 6),
        share(found.opening[index][1], 9),
        share(found.opening[index][2], 12),
        flag(is_shut_in),
        if is_shut_in { share(reached, 24) } else { 255 },
        share(reached, length + 8),
        flag(moves == 0),
        flag(moves == 1),
        flag(moves == 2),
        steps.map_or(0, |steps| (255 / steps.max(1)) as u8),
        steps.map_or(255, |steps| share(steps, 28)),
        share(found.first[index], 1),
        share(found.first[index], 8),
        share(ahead, 2),
        share(ahead, 8),
        flag(is_in_time),
        flag(is_in_time && found.first[index] > 0),
        flag(lead >= 1),
        flag(lead >= 2),
        flag(lead >= 3),
        share(lead, 8),
        share(lead, 24),
        share(length, 32),
        share(length, 100),
        flag(state.growth(seat) > 0),
        flag(length >= 8 && length.is_multiple_of(2)),
        flag(!(found.areas.reached[index] & tail).is_empty()),
        flag(state.is_ring(seat)),
        covered(beside),
        covered(around),
        share(to_border, 4),
        share(to_corner, 6),
    ]
}

#[inline(always)]
fn of_both(state: &State, found: &Found) -> [u8; SHARED] {
    let distance = state.distance();
    let left = u16::try_from(state.steps_left()).unwrap_or(u16::MAX);
    let redraw = state.steps_to_redraw();
    let full = state.length(Seat::First) + state.length(Seat::Second);
    let area = state.world.grid.all().len();
    let open = (state.world.grid.around(state.foods) & state.world.grid.all()).len();
    [
        share(distance, 26),
        flag(distance == 1),
        flag(distance == 2),
        flag(distance == 3),
        flag(distance == 4),
        flag(distance.is_multiple_of(2)),
        share(found.contested.len(), 32),
        share(left, 900),
        share(left, 150),
        share(left, 30),
        if redraw == u16::MAX {
            255
        } else {
            share(redraw, 16)
        },
        flag(state.foods.is_empty()),
        flag(found.food == [None; 2]),
        share(found.together, 1),
        share(full, area),
        flag(open == 3),
        flag(open == 2),
        flag(state.lead().is_some()),
    ]
}
