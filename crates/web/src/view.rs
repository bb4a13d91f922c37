//! Pictures and facts that the page shows of a game.

use crate::answer::json;
use crate::history::History;
use hognose_env::Reach;
use hognose_eval::End;
use hognose_game::{Cell, Overlay, Position, Status};
use hognose_viewer::{CANVAS_MARGIN, Drawing, canvas, canvas_colors, canvas_seats};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

/// Returns the colors of pictures, indexed by the numbers in pictures, for light or dark pages.
#[wasm_bindgen]
pub fn colors(dark: bool) -> Vec<String> {
    canvas_colors(dark)
}

/// Returns the color numbers of a duel: the body and the head of the first snake, then of the
/// second one.
#[wasm_bindgen]
pub fn seats() -> Vec<usize> {
    canvas_seats().concat()
}

/// Returns the width of the empty border around a board, in cells.
#[wasm_bindgen]
pub fn margin() -> f32 {
    CANVAS_MARGIN
}

/// Facts about a game at the shown step.
#[derive(Serialize)]
struct Facts {
    step: usize,
    /// The number of moves played so far, including moves after the shown step.
    played: usize,
    length: usize,
    area: usize,
    /// The column and the row of the head.
    head: [usize; 2],
    /// The column and the row of each food on the board.
    food: Vec<[usize; 2]>,
    /// The foods eaten.
    foods: u32,
    /// Steps since the last food.
    hunger: u32,
    /// The reason why the game ended, if this is its end.
    end: Option<End>,
}

/// Returns facts about a game at the shown step, as JSON.
pub(crate) fn facts(history: &History) -> String {
    let game = history.game();
    let position = history.position();
    let board = position.board();
    let place = |cell| [board.column(cell), board.row(cell)];
    json(&Facts {
        step: history.step(),
        played: history.moves().len(),
        length: position.len(),
        area: board.area(),
        head: place(position.head()),
        food: position.foods().iter().map(|&cell| place(cell)).collect(),
        foods: game.foods(),
        hunger: game.hunger(),
        end: game.end(),
    })
}

/// Returns the picture of a position, with a policy's cycle and plan, and with the cells that the
/// head can reach marked.
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

/// Returns the cells that the head can reach as the body moves on.
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
