//! What observations of duels have in common.

use crate::Element;
use crate::element::Ratios;
use hognose_game::duel::DuelView;
use hognose_game::{Cell, Sight};

/// How many numbers [`write_scalars`] writes.
pub(super) const SCALARS: usize = 5;

/// The steps in which the own snake still grows, whatever it eats.
#[inline(always)]
pub(super) fn growth(game: impl Sight) -> usize {
    game.duel().map_or(0, DuelView::growth)
}

/// Visits each food with what it is worth, as a share of what the best food is worth.
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

/// The steps until food is drawn again / the steps after which that happens, 1 if it stays; steps
/// left / step limit.
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

/// The other's length / area; longer than the other; shorter than the other; both clocks.
pub(super) fn write_scalars<T: Element>(duel: DuelView<'_>, of_area: &Ratios, out: &mut [T]) {
    let length = duel
        .position()
        .length(duel.opponent().seat())
        .min(duel.board().area());
    let [redraw, steps] = clocks(duel);
    out.copy_from_slice(&[
        of_area.get()[length],
        T::bit(duel.lead() > 0),
        T::bit(duel.lead() < 0),
        redraw,
        steps,
    ]);
}
