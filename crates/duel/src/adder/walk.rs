//! Breadth-first searches on a board with two snakes.

use hognose_game::duel::{DuelPosition, Seat};
use hognose_game::{Cell, Direction};
use std::collections::VecDeque;

/// The cells that a snake reaches while both bodies move on.
pub(super) struct Walk {
    /// For each reached cell: the number of steps, and the first one.
    reached: Vec<Option<(u16, Option<Direction>)>>,
}

impl Walk {
    /// Searches a seat's paths that avoid a cell.
    pub(super) fn avoiding(position: &DuelPosition, seat: Seat, avoided: Cell) -> Walk {
        let head = position.snake(seat).head();
        Walk::search(position, seat, (head, 0), &[avoided])
    }

    /// Searches a seat's paths that begin with a move and avoid the cells that the other's head can
    /// enter next.
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
                // The other may eat meanwhile, and its tail then stays for a step.
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

    pub(super) fn len(&self) -> usize {
        self.reached.iter().flatten().count()
    }

    pub(super) fn steps(&self, to: Cell) -> Option<u16> {
        self.reached[to.index()].map(|(steps, _)| steps)
    }

    /// Returns the first step to a cell.
    pub(super) fn first(&self, to: Cell) -> Option<Direction> {
        self.reached[to.index()].and_then(|(_, first)| first)
    }

    /// Returns the first step to the farthest cell, the first of several.
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
