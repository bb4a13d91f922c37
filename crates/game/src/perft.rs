//! Exact counts of move sequences, as chess programs check their rules.

use crate::Position;

/// The number of sequences of `depth` legal moves from a position; a won game ends its sequence.
pub fn perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    position
        .legal_moves()
        .iter()
        .map(|direction| {
            let mut next = position.clone();
            next.step(direction);
            perft(&next, depth - 1)
        })
        .sum()
}
