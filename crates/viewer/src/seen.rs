//! A snapshot of what is visible in a game of one or two snakes.

use hognose_game::duel::{DuelPosition, Seat};
use hognose_game::{Board, Cell, Direction, Overlay, Position};

/// What is visible at a time, from which drawings and films are made.
pub(crate) struct Seen<'a> {
    pub(crate) board: Board,
    /// The snake, or the snakes of both seats in order.
    pub(crate) snakes: Vec<SeenSnake<'a>>,
    pub(crate) foods: Vec<SeenFood>,
    /// The cycle that the policy follows.
    pub(crate) cycle: &'a [Cell],
}

/// A snake.
pub(crate) struct SeenSnake<'a> {
    /// From head to tail.
    pub(crate) body: Vec<Cell>,
    /// The direction of the last move.
    pub(crate) heading: Direction,
    /// The moves that its player plans.
    pub(crate) plan: &'a [Direction],
}

/// A food.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SeenFood {
    pub(crate) cell: Cell,
    /// Its value, if values differ.
    pub(crate) value: Option<u8>,
}

impl<'a> Seen<'a> {
    /// Returns the view of a game of one snake and its policy's plan.
    pub(crate) fn of_game(position: &Position, overlay: &'a Overlay) -> Seen<'a> {
        let snake = SeenSnake {
            body: position.body().collect(),
            heading: position.heading(),
            plan: overlay.plan.as_slice(),
        };
        Seen {
            board: position.board(),
            snakes: vec![snake],
            foods: position
                .foods()
                .iter()
                .map(|&cell| SeenFood { cell, value: None })
                .collect(),
            cycle: &overlay.cycle,
        }
    }

    /// Returns the view of a duel and the moves that each player plans.
    pub(crate) fn of_duel(position: &DuelPosition, plans: &'a [Vec<Direction>; 2]) -> Seen<'a> {
        let values = position.rules().values();
        let differ = values.start() < values.end();
        Seen {
            board: position.board(),
            snakes: Seat::BOTH
                .map(|seat| SeenSnake {
                    body: position.snake(seat).body().collect(),
                    heading: position.snake(seat).heading(),
                    plan: plans[seat.index()].as_slice(),
                })
                .into(),
            foods: position
                .foods()
                .iter()
                .map(|food| SeenFood {
                    cell: food.cell,
                    value: differ.then_some(food.value),
                })
                .collect(),
            cycle: &[],
        }
    }
}
