//! The cost of a certificate: the least expected steps if every body after eating must lie on a
//! Hamiltonian cycle, contiguously or in its order, compared with the optimum.
//!
//! `cargo run --release -p hognose-tablebase --example certificates -- 4x4 4x6 5x5`

use hognose_game::{Board, Cell};
use hognose_tablebase::{PathIndex, Solver};
use std::error::Error;
use std::ops::ControlFlow;

/// A cycle, as the place of each cell; on a board with an odd number of cells, two cells share a
/// place.
struct Cycle {
    places: Vec<usize>,
    length: usize,
}

#[derive(Clone, Copy)]
enum Certificate {
    Contiguous,
    InOrder,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("board  optimum   in order          contiguous");
    for text in std::env::args().skip(1) {
        let board: Board = text.parse()?;
        let cycles = cycles(board);
        let optimum = mean_steps(board, None);
        let [in_order, contiguous] = [Certificate::InOrder, Certificate::Contiguous]
            .map(|certificate| mean_steps(board, Some((&cycles, certificate))));
        let more = |steps: f64| 100.0 * (steps / optimum - 1.0);
        println!(
            "{board:5} {optimum:9.4} {in_order:9.4} (+{:.1} %) {contiguous:9.4} (+{:.1} %)",
            more(in_order),
            more(contiguous)
        );
    }
    Ok(())
}

/// Returns the least expected steps from a random cell, with a certificate required after each food
/// if some are given.
fn mean_steps(board: Board, certificates: Option<(&[Cycle], Certificate)>) -> f64 {
    let mut solver = Solver::new(board);
    let mut kept: Vec<Vec<bool>> = vec![Vec::new()];
    kept.extend(
        (1..=board.area()).map(|length| vec![certificates.is_none(); solver.index().count(length)]),
    );
    if let Some((cycles, certificate)) = certificates {
        for cycle in cycles {
            for tail in board
                .cells()
                .filter(|tail| cycle.places[tail.index()] < cycle.length)
            {
                keep(
                    solver.index(),
                    cycle,
                    certificate,
                    tail,
                    1,
                    tail.index(),
                    tail.0 as u8,
                    &mut kept,
                );
            }
        }
    }
    while let Some(solved) = solver.step(|| ControlFlow::Continue(())) {
        solver.give_up(|body| !kept[solved.length][body]);
    }
    (0..board.area())
        .map(|cell| solver.expected(cell))
        .sum::<f64>()
        / board.area() as f64
}

/// Marks a body, and all longer ones with a certificate.
#[expect(clippy::too_many_arguments, reason = "a recursion over the index")]
fn keep(
    index: &PathIndex,
    cycle: &Cycle,
    certificate: Certificate,
    tail: Cell,
    length: usize,
    body: usize,
    head: u8,
    kept: &mut [Vec<bool>],
) {
    kept[length][body] = true;
    let behind = |cell: u8| {
        (cycle.places[usize::from(cell)] + cycle.length - cycle.places[tail.index()]) % cycle.length
    };
    for direction in (0..4).filter(|direction| index.mask(length, body) >> direction & 1 == 1) {
        let next = index
            .neighbor(head, direction)
            .expect("masks lead to cells");
        let ahead = match certificate {
            Certificate::Contiguous => behind(next) == behind(head) + 1,
            Certificate::InOrder => behind(next) > behind(head),
        };
        if ahead {
            let longer = index.child(length, body, direction);
            keep(
                index,
                cycle,
                certificate,
                tail,
                length + 1,
                longer,
                next,
                kept,
            );
        }
    }
}

/// Returns all directed Hamiltonian cycles. On a board with an odd number of cells, they omit one
/// cell, which shares the place of a cell that forms a 2x2 square with it and with its own
/// neighbors on the cycle.
fn cycles(board: Board) -> Vec<Cycle> {
    let even = board.area().is_multiple_of(2);
    let mut found = Vec::new();
    for missing in board
        .cells()
        .map(Some)
        .filter(|_| !even)
        .chain(even.then_some(None))
    {
        let start = Cell(u16::from(missing == Some(Cell(0))));
        let used = 1 << start.0 | missing.map_or(0, |cell| 1u64 << cell.0);
        let mut paths = Vec::new();
        close(board, &mut vec![start], used, &mut paths);
        for path in paths {
            let mut places = vec![usize::MAX; board.area()];
            path.iter()
                .enumerate()
                .for_each(|(place, cell)| places[cell.index()] = place);
            let Some(missing) = missing else {
                found.push(Cycle {
                    places,
                    length: path.len(),
                });
                continue;
            };
            for place in 0..path.len() {
                let [before, after] = [
                    path[(place + path.len() - 1) % path.len()],
                    path[(place + 1) % path.len()],
                ];
                let beside = [before, after]
                    .iter()
                    .all(|&cell| board.distance(cell, missing) == 1);
                if beside
                    && board.distance(path[place], missing) == 2
                    && board.column(before) != board.column(after)
                {
                    let mut places = places.clone();
                    places[missing.index()] = place;
                    found.push(Cycle {
                        places,
                        length: path.len(),
                    });
                }
            }
        }
    }
    found
}

fn close(board: Board, path: &mut Vec<Cell>, used: u64, found: &mut Vec<Vec<Cell>>) {
    for (_, next) in board.neighbors(path[path.len() - 1]) {
        if next == path[0] && used.count_ones() as usize == board.area() && path.len() > 2 {
            found.push(path.clone());
        }
        if used >> next.0 & 1 == 0 {
            path.push(next);
            close(board, path, used | 1 << next.0, found);
            path.pop();
        }
    }
}
