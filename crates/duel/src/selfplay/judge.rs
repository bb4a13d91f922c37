//! The learned value in a search.

use super::features;
use super::network::ValueNetwork;
use crate::search::{Judge, MOST_JUDGED, State, for_me};
use crate::table::Table;
use hognose_game::duel::Seat;
use std::sync::Arc;

/// Judges positions by a network that sees features.
#[derive(Debug)]
pub(crate) struct Learned {
    network: Arc<ValueNetwork>,
    draw: f32,
    /// Values that were computed lately: a search comes to some positions again. With more places, reading them takes as
    /// long as it saves.
    known: Table<f32, { 1 << 15 }>,
}

impl Learned {
    /// `draw` is the worth of a draw, where -1 is a loss and 1 a win.
    pub(crate) fn new(network: Arc<ValueNetwork>, draw: f32) -> Learned {
        Learned { network, draw, known: Table::new() }
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
        let value = self.known.get(key).unwrap_or_else(|| {
            let value = self.network.value(&features::encode(state));
            self.known.put(key, state.steps(), value);
            value
        });
        for_me(me, Seat::First, (WON * value) as i32)
    }

    fn share(&self, value: i32) -> f64 {
        (f64::from(value) / f64::from(WON)).clamp(-1.0, 1.0)
    }
}
