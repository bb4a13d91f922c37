//! Values of positions in a search.

use super::state::State;
use hognose_game::duel::Seat;

/// The value of a win, before subtracting the steps until it.
const WIN: i32 = 1_000_000;
/// The value of a certain win at the step limit, before subtracting the steps until it is certain.
const RING: i32 = 300_000;
/// Greater than any value that a judge returns.
pub(crate) const MOST_JUDGED: i32 = 100_000;

/// A judge of positions.
pub(crate) trait Judge {
    /// Returns the value of a draw.
    fn draw(&self) -> i32;

    /// Returns the value of an ongoing game's position for `me`, within [`MOST_JUDGED`] of 0.
    fn judge(&mut self, state: &State, me: Seat) -> i32;

    /// Converts a value to a share of a win, from -1 to 1, for mixed strategies.
    fn share(&self, value: i32) -> f64;
}

/// Returns the value for `me` of a position at which a search ends.
pub(crate) fn worth(judge: &mut impl Judge, state: &State, me: Seat) -> i32 {
    if !state.is_over() {
        return judge.judge(state, me);
    }
    match state.winner() {
        None => judge.draw(),
        Some(winner) => for_me(me, winner, WIN - late(state)),
    }
}

/// Returns the value for `me` of a position in which a seat is certain to win at the step limit.
pub(crate) fn ring_value(state: &State, me: Seat, seat: Seat) -> i32 {
    for_me(me, seat, RING - late(state))
}

/// Returns whether a value means that the game is decided.
pub(crate) fn is_decided(value: i32) -> bool {
    value.abs() > WIN / 2
}

/// Converts a value for one seat to a value for `me`.
pub(crate) fn for_me(me: Seat, seat: Seat, value: i32) -> i32 {
    if seat == me { value } else { -value }
}

/// Returns the number of steps so far, capped.
fn late(state: &State) -> i32 {
    state.steps().min(100_000) as i32
}
