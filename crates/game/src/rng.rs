//! Randomness keyed by (seed, purpose, index), so that nothing depends on threads, batch sizes or
//! the order of work.
//!
//! Draws that must replay forever use [`below`] with [`Generator`], a named algorithm: `rand`'s own
//! distributions may change between releases.

use rand::{Rng, SeedableRng};

/// xoshiro256++ (Blackman and Vigna, 2019).
pub type Generator = rand::rngs::Xoshiro256PlusPlus;

/// The use of a random stream: two purposes of one seed share no numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Purpose(u64);

impl Purpose {
    /// Creates the purpose with this name.
    pub const fn new(name: &str) -> Purpose {
        Purpose(fnv1a(FNV_START, name.as_bytes()))
    }
}

/// The FNV-1a hash of an empty input, which [`fnv1a`] starts from.
pub const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// Continues a hash with more bytes (FNV-1a; Fowler, Noll, Vo, 1991).
pub const fn fnv1a(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01b3);
        i += 1;
    }
    hash
}

/// Derives a new seed, a pure function of (seed, purpose, index).
#[inline]
pub fn derive(seed: u64, purpose: Purpose, index: u64) -> u64 {
    let mut hash = mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15));
    hash = mix(hash ^ purpose.0);
    mix(hash.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

/// Returns the generator keyed by (seed, purpose, index).
#[inline]
pub fn keyed(seed: u64, purpose: Purpose, index: u64) -> Generator {
    Generator::seed_from_u64(derive(seed, purpose, index))
}

/// Draws uniformly from 0..bound, without bias (Lemire, 2019); `bound` must not be 0.
#[inline]
pub fn below(generator: &mut Generator, bound: u64) -> u64 {
    debug_assert!(bound > 0);
    let mut product = u128::from(generator.next_u64()) * u128::from(bound);
    if (product as u64) < bound {
        let threshold = bound.wrapping_neg() % bound;
        while (product as u64) < threshold {
            product = u128::from(generator.next_u64()) * u128::from(bound);
        }
    }
    (product >> 64) as u64
}

/// Applies the finalizer of SplitMix64 (Steele, Lea, Flood, 2014).
#[inline]
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These numbers must never change, or old records no longer replay.
    #[test]
    fn streams_are_pinned() {
        let mut generator = keyed(1, Purpose::new("food"), 2);
        let draws: Vec<u64> = (0..6).map(|_| below(&mut generator, 100)).collect();
        assert_eq!(draws, PINNED);
        assert_ne!(
            derive(0, Purpose::new("a"), 0),
            derive(0, Purpose::new("b"), 0)
        );
    }
    const PINNED: [u64; 6] = [55, 55, 82, 26, 69, 57];

    #[test]
    fn below_is_uniform() {
        let mut generator = keyed(3, Purpose::new("test"), 0);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[below(&mut generator, 7) as usize] += 1;
        }
        // Five standard deviations, each about 93.
        assert!(
            counts.iter().all(|count| count.abs_diff(10_000) < 465),
            "{counts:?}"
        );
    }
}
