//! Paints drawings as SVG.

use crate::digits::strokes;
use crate::drawing::{Drawing, Piece};
use crate::legend::Legend;
use crate::style::{
    BODY, CYCLE, Color, DARK, FOOD, FRAME, GRID, HEAD, LIGHT, MARGIN, PLAN, PLAN_SHIFTS, Palette,
    VALUE, hex, legend,
};
use hognose_game::duel::Seat;
use hognose_game::{Board, Cell, Direction};
use std::fmt::{Display, Write};

/// The side of a cell in pixels, if the picture is not scaled.
const CELL: f32 = 24.0;

/// Paints a drawing as an SVG picture, with 24 pixels per cell and its own background: white, or
/// dark on dark pages.
///
/// From bottom to top, it shows the cycle as a thin line with arrows between cells, the body as a
/// broad line, the plan as a yellow line, the foods and the head. A line across the border of a
/// torus continues on the other side.
///
/// In a duel, the second snake is purple, plans have the colors of their snakes, and foods show
/// their values if these differ. The legend is below the board.
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
    let is_duel = drawing.is_duel();
    let [mut cycle, mut food, mut value] = [const { String::new() }; 3];
    let [mut bodies, mut plans, mut heads] = [const { [const { String::new() }; 2] }; 3];
    for (cell, drawn) in drawing.cells() {
        let center = center(board, cell);
        let next = drawn
            .cycle
            .and_then(|direction| Some((direction, board.neighbor(cell, direction)?)));
        if let Some((direction, next)) = next {
            let onward = drawing
                .cell(next)
                .cycle
                .map(|onward| through(direction, onward));
            let border = border(board, next, direction);
            add(
                &mut cycle,
                format_args!(
                    "{border}{}{border}{}",
                    arrow(direction),
                    onward.unwrap_or_default()
                ),
            );
        }
        for (plan, joints) in plans.iter_mut().zip(drawn.plans) {
            joints
                .iter()
                .for_each(|direction| add(plan, format_args!("{center}{}", joint(direction))));
        }
        if let Some(Piece::Head(seat) | Piece::Body(seat)) = drawn.piece {
            let body = &mut bodies[seat.index()];
            drawn
                .body
                .iter()
                .for_each(|direction| add(body, format_args!("{center}{}", joint(direction))));
        }
        match drawn.piece {
            Some(Piece::Food(worth)) => {
                add(&mut food, format_args!("{center}h0"));
                value += &worth
                    .map(|worth| number(board, cell, worth))
                    .unwrap_or_default();
            }
            Some(Piece::Head(seat)) => add(&mut heads[seat.index()], format_args!("{center}h0")),
            // A body of several cells has a joint in each, so the line alone shows it.
            Some(Piece::Body(_)) | None => {}
        }
    }
    let layer = |attributes: &str, path: &str| match path.is_empty() {
        true => String::new(),
        false => format!("<path{attributes} d=\"{path}\"/>\n"),
    };
    let of_both = |class: &str, paths: &[String; 2]| {
        let layers =
            Seat::BOTH.map(|seat| layer(&class_of(class, seat, is_duel), &paths[seat.index()]));
        layers.concat()
    };
    let layers = [
        layer(" class=\"cycle\"", &cycle),
        of_both("body", &bodies),
        of_both("plan", &plans),
        layer(" class=\"food\"", &food),
        layer(" class=\"value\"", &value),
        of_both("head", &heads),
    ];
    framed(
        board,
        is_duel,
        drawing.legend().map(|legend| (legend, "")),
        &layers.concat(),
    )
}

/// Returns the attributes of a layer for the snake of a seat. A single snake needs no seat.
pub(crate) fn class_of(class: &str, seat: Seat, is_duel: bool) -> String {
    match (is_duel, class) {
        (false, _) => format!(" class=\"{class}\""),
        (true, "plan") => {
            let shift = PLAN_SHIFTS[seat.index()];
            format!(" class=\"plan {seat}\" transform=\"translate({shift} {shift})\"")
        }
        (true, _) => format!(" class=\"{class} {seat}\""),
    }
}

/// Returns the lines of a number on a cell.
pub(crate) fn number(board: Board, cell: Cell, number: u8) -> String {
    let column = board.column(cell) as f32;
    let row = board.row(cell) as f32;
    strokes(number)
        .into_iter()
        .map(|[[x, y], [to_x, to_y]]| {
            let round = |place: f32| (100.0 * place).round() / 100.0;
            format!(
                "M{} {}L{} {}",
                round(column + x),
                round(row + y),
                round(column + to_x),
                round(row + to_y)
            )
        })
        .collect()
}

