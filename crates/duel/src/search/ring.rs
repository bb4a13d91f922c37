//! Certain wins at the step limit, by keeping the foods from the other snake.

use super::state::State;
use crate::bits::Bits;
use hognose_game::duel::Seat;

/// Returns the seat that is sure to win at the step limit by following its tail from now on: it is
/// longer, its head is next to its tail, and the other can't reach any food, or only by entering a
/// dead end, and then is still shorter. If the other enters the cell that the tail leaves, both
/// heads meet there, and the longer snake wins.
#[inline]
pub(crate) fn ring(state: &State) -> Option<Seat> {
    if !state.world.is_ring_safe {
        return None;
    }
    let (longer, lead) = state.lead()?;
    (state.is_ring(longer) && is_enclosed(state, longer, lead)).then_some(longer)
}

/// Returns whether a body that stays in its cells keeps all foods from the other snake.
fn is_enclosed(state: &State, seat: Seat, lead: u16) -> bool {
    let grid = &state.world.grid;
    let open = grid.all() & !state.taken(seat);
    let mut reached = Bits::of(state.head(seat.other()));
    loop {
        let next = reached | grid.around(reached) & open & !state.foods;
        if next == reached {
            break;
        }
        reached = next;
    }
    !state.foods.is_empty()
        && state.foods.iter().all(|food| {
            let around = grid.around(Bits::of(food));
            let is_dead_end = (around & open).len() == 1 && lead > state.food_value(food).into();
            (around & reached).is_empty() || is_dead_end
        })
}

#[cfg(test)]
mod tests {
    use super::super::state::World;
    use super::*;
    use hognose_game::duel::{DuelBody, DuelPosition, DuelRules, Food};
    use hognose_game::{Board, Cell, Direction};
    use std::collections::HashSet;

    /// Whatever the other does, the ring survives and wins: the test visits all positions that can
    /// follow.
    #[test]
    fn rings_are_safe() {
        let board = Board::new(6, 5).unwrap();
        let body = |cells: &[(usize, usize)]| DuelBody {
            cells: cells
                .iter()
                .map(|&(column, row)| board.cell(column, row))
                .collect(),
            growth: 0,
        };
        let closed = body(&[
            (1, 1),
            (2, 1),
            (3, 1),
            (3, 2),
            (3, 3),
            (2, 3),
            (1, 3),
            (1, 2),
        ]);
        let open = body(&[(1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (1, 1)]);
        let cases = [
            (&closed, (2, 2), body(&[(5, 0), (5, 1), (5, 2)]), true),
            (&closed, (4, 2), body(&[(5, 0), (5, 1), (5, 2)]), false),
            (&open, (0, 1), body(&[(5, 0), (5, 1), (5, 2)]), false),
            (&open, (0, 0), body(&[(5, 0), (5, 1), (5, 2)]), true),
            // The other would be equally long after eating.
            (
                &open,
                (0, 0),
                body(&[(5, 0), (5, 1), (5, 2), (5, 3), (5, 4)]),
                false,
            ),
        ];
        for (mine, (column, row), other, is_ring) in cases {
            let rules = DuelRules::ai_snakes_2020().on(board).unwrap();
            let world = World::new(rules, "a test plays").unwrap();
            let food = Food {
                cell: board.cell(column, row),
                value: 1,
            };
            let start = DuelPosition::new(rules, [mine.clone(), other], [food], 0, 0).unwrap();
            assert_eq!(
                ring(&State::new(&world, &start)),
                is_ring.then_some(Seat::First),
                "{start:?}"
            );
            if !is_ring {
                continue;
            }
            let key = |position: &DuelPosition| -> (Cell, Vec<Cell>) {
                (
                    position.snake(Seat::First).head(),
                    position.snake(Seat::Second).body().collect(),
                )
            };
            let mut seen = HashSet::from([key(&start)]);
            let mut open = vec![start];
            while let Some(position) = open.pop() {
                let snake = position.snake(Seat::First);
                let tail = board.direction(snake.head(), snake.tail()).unwrap();
                for other in Direction::ALL {
                    let mut next = position.clone();
                    let event = next.step([tail, other]);
                    assert!(
                        event
                            .outcome
                            .is_none_or(|outcome| outcome.winner == Some(Seat::First)),
                        "{position:?}"
                    );
                    assert!(next.length(Seat::First) > next.length(Seat::Second));
                    if event.outcome.is_none() && seen.insert(key(&next)) {
                        // Reset the step counter, since only the bodies matter.
                        let bodies = Seat::BOTH.map(|seat| DuelBody {
                            cells: next.snake(seat).body().collect(),
                            growth: next.growth(seat) as u16,
                        });
                        open.push(
                            DuelPosition::new(rules, bodies, next.foods().iter().copied(), 0, 0)
                                .unwrap(),
                        );
                    }
                }
            }
            assert!(seen.len() > 200, "{}", seen.len());
        }
    }
}
