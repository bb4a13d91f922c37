//! All bodies of a duel's snake on a small board.

use hognose_game::duel::MIN_LENGTH;
use hognose_game::{Board, Cell, Direction};
use std::collections::HashMap;

/// A set of cells; bit n is cell n.
pub(super) type Cells = u32;

/// The numbered bodies of at least [`MIN_LENGTH`] cells that leave room for another snake.
pub(super) struct Bodies {
    all: Vec<Body>,
    numbers: HashMap<Box<[Cell]>, u32>,
}

/// A body, and the bodies that follow it.
pub(super) struct Body {
    /// The cells from head to tail.
    pub(super) path: Box<[Cell]>,
    pub(super) cells: Cells,
    /// The numbers of the bodies after a step in each direction, without growth and with growth.
    /// `None` if the snake hits a wall or itself, or leaves no room for the other.
    next: [[Option<u32>; 2]; 4],
}

impl Bodies {
    /// The approximate memory of a body in bytes: itself, and its path twice, as rounded up by the
    /// allocator.
    pub(super) const BYTES: u64 =
        (size_of::<Body>() + 2 * 32 + size_of::<(Box<[Cell]>, u32)>() * 2) as u64;

    pub(super) fn new(board: Board) -> Bodies {
        let mut paths: Vec<Box<[Cell]>> = Vec::new();
        walk_all(board, &mut |path| paths.push(path.into()));
        let numbers: HashMap<_, _> = paths.iter().cloned().zip(0..).collect();
        let all = paths.into_iter().map(|path| {
            let next = Direction::ALL.map(|direction| {
                let head = board.neighbor(path[0], direction)?;
                let grown: Vec<Cell> = std::iter::once(head).chain(path.iter().copied()).collect();
                Some([&grown[..path.len()], &grown[..]].map(|path| numbers.get(path).copied()))
            });
            Body {
                cells: cells(&path),
                path,
                next: next.map(|next| next.unwrap_or([None; 2])),
            }
        });
        Bodies {
            all: all.collect(),
            numbers,
        }
    }

    pub(super) fn all(&self) -> &[Body] {
        &self.all
    }

    pub(super) fn body(&self, number: u32) -> &Body {
        &self.all[number as usize]
    }

    /// Returns the number of a body, given from head to tail.
    pub(super) fn number(&self, path: &[Cell]) -> Option<u32> {
        self.numbers.get(path).copied()
    }

    /// Returns the body after a step that it survives.
    pub(super) fn after(&self, number: u32, direction: Direction, grows: bool) -> u32 {
        self.body(number).next[direction.index()][usize::from(grows)]
            .expect("a surviving body is enumerated")
    }
}

/// The numbers of bodies, pairs of bodies and positions on a board.
pub(super) struct Count {
    pub(super) bodies: u64,
    /// The number of pairs of bodies that do not overlap.
    pub(super) pairs: u64,
    /// The number of such pairs with a food on one of the other cells, or without food if no cell
    /// is left.
    pub(super) positions: u64,
}

impl Count {
    /// Counts without storing bodies, by the sets of cells that they cover.
    pub(super) fn new(board: Board) -> Count {
        let all = (1 << board.area()) - 1;
        let mut covering = vec![0u64; all + 1];
        walk_all(board, &mut |path| covering[cells(path) as usize] += 1);
        // The bodies within each set of cells, and the total number of cells that they cover.
        let mut within = covering.clone();
        let mut covered: Vec<u64> = (0..)
            .zip(&covering)
            .map(|(set, &bodies)| bodies * size(set))
            .collect();
        for cell in 0..board.area() {
            for set in (0..=all).filter(|set| set >> cell & 1 == 1) {
                within[set] += within[set ^ 1 << cell];
                covered[set] += covered[set ^ 1 << cell];
            }
        }
        let mut count = Count {
            bodies: within[all],
            pairs: 0,
            positions: 0,
        };
        for (set, &bodies) in covering.iter().enumerate() {
            let free = all ^ set;
            count.pairs += bodies * within[free];
            count.positions +=
                bodies * (size(free) * within[free] - covered[free] + covering[free]);
        }
        count
    }
}

fn size(set: usize) -> u64 {
    set.count_ones().into()
}

/// Calls `found` with the path of every body.
fn walk_all(board: Board, found: &mut impl FnMut(&[Cell])) {
    for head in board.cells() {
        walk(board, &mut vec![head], found);
    }
}

/// Calls `found` with the path of every body that starts with this path.
fn walk(board: Board, path: &mut Vec<Cell>, found: &mut impl FnMut(&[Cell])) {
    if path.len() >= MIN_LENGTH {
        found(path);
    }
    if path.len() + MIN_LENGTH == board.area() {
        return;
    }
    for (_, cell) in board.neighbors(path[path.len() - 1]) {
        if !path.contains(&cell) {
            path.push(cell);
            walk(board, path, found);
            path.pop();
        }
    }
}

fn cells(path: &[Cell]) -> Cells {
    path.iter().fold(0, |cells, cell| cells | 1 << cell.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_counted_without_storing_them() {
        for board in ["2x2", "2x3", "3x3", "2x4-torus", "3x3-torus", "3x4"] {
            let board: Board = board.parse().unwrap();
            let bodies = Bodies::new(board);
            let mut pairs = 0;
            let mut positions = 0;
            for body in bodies.all() {
                for other in bodies
                    .all()
                    .iter()
                    .filter(|other| other.cells & body.cells == 0)
                {
                    pairs += 1;
                    positions += (board.area() - body.path.len() - other.path.len()).max(1) as u64;
                }
            }
            let count = Count::new(board);
            assert_eq!(count.bodies, bodies.all().len() as u64, "{board}");
            assert_eq!(
                (count.pairs, count.positions),
                (pairs, positions),
                "{board}"
            );
        }
    }
}
