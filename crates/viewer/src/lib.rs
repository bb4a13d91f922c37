//! Pictures of positions and of whole games.
//!
//! A [`Drawing`] says what each cell shows, and painters turn it into a picture: [`Scene`] for a terminal (with the
//! default feature `terminal`), [`svg()`] for files and web pages, and [`pixels()`] for videos. A [`Film`] says it of a
//! whole game, a [`DuelFilm`] of a duel, and [`animation()`] turns them into SVG pictures that move.
//!
//! This crate opens no terminal, reads no keys, and writes no files.

mod animation;
mod digits;
mod drawing;
mod film;
mod pixels;
mod seen;
mod style;
mod svg;
#[cfg(feature = "terminal")]
mod terminal;
mod track;

pub use animation::animation;
pub use drawing::{Drawing, DrawnCell, Piece};
pub use film::{DuelFilm, Film};
pub use pixels::{Pixels, pixels};
pub use svg::svg;
#[cfg(feature = "terminal")]
pub use terminal::{Scene, head_sign};

/// The example of the README is tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
