//! Records of games and duels: text that replays.

use crate::arrays::value_error;
use crate::duel_positions::DuelPosition;
use crate::evaluation::PlayedGames;
use crate::positions::Position;
use hognose_eval::PolicyGame;
use hognose_game::Record;
use hognose_game::duel::DuelRecord;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use std::fmt::Display;
use std::iter;
use std::str::FromStr;

/// Plays the first game of `config`, and returns its record and the reason of a forfeit. `policy`
/// and `config` are the arguments of `play`.
#[pyfunction]
pub(crate) fn record(
    py: Python<'_>,
    policy: &Bound<'_, PyAny>,
    config: &str,
) -> PyResult<(String, Option<String>)> {
    let config = PlayedGames::from_json(config)?;
    let games = config.evaluation();
    config.play_singly(py, policy, |single| {
        let mut game = PolicyGame::new(&*single.maker, &games, games.first)?;
        while !game.is_over() && single.go_on().is_continue() {
            game.step();
        }
        Ok((
            game.record().to_string(),
            game.forfeit().map(ToString::to_string),
        ))
    })
}

/// Returns the positions of a recorded game, from first to last. Checks the whole record first.
#[pyfunction]
pub(crate) fn replay(py: Python<'_>, record: &str) -> PyResult<Replay> {
    let record: Record = checked(py, record, Record::replay)?;
    let mut game = record.start();
    let first = Position(game.position().clone());
    Ok(Replay::new(
        first,
        record.moves().to_vec(),
        move |direction| {
            game.step(direction);
            Position(game.position().clone())
        },
    ))
}

/// Returns the positions of a recorded duel, from first to last. Checks the whole record first.
#[pyfunction]
pub(crate) fn replay_duel(py: Python<'_>, record: &str) -> PyResult<Replay> {
    let record: DuelRecord = checked(py, record, DuelRecord::replay)?;
    let mut duel = record.start();
    let first = DuelPosition(duel.position().clone());
    Ok(Replay::new(first, record.moves().to_vec(), move |moves| {
        duel.step(moves);
        DuelPosition(duel.position().clone())
    }))
}

/// Parses a record and checks that it replays.
fn checked<R, E, Last>(
    py: Python<'_>,
    text: &str,
    replay: impl FnOnce(&R) -> Result<Last, E> + Send,
) -> PyResult<R>
where
    R: FromStr<Err = E> + Send,
    E: Display + Send,
{
    let checked = py.detach(|| {
        let record: R = text.parse()?;
        replay(&record)?;
        Ok(record)
    });
    checked.map_err(|error: E| value_error(&error))
}

/// Returns the next position; `None` after the last one.
type Next = dyn FnMut(Python<'_>) -> PyResult<Option<Py<PyAny>>> + Send + Sync;

/// An iterator over positions.
#[pyclass(module = "hognose._hognose")]
pub(crate) struct Replay(Box<Next>);

impl Replay {
    /// Iterates over `first` and the position that `step` returns for each move.
    fn new<M, P>(
        first: P,
        moves: Vec<M>,
        step: impl FnMut(M) -> P + Send + Sync + 'static,
    ) -> Replay
    where
        M: Send + Sync + 'static,
        P: for<'py> IntoPyObject<'py> + Send + Sync + 'static,
    {
        let mut positions = iter::once(first).chain(moves.into_iter().map(step));
        Replay(Box::new(move |py| {
            positions
                .next()
                .map(|position| position.into_py_any(py))
                .transpose()
        }))
    }
}

#[pymethods]
impl Replay {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        (self.0)(py)
    }
}
