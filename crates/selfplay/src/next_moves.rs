//! The game of both snakes' next moves.

use hognose_duel::{DuelEncoder, Matrix, Solution, ValueNetwork};
use hognose_game::duel::{DuelPosition, Seat};
use hognose_game::{Direction, Directions};

/// The game of the next moves of both snakes, solved: the first seat chooses the row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NextMoves {
    /// The moves of each seat: legal ones, or where none is, the three that do not turn back.
    moves: [[Direction; 3]; 2],
    counts: [usize; 2],
    pub(crate) solution: Solution,
}

/// What values positions.
#[derive(Clone, Copy)]
pub(crate) struct Valuer<'a> {
    pub(crate) encoder: &'a dyn DuelEncoder,
    pub(crate) network: &'a ValueNetwork,
}

impl NextMoves {
    /// Looks at a position in which the game goes on, and leaves it as it was. `record` is scratch
    /// for an encoded position.
    pub(crate) fn look(
        position: &mut DuelPosition,
        valuer: Valuer<'_>,
        record: &mut [u8],
    ) -> NextMoves {
        let mut counts = [0; 2];
        let moves = Seat::BOTH.map(|seat| {
            let heading = position.snake(seat).heading();
            let mut moves = [heading; 3];
            let choices = position.legal_moves(seat).or(Directions::of_turns(heading));
            for (place, direction) in moves.iter_mut().zip(choices.iter()) {
                *place = direction;
                counts[seat.index()] += 1;
            }
            moves
        });
        let matrix = Matrix::new(counts[0], counts[1], |row, column| {
            position.step([moves[0][row], moves[1][column]]);
            let value = value(position, valuer, record);
            position.undo();
            value
        });
        NextMoves {
            moves,
            counts,
            solution: matrix.solve(),
        }
    }

    /// The moves of a seat, and how often optimal play chooses each.
    pub(crate) fn of(&self, seat: Seat) -> (&[Direction], &[f64]) {
        let count = self.counts[seat.index()];
        let Solution { rows, columns, .. } = &self.solution;
        let probabilities = if seat == Seat::First { rows } else { columns };
        (&self.moves[seat.index()][..count], &probabilities[..count])
    }
}

/// The value of a position for the first seat, exact where the game has ended or its end is
/// certain.
fn value(
    position: &DuelPosition,
    Valuer { encoder, network }: Valuer<'_>,
    record: &mut [u8],
) -> f64 {
    let won = |winner| if winner == Seat::First { 1.0 } else { -1.0 };
    if let Some(outcome) = position.outcome() {
        return outcome.winner.map_or(0.0, won);
    }
    if let Some(winner) = encoder.certain_winner(position) {
        return won(winner);
    }
    encoder.encode(position, record);
    network.value(record).into()
}
