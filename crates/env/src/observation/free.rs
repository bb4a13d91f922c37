//! What observations say of how the free cells lie together. At the end of a game the free cells
//! must form a way from the head to the tail: cells that lie apart from it are lost.

use crate::Element;
use hognose_game::{Board, Cell, Sight};

/// How many numbers a search finds.
const FOUND: usize = 6;
/// How many numbers are written.
pub(super) const SCALARS: usize = 2 * FOUND;

/// The search for regions, and its memory. A region is a set of cells that no body covers,
/// connected with each other.
#[derive(Clone, Debug)]
pub(super) struct Free {
    /// By cell: the cells next to it.
    neighbors: Box<[Neighbors]>,
    /// By cell: its region; `COVERED` where a body is, `UNSEEN` before the cell is found.
    regions: Box<[u16]>,
    /// By region: how many cells it has.
    sizes: Vec<u32>,
    /// Cells that are found, and whose neighbours are not looked at yet.
    open: Vec<Cell>,
}

/// Up to four cells: fewer at borders, and on a torus of two columns or rows.
#[derive(Clone, Copy, Debug)]
struct Neighbors {
    cells: [Cell; 4],
    count: usize,
}

#[derive(Default)]
struct Found {
    regions: u32,
    /// Free cells with no free cell next to them, and with one.
    isolated: u32,
    ends: u32,
    free: u32,
    /// Cells of the regions next to the head.
    beside_head: u32,
    is_tail_beside: bool,
}

const COVERED: u16 = u16::MAX;
const UNSEEN: u16 = u16::MAX - 1;

impl Free {
    pub(super) fn new(board: Board) -> Free {
        let neighbors = |cell| {
            let mut found = Neighbors {
                cells: [Cell(0); 4],
                count: 0,
            };
            for (_, next) in board.neighbors(cell) {
                if !found.cells[..found.count].contains(&next) {
                    found.cells[found.count] = next;
                    found.count += 1;
                }
            }
            found
        };
        Free {
            neighbors: board.cells().map(neighbors).collect(),
            regions: vec![UNSEEN; board.area()].into(),
            sizes: Vec::with_capacity(board.area()),
            open: Vec::with_capacity(board.area()),
        }
    }

    fn search(&mut self, game: impl Sight) -> Found {
        let Free {
            neighbors,
            regions,
            sizes,
            open,
        } = self;
        let beside = |cell: Cell| {
            let Neighbors { cells, count } = &neighbors[cell.index()];
            &cells[..*count]
        };
        regions.fill(UNSEEN);
        game.body().for_each(|cell| regions[cell.index()] = COVERED);
        if let Some(duel) = game.duel() {
            duel.other()
                .body()
                .for_each(|cell| regions[cell.index()] = COVERED);
        }
        sizes.clear();
        let mut found = Found::default();
        for cell in game.board().cells() {
            if regions[cell.index()] != UNSEEN {
                continue;
            }
            let region = sizes.len() as u16;
            let mut size = 0;
            regions[cell.index()] = region;
            open.push(cell);
            while let Some(cell) = open.pop() {
                size += 1;
                let mut free = 0;
                for next in beside(cell) {
                    let its = &mut regions[next.index()];
                    free += u32::from(*its != COVERED);
                    if *its == UNSEEN {
                        *its = region;
                        open.push(*next);
                    }
                }
                found.isolated += u32::from(free == 0);
                found.ends += u32::from(free == 1);
            }
            found.free += size;
            sizes.push(size);
        }
        found.regions = sizes.len() as u32;
        let head = beside(game.head());
        let tail = beside(game.tail());
        found.is_tail_beside = head.contains(&game.tail());
        for (nth, cell) in head.iter().enumerate() {
            let region = regions[cell.index()];
            if region == COVERED
                || head[..nth]
                    .iter()
                    .any(|before| regions[before.index()] == region)
            {
                continue;
            }
            found.beside_head += sizes[usize::from(region)];
            found.is_tail_beside |= tail.iter().any(|cell| regions[cell.index()] == region);
        }
        found
    }

    /// Writes what a search finds: regions; free cells with no free cell next to them; free cells
    /// with one; free cells, all as n / (n + 2). Share of the free cells that lie in regions next
    /// to the head; whether the tail is next to such a region, or to the head.
    ///
    /// They come first on boards with an even number of cells, and last on others, and the rest is
    /// 0: with an odd number of cells a game can be won though a free cell lies alone, so the same
    /// numbers do not mean the same.
    pub(super) fn write<T: Element>(&mut self, game: impl Sight, out: &mut [T]) {
        let Found {
            regions,
            isolated,
            ends,
            free,
            beside_head,
            is_tail_beside,
        } = self.search(game);
        let soft = |number: u32| T::ratio(number, number + 2);
        let (even, odd) = out.split_at_mut(FOUND);
        let (seen, others) = if game.board().area().is_multiple_of(2) {
            (even, odd)
        } else {
            (odd, even)
        };
        others.fill(T::ZERO);
        seen.copy_from_slice(&[
            soft(regions),
            soft(isolated),
            soft(ends),
            soft(free),
            T::ratio(beside_head, free.max(1)),
            T::bit(is_tail_beside),
        ]);
    }
}