/// Returns a picture of a board with these layers. Their unit is a cell, and the center of the top
/// left cell is (0, 0). What lies beyond the border is clipped. A legend comes with the animation
/// of its results.
pub(crate) fn framed(
    board: Board,
    is_duel: bool,
    legend: Option<(&Legend, &str)>,
    layers: &str,
) -> String {
    let width = board.width();
    let height = board.height();
    let [mut all_width, mut all_height] =
        [width, height].map(|cells| CELL * (cells as f32 + 2.0 * MARGIN));
    let below = legend.map_or(String::new(), |(legend, results)| {
        let top = all_height;
        all_width = all_width.max(legend::WIDTH as f32);
        all_height += 2.0 * legend::LINE as f32;
        let shift = format!(
            "translate({} {}) scale({})",
            -MARGIN,
            top / CELL - MARGIN,
            1.0 / CELL
        );
        format!(
            "<g transform=\"{shift}\">\n{}</g>\n",
            legend_lines(legend, all_width, results)
        )
    });
    let [cells_wide, cells_high] = [all_width, all_height].map(|pixels| pixels / CELL);
    let dots: String = (0..height)
        .map(|row| format!("M0 {row}{}", "h0m1 0".repeat(width)))
        .collect();
    [
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hognose\" width=\"{all_width}\" \
                 "
        ),
        format!(
            "height=\"{all_height}\" viewBox=\"{0} {0} {cells_wide} {cells_high}\">\n",
            -MARGIN
        ),
        format!("<style>\n{}</style>\n", stylesheet(is_duel)),
        format!(
            "<rect class=\"ground\" x=\"{0}\" y=\"{0}\" width=\"{cells_wide}\" \
             height=\"{cells_high}\"/>\n",
            -MARGIN
        ),
        format!(
            "<svg width=\"{width}\" height=\"{height}\" viewBox=\"-.5 -.5 {width} \
                 {height}\">\n"
        ),
        format!("<path class=\"grid\" d=\"{dots}\"/>\n{layers}</svg>\n"),
        format!(
            "<rect class=\"frame\" x=\"-.04\" y=\"-.04\" width=\"{width}.08\" \
             height=\"{height}.08\" rx=\".12\"/>\n"
        ),
        below,
        "</svg>\n".to_owned(),
    ]
    .concat()
}

/// Returns the lines of a legend, in pixels: a sample of each snake, the name of its player, and
/// the result.
fn legend_lines(legend: &Legend, width: f32, results: &str) -> String {
    let room = width - (legend::LETTERS as f32 + CELL * MARGIN);
    // In a wide font, letters are on average 0.6 times as wide as high.
    let most = (room / (0.6 * legend::LETTER as f32)) as usize;
    Seat::BOTH
        .map(|seat| {
            let [name, result] = legend.line(seat, most).map(|text| escaped(&text));
            let middle = legend::LINE as f32 * (seat.index() as f32 + 0.5);
            [
                format!(
                    "<g transform=\"translate({} {middle}) scale({})\">",
                    legend::TAIL,
                    legend::CELL
                ),
                format!(
                    "<path class=\"body {seat} sample\" d=\"M0 0h1\"/><path class=\"head {seat} \
                     sample\" d=\"M1 0h0\"/></g>\n"
                ),
                format!(
                    "<text xml:space=\"preserve\" class=\"legend\" x=\"{}\" y=\"{}\">{name}",
                    legend::LETTERS,
                    middle + 4.0
                ),
                format!("<tspan>{result}{results}</tspan></text>\n"),
            ]
            .concat()
        })
        .concat()
}

/// Escapes a text for XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Returns the style of each class of lines, on light and dark pages.
fn stylesheet(is_duel: bool) -> String {
    let widths = [
        ("grid", GRID),
        ("frame", FRAME),
        ("cycle", CYCLE),
        ("body", BODY),
        ("plan", PLAN),
        ("food", FOOD),
        ("head", HEAD),
    ];
    let more = [("value", VALUE)];
    let widths = widths.iter().chain(more.iter().filter(|_| is_duel));
    let widths =
        widths.map(|(class, width)| format!(".hognose .{class}{{stroke-width:{width}}}\n"));
    let lines = ".hognose{fill:none;stroke-linecap:round;stroke-linejoin:round}\n";
    let letters = format!(
        ".hognose .legend{{font:{}px sans-serif;stroke:none}}\n",
        legend::LETTER
    );
    let letters = if is_duel { letters } else { String::new() };
    let colors = |palette: &Palette| {
        colors(palette)
            + &if is_duel {
                duel_colors(palette)
            } else {
                String::new()
            }
    };
    let dark = format!("@media(prefers-color-scheme:dark){{\n{}}}\n", colors(&DARK));
    [
        lines,
        &widths.collect::<String>(),
        &letters,
        &colors(&LIGHT),
        &dark,
    ]
    .concat()
}

fn colors(palette: &Palette) -> String {
    let lines = [
        ("grid", palette.grid),
        ("frame", palette.grid),
        ("cycle", palette.cycle),
        ("body", palette.body),
        ("plan", palette.plan),
        ("food", palette.food),
        ("head", palette.head),
    ];
    format!(
        ".hognose .ground{{fill:{}}}\n{}",
        hex(palette.ground),
        lines.map(stroke_color).concat()
    )
}

