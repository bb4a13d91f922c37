//! What positions are worth to a search.

use super::state::State;
use hognose_game::duel::Seat;

/// A win, less the steps until it.
const WIN: i32 = 1_000_000;
/// A win by the clock that is certain, less the steps until it is.
const RING: i32 = 300_000;
/// More than any value that a judge gives.
pub(crate) const MOST_JUDGED: i32 = 100_000;

/// Says what positions are worth.
pub(crate) trait Judge {
    /// What a draw is worth.
    fn draw(&self) -> i32;

    /// What a position in which the game goes on is worth to me, within [`MOST_JUDGED`] of 0.
    fn judge(&mut self, state: &State, me: Seat) -> i32;

    /// A value as a share of a win, from -1 to 1, where moves are mixed.
    fn share(&self, value: i32) -> f64;
}

/// What a position at which a search ends is worth to me.
pub(crate) fn worth(judge: &mut impl Judge, state: &State, me: Seat) -> i32 {
    if !state.is_over() {
        return judge.judge(state, me);
    }
    match state.winner() {
        None => judge.draw(),
        Some(winner) => for_me(me, winner, WIN - late(state)),
    }
}

/// What a position is worth to me in which a seat wins by the clock for certain.
pub(crate) fn ring_value(state: &State, me: Seat, seat: Seat) -> i32 {
    for_me(me, seat, RING - late(state))
}

/// Whether a value says that the game is decided.
pub(crate) fn is_decided(value: i32) -> bool {
    value.abs() > WIN / 2
}

/// What is good for one seat, seen from mine.
pub(crate) fn for_me(me: Seat, seat: Seat, value: i32) -> i32 {
    if seat == me { value } else { -value }
}

/// How late it is. After so many steps, later ones are as late.
fn late(state: &State) -> i32 {
    state.steps().min(100_000) as i32
}
