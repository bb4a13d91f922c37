//! Lines through cells of which only a part is shown at a time.

use crate::drawing::crosses_border;
use crate::svg::{behind, center, step};
use hognose_game::{Board, Cell, Direction};

/// A line through the centers of cells, as paths of SVG. Its dashes say which part is shown:
/// lengths count from the track's begin, one for each step.
///
/// Each path begins outside of the picture, so far away that lengths along it are those along the
/// whole track. So all paths have the same dashes. A path ends where the track leaves the picture,
/// and where it does not.
pub(crate) struct Track {
    board: Board,
    cell: Cell,
    length: usize,
    paths: Vec<String>,
}

impl Track {
    /// A track that begins at a cell.
    pub(crate) fn new(board: Board, cell: Cell) -> Track {
        Track {
            board,
            cell,
            length: 0,
            paths: vec![center(board, cell)],
        }
    }

    /// The length so far.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Goes on to the neighbor in a direction. On a torus this may be at the other side.
    pub(crate) fn go(&mut self, direction: Direction) {
        self.draw(step(direction));
        let leaves = crosses_border(self.board, self.cell, direction);
        self.cell = self
            .board
            .neighbor(self.cell, direction)
            .expect("a track stays on the board");
        self.length += 1;
        if leaves {
            // It comes straight from far away.
            let start = behind(self.board, self.cell, direction, self.length);
            let x = self.board.column(self.cell);
            let y = self.board.row(self.cell);
            self.paths.push(format!("{start}L{x} {y}"));
        }
    }

    /// Goes on to any cell, by a part of the track that is never to be shown.
    pub(crate) fn jump(&mut self, cell: Cell) {
        let along = |from: usize, to: usize| to as i64 - from as i64;
        let columns = along(self.board.column(self.cell), self.board.column(cell));
        let rows = along(self.board.row(self.cell), self.board.row(cell));
        self.draw(&format!("h{columns}v{rows}"));
        self.length += (columns.abs() + rows.abs()) as usize;
        self.cell = cell;
    }

    /// The paths as SVG.
    pub(crate) fn paths(&self) -> String {
        self.paths
            .iter()
            .map(|path| format!("<path d=\"{path}\"/>\n"))
            .collect()
    }

    fn draw(&mut self, part: &str) {
        self.paths
            .last_mut()
            .expect("there is a first path")
            .push_str(part);
    }
}
