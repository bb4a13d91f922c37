//! Compares alpha-beta with minimax: the same moves from fewer positions.

use super::row::Row;
use crate::error::{Error, Result};
use hognose_duel::{Adder, AdderStyle, Budget};
use hognose_game::Direction;
use hognose_game::duel::{Duel, DuelPosition, DuelRules, Seat};
use hognose_game::rng::{self, Purpose};
use serde::Deserialize;

/// A comparison of both searches of `adder` on positions of random games with the rules of 2020.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    place: String,
    says: String,
    /// Search depths, in moves of each snake.
    depths: Vec<u32>,
    positions: u64,
}

/// The random stream of the positions.
const POSITIONS: Purpose = Purpose::new("positions of searches");

impl Search {
    /// Checks that it finishes in a reasonable time.
    pub(super) fn check(&self) -> Result<()> {
        if let Some(depth) = self.depths.iter().find(|depth| !(1..=6).contains(*depth)) {
            return Err(Error::new(format!(
                "the depth of a search must be from 1 to 6, got {depth}"
            )));
        }
        if !(1..=10_000).contains(&self.positions) {
            return Err(Error::new(format!(
                "a search needs 1 to 10000 positions, got {}",
                self.positions
            )));
        }
        Ok(())
    }

    /// Returns a row for each depth.
    pub(super) fn rows(&self) -> Vec<Row> {
        let positions: Vec<DuelPosition> = (0..self.positions).map(position).collect();
        self.depths
            .iter()
            .map(|&depth| self.row(depth, &positions))
            .collect()
    }

    fn row(&self, depth: u32, positions: &[DuelPosition]) -> Row {
        let adder = Adder::new(Budget::Depth(depth), AdderStyle::default());
        let mut same = 0;
        let mut nodes = [0, 0];
        for position in positions {
            let pruned = adder.alpha_beta(position, Seat::First, depth);
            let full = adder.minimax(position, Seat::First, depth);
            same += usize::from((pruned.best, pruned.value) == (full.best, full.value));
            nodes[0] += pruned.nodes;
            nodes[1] += full.nodes;
        }
        let [pruned, full] = nodes.map(|nodes| nodes as f64 / positions.len() as f64);
        let holds = same == positions.len() && pruned <= full;
        Row {
            place: self.place.clone(),
            what: format!("alpha-beta against minimax, {depth} moves of each"),
            published: self.says.clone(),
            measured: format!(
                "the same in {same} of {}; {pruned:.0} nodes instead of {full:.0}",
                positions.len()
            ),
            verdict: if holds { "holds" } else { "does not hold" }.to_owned(),
            agrees: Some(holds),
        }
    }
}

/// Returns an ongoing position after up to 40 random legal moves of both snakes.
fn position(index: u64) -> DuelPosition {
    let mut draws = rng::keyed(0, POSITIONS, index);
    let mut duel = Duel::new(DuelRules::ai_snakes_2020(), index);
    let mut last = duel.position().clone();
    for _ in 0..rng::below(&mut draws, 40) {
        let moves = Seat::BOTH.map(|seat| {
            let legal: Vec<Direction> = duel.position().legal_moves(seat).iter().collect();
            legal
                .get(rng::below(&mut draws, legal.len().max(1) as u64) as usize)
                .copied()
                .unwrap_or(Direction::Up)
        });
        duel.step(moves);
        if duel.position().outcome().is_some() {
            break;
        }
        last = duel.position().clone();
    }
    last
}
