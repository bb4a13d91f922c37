//! Sets of cells on boards with sides of at most 16 cells.

use hognose_game::{Board, Cell};
use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// The longest supported side of a board.
pub(crate) const SIDE: usize = 16;

/// A set of spots. A spot is a cell, numbered 16 * row + column for any width of the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits([u64; 4]);

/// A board whose cells are spots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    board: Board,
    all: Bits,
}

/// The first of the 16 columns, in the four rows of a word.
const FIRST: u64 = 0x0001_0001_0001_0001;

impl Bits {
    pub(crate) const EMPTY: Bits = Bits([0; 4]);

    /// Writes all words at once: a processor stalls if it reads all words together after one was
    /// written alone.
    #[inline(always)]
    pub(crate) fn of(spot: u8) -> Bits {
        let bit = 1 << (spot & 63);
        Bits([0, 1, 2, 3].map(|word| if word == spot >> 6 { bit } else { 0 }))
    }

    #[inline(always)]
    pub(crate) fn insert(&mut self, spot: u8) {
        *self |= Bits::of(spot);
    }

    #[inline(always)]
    pub(crate) fn contains(self, spot: u8) -> bool {
        self.0[usize::from(spot >> 6)] >> (spot & 63) & 1 == 1
    }

    /// Returns the members in ascending order.
    #[inline(always)]
    pub(crate) fn iter(self) -> impl Iterator<Item = u8> {
        self.0
            .into_iter()
            .zip([0, 64, 128, 192])
            .flat_map(|(word, first)| {
                let rest =
                    std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)));
                rest.take_while(|&word| word != 0)
                    .map(move |word| first + word.trailing_zeros() as u8)
            })
    }

    /// Returns a hash of the set; two sets collide with a probability of 2^-64.
    #[inline(always)]
    pub(crate) fn digest(self) -> u64 {
        self.0.into_iter().fold(1, |digest, word| {
            (digest ^ word)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29)
        })
    }

    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        let [a, b, c, d] = self.0;
        a | b | c | d == 0
    }

    #[inline(always)]
    pub(crate) fn len(self) -> u16 {
        let [a, b, c, d] = self.0;
        (a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones()) as u16
    }
}

impl BitAnd for Bits {
    type Output = Bits;

    #[inline(always)]
    fn bitand(self, other: Bits) -> Bits {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Bits([a & e, b & f, c & g, d & h])
    }
}

impl BitOr for Bits {
    type Output = Bits;

    #[inline(always)]
    fn bitor(self, other: Bits) -> Bits {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Bits([a | e, b | f, c | g, d | h])
    }
}

impl BitOrAssign for Bits {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Bits) {
        *self = *self | other;
    }
}

impl Not for Bits {
    type Output = Bits;

    #[inline(always)]
    fn not(self) -> Bits {
        let [a, b, c, d] = self.0;
        Bits([!a, !b, !c, !d])
    }
}

impl Grid {
    /// Makes the grid of a board, or returns `None` if a side is too long.
    pub(crate) fn new(board: Board) -> Option<Grid> {
        if board.longer_side() > SIDE {
            return None;
        }
        let mut grid = Grid {
            board,
            all: Bits::EMPTY,
        };
        board
            .cells()
            .for_each(|cell| grid.all.insert(grid.spot(cell)));
        Some(grid)
    }

    #[inline(always)]
    pub(crate) fn spot(&self, cell: Cell) -> u8 {
        (SIDE * self.board.row(cell) + self.board.column(cell)) as u8
    }

    #[inline(always)]
    pub(crate) fn all(&self) -> Bits {
        self.all
    }

    /// Returns the spots next to those of a set, possibly with spots outside the board.
    #[inline(always)]
    pub(crate) fn around(&self, set: Bits) -> Bits {
        let Bits([a, b, c, d]) = set;
        // Within four rows: left, right, above and below.
        let near = |word: u64| (word & !FIRST) >> 1 | word << 1 & !FIRST | word >> 16 | word << 16;
        let mut around = Bits([
            near(a) | b << 48,
            near(b) | a >> 48 | c << 48,
            near(c) | b >> 48 | d << 48,
            near(d) | c >> 48,
        ]);
        if self.board.is_torus() {
            around |= self.around_border(set);
        }
        around
    }

    /// Returns the spots next to those of a set across the borders of a torus.
    fn around_border(&self, Bits(words): Bits) -> Bits {
        let last_column = self.board.width() - 1;
        let last_row = self.board.height() - 1;
        let mut across =
            Bits(words.map(|word| (word & FIRST) << last_column | word >> last_column & FIRST));
        let last_word = last_row / 4;
        let shift = last_row % 4 * SIDE;
        across.0[last_word] |= (words[0] & 0xffff) << shift;
        across.0[0] |= words[last_word] >> shift & 0xffff;
        across
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_agree_with_the_board() {
        for (width, height) in [(2, 2), (16, 16), (14, 14), (3, 16), (16, 5)] {
            let board = Board::new(width, height).unwrap();
            for board in [board, board.torus()] {
                let grid = Grid::new(board).unwrap();
                assert_eq!(usize::from(grid.all().len()), board.area());
                for cell in board.cells() {
                    let mut expected = Bits::EMPTY;
                    board
                        .neighbors(cell)
                        .for_each(|(_, next)| expected.insert(grid.spot(next)));
                    assert_eq!(
                        grid.around(Bits::of(grid.spot(cell))) & grid.all(),
                        expected,
                        "{board} {cell:?}"
                    );
                }
            }
        }
        assert!(Grid::new(Board::new(17, 2).unwrap()).is_none());
    }
}
