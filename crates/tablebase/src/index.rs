//! A perfect index of the bodies on a board: every directed self-avoiding path of each length has a
//! number.

use hognose_game::{Board, Cell, Direction};

/// The maximum number of cells of a board: the cells of a body are bits of a 64-bit word.
pub const MAX_AREA: usize = 64;
/// No neighbor.
const NONE: u8 = u8::MAX;
/// The number of paths per word of masks, and per block with its own count.
const PER_WORD: usize = 16;
const PER_BLOCK: usize = 64;

/// Numbers the bodies of each length from 0, in the order of a depth-first search from the tail.
/// The children of a path, which have one more cell at the head, have consecutive numbers in the
/// order of their directions. The index takes four bits per path, for the directions that lead to a
/// free cell, and half a bit for counts. It needs no hashing or searching.
///
/// ```
/// use hognose_game::{Board, Cell};
/// use hognose_tablebase::PathIndex;
///
/// let index = PathIndex::new(Board::new(2, 2)?);
/// assert_eq!((index.count(1), index.count(2), index.total()), (4, 8, 28));
/// assert_eq!(index.number(&[Cell(0)]), 0);
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PathIndex {
    board: Board,
    neighbors: Vec<[u8; 4]>,
    /// Indexed by length, from 1.
    levels: Vec<Level>,
}

#[derive(Clone, Debug)]
struct Level {
    count: usize,
    /// Four bits per path: the directions in which its head can move to a free cell.
    masks: Vec<u64>,
    /// For each block of paths, the number of children of all paths before it.
    children_before: Vec<u32>,
}

impl Level {
    fn mask(&self, path: usize) -> u8 {
        (self.masks[path / PER_WORD] >> (4 * (path % PER_WORD))) as u8 & 0b1111
    }

    /// Returns the number of children before the one in `direction`: those of earlier paths, and of
    /// this path in earlier directions.
    #[inline]
    fn child(&self, path: usize, direction: usize) -> usize {
        let block = path / PER_BLOCK;
        let word = path / PER_WORD;
        let whole = self.masks[block * (PER_BLOCK / PER_WORD)..word]
            .iter()
            .map(|word| word.count_ones());
        let below = (1u64 << (4 * (path % PER_WORD) + direction)) - 1;
        (self.children_before[block] + whole.sum::<u32>() + (self.masks[word] & below).count_ones())
            as usize
    }
}

/// The longest paths while the index is built: the head and cells of each.
struct Edge {
    head: Vec<u8>,
    cells: Vec<u64>,
}

impl PathIndex {
    /// Creates the index of a board.
    ///
    /// # Panics
    /// Panics if the board has more than [`MAX_AREA`] cells.
    pub fn new(board: Board) -> PathIndex {
        PathIndex::build(board, false, |_| usize::MAX)
            .expect("any number of paths is allowed")
            .0
    }

    /// Returns the index; `None` if some length has more paths than `most` allows. Stops counting
    /// there.
    pub(crate) fn of_at_most(board: Board, most: impl Fn(usize) -> usize) -> Option<PathIndex> {
        Some(PathIndex::build(board, false, most)?.0)
    }

    /// Returns the index, and for each length from 2 the number of every path without its tail.
    pub(crate) fn with_suffixes(board: Board) -> (PathIndex, Vec<Vec<u32>>) {
        PathIndex::build(board, true, |_| usize::MAX).expect("any number of paths is allowed")
    }

    fn build(
        board: Board,
        with_suffixes: bool,
        most: impl Fn(usize) -> usize,
    ) -> Option<(PathIndex, Vec<Vec<u32>>)> {
        let area = board.area();
        assert!(
            area <= MAX_AREA,
            "a board must have at most {MAX_AREA} cells, got {board}"
        );
        let neighbors = board.cells().map(|cell| {
            Direction::ALL.map(|direction| {
                let neighbor = board.neighbor(cell, direction);
                neighbor.map_or(NONE, |cell| cell.0 as u8)
            })
        });
        let mut index = PathIndex {
            board,
            neighbors: neighbors.collect(),
            levels: Vec::new(),
        };
        let mut edge = Edge {
            head: (0..area as u8).collect(),
            cells: (0..area).map(|cell| 1 << cell).collect(),
        };
        let mut suffixes: Vec<Vec<u32>> = Vec::new();
        for length in 1..=area {
            index.push_level(&edge);
            if length == area {
                break;
            }
            let level = &index.levels[length - 1];
            let children = edge.head.len().checked_sub(1).map_or(0, |last| {
                level.child(last, 3) + usize::from(level.mask(last) >> 3)
            });
            if children > most(length + 1) {
                return None;
            }
            let mut next = Edge {
                head: Vec::with_capacity(children),
                cells: Vec::with_capacity(children),
            };
            let mut suffix = Vec::with_capacity(if with_suffixes { children } else { 0 });
            for (path, (&head, &cells)) in edge.head.iter().zip(&edge.cells).enumerate() {
                for (direction, cell) in index.moves(length, path, head) {
                    next.head.push(cell);
                    next.cells.push(cells | 1 << cell);
                    if with_suffixes {
                        suffix.push(match length {
                            1 => u32::from(cell),
                            _ => index.levels[length - 2]
                                .child(suffixes[length - 2][path] as usize, direction)
                                as u32,
                        });
                    }
                }
            }
            suffixes.push(suffix);
            edge = next;
        }
        Some((index, suffixes))
    }

