//! Scalars about the connection of free cells. At the end of a game, the free cells must form a
//! path from the head to the tail: cells apart from it are lost.

use crate::Element;
use hognose_game::{Board, Cell, Sight};

/// The number of values that a search finds.
const FOUND: usize = 6;
/// The number of values that are written.
pub(super) const SCALARS: usize = 2 * FOUND;

/// The search for regions, and its memory. A region is a connected set of cells that no body
/// covers.
#[derive(Clone, Debug)]
pub(super) struct Free {
    /// For each cell, the cells next to it.
    neighbors: Box<[Neighbors]>,
    /// For each cell, its region; `COVERED` under a body, `UNSEEN` before the cell is found.
    regions: Box<[u16]>,
    /// For each region, its number of cells.
    sizes: Vec<u32>,
    /// Cells found whose neighbors have not been visited.
    open: Vec<Cell>,
}

/// Up to four cells: fewer at borders, or on a torus with two columns or rows.
#[derive(Clone, Copy, Debug)]
struct Neighbors {
    cells: [Cell; 4],
    count: usize,
}

#[derive(Default)]
struct Found {
    regions: u32,
    /// Free cells without a free neighbor; `ends` have one.
    isolated: u32,
    ends: u32,
    free: u32,
    /// The number of cells in regions next to the head.
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

    /// Writes what a search finds: regions, free cells without a free neighbor, free cells with
    /// one, and free cells, all as n / (n + 2); the share of free cells in regions next to the
    /// head; and whether the tail is next to such a region or to the head.
    ///
    /// They come first on boards with an even number of cells, and last on others; the rest is 0.
    /// With an odd number of cells, a game can be won despite an isolated free cell, so the same
    /// numbers have another meaning.
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
