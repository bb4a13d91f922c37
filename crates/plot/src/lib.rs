//! Pictures of numbers: SVG text, and PNG made of it with a font of our own, so that they look
//! alike on every machine.

mod charts;
mod tournament;

pub use charts::{
    Band, Curve, PlotError, Sample, Spot, Words, bands, curves, distribution, frontier, histogram,
    png,
};
pub use tournament::{Rated, Score, matrix, ratings};

/// The example of the README is tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
