//! Paints drawings in a terminal, as ratatui widgets.

use crate::drawing::{Drawing, DrawnCell, Piece, crosses_border};
use hognose_game::Direction;
use hognose_game::duel::Seat;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Paragraph, Widget, Wrap};

/// A drawing with text around it: a title, a framed board, its legend, notes, and keys. If the
/// terminal is too small, it shows the required size instead.
///
/// ```
/// use hognose_game::{Game, Overlay, Rules};
/// use hognose_viewer::{Drawing, Scene};
/// use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};
///
/// let game = Game::new(Rules::new("6x6".parse()?), 0);
/// let drawing = Drawing::new(game.position(), &Overlay::default());
/// let scene = Scene { drawing, title: "step 0".into(), notes: Vec::new(), keys: "q quit" };
/// let mut buffer = Buffer::empty(Rect::new(0, 0, 40, 12));
/// scene.render(buffer.area, &mut buffer);
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scene {
    /// The board and its contents.
    pub drawing: Drawing,
    /// The line above the board.
    pub title: String,
    /// Lines below the board, such as running statistics.
    pub notes: Vec<String>,
    /// The keys, on the last line.
    pub keys: &'static str,
}

/// Terminal columns per cell of the board.
const CELL_WIDTH: u16 = 2;

impl Scene {
    /// Returns the columns and rows that the picture needs.
    fn size(&self) -> (u16, u16) {
        let board = self.drawing.board();
        let rows =
            board.height() as u16 + 2 + 2 + self.legend().len() as u16 + self.notes.len() as u16;
        (CELL_WIDTH * board.width() as u16 + 3, rows)
    }
}

impl Scene {
    /// Returns a line for each snake of a duel: the sign of its head, its player, and its result.
    fn legend(&self) -> Vec<Line<'_>> {
        let Some(legend) = self.drawing.legend() else {
            return Vec::new();
        };
        Seat::BOTH
            .map(|seat| {
                let [name, result] =
                    [&legend.names, &legend.results].map(|texts| texts[seat.index()].as_str());
                let (sign, style) = head(seat);
                Line::from_iter([
                    Span::styled(format!("{}{sign} ", BRIDGES[seat.index()]), style),
                    Span::styled(name, body_style(seat)),
                    Span::raw(format!(" {result}")),
                ])
            })
            .into()
    }
}

impl Widget for &Scene {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        let (columns, rows) = self.size();
        if area.width < columns || area.height < rows {
            let text = format!(
                "this board needs {columns} columns and {rows} rows, the terminal has {} and {}",
                area.width, area.height
            );
            return Paragraph::new(text)
                .wrap(Wrap { trim: true })
                .render(area, buffer);
        }
        let board_rows = self.drawing.board().height() as u16 + 2;
        let legend = self.legend();
        let heights = [
            1,
            board_rows,
            legend.len() as u16,
            self.notes.len() as u16,
            1,
        ]
        .map(Constraint::Length);
        let [title, board, players, notes, keys] = Layout::vertical(heights).areas(area);
        let bold = Style::new().add_modifier(Modifier::BOLD);
        Line::styled(self.title.as_str(), bold).render(title, buffer);
        let board = Rect {
            width: columns,
            ..board
        };
        let frame = Block::bordered().border_type(BorderType::Rounded);
        paint_board(&self.drawing, frame.inner(board), buffer);
        frame.render(board, buffer);
        Paragraph::new(legend).render(players, buffer);
        Paragraph::new(
            self.notes
                .iter()
                .map(|note| Line::raw(note.as_str()))
                .collect::<Vec<_>>(),
        )
        .render(notes, buffer);
        Line::styled(self.keys, Style::new().add_modifier(Modifier::DIM)).render(keys, buffer);
    }
}

/// The snakes of a duel differ in all signs, for people who see no colors.
const HEADS: [(char, Color); 2] = [('●', Color::LightGreen), ('■', Color::LightMagenta)];
const BODIES: [Color; 2] = [Color::Green, Color::Magenta];
const BRIDGES: [&str; 2] = ["━", "═"];
const FOOD: Style = Style::new().fg(Color::Red);
const PLAN: Style = Style::new().fg(Color::Yellow);
const BOTH_PLANS: Style = Style::new().fg(Color::White);
const FREE: Style = Style::new().fg(Color::DarkGray);

/// Paints two columns for each cell: the sign of the cell, and a bridge if the body continues to
/// the right.
fn paint_board(drawing: &Drawing, area: Rect, buffer: &mut Buffer) {
    let board = drawing.board();
    for (cell, drawn) in drawing.cells() {
        let (sign, style) = sign(drawn, drawing.is_duel());
        let x = area.x + 1 + CELL_WIDTH * board.column(cell) as u16;
        let y = area.y + board.row(cell) as u16;
        buffer.set_string(x, y, sign, style);
        if let Some(Piece::Head(seat) | Piece::Body(seat)) = drawn.piece
            && drawn.body.contains(Direction::Right)
            && !crosses_border(board, cell, Direction::Right)
        {
            buffer.set_string(x + 1, y, BRIDGES[seat.index()], body_style(seat));
        }
    }
}

