//! Whether a board can be solved in the available memory.

use crate::symmetry::{first_cells, representatives, symmetries};
use crate::table::{TableError, check_board};
use hognose_game::{Board, Cell};

const GIB: f64 = (1u64 << 30) as f64;

/// The size of a board's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The number of bodies of all lengths.
    pub bodies: usize,
    /// The number of bodies that a table stores, in 8 bytes each.
    pub stored: usize,
}

/// Checks whether a board's bodies fit into `memory` GiB: counts them, and stops when there are too
/// many.
///
/// # Errors
/// Fails if the board can't be solved, or needs more memory.
pub fn check(board: Board, memory: f64) -> Result<Size, TableError> {
    check_board(board)?;
    // Bytes for the index and the suffixes of all lengths, and twice the values and graph of the
    // longest one.
    let needed = |total: usize, largest: usize| (4.6 * total as f64 + 46.0 * largest as f64) / GIB;
    let mut counts = vec![0usize; board.area() + 1];
    let symmetries = symmetries(board);
    let least = representatives(board, &symmetries);
    let too_many = |total: usize| needed(total, total / 9) > memory;
    let refused = |bodies: String, needed: f64| TableError::Memory {
        board,
        bodies,
        needed,
        given: memory,
    };
    let mut stored = 0;
    let mut bodies = 0;
    for first in first_cells(&least) {
        let orbit = least.iter().filter(|&&(cell, _)| cell == first).count();
        let head = Cell(first.into());
        let counted = count(board, head, 1 << first, 1, orbit, &mut counts, &too_many);
        let total: usize = counts.iter().sum();
        if !counted {
            return Err(refused(
                format!("more than {total}"),
                needed(total, total / 9),
            ));
        }
        stored += (total - bodies) / orbit;
        bodies = total;
    }
    let largest = counts.iter().copied().max().unwrap_or(0);
    let needed = needed(bodies, largest);
    if needed > memory || largest > u32::MAX as usize {
        return Err(refused(bodies.to_string(), needed));
    }
    Ok(Size { bodies, stored })
}

/// Counts the paths that continue from a head, by length, each for a whole orbit; returns `false`
/// as soon as there are too many.
fn count(
    board: Board,
    head: Cell,
    cells: u64,
    length: usize,
    orbit: usize,
    counts: &mut [usize],
    too_many: &impl Fn(usize) -> bool,
) -> bool {
    counts[length] += orbit;
    if counts[length] % (1 << 24) < orbit && too_many(counts.iter().sum()) {
        return false;
    }
    board
        .neighbors(head)
        .filter(|(_, cell)| cells >> cell.0 & 1 == 0)
        .all(|(_, cell)| {
            count(
                board,
                cell,
                cells | 1 << cell.0,
                length + 1,
                orbit,
                counts,
                too_many,
            )
        })
}
