//! The learned value in a search.

use super::features;
use super::network::{ValueNetwork, value_of};
use crate::search::{Judge, MOST_JUDGED, State, for_me};
use crate::table::Table;
use hognose_game::duel::Seat;
use std::sync::Arc;

/// A judge that values positions by a network on features.
#[derive(Debug)]
pub(crate) struct Learned {
    network: Arc<ValueNetwork>,
    draw: f32,
    lead: f32,
    /// Recently computed values, since searches revisit positions. With more places, reading them
    /// takes as long as it saves.
    known: Table<f32, { 1 << 15 }>,
}

impl Learned {
    /// Makes a judge. `draw` is the value of a draw, from -1 for a loss to 1 for a win. `lead` is
    /// the addition to the learned log-odds of winning for each cell of a lead in length.
    pub(crate) fn new(network: Arc<ValueNetwork>, draw: f32, lead: f32) -> Learned {
        Learned {
            network,
            draw,
            lead,
            known: Table::new(),
        }
    }

    /// Returns the value for the first seat, from -1 to 1.
    fn value(&self, state: &State) -> f32 {
        let [first, second] = Seat::BOTH.map(|seat| f32::from(state.length(seat)));
        value_of(self.network.logit(&features::encode(state)) + self.lead * (first - second))
    }
}

/// The value of a win among learned values.
const WON: f32 = (MOST_JUDGED - 1000) as f32;

impl Judge for Learned {
    fn draw(&self) -> i32 {
        (WON * self.draw) as i32
    }

    fn judge(&mut self, state: &State, me: Seat) -> i32 {
        let key = state.key();
        let value = self.known.get(key).unwrap_or_else(|| {
            let value = self.value(state);
            self.known.put(key, state.steps(), value);
            value
        });
        for_me(me, Seat::First, (WON * value) as i32)
    }

    fn share(&self, value: i32) -> f64 {
        (f64::from(value) / f64::from(WON)).clamp(-1.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::World;
    use hognose_game::duel::{DuelBody, DuelPosition, DuelRules};

    /// Returns a network that gives both seats even odds in every position.
    fn even() -> Arc<ValueNetwork> {
        Arc::new(
            ValueNetwork::new(
                features::SIZES,
                vec![(vec![0.0; features::RECORD], vec![0.0])],
            )
            .unwrap(),
        )
    }

    /// A lead counts for the longer snake, whichever seat asks, and each of its cells adds equally
    /// to the log-odds.
    #[test]
    fn each_cell_of_a_lead_adds_to_the_log_odds() {
        let rules = DuelRules::ai_snakes_2021();
        let world = World::new(rules, "a test plays").unwrap();
        for growth in [[0, 0], [0, 1], [2, 0], [3, 7]] {
            let bodies = Seat::BOTH.map(|seat| DuelBody {
                cells: rules.body(seat).collect(),
                growth: growth[seat.index()],
            });
            let position = DuelPosition::new(rules, bodies, [], 10, 0).unwrap();
            let state = State::new(&world, &position);
            let mut judge = Learned::new(even(), 0.0, 0.2);
            let odds = (0.2 * (f64::from(growth[0]) - f64::from(growth[1]))).exp();
            let value = (odds - 1.0) / (odds + 1.0);
            for (seat, expected) in Seat::BOTH.into_iter().zip([value, -value]) {
                let judged = judge.judge(&state, seat);
                assert!(
                    (judge.share(judged) - expected).abs() < 1e-4,
                    "{growth:?} {seat}: {judged}"
                );
            }
        }
    }
}
