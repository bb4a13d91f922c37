//! Alpha-beta over joint positions, for any judge of the positions at which it ends.

mod alpha_beta;
mod judge;
mod ring;
mod searcher;
mod state;
mod table;

pub(crate) use judge::{Judge, MOST_JUDGED, for_me, ring_value, worth};
pub(crate) use ring::ring;
pub(crate) use searcher::Searcher;
pub(crate) use state::{State, World, moves};
