//! Bots for duels of two snakes: simple bots, searches, and a search on a learned value.

mod adder;
mod bits;
mod budget;
mod exact;
mod exploit;
mod flood;
mod hognose;
mod matrix;
mod nega;
mod one_ply;
mod reach;
mod rings;
mod search;
mod selfplay;
mod simple;
mod table;

pub use adder::{Adder, AdderSearch, AdderStyle, Circles, Scenario, Waiting};
pub use budget::{Budget, BudgetError, Meter};
pub use exact::{Choice, ExactError, Layer, NashConv, Positions, Solver, check_bot, nash_conv};
pub use exploit::Exploit;
pub use hognose::Hognose;
pub use matrix::{MOST, Matrix, Solution};
pub use nega::Nega;
pub use one_ply::OnePly;
pub use reach::Reach;
pub use rings::{Enclosure, rings};
pub use selfplay::{
    DuelEncoder, Features, InputSizes, Selfplay, ValueFile, ValueNetwork, as_share,
};
pub use simple::{Greedy, Random, Sample, Search};

/// Tests the examples in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
