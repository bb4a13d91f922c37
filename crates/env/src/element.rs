//! The number types of observations.

use crate::Batch;
use sealed::Sealed;

/// A value of an observation: `f32` in [0, 1], or `u8` in 0..=255, which is 255 times the ratio,
/// rounded up.
pub trait Element:
    Copy + Default + PartialOrd + Send + Sync + std::fmt::Debug + Sealed + 'static
{
    /// 0.
    const ZERO: Self;
    /// 1 as `f32`, 255 as `u8`.
    const ONE: Self;
    /// Returns `part / whole`, with `part <= whole`; the result is 0 only if `part` is 0.
    fn ratio(part: u32, whole: u32) -> Self;
    /// Returns the value as a number in [0, 1].
    fn to_unit(self) -> f32;

    /// Returns 1 for true and 0 for false.
    #[inline]
    fn bit(bit: bool) -> Self {
        if bit { Self::ONE } else { Self::ZERO }
    }
}

impl Element for f32 {
    const ZERO: f32 = 0.0;
    const ONE: f32 = 1.0;

    #[inline]
    fn ratio(part: u32, whole: u32) -> f32 {
        part as f32 / whole as f32
    }

    fn to_unit(self) -> f32 {
        self
    }
}

impl Element for u8 {
    const ZERO: u8 = 0;
    const ONE: u8 = 255;

    #[inline]
    fn ratio(part: u32, whole: u32) -> u8 {
        (255 * u64::from(part)).div_ceil(whole.into()) as u8
    }

    fn to_unit(self) -> f32 {
        f32::from(self) / 255.0
    }
}

/// Tables of ratios, which save divisions.
#[derive(Clone, Debug)]
pub(crate) struct Ratios {
    units: Box<[f32]>,
    bytes: Box<[u8]>,
}

impl Ratios {
    pub(crate) fn of(whole: usize) -> Ratios {
        Ratios::new(whole, |_| whole)
    }

    /// Creates the ratios n / (n + half) for n up to `greatest`.
    pub(crate) fn soft(greatest: usize, half: usize) -> Ratios {
        Ratios::new(greatest, |part| part + half)
    }

    fn new(greatest: usize, whole: impl Fn(usize) -> usize) -> Ratios {
        fn all<T: Element>(greatest: usize, whole: impl Fn(usize) -> usize) -> Box<[T]> {
            (0..=greatest)
                .map(|part| T::ratio(part as u32, whole(part) as u32))
                .collect()
        }
        Ratios {
            units: all(greatest, &whole),
            bytes: all(greatest, whole),
        }
    }

    /// Returns the ratios, indexed by part.
    #[inline(always)]
    pub(crate) fn get<T: Element>(&self) -> &[T] {
        T::choose(&self.units, &self.bytes)
    }
}

/// Selects between the `f32` and the `u8` version of things.
pub(crate) mod sealed {
    use super::Batch;

    /// A batch of either element.
    #[derive(Debug)]
    pub enum AnyBatch<'a> {
        F32(Batch<'a, f32>),
        U8(Batch<'a, u8>),
    }

    pub trait Sealed: Sized {
        fn any(batch: Batch<'_, Self>) -> AnyBatch<'_>;
        fn choose<'a>(units: &'a [f32], bytes: &'a [u8]) -> &'a [Self];
    }

    impl Sealed for f32 {
        fn any(batch: Batch<'_, f32>) -> AnyBatch<'_> {
            AnyBatch::F32(batch)
        }

        #[inline(always)]
        fn choose<'a>(units: &'a [f32], _: &'a [u8]) -> &'a [f32] {
            units
        }
    }

    impl Sealed for u8 {
        fn any(batch: Batch<'_, u8>) -> AnyBatch<'_> {
            AnyBatch::U8(batch)
        }

        #[inline(always)]
        fn choose<'a>(_: &'a [f32], bytes: &'a [u8]) -> &'a [u8] {
            bytes
        }
    }
}
