//! All bodies that a snake of a duel can have on a small board.

use hognose_game::duel::MIN_LENGTH;
use hognose_game::{Board, Cell, Direction};
use std::collections::HashMap;

/// A set of cells; bit n is cell n.
pub(super) type Cells = u32;

/// The bodies of [`MIN_LENGTH`] and more cells that leave room for another snake, by number.
pub(super) struct Bodies {
    all: Vec<Body>,
    numbers: HashMap<Box<[Cell]>, u32>,
}

/// A body, and what it becomes.
pub(super) struct Body {
    /// The cells from head to tail.
    pub(super) path: Box<[Cell]>,
    pub(super) cells: Cells,
    /// The numbers of the bodies after a step in each direction: without growth, and with it. `None`: the snake hits a
    /// wall or itself, or leaves no room for the other.
    next: [[Option<u32>; 2]; 4],
}

impl Bodies {
    pub(super) fn new(board: Board) -> Bodies {
        let longest = board.area() - MIN_LENGTH;
        let mut paths = Vec::new();
        for head in board.cells() {
            extend(board, &mut vec![head], longest, &mut paths);
        }
        let numbers: HashMap<_, _> = paths.iter().cloned().zip(0..).collect();
        let all = paths.into_iter().map(|path| {
            let next = Direction::ALL.map(|direction| {
                let head = board.neighbor(path[0], direction)?;
                let grown: Vec<Cell> = std::iter::once(head).chain(path.iter().copied()).collect();
                Some([&grown[..path.len()], &grown[..]].map(|path| numbers.get(path).copied()))
            });
            Body { cells: cells(&path), path, next: next.map(|next| next.unwrap_or([None; 2])) }
        });
        Bodies { all: all.collect(), numbers }
    }

    pub(super) fn all(&self) -> &[Body] {
        &self.all
    }

    /// The body of a number.
    pub(super) fn body(&self, number: u32) -> &Body {
        &self.all[number as usize]
    }

    /// The number of a body, from head to tail.
    pub(super) fn number(&self, path: &[Cell]) -> Option<u32> {
        self.numbers.get(path).copied()
    }

    /// What a body becomes by a step that it survives.
    pub(super) fn after(&self, number: u32, direction: Direction, grows: bool) -> u32 {
        self.body(number).next[direction.index()][usize::from(grows)].expect("a body that survives is a body")
    }
}

/// Adds all paths of up to `longest` cells that begin with this one.
fn extend(board: Board, path: &mut Vec<Cell>, longest: usize, paths: &mut Vec<Box<[Cell]>>) {
    if path.len() >= MIN_LENGTH {
        paths.push(path.as_slice().into());
    }
    if path.len() == longest {
        return;
    }
    for (_, cell) in board.neighbors(path[path.len() - 1]) {
        if !path.contains(&cell) {
            path.push(cell);
            extend(board, path, longest, paths);
            path.pop();
        }
    }
}

fn cells(path: &[Cell]) -> Cells {
    path.iter().fold(0, |cells, cell| cells | 1 << cell.0)
}
