//! A filter that stops a snake from going in circles.

use crate::{
    Allowed, Cell, Direction, Directions, Event, MakeFilter, MoveFilter, Position, Unsupported,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Allows legal moves that eat or put the body in a new place: one where it has not been since the
/// snake last ate. If there are none, all legal moves are allowed.
///
/// A policy that always plays the same move in the same position circles forever once a position
/// repeats. Under this filter it leaves the circle.
///
/// ```
/// use hognose_game::{Board, Cell, Direction, FreshMoves, MoveFilter, Position, Rules};
///
/// let mut position = Position::new(
///     Rules::new(Board::new(3, 3)?),
///     Direction::Right,
///     [Cell(0)],
///     [Cell(8)],
/// )?;
/// let mut filter = FreshMoves::default();
/// filter.reset(&position)?;
/// for direction in [Direction::Right, Direction::Down, Direction::Left] {
///     assert!(filter.allowed(&position).moves.contains(direction));
///     position.step(direction);
/// }
/// // The snake of one cell has already been above and to the right, and the wall is to the left.
/// assert_eq!(
///     filter.allowed(&position).moves,
///     [Direction::Down].into_iter().collect()
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FreshMoves {
    /// All bodies since the snake last ate, from head to tail. They have the same length.
    bodies: BTreeSet<Vec<Cell>>,
}

impl FreshMoves {
    /// Returns a maker of these filters.
    pub fn maker() -> MakeFilter {
        Arc::new(|| Box::new(FreshMoves::default()))
    }

    /// Returns the length of the bodies; 0 if there are none.
    fn length(&self) -> usize {
        self.bodies.first().map_or(0, Vec::len)
    }
}

fn body(position: &Position) -> Vec<Cell> {
    position.body().collect()
}

impl MoveFilter for FreshMoves {
    fn reset(&mut self, _position: &Position) -> Result<(), Unsupported> {
        self.bodies.clear();
        Ok(())
    }

    fn allowed(&mut self, position: &Position) -> Allowed {
        if self.length() != position.len() {
            self.bodies.clear();
        }
        self.bodies.insert(body(position));
        let legal = position.legal_moves();
        let fresh: Directions = legal
            .iter()
            .filter(|&direction| {
                let mut after = position.clone();
                after.step(direction) != Event::Moved || !self.bodies.contains(&body(&after))
            })
            .collect();
        fresh.or(legal).into()
    }

    fn commit(&mut self, _direction: Direction) {}

    /// Returns the length of the bodies, then their cells; empty if there are no bodies.
    fn state(&self) -> Vec<u16> {
        let length = (!self.bodies.is_empty()).then_some(self.length() as u16);
        length
            .into_iter()
            .chain(self.bodies.iter().flatten().map(|cell| cell.0))
            .collect()
    }

    fn restore(&mut self, position: &Position, state: &[u16]) -> Result<(), Unsupported> {
        let area = position.board().area();
        let (length, cells) = match state {
            [] => (1, state),
            [length, cells @ ..] => (usize::from(*length), cells),
        };
        if length == 0 || !cells.len().is_multiple_of(length) {
            return Err(Unsupported(format!(
                "expected bodies of {length} cells, got {} cells in total",
                cells.len()
            )));
        }
        if let Some(cell) = cells.iter().find(|&&cell| usize::from(cell) >= area) {
            return Err(Unsupported(format!(
                "cell numbers must be less than {area}, got {cell}"
            )));
        }
        self.bodies = cells
            .chunks_exact(length)
            .map(|body| body.iter().copied().map(Cell).collect())
            .collect();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{self, Purpose};
    use crate::{Board, Game, Rules, Status};

    fn games(mut each: impl FnMut(&mut Game, &mut dyn FnMut(usize) -> usize)) {
        for seed in 0..40 {
            let mut draws = rng::keyed(seed, Purpose::new("fresh moves"), 0);
            let mut game = Game::new(Rules::new(Board::new(4, 3).unwrap()), seed);
            each(&mut game, &mut |n| {
                rng::below(&mut draws, n as u64) as usize
            });
        }
    }

    /// The reference keeps every body since the snake last ate, and searches all of them.
    #[test]
    fn no_position_repeats_while_another_move_is_legal() {
        let mut forbidden = 0;
        games(|game, draw| {
            let mut filter = FreshMoves::default();
            filter.reset(game.position()).unwrap();
            let mut since = vec![body(game.position())];
            for _ in 0..300 {
                if game.position().status() != Status::Ongoing {
                    return;
                }
                let legal = game.position().legal_moves();
                let expected: Directions = legal
                    .iter()
                    .filter(|&direction| {
                        let mut after = game.position().clone();
                        after.step(direction);
                        !since.contains(&body(&after))
                    })
                    .collect();
                let allowed = filter.allowed(game.position()).moves;
                assert_eq!(allowed, if expected.is_empty() { legal } else { expected });
                forbidden += legal.len() - allowed.len();
                let Some(direction) = allowed.iter().nth(draw(allowed.len().max(1))) else {
                    return;
                };
                if game.step(direction) == Event::Ate {
                    since.clear();
                }
                since.push(body(game.position()));
            }
        });
        assert!(forbidden > 100, "{forbidden}");
    }

    #[test]
    fn a_state_is_restored_and_others_are_rejected() {
        games(|game, draw| {
            let mut filter = FreshMoves::default();
            filter.reset(game.position()).unwrap();
            for _ in 0..60 {
                let mut other = FreshMoves::default();
                other.restore(game.position(), &filter.state()).unwrap();
                assert_eq!(other.state(), filter.state());
                let allowed = filter.allowed(game.position());
                assert_eq!(other.allowed(game.position()), allowed);
                let Some(direction) = allowed.moves.iter().nth(draw(allowed.moves.len().max(1)))
                else {
                    return;
                };
                game.step(direction);
            }
            let before = filter.state();
            for wrong in [&[0][..], &[2, 0, 1, 2], &[1, 12]] {
                assert!(filter.restore(game.position(), wrong).is_err(), "{wrong:?}");
            }
            assert_eq!(filter.state(), before);
        });
    }
}
