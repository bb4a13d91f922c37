//! Slow reference implementations shared by the tests of one snake and of duels.

use hognose_game::{Board, Cell};

/// Returns the 12 scalars of `centered` about free cells, as documented.
pub(crate) fn free_cells(
    board: Board,
    is_covered: impl Fn(Cell) -> bool,
    head: Cell,
    tail: Cell,
) -> Vec<f32> {
    let free: Vec<Cell> = board.cells().filter(|&cell| !is_covered(cell)).collect();
    let are_beside = |a: Cell, b: Cell| board.neighbors(a).any(|(_, next)| next == b);
    // The least cell of each region represents it.
    let mut region: Vec<Cell> = free.clone();
    for _ in &free {
        for (a, &cell) in free.iter().enumerate() {
            for (b, &other) in free.iter().enumerate() {
                if are_beside(cell, other) {
                    region[a] = region[a].min(region[b]);
                }
            }
        }
    }
    let beside = |place: Cell| -> Vec<Cell> {
        let near = free
            .iter()
            .zip(&region)
            .filter(|&(&cell, _)| are_beside(cell, place));
        near.map(|(_, &region)| region).collect()
    };
    let free_beside = |&cell: &Cell| {
        free.iter()
            .filter(|&&other| are_beside(cell, other))
            .count()
    };
    let of_head = beside(head);
    let of_tail = beside(tail);
    let share = region
        .iter()
        .filter(|region| of_head.contains(region))
        .count() as f32
        / free.len().max(1) as f32;
    let is_tail_beside =
        are_beside(head, tail) || of_head.iter().any(|region| of_tail.contains(region));
    let soft = |number: usize| number as f32 / (number as f32 + 2.0);
    let six = vec![
        soft(
            free.iter()
                .zip(&region)
                .filter(|(cell, region)| cell == region)
                .count(),
        ),
        soft(free.iter().filter(|cell| free_beside(cell) == 0).count()),
        soft(free.iter().filter(|cell| free_beside(cell) == 1).count()),
        soft(free.len()),
        share,
        f32::from(is_tail_beside),
    ];
    let zeros = vec![0.0; 6];
    if board.area().is_multiple_of(2) {
        [six, zeros].concat()
    } else {
        [zeros, six].concat()
    }
}
