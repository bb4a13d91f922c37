//! Paints drawings as SVG text.

use crate::drawing::{Drawing, Piece};
use hognose_game::{Board, Cell, Direction};
use std::fmt::Write;

/// The side of a cell, in units of the picture.
const CELL: i32 = 24;
/// The white border around the board.
const MARGIN: i32 = 8;

const HEAD: &str = "#1b5e20";
const BODY: &str = "#43a047";
const FOOD: &str = "#d32f2f";
const PLAN: &str = "#f9a825";
const CYCLE: &str = "#b0bec5";
const GRID: &str = "#cfd8dc";

/// A drawing as an SVG picture on a white ground, 24 units for each cell.
///
/// Below is the cycle as a thin line with an arrow in each cell, then the body as a broad line, then the plan as a
/// yellow line, then the foods and the head. A line across the border of a torus goes on at the other side.
///
/// ```
/// use hognose_game::{Game, Overlay, Rules};
/// use hognose_viewer::{Drawing, svg};
///
/// let game = Game::new(Rules::new("6x6".parse()?), 0);
/// let picture = svg(&Drawing::new(game.position(), &Overlay::default()));
/// assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"));
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
pub fn svg(drawing: &Drawing) -> String {
    let board = drawing.board();
    let [width, height] = [board.width(), board.height()].map(|cells| CELL * cells as i32);
    let (mut grid, mut cycle, mut arrows) = (String::new(), String::new(), String::new());
    let (mut body, mut plan, mut pieces) = (String::new(), String::new(), String::new());
    for (cell, drawn) in drawing.cells() {
        let (x, y) = center(board, cell);
        add(&mut grid, format_args!("M{x} {y}h0"));
        if let Some(direction) = drawn.cycle {
            add(&mut cycle, joint(board, cell, direction));
            if let Some(next) = board.neighbor(cell, direction) {
                add(&mut cycle, joint(board, next, direction.opposite()));
            }
            let (dx, dy) = unit(direction);
            // From one side behind the center, over a point ahead of it, to the other side behind it.
            let [ahead, behind] = [(x + 3 * dx, y + 3 * dy), (x - 2 * dx, y - 2 * dy)];
            let (left, right) = ((behind.0 + 4 * dy, behind.1 - 4 * dx), (behind.0 - 4 * dy, behind.1 + 4 * dx));
            add(&mut arrows, format_args!("M{} {}L{} {}L{} {}", left.0, left.1, ahead.0, ahead.1, right.0, right.1));
        }
        drawn.body.iter().for_each(|direction| add(&mut body, joint(board, cell, direction)));
        drawn.plan.iter().for_each(|direction| add(&mut plan, joint(board, cell, direction)));
        match drawn.piece {
            Some(Piece::Food) => add(&mut pieces, format_args!(r#"<circle cx="{x}" cy="{y}" r="7" fill="{FOOD}"/>"#)),
            Some(Piece::Head) => add(&mut pieces, format_args!(r#"<circle cx="{x}" cy="{y}" r="9" fill="{HEAD}"/>"#)),
            // A body of several cells has a joint in each: the line alone shows it.
            Some(Piece::Body) | None => {}
        }
    }
    let line = |path: &str, color: &str, style: &str| match path {
        "" => String::new(),
        path => format!("<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" {style}/>\n"),
    };
    let (all_width, all_height) = (width + 2 * MARGIN, height + 2 * MARGIN);
    [
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{all_width}\" height=\"{all_height}\" "),
        format!("viewBox=\"{0} {0} {all_width} {all_height}\">\n", -MARGIN),
        format!("<rect x=\"{0}\" y=\"{0}\" width=\"{all_width}\" height=\"{all_height}\" fill=\"#fff\"/>\n", -MARGIN),
        // An inner picture cuts off what lies beyond the border.
        format!("<svg width=\"{width}\" height=\"{height}\">\n"),
        line(&grid, GRID, r#"stroke-width="3" stroke-linecap="round""#),
        line(&cycle, CYCLE, r#"stroke-width="2" stroke-linecap="round""#),
        line(&arrows, CYCLE, r#"stroke-width="2" stroke-linecap="round" stroke-linejoin="round""#),
        line(&body, BODY, r#"stroke-width="14" stroke-linecap="round""#),
        line(&plan, PLAN, r#"stroke-width="4" stroke-linecap="round""#),
        if pieces.is_empty() { pieces } else { pieces + "\n" },
        "</svg>\n".to_owned(),
        format!("<rect x=\"-1\" y=\"-1\" width=\"{}\" height=\"{}\" ", width + 2, height + 2),
        format!("fill=\"none\" stroke=\"{GRID}\" stroke-width=\"2\" rx=\"3\"/>\n</svg>\n"),
    ]
    .concat()
}

fn add(text: &mut String, part: impl std::fmt::Display) {
    write!(text, "{part}").expect("a string takes all text");
}

/// The line from the center of a cell to its border.
fn joint(board: Board, cell: Cell, direction: Direction) -> String {
    let ((x, y), (dx, dy)) = (center(board, cell), unit(direction));
    format!("M{x} {y}l{} {}", CELL / 2 * dx, CELL / 2 * dy)
}

fn center(board: Board, cell: Cell) -> (i32, i32) {
    let at = |index: usize| CELL * index as i32 + CELL / 2;
    (at(board.column(cell)), at(board.row(cell)))
}

/// A step in a direction: to the right and down.
fn unit(direction: Direction) -> (i32, i32) {
    match direction {
        Direction::Up => (0, -1),
        Direction::Right => (1, 0),
        Direction::Down => (0, 1),
        Direction::Left => (-1, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::{Overlay, Position, Rules};

    /// Each layer is one line, and each piece one circle; what is not there is not painted.
    #[test]
    fn layers_and_pieces_are_painted() {
        let rules = Rules::new("4x3".parse().unwrap());
        let cells = |cells: &[(usize, usize)]| {
            cells.iter().map(|&(column, row)| rules.board().cell(column, row)).collect::<Vec<Cell>>()
        };
        let body = cells(&[(1, 0), (0, 0), (0, 1)]);
        let position = Position::new(rules, Direction::Right, body, cells(&[(3, 1)])).unwrap();
        let plain = svg(&Drawing::new(&position, &Overlay::default()));
        assert_eq!((plain.matches("<path").count(), plain.matches("<circle").count()), (2, 2), "{plain}");
        // The head's joint to the left, and the last cell's joint up.
        assert!(plain.contains("M36 12l-12 0") && plain.contains("M12 36l0 -12"), "{plain}");
        let overlay = Overlay { cycle: cells(&[(0, 2), (1, 2), (1, 1), (0, 1)]), plan: vec![Direction::Right; 2] };
        let full = svg(&Drawing::new(&position, &overlay));
        assert_eq!((full.matches("<path").count(), full.matches("<circle").count()), (5, 2), "{full}");
    }
}
