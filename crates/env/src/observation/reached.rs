//! Scalars about where the snakes can get to: after each of the three turns, and in a duel also for
//! the opponent.

use super::Scene;
use crate::{Element, Reach};
use hognose_game::duel::DuelView;
use hognose_game::{Cell, Sight};

/// The number of values: four for each of left, straight, right.
pub(super) const SCALARS: usize = 12;
/// The number of values that a duel adds.
pub(super) const DUEL_SCALARS: usize = 4;

/// The searches of an observation.
#[derive(Clone, Debug)]
pub(super) struct Reached {
    own: Reach,
    /// The opponent's, in a duel.
    other: Option<Reach>,
}

impl Reached {
    pub(super) fn new(Scene { board, duel }: Scene) -> Reached {
        Reached {
            own: Reach::new(board),
            other: duel.then(|| Reach::new(board)),
        }
    }

    /// Searches for the own snake and the opponent.
    pub(super) fn search(&mut self, game: impl Sight) {
        self.own.search(game);
        if let (Some(other), Some(duel)) = (&mut self.other, game.duel()) {
            other.search(duel.opponent());
        }
    }

    /// Returns the earliest step in which the own snake and the opponent enter a cell; `None` if
    /// they don't reach it.
    pub(super) fn earliest(&self, cell: Cell) -> [Option<u16>; 2] {
        [
            self.own.earliest(cell),
            self.other.as_ref().and_then(|other| other.earliest(cell)),
        ]
    }

    /// Writes for each turn of the last search: share of the free cells reached, 1 / steps to food
    /// (0 if not reached), steps to food on a `scale` (1 if not reached), tail reached.
    pub(super) fn write<T: Element>(
        &self,
        game: impl Sight,
        scale: impl Fn(u32) -> T,
        out: &mut [T],
    ) {
        let free = free_cells(game);
        for (reach, out) in self.own.moves().iter().zip(out.chunks_exact_mut(4)) {
            out[0] = T::ratio(reach.free_cells, free);
            [out[1], out[2]] = food(reach.food_steps, &scale);
            out[3] = T::bit(reach.tail);
        }
    }

    /// Writes for the opponent's best move 1 / steps to food and steps to food on a `scale`, as
    /// above; the share of the free cells that the own snake reaches before the opponent, and the
    /// share that the opponent reaches first.
    pub(super) fn write_duel<T: Element>(
        &self,
        duel: DuelView<'_>,
        scale: impl Fn(u32) -> T,
        out: &mut [T],
    ) {
        let position = duel.position();
        let steps = self
            .other
            .iter()
            .flat_map(Reach::moves)
            .filter_map(|reach| reach.food_steps)
            .min();
        let mut first = [0, 0];
        for cell in duel
            .board()
            .cells()
            .filter(|&cell| position.covered_by(cell).is_none())
        {
            let [own, other] = self.earliest(cell).map(|step| step.unwrap_or(u16::MAX));
            first[0] += u32::from(own < other);
            first[1] += u32::from(other < own);
        }
        let [near, far] = food(steps, &scale);
        let [own, other] = first.map(|cells| T::ratio(cells, free_cells(duel)));
        out.copy_from_slice(&[near, far, own, other]);
    }
}

/// Returns the number of cells that no body covers, at least 1.
fn free_cells(game: impl Sight) -> u32 {
    let other = game.duel().map_or(0, |duel| duel.other().len());
    ((game.board().area() - game.len() - other) as u32).max(1)
}

/// Returns 1 / steps, or 0 if not reached, and steps on a scale, or 1 if not reached.
fn food<T: Element>(steps: Option<u16>, scale: &impl Fn(u32) -> T) -> [T; 2] {
    steps.map_or([T::ZERO, T::ONE], |steps| {
        [T::ratio(1, steps.into()), scale(steps.into())]
    })
}
