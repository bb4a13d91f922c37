//! Pictures of games for the terminal, as ratatui widgets. Draws; opens no terminal and reads no keys.

use hognose_game::{Board, Cell, Direction, Overlay, Position};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType, Paragraph, Widget, Wrap};

/// A position with words around it.
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    /// What is drawn.
    pub position: &'a Position,
    /// What its policy thinks, if that is to be seen.
    pub overlay: Option<&'a Overlay>,
    /// The line above the board.
    pub title: String,
    /// Lines below the board, such as running statistics.
    pub notes: Vec<String>,
    /// The keys, on the last line.
    pub keys: &'static str,
}

/// Terminal columns for each cell of the board.
const CELL_WIDTH: u16 = 2;

impl Scene<'_> {
    /// The columns and rows that the picture needs.
    fn size(&self) -> (u16, u16) {
        let board = self.position.board();
        let rows = board.height() as u16 + 2 + 2 + self.notes.len() as u16;
        (CELL_WIDTH * board.width() as u16 + 3, rows)
    }
}

impl Widget for &Scene<'_> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        let (columns, rows) = self.size();
        if area.width < columns || area.height < rows {
            let text = format!(
                "this board needs {columns} columns and {rows} rows, the terminal has {} and {}",
                area.width, area.height
            );
            return Paragraph::new(text).wrap(Wrap { trim: true }).render(area, buffer);
        }
        let lines = [Constraint::Length(1), Constraint::Length(self.position.board().height() as u16 + 2)];
        let [title, board, notes, keys] = Layout::vertical(lines)
            .constraints([lines[0], lines[1], Constraint::Length(self.notes.len() as u16), Constraint::Length(1)])
            .areas(area);
        let bold = Style::new().add_modifier(Modifier::BOLD);
        Line::styled(self.title.as_str(), bold).render(title, buffer);
        let board = Rect { width: columns, ..board };
        let frame = Block::bordered().border_type(BorderType::Rounded);
        draw_board(self.position, self.overlay, frame.inner(board), buffer);
        frame.render(board, buffer);
        Paragraph::new(self.notes.iter().map(|note| Line::raw(note.as_str())).collect::<Vec<_>>())
            .render(notes, buffer);
        Line::styled(self.keys, Style::new().add_modifier(Modifier::DIM)).render(keys, buffer);
    }
}

const HEAD: Style = Style::new().fg(Color::LightGreen).add_modifier(Modifier::BOLD);
const BODY: Style = Style::new().fg(Color::Green);
const FOOD: Style = Style::new().fg(Color::Red);
const PLAN: Style = Style::new().fg(Color::Yellow);
const FREE: Style = Style::new().fg(Color::DarkGray);

/// Two columns a cell: the head bright, the body joined cell to cell, the food red; on free cells the plan, or which way the
/// cycle goes.
fn draw_board(position: &Position, overlay: Option<&Overlay>, area: Rect, buffer: &mut Buffer) {
    let board = position.board();
    let mut glyphs: Vec<(char, bool, Style)> = vec![('·', false, FREE); board.area()];
    if let Some(overlay) = overlay {
        for (cell, direction) in cycle_moves(board, &overlay.cycle) {
            glyphs[cell.index()].0 = ['↑', '→', '↓', '←'][direction.index()];
        }
        let mut cell = position.head();
        for &direction in &overlay.plan {
            let Some(next) = board.neighbor(cell, direction) else { break };
            glyphs[next.index()] = ('•', false, PLAN);
            cell = next;
        }
    }
    for &food in position.foods() {
        glyphs[food.index()] = ('◆', false, FOOD);
    }
    let body: Vec<Cell> = position.body().collect();
    for (index, &cell) in body.iter().enumerate() {
        let neighbors = [index.checked_sub(1).map(|before| body[before]), body.get(index + 1).copied()];
        let joined = neighbors.into_iter().flatten().filter_map(|other| board.direction(cell, other));
        let [up, right, down, left] = joined.fold([false; 4], |mut joined, direction| {
            joined[direction.index()] = true;
            joined
        });
        let glyph = match (up, right, down, left) {
            (true, _, true, _) => '┃',
            (_, true, _, true) => '━',
            (true, true, _, _) => '┗',
            (true, _, _, true) => '┛',
            (_, true, true, _) => '┏',
            (_, _, true, true) => '┓',
            (true, ..) => '╹',
            (_, true, ..) => '╺',
            (_, _, true, _) => '╻',
            _ => '╸',
        };
        // Across the border of a torus the joint would lead out of the picture.
        let bridge = right && board.column(cell) + 1 < board.width();
        glyphs[cell.index()] = if index == 0 { ('●', bridge, HEAD) } else { (glyph, bridge, BODY) };
    }
    for cell in board.cells() {
        let (glyph, bridge, style) = glyphs[cell.index()];
        let x = area.x + 1 + CELL_WIDTH * board.column(cell) as u16;
        let y = area.y + board.row(cell) as u16;
        buffer.set_string(x, y, glyph.to_string(), style);
        if bridge {
            buffer.set_string(x + 1, y, "━", BODY);
        }
    }
}

/// The move from each cell of a cycle to the next.
fn cycle_moves(board: Board, cycle: &[Cell]) -> impl Iterator<Item = (Cell, Direction)> {
    let next = cycle.iter().cycle().skip(1);
    cycle.iter().zip(next).filter_map(move |(&cell, &next)| Some((cell, board.direction(cell, next)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::Rules;

    fn render(scene: &Scene<'_>, width: u16, height: u16) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        scene.render(buffer.area, &mut buffer);
        let line = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
        (0..height).map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_scene_shows_snake_food_plan_and_cycle() {
        let board = Board::new(4, 3).unwrap();
        let cells = |cells: &[(usize, usize)]| cells.iter().map(|&(c, r)| board.cell(c, r)).collect::<Vec<_>>();
        let position =
            Position::new(Rules::new(board), Direction::Right, cells(&[(1, 0), (0, 0), (0, 1)]), cells(&[(3, 1)]));
        let overlay =
            Overlay { cycle: cells(&[(0, 2), (1, 2), (1, 1)]), plan: vec![Direction::Right, Direction::Right] };
        let scene = Scene {
            position: &position.unwrap(),
            overlay: Some(&overlay),
            title: "step 3".into(),
            notes: vec!["a note".into()],
            keys: "q quit",
        };
        let expected = "step 3\n╭─────────╮\n│ ┏━● • • │\n│ ╹ · · ◆ │\n│ → ↑ · · │\n╰─────────╯\na note\nq quit";
        assert_eq!(render(&scene, 12, 8), expected);
        assert!(render(&scene, 10, 20).replace('\n', " ").starts_with("this board needs 11"));
    }
}
