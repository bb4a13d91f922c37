//! The matrix game of both snakes' next moves.

use hognose_duel::{DuelEncoder, Matrix, Solution, ValueNetwork};
use hognose_game::duel::{DuelPosition, Seat};
use hognose_game::{Direction, Directions};

/// The solved matrix game of both snakes' next moves. The first seat chooses the row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NextMoves {
    /// The moves of each seat: legal ones, or the three that do not turn back if none is legal.
    moves: [[Direction; 3]; 2],
    counts: [usize; 2],
    pub(crate) solution: Solution,
}

/// An encoder and a network that value positions.
#[derive(Clone, Copy)]
pub(crate) struct Valuer<'a> {
    pub(crate) encoder: &'a dyn DuelEncoder,
    pub(crate) network: &'a ValueNetwork,
}

impl NextMoves {
    /// Solves the game at a position of an ongoing duel, which it leaves unchanged. `record` is
    /// scratch memory for an encoded position.
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

    /// Returns the moves of a seat, and their probabilities in optimal play.
    pub(crate) fn of(&self, seat: Seat) -> (&[Direction], &[f64]) {
        let count = self.counts[seat.index()];
        let Solution { rows, columns, .. } = &self.solution;
        let probabilities = if seat == Seat::First { rows } else { columns };
        (&self.moves[seat.index()][..count], &probabilities[..count])
    }
}

/// Returns the value of a position for the first seat, exact if the duel has ended or its winner is
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
