//! Pictures of positions and of whole games.
//!
//! A [`Drawing`] describes the contents of each cell, and painters turn it into a picture:
//! [`Scene`] for a terminal (with the default feature `terminal`), [`svg()`] for files and web
//! pages, [`pixels()`] for videos, and [`canvas()`] for the canvas of a web page. A [`Film`]
//! describes a whole game, a [`DuelFilm`] a duel, and [`animation()`] turns them into animated SVG.
//! A [`Legend`] shows who plays a duel, and how it ended.
//!
//! This crate opens no terminal, reads no keys, and writes no files.

mod animation;
mod canvas;
mod digits;
mod drawing;
mod duel_words;
mod film;
mod layers;
mod legend;
mod pixels;
mod seen;
mod style;
mod svg;
#[cfg(feature = "terminal")]
mod terminal;
mod track;

pub use animation::animation;
pub use canvas::{CANVAS_MARGIN, canvas, canvas_colors, canvas_seats};
pub use drawing::{Drawing, DrawnCell, Piece};
pub use duel_words::DuelNames;
pub use film::{DuelFilm, Film};
pub use legend::Legend;
pub use pixels::{Pixels, pixels};
pub use svg::svg;
#[cfg(feature = "terminal")]
pub use terminal::Scene;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
