//! Converts drawings to numbers for the canvas of a web page.

use crate::drawing::Drawing;
use crate::layers::{Layer, Line, center, layers};
use crate::style::{DARK, Ink, LIGHT, MARGIN, MARK, hex};
use hognose_game::{Cell, Direction};

/// Returns a drawing as numbers, for programs that can paint lines with round ends, such as a
/// script with the canvas of a web page. `marked` cells get marks below everything else. It looks
/// like the output of [`svg()`](crate::svg()), except for the round corners of a cycle.
///
/// Each layer is the index of its color in [`canvas_colors`], the width of its lines, the number of
/// its lines, and four numbers for each line: x and y of both ends. The unit is a cell, and (0, 0)
/// is the top left corner of the board. The last layer is the frame around the board; clip
/// everything that other layers draw beyond it, as on a torus.
///
/// ```
/// use hognose_game::{Game, Overlay, Rules};
/// use hognose_viewer::{Drawing, canvas, canvas_colors};
///
/// let game = Game::new(Rules::new("6x6".parse()?), 0);
/// let (picture, colors) = (
///     canvas(&Drawing::new(game.position(), &Overlay::default()), []),
///     canvas_colors(false),
/// );
/// let (mut numbers, mut layers) = (&picture[..], Vec::new());
/// while let [color, width, lines, rest @ ..] = numbers {
///     layers.push((&colors[*color as usize][..], *width, *lines));
///     numbers = &rest[4 * *lines as usize..];
/// }
/// // The dots of cells, the food, the head, the frame.
/// assert_eq!(layers[0], ("#cfd8dc", 0.125, 36.0));
/// assert_eq!((layers.len(), layers[1].2, layers[2].2), (4, 1.0, 1.0));
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
pub fn canvas(drawing: &Drawing, marked: impl IntoIterator<Item = Cell>) -> Vec<f32> {
    let board = drawing.board();
    let marks = marked
        .into_iter()
        .map(|cell| [center(board, cell); 2])
        .collect();
    let mut numbers = Vec::new();
    let mut add = |Layer { ink, width, lines }: Layer| {
        if !lines.is_empty() {
            numbers.extend([ink as usize as f32, width, lines.len() as f32]);
            numbers.extend(lines.iter().flatten().flatten());
        }
    };
    add(Layer {
        ink: Ink::Mark,
        width: MARK,
        lines: marks,
    });
    for mut layer in layers(drawing) {
        if layer.ink == Ink::Cycle {
            let arrows = drawing
                .cells()
                .filter_map(|(cell, drawn)| Some(arrow(center(board, cell), drawn.cycle?)));
            layer.lines.extend(arrows.flatten());
        }
        add(layer);
    }
    numbers
}

/// Returns the tip of an arrow on the border through which the cycle leaves a cell.
fn arrow([x, y]: [f32; 2], direction: Direction) -> [Line; 2] {
    // The arrow upward, relative to the middle of the border.
    let [left, tip, right] =
        [[-0.16, 0.08], [0.0, -0.12], [0.16, 0.08]].map(|[along, ahead]: [f32; 2]| {
            let ahead = ahead - 0.5;
            let (dx, dy) = [
                (along, ahead),
                (-ahead, along),
                (-along, -ahead),
                (ahead, -along),
            ][direction.index()];
            [x + dx, y + dy]
        });
    [[left, tip], [tip, right]]
}

/// Returns the colors that [`canvas`] refers to by index, in CSS notation, for a light or a dark
/// page. The first is the background.
pub fn canvas_colors(dark: bool) -> Vec<String> {
    let palette = if dark { DARK } else { LIGHT };
    Ink::ALL.map(|ink| hex(palette.color(ink))).into()
}

/// Returns the color indices of the body and the head of both snakes of a duel, in seat order.
///
/// ```
/// use hognose_viewer::{canvas_colors, canvas_seats};
///
/// let colors = canvas_colors(false);
/// let [first, second] = canvas_seats().map(|seat| seat.map(|number| &colors[number][..]));
/// assert_eq!((first, second), (["#43a047", "#1b5e20"], ["#ab47bc", "#4a148c"]));
/// ```
pub fn canvas_seats() -> [[usize; 2]; 2] {
    [[Ink::Body, Ink::Head], [Ink::SecondBody, Ink::SecondHead]]
        .map(|seat| seat.map(|ink| ink as usize))
}

/// The width of the empty border around the board, in cells.
pub const CANVAS_MARGIN: f32 = MARGIN;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_found_by_their_number() {
        for (number, ink) in Ink::ALL.into_iter().enumerate() {
            assert_eq!(ink as usize, number);
        }
    }

    #[test]
    fn arrows_point_over_the_border() {
        let tips = Direction::ALL.map(|direction| {
            arrow([0.5, 0.5], direction)[0][1].map(|place| (place * 100.0).round())
        });
        assert_eq!(
            tips,
            [[50.0, -12.0], [112.0, 50.0], [50.0, 112.0], [-12.0, 50.0]]
        );
    }
}
