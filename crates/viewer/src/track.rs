//! Lines through cells, of which only a part is shown at a time.

use crate::drawing::crosses_border;
use crate::svg::{behind, center, step};
use hognose_game::{Board, Cell, Direction};

/// A line through the centers of cells, as SVG paths. Dashes select the part to show: lengths count
/// from the beginning of the track, 1 per step.
///
/// Each path begins outside the picture, at a distance that makes lengths along it equal to lengths
/// along the whole track, so all paths share the same dashes. A path ends where the track leaves
/// the picture or ends.
pub(crate) struct Track {
    board: Board,
    cell: Cell,
    length: usize,
    paths: Vec<String>,
}

impl Track {
    /// Creates a track that begins at a cell.
    pub(crate) fn new(board: Board, cell: Cell) -> Track {
        Track {
            board,
            cell,
            length: 0,
            paths: vec![center(board, cell)],
        }
    }

    /// Returns the length so far.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Continues to the neighbor in a direction. On a torus this may be on the other side.
    pub(crate) fn go(&mut self, direction: Direction) {
        self.draw(step(direction));
        let leaves = crosses_border(self.board, self.cell, direction);
        self.cell = self
            .board
            .neighbor(self.cell, direction)
            .expect("a track stays on the board");
        self.length += 1;
        if leaves {
            // The new path comes straight from far away.
            let start = behind(self.board, self.cell, direction, self.length);
            let x = self.board.column(self.cell);
            let y = self.board.row(self.cell);
            self.paths.push(format!("{start}L{x} {y}"));
        }
    }

    /// Continues to any cell by a part of the track that is never shown.
    pub(crate) fn jump(&mut self, cell: Cell) {
        let along = |from: usize, to: usize| to as i64 - from as i64;
        let columns = along(self.board.column(self.cell), self.board.column(cell));
        let rows = along(self.board.row(self.cell), self.board.row(cell));
        self.draw(&format!("h{columns}v{rows}"));
        self.length += (columns.abs() + rows.abs()) as usize;
        self.cell = cell;
    }

    /// Returns the paths as SVG.
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
