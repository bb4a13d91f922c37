//! Shared parts of duel observations.

use crate::Element;
use crate::element::Ratios;
use hognose_game::duel::DuelView;
use hognose_game::{Cell, Sight};

/// The number of values that [`write_scalars`] writes.
pub(super) const SCALARS: usize = 5;

/// Returns the pending growth of the own snake; 0 with one snake.
#[inline(always)]
pub(super) fn growth(game: impl Sight) -> usize {
    game.duel().map_or(0, DuelView::growth)
}

/// Returns the length of the own snake, including pending growth.
#[inline(always)]
pub(super) fn length(game: impl Sight) -> usize {
    game.len() + growth(game)
}

/// Returns the cells of the own body from head to tail, with the steps until the body leaves them.
#[inline(always)]
pub(super) fn countdowns(game: impl Sight) -> impl Iterator<Item = (Cell, usize)> {
    let length = length(game);
    (0..game.len()).map(move |behind| (game.body_cell(behind), length - behind))
}

/// Visits each food with its value, as a share of the highest possible value.
#[inline(always)]
pub(super) fn each_food<T: Element>(game: impl Sight, mut visit: impl FnMut(Cell, T)) {
    for (nth, cell) in game.foods().enumerate() {
        let worth = game.duel().map_or(T::ONE, |duel| {
            let position = duel.position();
            T::ratio(
                position.foods()[nth].value.into(),
                (*position.rules().values().end()).into(),
            )
        });
        visit(cell, worth);
    }
}

/// Returns both clocks: steps until food is redrawn / the steps after which it is redrawn, 1 if it
/// stays; steps left / step limit.
#[inline]
pub(super) fn clocks<T: Element>(duel: DuelView<'_>) -> [T; 2] {
    let position = duel.position();
    let rules = duel.position().rules();
    let redraw = rules.redraw_after().map_or(T::ONE, |steps| {
        T::ratio((steps - position.hunger()).into(), steps.into())
    });
    [
        redraw,
        T::ratio(rules.step_limit() - position.steps(), rules.step_limit()),
    ]
}

/// Writes the opponent's length / area; longer than the opponent; shorter than the opponent; both
/// clocks.
pub(super) fn write_scalars<T: Element>(duel: DuelView<'_>, of_area: &Ratios, out: &mut [T]) {
    let length = length(duel.opponent()).min(duel.board().area());
    let [redraw, steps] = clocks(duel);
    out.copy_from_slice(&[
        of_area.get()[length],
        T::bit(duel.lead() > 0),
        T::bit(duel.lead() < 0),
        redraw,
        steps,
    ]);
}
