//! Games as text that replays.

use crate::arrays::value_error;
use crate::evaluation::PlayedGames;
use crate::positions::Position;
use hognose_eval::PolicyGame;
use hognose_game::{Record, RecordError};
use pyo3::prelude::*;

/// The record of the first game of `config`, and why the policy gave it up, if it did. `policy` and `config` are as
/// `play` has them.
#[pyfunction]
pub(crate) fn record(py: Python<'_>, policy: &Bound<'_, PyAny>, config: &str) -> PyResult<(String, Option<String>)> {
    let config = PlayedGames::from_json(config)?;
    let games = config.evaluation();
    config.play_singly(py, policy, |single| {
        let mut game = PolicyGame::new(&*single.maker, &games, games.first)?;
        while !game.is_over() && single.go_on().is_continue() {
            game.step();
        }
        Ok((game.record().to_string(), game.forfeit().map(ToString::to_string)))
    })
}

/// The positions of a recorded game, from the first one to the last.
#[pyfunction]
pub(crate) fn replay(py: Python<'_>, record: &str) -> PyResult<Vec<Position>> {
    py.detach(|| {
        let record: Record = record.parse()?;
        record.replay()?;
        let mut game = record.start();
        let mut positions = vec![Position(game.position().clone())];
        for &direction in record.moves() {
            game.step(direction);
            positions.push(Position(game.position().clone()));
        }
        Ok(positions)
    })
    .map_err(|error: RecordError| value_error(&error))
}
