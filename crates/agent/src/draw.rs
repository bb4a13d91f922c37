//! Random draws shared by replay and exploration.

use hognose_game::rng::{self, Generator};

/// Draws uniformly from [0, 1).
pub fn unit(draws: &mut Generator) -> f64 {
    const ONE: u64 = 1 << 53;
    rng::below(draws, ONE) as f64 / ONE as f64
}
