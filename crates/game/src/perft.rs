//! Exact counts of move sequences, as chess programs use to verify their rules.

use crate::Position;

/// Returns the number of sequences of `depth` legal moves from a position; shorter games don't
/// count.
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
