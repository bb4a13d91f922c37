//! Images of duel positions: mirrored, rotated, with the seats swapped.

use crate::Cell;
use crate::duel::{DuelBody, DuelPosition, DuelRules, Food, Outcome, Seat};

impl DuelPosition {
    /// Returns this position, mirrored left to right.
    pub fn mirrored(&self) -> DuelPosition {
        let board = self.board();
        self.mapped(
            self.rules().mirrored(),
            |cell| board.mirrored(cell),
            Seat::BOTH,
        )
    }

    /// Returns this position, rotated by half a turn.
    pub fn half_turned(&self) -> DuelPosition {
        let last = self.board().area() as u16 - 1;
        self.mapped(
            self.rules().half_turned(),
            |cell| Cell(last - cell.0),
            Seat::BOTH,
        )
    }

    /// Returns this position with the seats swapped.
    pub fn with_seats_swapped(&self) -> DuelPosition {
        self.mapped(
            self.rules().with_seats_swapped(),
            |cell| cell,
            [Seat::Second, Seat::First],
        )
    }

    /// Returns the image of this position under other rules, with mapped cells and seats.
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
        // The counters of a finished game may be too high for a new position.
        let mut mapped =
            DuelPosition::new(rules, bodies, foods, 0, 0).expect("an image is a valid position");
        (mapped.steps, mapped.hunger) = (self.steps, self.hunger);
        mapped.outcome = self.outcome.map(|outcome| Outcome {
            winner: outcome.winner.map(|winner| seats[winner.index()]),
            causes: seats.map(|seat| outcome.causes[seat.index()]),
        });
        mapped
    }
}
