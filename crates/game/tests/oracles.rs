//! Exact numbers from other sources.

use hognose_game::{Board, Direction, Position, Rules, perft};
use std::collections::HashSet;

/// With food on every free cell, the snake grows in every step, and its games are self-avoiding
/// walks (OEIS A001411).
#[test]
fn perft_of_an_always_growing_snake_counts_self_avoiding_walks() {
    let board = Board::new(21, 21).unwrap();
    let head = board.cell(10, 10);
    let rules = Rules::new(board)
        .with_foods(440)
        .unwrap()
        .with_tail_entry(false);
    let foods = board.cells().filter(|&cell| cell != head);
    let position = Position::new(rules, Direction::Up, [head], foods).unwrap();
    let counts: Vec<u64> = (0..=9).map(|depth| perft(&position, depth)).collect();
    assert_eq!(counts, [1, 4, 12, 36, 100, 284, 780, 2172, 5916, 16268]);
}

/// Snake positions are directed self-avoiding paths on the board, including those that fill it.
#[test]
fn small_boards_have_known_numbers_of_positions() {
    for (width, height, expected) in [(2, 2, 28), (4, 4, 28_512)] {
        let board = Board::new(width, height).unwrap();
        let rules = Rules::new(board)
            .with_foods(board.area() as u16 - 1)
            .unwrap();
        let mut seen = HashSet::new();
        let mut open: Vec<Position> = Vec::new();
        for start in board.cells() {
            let foods = board.cells().filter(|&cell| cell != start);
            open.push(Position::new(rules, Direction::Up, [start], foods).unwrap());
        }
        while let Some(position) = open.pop() {
            if seen.insert(position.body().collect::<Vec<_>>()) {
                for direction in position.legal_moves().iter() {
                    let mut next = position.clone();
                    next.step(direction);
                    open.push(next);
                }
            }
        }
        assert_eq!(seen.len(), expected);
    }
}
