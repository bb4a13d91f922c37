//! Paints drawings as pixels.

use crate::digits::strokes;
use crate::drawing::{Drawing, Piece};
use crate::style::{BODY, CYCLE, Color, FOOD, FRAME, GRID, HEAD, LIGHT, MARGIN, PLAN, PLAN_SHIFTS, VALUE};
use hognose_game::Direction;

/// A picture as pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// The number of columns.
    pub width: usize,
    /// The number of rows.
    pub height: usize,
    /// Red, green and blue of each pixel, row by row from the top left.
    pub bytes: Vec<u8>,
}

/// A drawing as pixels, `side` times `side` for each cell and a border of a quarter of that. It looks as
/// [`svg()`](crate::svg()) paints it on a light page, but for the arrows and the round corners of a cycle. The width and
/// the height are even if the side is.
///
/// ```
/// use hognose_game::{Game, Overlay, Rules};
/// use hognose_viewer::{Drawing, pixels};
///
/// let game = Game::new(Rules::new("6x5".parse()?), 0);
/// let picture = pixels(&Drawing::new(game.position(), &Overlay::default()), 20);
/// assert_eq!((picture.width, picture.height), (6 * 20 + 10, 5 * 20 + 10));
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
pub fn pixels(drawing: &Drawing, side: usize) -> Pixels {
    let board = drawing.board();
    let [mut grid, mut cycle, mut food, mut value] = [const { Vec::new() }; 4];
    let [mut bodies, mut plans, mut heads] = [const { [const { Vec::new() }; 2] }; 3];
    let shifts = if drawing.is_duel() { PLAN_SHIFTS } else { [0.0; 2] };
    for (cell, drawn) in drawing.cells() {
        let center = [board.column(cell) as f32 + 0.5, board.row(cell) as f32 + 0.5];
        grid.push([center, center]);
        if let Some(direction) = drawn.cycle {
            cycle.push(joint(center, direction));
            if let Some(next) = board.neighbor(cell, direction) {
                let next = [board.column(next) as f32 + 0.5, board.row(next) as f32 + 0.5];
                cycle.push(joint(next, direction.opposite()));
            }
        }
        for ((plan, joints), shift) in plans.iter_mut().zip(drawn.plans).zip(shifts) {
            plan.extend(joints.iter().map(|direction| joint(center.map(|place| place + shift), direction)));
        }
        if let Some(Piece::Head(seat) | Piece::Body(seat)) = drawn.piece {
            bodies[seat.index()].extend(drawn.body.iter().map(|direction| joint(center, direction)));
        }
        match drawn.piece {
            Some(Piece::Food(worth)) => {
                food.push([center, center]);
                value.extend(worth.map(strokes).unwrap_or_default().into_iter().map(|line| around(center, line)));
            }
            Some(Piece::Head(seat)) => heads[seat.index()].push([center, center]),
            Some(Piece::Body(_)) | None => {}
        }
    }
    let mut canvas = Canvas::new([board.width(), board.height()], side);
    let (right, bottom) = (board.width() as f32 + FRAME / 2.0, board.height() as f32 + FRAME / 2.0);
    let (left, top) = (-FRAME / 2.0, -FRAME / 2.0);
    let corners = [[left, top], [right, top], [right, bottom], [left, bottom], [left, top]];
    let frame: Vec<Line> = corners.windows(2).map(|ends| [ends[0], ends[1]]).collect();
    let [body, second_body] = bodies;
    let [plan, second_plan] = plans;
    let [head, second_head] = heads;
    let layers = [
        (grid, GRID, LIGHT.grid),
        (cycle, CYCLE, LIGHT.cycle),
        (body, BODY, LIGHT.body),
        (second_body, BODY, LIGHT.second_body),
        (plan, PLAN, if drawing.is_duel() { LIGHT.head } else { LIGHT.plan }),
        (second_plan, PLAN, LIGHT.second_head),
        (food, FOOD, LIGHT.food),
        (value, VALUE, LIGHT.ground),
        (head, HEAD, LIGHT.head),
        (second_head, HEAD, LIGHT.second_head),
    ];
    layers.iter().for_each(|(lines, width, color)| canvas.paint(lines, *width, *color, true));
    canvas.paint(&frame, FRAME, LIGHT.grid, false);
    canvas.pixels
}

/// From one point to another, in cells from the top left of the board.
type Line = [[f32; 2]; 2];

/// The line from the center of a cell to its border.
fn joint([x, y]: [f32; 2], direction: Direction) -> Line {
    let (dx, dy) = [(0.0, -0.5), (0.5, 0.0), (0.0, 0.5), (-0.5, 0.0)][direction.index()];
    [[x, y], [x + dx, y + dy]]
}

/// A line around a point.
fn around([x, y]: [f32; 2], line: Line) -> Line {
    line.map(|[dx, dy]| [x + dx, y + dy])
}

/// What is painted on.
struct Canvas {
    pixels: Pixels,
    side: usize,
    margin: usize,
    /// How much of each pixel the lines cover that are being painted. It is 0 between layers.
    covered: Vec<f32>,
}

impl Canvas {
    fn new(cells: [usize; 2], side: usize) -> Canvas {
        let margin = (MARGIN * side as f32) as usize;
        let [width, height] = cells.map(|cells| side * cells + 2 * margin);
        let pixels = Pixels { width, height, bytes: LIGHT.ground.repeat(width * height) };
        Canvas { pixels, side, margin, covered: vec![0.0; width * height] }
    }

    /// Paints lines with round ends, which lie over each other as if they were one. What lies beyond the border can be
    /// cut off.
    fn paint(&mut self, lines: &[Line], width: f32, color: Color, inside: bool) {
        let (side, margin, [columns, rows]) = (self.side as f32, self.margin, [self.pixels.width, self.pixels.height]);
        let edge = if inside { margin } else { 0 };
        let radius = side * width / 2.0;
        for line in lines {
            let [from, to] = line.map(|point| point.map(|place| margin as f32 + side * place));
            let range = |axis: usize, end: usize| {
                let (low, high) = (from[axis].min(to[axis]) - radius - 1.0, from[axis].max(to[axis]) + radius + 1.0);
                (low.max(edge as f32) as usize)..(high.ceil() as usize).min(end - edge)
            };
            for y in range(1, rows) {
                for x in range(0, columns) {
                    let distance = distance([x as f32 + 0.5, y as f32 + 0.5], from, to);
                    let covered = &mut self.covered[y * columns + x];
                    *covered = covered.max((radius - distance + 0.5).clamp(0.0, 1.0));
                }
            }
        }
        for (pixel, covered) in self.pixels.bytes.chunks_exact_mut(3).zip(&mut self.covered) {
            if *covered > 0.0 {
                for (below, above) in pixel.iter_mut().zip(color) {
                    let below_left = (1.0 - *covered) * f32::from(*below);
                    *below = (below_left + *covered * f32::from(above)).round() as u8;
                }
                *covered = 0.0;
            }
        }
    }
}

/// The distance of a point from a line that is level, upright, or a point.
fn distance(point: [f32; 2], from: [f32; 2], to: [f32; 2]) -> f32 {
    let away = |axis: usize| {
        let (low, high) = (from[axis].min(to[axis]), from[axis].max(to[axis]));
        point[axis] - point[axis].clamp(low, high)
    };
    away(0).hypot(away(1))
}
