//! What networks see of a position.

use crate::spec::AgentSpec;
use hognose_env::{Encoder, Observation};
use hognose_game::{Board, Directions, Position, Way};
use std::collections::HashMap;

/// A position and additional knowledge about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NetworkView<'a> {
    /// The position.
    pub(crate) position: &'a Position,
    /// Its allowed moves.
    pub(crate) allowed: Directions,
    /// A way to the next food on which winning is certain, if known; of no steps if the food was
    /// just eaten.
    pub(crate) way: Option<Way>,
}

impl<'a> NetworkView<'a> {
    /// Creates a view of a position without additional knowledge.
    pub(crate) fn new(position: &'a Position, allowed: Directions) -> NetworkView<'a> {
        NetworkView {
            position,
            allowed,
            way: None,
        }
    }
}

/// Writes the input rows of a network: the observation and, if the network sees ways, three more
/// scalars about the way on which winning is certain: steps / area, 1 / (1 + steps), outlook /
/// area. They are 1, 0, 1 if no way is known.
#[derive(Clone, Debug)]
pub(crate) struct Inputs {
    observation: Observation,
    /// The encoders of the boards seen so far.
    encoders: HashMap<Board, Encoder>,
    sees_ways: bool,
    /// The number of values in a row.
    values: usize,
}

impl Inputs {
    pub(crate) fn new(spec: &AgentSpec) -> Inputs {
        Inputs {
            observation: spec.observation,
            encoders: HashMap::new(),
            sees_ways: spec.sees_ways(),
            values: spec.inputs().len(),
        }
    }

    /// Returns the number of values in a row.
    pub(crate) fn values(&self) -> usize {
        self.values
    }

    /// Returns the rows of views, one after another.
    pub(crate) fn rows(&mut self, views: &[NetworkView<'_>]) -> Vec<f32> {
        let mut rows = vec![0.0; views.len() * self.values];
        for (view, row) in views.iter().zip(rows.chunks_exact_mut(self.values)) {
            self.encode(view, row);
        }
        rows
    }

    /// Appends the row of a view.
    pub(crate) fn append(&mut self, view: &NetworkView<'_>, rows: &mut Vec<f32>) {
        let begin = rows.len();
        rows.resize(begin + self.values, 0.0);
        self.encode(view, &mut rows[begin..]);
    }

    /// Writes the row of a view.
    pub(crate) fn encode(&mut self, view: &NetworkView<'_>, out: &mut [f32]) {
        let board = view.position.board();
        let encoder = self
            .encoders
            .entry(board)
            .or_insert_with(|| Encoder::new(self.observation, board));
        let (observation, rest) = out.split_at_mut(encoder.space().len());
        encoder.encode(view.position, view.allowed, observation);
        if self.sees_ways {
            let area = board.area() as f32;
            rest.copy_from_slice(&view.way.map_or([1.0, 0.0, 1.0], |Way { steps, outlook }| {
                let steps = f32::from(steps);
                [
                    (steps / area).min(1.0),
                    1.0 / (1.0 + steps),
                    (outlook as f32 / 1e3 / area).min(1.0),
                ]
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_env::{ActionKind, Mask, Reward};
    use hognose_game::{Game, Rules};

    #[test]
    fn ways_follow_the_observation_where_they_are_seen() {
        let board: Board = "5x4".parse().unwrap();
        let game = Game::new(Rules::new(board), 0);
        let spec = AgentSpec {
            board,
            boards: None,
            observation: Observation::Features,
            action: ActionKind::Relative,
            mask: Mask::Safe,
            plans: None,
            afterstates: None,
            both_images: false,
        };
        let row = |spec: &AgentSpec, way| {
            let mut inputs = Inputs::new(spec);
            let mut row = vec![f32::NAN; spec.inputs().len()];
            inputs.encode(
                &NetworkView {
                    way,
                    ..NetworkView::new(game.position(), game.position().legal_moves())
                },
                &mut row,
            );
            row
        };
        let observation = row(&spec, None);
        assert_eq!(observation.len(), spec.observation.space(board).len());
        let seeing = AgentSpec {
            afterstates: Some(Reward::default()),
            ..spec
        };
        let way = |steps, outlook| Some(Way { steps, outlook });
        for (way, expected) in [
            (None, [1.0, 0.0, 1.0]),
            (way(0, 5000), [0.0, 1.0, 0.25]),
            (way(3, 0), [0.15, 0.25, 0.0]),
            (way(60, 60_000), [1.0, 1.0 / 61.0, 1.0]),
        ] {
            let row = row(&seeing, way);
            let (seen, added) = row.split_at(observation.len());
            assert_eq!((seen, added), (&observation[..], &expected[..]));
        }
    }
}
