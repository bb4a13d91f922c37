//! Exact counts of joint move sequences, as chess programs use to verify their rules.

use crate::duel::{DuelPosition, Seat};

/// Returns the number of sequences of `depth` legal joint moves from a position; a sequence that
/// ends the game early counts as one.
pub fn perft(position: &mut DuelPosition, depth: u32) -> u64 {
    if depth == 0 || position.outcome().is_some() {
        return 1;
    }
    let mut count = 0;
    for first in position.legal_moves(Seat::First).iter() {
        for second in position.legal_moves(Seat::Second).iter() {
            position.step([first, second]);
            count += perft(position, depth - 1);
            position.undo();
        }
    }
    count
}