/// Returns the sign of a cell: its piece, otherwise its plans, otherwise its cycle.
fn sign(drawn: DrawnCell, is_duel: bool) -> (String, Style) {
    let (sign, style) = match drawn.piece {
        Some(Piece::Head(seat)) => head(seat),
        Some(Piece::Body(seat)) => (body_sign(seat, drawn), body_style(seat)),
        // Two digits fit into the two columns of a cell.
        Some(Piece::Food(Some(worth @ ..=99))) => return (worth.to_string(), FOOD),
        Some(Piece::Food(_)) => ('◆', FOOD),
        None => match (drawn.plans.map(|plan| !plan.is_empty()), drawn.cycle) {
            ([true, true], _) => ('•', BOTH_PLANS),
            ([true, false], _) if !is_duel => ('•', PLAN),
            ([true, false], _) => ('•', body_style(Seat::First)),
            ([false, true], _) => ('•', body_style(Seat::Second)),
            ([false, false], Some(direction)) => (['↑', '→', '↓', '←'][direction.index()], FREE),
            ([false, false], None) => ('·', FREE),
        },
    };
    (sign.to_string(), style)
}

/// Returns the sign of a head.
fn head(seat: Seat) -> (char, Style) {
    let (sign, color) = HEADS[seat.index()];
    (sign, Style::new().fg(color).add_modifier(Modifier::BOLD))
}

fn body_style(seat: Seat) -> Style {
    Style::new().fg(BODIES[seat.index()])
}

/// Returns the sign of a body: vertical, horizontal, then the corners starting with up and right,
/// then the ends with a joint up, right, down, left.
fn body_sign(seat: Seat, drawn: DrawnCell) -> char {
    let signs = [
        ['┃', '━', '┗', '┛', '┏', '┓', '╹', '╺', '╻', '╸'],
        ['║', '═', '╚', '╝', '╔', '╗', '╨', '╞', '╥', '╡'],
    ];
    let sign = match Direction::ALL.map(|direction| drawn.body.contains(direction)) {
        [true, _, true, _] => 0,
        [_, true, _, true] => 1,
        [true, true, _, _] => 2,
        [true, _, _, true] => 3,
        [_, true, true, _] => 4,
        [_, _, true, true] => 5,
        [true, ..] => 6,
        [_, true, ..] => 7,
        [_, _, true, _] => 8,
        _ => 9,
    };
    signs[seat.index()][sign]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Legend;
    use hognose_game::duel::{DuelBody, DuelPosition, DuelRules, Food};
    use hognose_game::{Board, Overlay, Position, Rules};

    fn render(scene: &Scene, width: u16, height: u16) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        scene.render(buffer.area, &mut buffer);
        let line = |y| {
            (0..width)
                .map(|x| buffer[(x, y)].symbol())
                .collect::<String>()
                .trim_end()
                .to_owned()
        };
        (0..height).map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_scene_shows_snake_food_plan_and_cycle() {
        let board = Board::new(4, 3).unwrap();
        let cells = |cells: &[(usize, usize)]| {
            cells
                .iter()
                .map(|&(c, r)| board.cell(c, r))
                .collect::<Vec<_>>()
        };
        let position = Position::new(
            Rules::new(board),
            Direction::Right,
            cells(&[(1, 0), (0, 0), (0, 1)]),
            cells(&[(3, 1)]),
        );
        let overlay = Overlay {
            cycle: cells(&[(0, 2), (1, 2), (1, 1)]),
            plan: vec![Direction::Right, Direction::Right],
        };
        let scene = Scene {
            drawing: Drawing::new(&position.unwrap(), &overlay),
            title: "step 3".into(),
            notes: vec!["a note".into()],
            keys: "q quit",
        };
        let expected = "step 3\n╭─────────╮\n│ ┏━● • • │\n│ ╹ · · ◆ │\n│ → ↑ · · │\n╰─────────╯\n\
                        a note\nq quit";
        assert_eq!(render(&scene, 12, 8), expected);
        assert!(
            render(&scene, 10, 20)
                .replace('\n', " ")
                .starts_with("this board needs 11")
        );
    }

    /// Both snakes have their own signs.
    #[test]
    fn a_scene_shows_both_snakes_of_a_duel() {
        let rules = DuelRules::ai_snakes_2021()
            .on("7x4".parse().unwrap())
            .unwrap()
            .with_foods(2)
            .unwrap();
        let rules = rules.with_values(1..=200).unwrap();
        let body = |cells: &[(usize, usize)]| DuelBody {
            cells: cells
                .iter()
                .map(|&(column, row)| rules.board().cell(column, row))
                .collect(),
            growth: 0,
        };
        let bodies = [
            body(&[(1, 0), (0, 0), (0, 1)]),
            body(&[(4, 2), (4, 3), (5, 3), (6, 3), (6, 2)]),
        ];
        let food = |column, value| Food {
            cell: rules.board().cell(column, 1),
            value,
        };
        let position = DuelPosition::new(rules, bodies, [food(2, 12), food(3, 200)], 0, 0).unwrap();
        let drawing = Drawing::of_duel(
            &position,
            &[vec![Direction::Right; 3], vec![Direction::Left]],
        );
        let scene = |drawing| Scene {
            drawing,
            title: String::new(),
            notes: vec!["a note".into()],
            keys: "",
        };
        let board = "╭───────────────╮\n│ ┏━● • • • · · │\n│ ╹ · 12◆ · · · │\n│ · · · • ■ · ╥ │\n\
                     │ · · · · ╚═══╝ │\n╰───────────────╯";
        assert_eq!(
            render(&scene(drawing.clone()), 17, 9).trim(),
            format!("{board}\na note")
        );
        let [names, results] =
            [["adder", "nega"], ["won", "lost: wall"]].map(|texts| texts.map(str::to_owned));
        let named = scene(drawing.with_legend(Legend { names, results }));
        let expected = format!("{board}\n━● adder won\n═■ nega lost: wall\na note");
        assert_eq!(render(&named, 20, 11).trim(), expected);
        assert!(render(&named, 20, 10).starts_with("this board needs"));
    }
}
