//! The learned value in a search.

use super::features;
use super::network::ValueNetwork;
use crate::search::{Judge, MOST_JUDGED, State, for_me};
use hognose_game::duel::Seat;
use std::sync::Arc;

/// Judges positions by a network that sees features.
#[derive(Debug)]
pub(crate) struct Learned {
    network: Arc<ValueNetwork>,
    draw: f32,
    /// Values that were computed lately, with the keys of their positions: a search comes to some positions again.
    known: Box<[(u64, f32)]>,
}

/// As many values are kept, in half a MiB. With more, reading them takes as long as it saves.
const KNOWN: usize = 1 << 15;

impl Learned {
    /// `draw` is the worth of a draw, where -1 is a loss and 1 a win.
    pub(crate) fn new(network: Arc<ValueNetwork>, draw: f32) -> Learned {
        Learned { network, draw, known: vec![(0, 0.0); KNOWN].into() }
    }
}

/// What a win is worth among learned values.
const WON: f32 = (MOST_JUDGED - 1000) as f32;

impl Judge for Learned {
    fn draw(&self) -> i32 {
        (WON * self.draw) as i32
    }

    fn judge(&mut self, state: &State, me: Seat) -> i32 {
        let key = state.key();
        let place = &mut self.known[key as usize % KNOWN];
        if place.0 != key {
            *place = (key, self.network.value(&features::encode(state)));
        }
        let value = place.1;
        for_me(me, Seat::First, (WON * value) as i32)
    }

    fn share(&self, value: i32) -> f64 {
        (f64::from(value) / f64::from(WON)).clamp(-1.0, 1.0)
    }
}
