//! Pictures of duels in the terminal.

use crate::screen::Screen;
use hognose_game::Direction;
use hognose_game::duel::{DuelPosition, Seat};
use hognose_viewer::{Drawing, DuelNames, Legend, Scene};

/// Returns a picture of a duel with both lengths above it, and below it the players and who is
/// longer or why the duel ended. Without a terminal, the board is text, and names precede the
/// lengths.
pub(crate) fn scene(
    names: &DuelNames,
    position: &DuelPosition,
    plans: &[Vec<Direction>; 2],
    legend: Legend,
    screen: &Screen,
    keys: &'static str,
) -> Scene {
    let lengths = Seat::BOTH.map(|seat| position.length(seat));
    let step = position.steps();
    let limit = position.rules().step_limit();
    let step_of = format!("step {step} of {limit}");
    let title = match screen.is_terminal() {
        true => format!("{step_of}, lengths {} and {}", lengths[0], lengths[1]),
        false => {
            // The heads as they appear in the text of a position.
            let [first, second] =
                Seat::BOTH.map(|seat| format!("{} {}", names.of(seat), ['A', 'B'][seat.index()]));
            format!("{first} {}, {second} {}, {step_of}", lengths[0], lengths[1])
        }
    };
    let note = match position.outcome() {
        None => names.lead(position),
        Some(_) => names.ending(position, step as usize),
    };
    let paused = if screen.paused { ", paused" } else { "" };
    Scene {
        drawing: Drawing::of_duel(position, plans).with_legend(legend),
        title: format!("{title}{paused}"),
        notes: vec![note],
        keys,
    }
}
