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
    /// The numbers of the bodies after a step in each direction: without growth, and with it.
    /// `None`: the snake hits a wall or itself, or leaves no room for the other.
    next: [[Option<u32>; 2]; 4],
}

impl Bodies {
    /// About how many bytes a body takes: itself, and its path twice, as the allocator rounds it
    /// up.
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
        self.body(number).next[direction.index()][usize::from(grows)]
            .expect("a body that survives is a body")
    }
}

/// How many bodies, pairs of them and positions there are on a board.
pub(super) struct Count {
    pub(super) bodies: u64,
    /// Pairs of bodies that do not overlap.
    pub(super) pairs: u64,
    /// Such pairs with a food on one of the other cells, or with none if no cell is left.
    pub(super) positions: u64,
}

impl Count {
    /// Counts without keeping a body: by the sets of cells that bodies cover.
    pub(super) fn new(board: Board) -> Count {
        let all = (1 << board.area()) - 1;
        let mut covering = vec![0u64; all + 1];
        walk_all(board, &mut |path| covering[cells(path) as usize] += 1);
        // Bodies within each set of cells, and the cells that they cover in all.
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

/// Calls `found` with the path of every body that begins with this path.
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
    fn positions_are_counted_without_keeping_them() {
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
