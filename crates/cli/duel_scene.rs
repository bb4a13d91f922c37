//! How a duel looks in the terminal.

use crate::duel_words::Names;
use crate::screen::Screen;
use hognose_game::Direction;
use hognose_game::duel::{DuelPosition, Seat};
use hognose_viewer::{Drawing, Scene, head_sign};

/// A picture of a duel with both lengths above it, and below it who is longer, or why the game ended.
pub(crate) fn scene(
    names: &Names,
    position: &DuelPosition,
    plans: &[Vec<Direction>; 2],
    screen: &Screen,
    keys: &'static str,
) -> Scene {
    let player = |seat: Seat| format!("{} {} {}", names.of(seat), head_sign(seat), position.length(seat));
    let [first, second] = Seat::BOTH.map(player);
    let (step, limit) = (position.steps(), position.rules().step_limit());
    let paused = if screen.paused { ", paused" } else { "" };
    let note = match position.outcome() {
        None => names.lead(position),
        Some(_) => names.ending(position, step as usize),
    };
    Scene {
        drawing: Drawing::of_duel(position, plans),
        title: format!("{first}, {second}, step {step} of {limit}{paused}"),
        notes: vec![note],
        keys,
    }
}
