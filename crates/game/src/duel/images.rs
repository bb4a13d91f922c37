//! Images of positions of duels: mirrored, turned, with exchanged seats.

use crate::Cell;
use crate::duel::{DuelBody, DuelPosition, DuelRules, Food, Outcome, Seat};

impl DuelPosition {
    /// This position, mirrored left to right.
    pub fn mirrored(&self) -> DuelPosition {
        let board = self.board();
        self.mapped(
            self.rules().mirrored(),
            |cell| board.mirrored(cell),
            Seat::BOTH,
        )
    }

    /// This position, turned by half a turn.
    pub fn half_turned(&self) -> DuelPosition {
        let last = self.board().area() as u16 - 1;
        self.mapped(
            self.rules().half_turned(),
            |cell| Cell(last - cell.0),
            Seat::BOTH,
        )
    }

    /// This position with both seats exchanged.
    pub fn with_seats_swapped(&self) -> DuelPosition {
        self.mapped(
            self.rules().with_seats_swapped(),
            |cell| cell,
            [Seat::Second, Seat::First],
        )
    }

    /// This position by other rules, where every cell lies elsewhere and the seats are those given.
    fn mapped(
        &self,
        rules: DuelRules,
        map: impl Fn(Cell) -> Cell,
        seats: [Seat; 2],
    ) -> DuelPosition {
        let bodies = seats.map(|seat| DuelBody {
            cells: self.snake(seat).body().map(&map).collect(),
            growth: self.growth[seat.index()],
        });
        let foods = self.foods().iter().map(|food| Food {
            cell: map(food.cell),
            ..*food
        });
        // Counters of a finished game may be those that a new position refuses.
        let mut mapped =
            DuelPosition::new(rules, bodies, foods, 0, 0).expect("an image of a position is one");
        (mapped.steps, mapped.hunger) = (self.steps, self.hunger);
        mapped.outcome = self.outcome.map(|outcome| Outcome {
            winner: outcome.winner.map(|winner| seats[winner.index()]),
            causes: seats.map(|seat| outcome.causes[seat.index()]),
        });
        mapped
    }
}
