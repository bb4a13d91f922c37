//! What the page shows of a game.

use crate::answer::json;
use crate::history::History;
use hognose_env::Reach;
use hognose_eval::End;
use hognose_game::{Cell, Overlay, Position, Status};
use hognose_viewer::{CANVAS_MARGIN, Drawing, canvas, canvas_colors, canvas_seats};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

/// The colors of pictures, by the numbers that pictures name them by: those for light or for dark
/// pages.
#[wasm_bindgen]
pub fn colors(dark: bool) -> Vec<String> {
    canvas_colors(dark)
}

/// The numbers of the colors of a duel: of the body and the head of the first snake, and of the
/// second one.
#[wasm_bindgen]
pub fn seats() -> Vec<usize> {
    canvas_seats().concat()
}

/// The width of the empty border around a board, in cells.
#[wasm_bindgen]
pub fn margin() -> f32 {
    CANVAS_MARGIN
}

/// What is known of a game at the step that is looked at.
#[derive(Serialize)]
struct Facts {
    step: usize,
    /// The moves that were made so far, be they looked at or not.
    played: usize,
    length: usize,
    area: usize,
    /// The column and the row of the head.
    head: [usize; 2],
    foods: u32,
    /// Steps since the last food.
    hunger: u32,
    /// Why the game ended, if this is its end.
    end: Option<End>,
}

/// What is known of a game at the step that is looked at, as JSON.
pub(crate) fn facts(history: &History) -> String {
    let game = history.game();
    let position = history.position();
    let board = position.board();
    json(&Facts {
        step: history.step(),
        played: history.moves().len(),
        length: position.len(),
        area: board.area(),
        head: [board.column(position.head()), board.row(position.head())],
        foods: game.foods(),
        hunger: game.hunger(),
        end: game.end(),
    })
}

/// The picture of a position, with what is to be shown of what a policy has in mind, and with the
/// cells marked that the head can reach.
pub(crate) fn picture(
    position: &Position,
    overlay: &Overlay,
    reach: Option<&mut Reach>,
) -> Vec<f32> {
    let reached = reach
        .map(|reach| reached(position, reach))
        .unwrap_or_default();
    canvas(&Drawing::new(position, overlay), reached)
}

/// The cells that the head can reach, given that the body moves on.
fn reached(position: &Position, reach: &mut Reach) -> Vec<Cell> {
    if position.status() != Status::Ongoing {
        return Vec::new();
    }
    reach.search(position);
    position
        .board()
        .cells()
        .filter(|&cell| reach.earliest(cell).is_some())
        .collect()
}
