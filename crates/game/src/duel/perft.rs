//! Exact counts of sequences of joint moves, as chess programs check their rules.

use crate::duel::{DuelPosition, Seat};

/// The number of sequences of `depth` joint moves from a position, each of a legal move of either
/// snake; a game that ends ends its sequence, which counts.
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
