//! Charts as SVG text, and as PNG with an embedded font, which makes them look the same on every
//! machine.

mod charts;
mod tournament;

pub use charts::{
    Band, Curve, PlotError, Sample, Spot, Words, bands, curves, distribution, frontier, histogram,
    log_curves, png,
};
pub use tournament::{Rated, Score, matrix, ratings};

/// Tests the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
