//! Pictures of positions. A [`Drawing`] says what each cell shows; painters turn it into a picture: [`Scene`] for a
//! terminal (with the default feature `terminal`), and [`svg()`] for files and web pages.
//!
//! This crate opens no terminal, reads no keys, and writes no files.

mod drawing;
mod svg;
#[cfg(feature = "terminal")]
mod terminal;

pub use drawing::{Drawing, DrawnCell, Piece};
pub use svg::svg;
#[cfg(feature = "terminal")]
pub use terminal::Scene;

/// The example of the README is tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
