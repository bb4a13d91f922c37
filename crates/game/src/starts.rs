//! Start positions.

use crate::{Cell, Direction, Position, Rules};

impl Rules {
    /// Returns the heading and the body, from head to tail, of [`start_at`](Self::start_at) with
    /// this index.
    pub(crate) fn body_at(self, index: usize) -> (Direction, impl Iterator<Item = Cell>) {
        let (head, heading) = self.start_at(index);
        let board = self.board();
        let back = heading.opposite();
        let body = std::iter::successors(Some(head), move |&cell| board.neighbor(cell, back));
        (heading, body.take(self.start_length()))
    }

    /// Returns every start position, before its first food appears:
    /// [`start_count`](Self::start_count) of them.
    pub fn starts(self) -> impl ExactSizeIterator<Item = Position> {
        (0..self.start_count()).map(move |index| {
            let (heading, body) = self.body_at(index);
            Position::new(self, heading, body, []).expect("a start that fits is a valid position")
        })
    }

    /// Returns every position with a body of `length` cells, straight or bent, and no food. Their
    /// number grows about threefold with each cell.
    pub fn bodies(self, length: usize) -> Vec<Position> {
        let board = self.board();
        let mut bodies: Vec<Vec<Cell>> = board.cells().map(|cell| vec![cell]).collect();
        for _ in 1..length {
            bodies = bodies
                .iter()
                .flat_map(|body| -> Vec<Vec<Cell>> {
                    let next = board.neighbors(body[body.len() - 1]).map(|(_, cell)| cell);
                    next.filter(|cell| !body.contains(cell))
                        .map(|cell| [&body[..], &[cell]].concat())
                        .collect()
                })
                .collect();
        }
        bodies
            .into_iter()
            .map(|body| {
                let heading = body
                    .get(1)
                    .and_then(|&neck| board.direction(neck, body[0]))
                    .unwrap_or(Direction::Up);
                Position::new(self, heading, body, []).expect("a path is a valid body")
            })
            .collect()
    }
}