/// Returns the additional colors of duels.
fn duel_colors(palette: &Palette) -> String {
    let lines = [
        ("body.second", palette.second_body),
        ("plan.first", palette.head),
        ("plan.second", palette.second_head),
        ("value", palette.ground),
        ("head.second", palette.second_head),
    ];
    lines.map(stroke_color).concat() + &format!(".hognose .legend{{fill:{}}}\n", hex(palette.text))
}

fn stroke_color((class, color): (&str, Color)) -> String {
    format!(".hognose .{class}{{stroke:{}}}\n", hex(color))
}

fn add(text: &mut String, part: impl Display) {
    write!(text, "{part}").expect("a string takes all text");
}

/// Returns a move to the center of a cell.
pub(crate) fn center(board: Board, cell: Cell) -> String {
    behind(board, cell, Direction::Up, 0)
}

/// Returns a move to the point `steps` steps before the center of a cell, seen in a direction of
/// travel.
pub(crate) fn behind(board: Board, cell: Cell, direction: Direction, steps: usize) -> String {
    let (dx, dy) = [(0, -1), (1, 0), (0, 1), (-1, 0)][direction.index()];
    let along = |place: usize, unit: i64| place as i64 - unit * steps as i64;
    format!(
        "M{} {}",
        along(board.column(cell), dx),
        along(board.row(cell), dy)
    )
}

/// Returns the line from the center of a cell to the center of its neighbor.
pub(crate) fn step(direction: Direction) -> &'static str {
    ["v-1", "h1", "v1", "h-1"][direction.index()]
}

/// Returns the line from the center of a cell to its border.
fn joint(direction: Direction) -> &'static str {
    ["v-.5", "h.5", "v.5", "h-.5"][direction.index()]
}

/// Returns a move to the border of a cell, where it is entered in a direction.
pub(crate) fn border(board: Board, cell: Cell, direction: Direction) -> String {
    let [dx, dy] = half(direction);
    format!(
        "M{} {}",
        board.column(cell) as f32 - dx,
        board.row(cell) as f32 - dy
    )
}

/// Returns the line through a cell from border to border, with a round corner if it turns.
pub(crate) fn through(from: Direction, to: Direction) -> String {
    if from == to {
        return step(to).to_owned();
    }
    let ([x, y], [dx, dy]) = (half(from), half(to));
    format!("q{x} {y} {} {}", x + dx, y + dy)
}

/// Returns half a step in a direction, as x to the right and y down.
fn half(direction: Direction) -> [f32; 2] {
    [[0.0, -0.5], [0.5, 0.0], [0.0, 0.5], [-0.5, 0.0]][direction.index()]
}

/// Returns the tip of an arrow around a point.
pub(crate) fn arrow(direction: Direction) -> &'static str {
    [
        "m-.16.08.16-.2.16.2",
        "m-.08-.16.2.16-.2.16",
        "m.16-.08-.16.2-.16-.2",
        "m.08.16-.2-.16.2-.16",
    ][direction.index()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::{Overlay, Position, Rules};

    /// Each nonempty layer is painted as one line.
    #[test]
    fn layers_are_painted() {
        let rules = Rules::new("4x3".parse().unwrap());
        let cells = |cells: &[(usize, usize)]| {
            cells
                .iter()
                .map(|&(column, row)| rules.board().cell(column, row))
                .collect::<Vec<Cell>>()
        };
        let body = cells(&[(1, 0), (0, 0), (0, 1)]);
        let position = Position::new(rules, Direction::Right, body, cells(&[(3, 1)])).unwrap();
        let plain = svg(&Drawing::new(&position, &Overlay::default()));
        let paths = |picture: &str| {
            let lines = picture
                .lines()
                .filter_map(|line| line.strip_prefix("<path class=\"")?.strip_suffix("\"/>"));
            lines.skip(1).map(str::to_owned).collect::<Vec<_>>()
        };
        // The head's joint to the left, both joints of the corner, and the last cell's joint up.
        let body = "body\" d=\"M0 0h.5M0 0v.5M1 0h-.5M0 1v-.5";
        assert_eq!(
            paths(&plain),
            [body, "food\" d=\"M3 1h0", "head\" d=\"M1 0h0"]
        );
        let overlay = Overlay {
            cycle: cells(&[(0, 2), (1, 2), (1, 1), (0, 1)]),
            plan: vec![Direction::Right; 2],
        };
        let full = paths(&svg(&Drawing::new(&position, &overlay)));
        assert_eq!(
            (full.len(), &full[2][..]),
            (5, "plan\" d=\"M1 0h.5M2 0h.5M2 0h-.5M3 0h-.5")
        );
    }
}