    fn push_level(&mut self, edge: &Edge) {
        let count = edge.head.len();
        let mut masks = vec![0u64; count.div_ceil(PER_BLOCK) * (PER_BLOCK / PER_WORD) + 1];
        for (path, (&head, &cells)) in edge.head.iter().zip(&edge.cells).enumerate() {
            let mask: u64 = (0..4)
                .filter(|&direction| {
                    let cell = self.neighbors[usize::from(head)][direction];
                    cell != NONE && cells >> cell & 1 == 0
                })
                .map(|direction| 1 << direction)
                .sum();
            masks[path / PER_WORD] |= mask << (4 * (path % PER_WORD));
        }
        let mut before = 0;
        let children_before = masks.chunks(PER_BLOCK / PER_WORD).map(|block| {
            let own = before;
            before += block.iter().map(|word| word.count_ones()).sum::<u32>();
            own
        });
        let children_before = children_before.collect();
        self.levels.push(Level {
            count,
            masks,
            children_before,
        });
    }

    /// Returns the board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Returns the number of paths of a length.
    pub fn count(&self, length: usize) -> usize {
        self.levels[length - 1].count
    }

    /// Returns the number of paths of all lengths.
    pub fn total(&self) -> usize {
        self.levels.iter().map(|level| level.count).sum()
    }

    /// Returns the directions, as bits, in which a path's head can move to a free cell.
    #[inline]
    pub fn mask(&self, length: usize, path: usize) -> u8 {
        self.levels[length - 1].mask(path)
    }

    /// Returns the number of a path with one more cell at the head; the direction must be in its
    /// mask.
    #[inline]
    pub fn child(&self, length: usize, path: usize, direction: usize) -> usize {
        self.levels[length - 1].child(path, direction)
    }

    /// Returns the directions in which a path's head can move to a free cell, and the cells.
    #[inline]
    pub(crate) fn moves(
        &self,
        length: usize,
        path: usize,
        head: u8,
    ) -> impl Iterator<Item = (usize, u8)> {
        let mask = self.mask(length, path);
        let around = self.neighbors[usize::from(head)];
        (0..4)
            .filter(move |direction| mask >> direction & 1 == 1)
            .map(move |direction| (direction, around[direction]))
    }

    /// Returns the neighbor of a cell in a direction, if it is on the board.
    #[inline]
    pub fn neighbor(&self, cell: u8, direction: usize) -> Option<u8> {
        Some(self.neighbors[usize::from(cell)][direction]).filter(|&cell| cell != NONE)
    }

    /// Returns the head of every path of a length, with a value that `next` computes from the value
    /// of the path without that head.
    pub(crate) fn grow<T: Copy>(
        &self,
        length: usize,
        first: impl Fn(u8) -> T,
        next: impl Fn(T, u8) -> T,
    ) -> Vec<(u8, T)> {
        let singles = (0..self.board.area() as u8)
            .map(|cell| (cell, first(cell)))
            .collect();
        (1..length).fold(singles, |paths: Vec<(u8, T)>, length| {
            let mut longer = Vec::with_capacity(self.count(length + 1));
            for (path, &(head, value)) in paths.iter().enumerate() {
                let moves = self.moves(length, path, head);
                longer.extend(moves.map(|(_, cell)| (cell, next(value, cell))));
            }
            longer
        })
    }

    /// Returns the number of a path, with its cells from tail to head.
    pub fn number(&self, cells: &[Cell]) -> usize {
        let mut path = cells[0].index();
        for (length, pair) in (1..).zip(cells.windows(2)) {
            let direction = self
                .board
                .direction(pair[0], pair[1])
                .expect("a path goes from neighbor to neighbor");
            path = self.child(length, path, direction.index());
        }
        path
    }

    /// Returns, for each cell, the first number of the paths of a length with the tail there,
    /// followed by the number of paths.
    pub fn starts(&self, length: usize) -> Vec<usize> {
        let mut starts: Vec<usize> = (0..=self.board.area()).collect();
        for length in 1..length {
            for start in &mut starts {
                *start = if *start == self.count(length) {
                    self.count(length + 1)
                } else {
                    self.child(length, *start, 0)
                };
            }
        }
        starts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another program counted the snake bodies on small boards.
    #[test]
    fn counts_are_the_numbers_of_directed_self_avoiding_paths() {
        for (width, height, total) in [(2, 2, 28), (4, 4, 28_512), (4, 6, 1_603_536)] {
            let (index, suffixes) = PathIndex::with_suffixes(Board::new(width, height).unwrap());
            assert_eq!(index.total(), total);
            assert!(
                suffixes
                    .iter()
                    .zip(2..)
                    .all(|(suffix, length)| suffix.len() == index.count(length))
            );
        }
    }

    /// Every path of a depth-first search has the next number, and its suffix has the number of the
    /// path without its tail.
    #[test]
    fn numbers_and_suffixes_agree_with_a_search() {
        fn visit(
            index: &PathIndex,
            suffixes: &[Vec<u32>],
            path: &mut Vec<Cell>,
            seen: &mut Vec<usize>,
        ) {
            let length = path.len();
            assert_eq!(index.number(path), seen[length - 1]);
            if length > 1 {
                assert_eq!(
                    suffixes[length - 2][seen[length - 1]] as usize,
                    index.number(&path[1..])
                );
            }
            seen[length - 1] += 1;
            for (_, next) in index.board.neighbors(path[length - 1]) {
                if !path.contains(&next) {
                    path.push(next);
                    visit(index, suffixes, path, seen);
                    path.pop();
                }
            }
        }
        let board = Board::new(4, 3).unwrap();
        let (index, suffixes) = PathIndex::with_suffixes(board);
        let mut seen = vec![0; board.area()];
        for cell in board.cells() {
            for length in 1..=board.area() {
                assert_eq!(index.starts(length)[cell.index()], seen[length - 1]);
            }
            visit(&index, &suffixes, &mut vec![cell], &mut seen);
        }
        assert_eq!(
            seen,
            (1..=board.area())
                .map(|length| index.count(length))
                .collect::<Vec<_>>()
        );
    }
}
