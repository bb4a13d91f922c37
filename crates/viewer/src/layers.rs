//! Drawings as straight lines, for painters without paths or style classes.

use crate::digits::strokes;
use crate::drawing::{Drawing, Piece};
use crate::style::{BODY, CYCLE, FOOD, FRAME, GRID, HEAD, Ink, PLAN, PLAN_SHIFTS, VALUE};
use hognose_game::{Board, Cell, Direction};

/// A horizontal or vertical line between two points, in cells from the top left of the board. A
/// line of length 0 is a dot.
pub(crate) type Line = [[f32; 2]; 2];

/// Lines of one width in one color, with round ends.
pub(crate) struct Layer {
    pub(crate) ink: Ink,
    /// Line width, in cells.
    pub(crate) width: f32,
    pub(crate) lines: Vec<Line>,
}

/// Returns the layers of a drawing, from the lowest to the highest. A line may cross the border of
/// a torus; everything beyond the border must be clipped, except the frame.
pub(crate) fn layers(drawing: &Drawing) -> Vec<Layer> {
    let board = drawing.board();
    let [mut grid, mut cycle, mut food, mut value] = [const { Vec::new() }; 4];
    let [mut bodies, mut plans, mut heads] = [const { [const { Vec::new() }; 2] }; 3];
    let shifts = if drawing.is_duel() {
        PLAN_SHIFTS
    } else {
        [0.0; 2]
    };
    for (cell, drawn) in drawing.cells() {
        let center = center(board, cell);
        grid.push([center, center]);
        if let Some(direction) = drawn.cycle {
            cycle.push(joint(center, direction));
            if let Some(next) = board.neighbor(cell, direction) {
                cycle.push(joint(self::center(board, next), direction.opposite()));
            }
        }
        for ((plan, joints), shift) in plans.iter_mut().zip(drawn.plans).zip(shifts) {
            plan.extend(
                joints
                    .iter()
                    .map(|direction| joint(center.map(|place| place + shift), direction)),
            );
        }
        if let Some(Piece::Head(seat) | Piece::Body(seat)) = drawn.piece {
            bodies[seat.index()]
                .extend(drawn.body.iter().map(|direction| joint(center, direction)));
        }
        match drawn.piece {
            Some(Piece::Food(worth)) => {
                food.push([center, center]);
                value.extend(
                    worth
                        .map(strokes)
                        .unwrap_or_default()
                        .into_iter()
                        .map(|line| around(center, line)),
                );
            }
            Some(Piece::Head(seat)) => heads[seat.index()].push([center, center]),
            Some(Piece::Body(_)) | None => {}
        }
    }
    let [body, second_body] = bodies;
    let [plan, second_plan] = plans;
    let [head, second_head] = heads;
    let layer = |ink: Ink, width: f32, lines: Vec<Line>| Layer { ink, width, lines };
    vec![
        layer(Ink::Grid, GRID, grid),
        layer(Ink::Cycle, CYCLE, cycle),
        layer(Ink::Body, BODY, body),
        layer(Ink::SecondBody, BODY, second_body),
        layer(
            if drawing.is_duel() {
                Ink::Head
            } else {
                Ink::Plan
            },
            PLAN,
            plan,
        ),
        layer(Ink::SecondHead, PLAN, second_plan),
        layer(Ink::Food, FOOD, food),
        layer(Ink::Ground, VALUE, value),
        layer(Ink::Head, HEAD, head),
        layer(Ink::SecondHead, HEAD, second_head),
        layer(Ink::Frame, FRAME, frame(board)),
    ]
}

/// Returns the line around a board.
fn frame(board: Board) -> Vec<Line> {
    let [left, top] = [-FRAME / 2.0; 2];
    let right = board.width() as f32 + FRAME / 2.0;
    let bottom = board.height() as f32 + FRAME / 2.0;
    let corners = [
        [left, top],
        [right, top],
        [right, bottom],
        [left, bottom],
        [left, top],
    ];
    corners.windows(2).map(|ends| [ends[0], ends[1]]).collect()
}

/// Returns the center of a cell.
pub(crate) fn center(board: Board, cell: Cell) -> [f32; 2] {
    [
        board.column(cell) as f32 + 0.5,
        board.row(cell) as f32 + 0.5,
    ]
}

/// Returns the line from the center of a cell to its border.
fn joint([x, y]: [f32; 2], direction: Direction) -> Line {
    let (dx, dy) = [(0.0, -0.5), (0.5, 0.0), (0.0, 0.5), (-0.5, 0.0)][direction.index()];
    [[x, y], [x + dx, y + dy]]
}

/// Returns a line relative to a point.
fn around([x, y]: [f32; 2], line: Line) -> Line {
    line.map(|[dx, dy]| [x + dx, y + dy])
}
