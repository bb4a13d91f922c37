//! Breadth-first searches on a board with two snakes.

use hognose_game::duel::{DuelPosition, Seat};
use hognose_game::{Cell, Direction};
use std::collections::VecDeque;

/// The cells that a snake reaches while both bodies move on.
pub(super) struct Walk {
    /// For each cell that is reached: in how many steps, and the first of them.
    reached: Vec<Option<(u16, Option<Direction>)>>,
}

impl Walk {
    /// All ways of a seat that avoid a cell.
    pub(super) fn avoiding(position: &DuelPosition, seat: Seat, avoided: Cell) -> Walk {
        let head = position.snake(seat).head();
        Walk::search(position, seat, (head, 0), &[avoided])
    }

    /// All ways that begin with a move, where the other's head keeps the cells that it may enter
    /// next.
    pub(super) fn after(position: &DuelPosition, seat: Seat, first: Direction) -> Option<Walk> {
        let board = position.board();
        let other = position.snake(seat.other());
        let start = board.neighbor(position.snake(seat).head(), first)?;
        let kept: Vec<Cell> = board
            .neighbors(other.head())
            .map(|(_, cell)| cell)
            .filter(|&cell| cell != other.tail())
            .collect();
        Some(Walk::search(position, seat, (start, 1), &kept))
    }

    fn search(
        position: &DuelPosition,
        seat: Seat,
        (start, steps): (Cell, u16),
        kept: &[Cell],
    ) -> Walk {
        let board = position.board();
        let mut walk = Walk {
            reached: vec![None; board.area()],
        };
        walk.reached[start.index()] = Some((steps, None));
        let mut open = VecDeque::from([(start, steps, None)]);
        while let Some((cell, steps, first)) = open.pop_front() {
            for (direction, next) in board.neighbors(cell) {
                // The other may eat in between, so that its tail stays for a step.
                let delay = u16::from(position.covered_by(next) == Some(seat.other()));
                let is_free = position.steps_until_free(next) + delay <= steps + 1;
                if is_free && walk.reached[next.index()].is_none() && !kept.contains(&next) {
                    let first = first.or(Some(direction));
                    walk.reached[next.index()] = Some((steps + 1, first));
                    open.push_back((next, steps + 1, first));
                }
            }
        }
        walk
    }

    /// How many cells are reached.
    pub(super) fn len(&self) -> usize {
        self.reached.iter().flatten().count()
    }

    /// The steps to a cell.
    pub(super) fn steps(&self, to: Cell) -> Option<u16> {
        self.reached[to.index()].map(|(steps, _)| steps)
    }

    /// The first step to a cell.
    pub(super) fn first(&self, to: Cell) -> Option<Direction> {
        self.reached[to.index()].and_then(|(_, first)| first)
    }

    /// The first step to the first of the cells that take most steps.
    pub(super) fn first_to_farthest(&self) -> Option<Direction> {
        self.reached
            .iter()
            .flatten()
            .fold((0, None), |farthest, cell| {
                if cell.0 > farthest.0 { *cell } else { farthest }
            })
            .1
    }
}

/// The cells that a snake reaches around both bodies as they lie. Ways end at the food.
pub(super) fn reach_to(position: &DuelPosition, seat: Seat, food: Cell) -> Vec<bool> {
    let board = position.board();
    let head = position.snake(seat).head();
    let mut reached = vec![false; board.area()];
    reached[head.index()] = true;
    let mut open = vec![head];
    while let Some(cell) = open.pop() {
        for (_, next) in board.neighbors(cell) {
            if !reached[next.index()] && position.covered_by(next).is_none() {
                reached[next.index()] = true;
                if next != food {
                    open.push(next);
                }
            }
        }
    }
    reached
}
