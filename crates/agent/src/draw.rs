//! Draws that both replay and exploration need.

use hognose_game::rng::{self, Generator};

/// A uniform draw from [0, 1).
pub fn unit(draws: &mut Generator) -> f64 {
    const ONE: u64 = 1 << 53;
    rng::below(draws, ONE) as f64 / ONE as f64
}
