//! Tablebases of small boards, and the regret of policies.

use crate::arrays::value_error;
use crate::evaluation::{PlayedGames, unsupported};
use crate::forks::need_threads;
use crate::positions::Position;
use hognose_game::Board;
use hognose_policies::{NameError, read_table};
use hognose_store::write_aside;
use hognose_tablebase::{FileError, ON_THE_FLY, check, check_board, write_table};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::io::{self, ErrorKind};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A tablebase: exact play on a small board.
#[pyclass(frozen, module = "hognose._hognose")]
pub(crate) struct Table(hognose_tablebase::Table);

#[pymethods]
impl Table {
    /// Solves a board, if that takes at most `memory` GiB.
    #[new]
    #[pyo3(signature = (board, *, memory=4.0))]
    fn new(py: Python<'_>, board: &str, memory: f64) -> PyResult<Table> {
        let board: Board = board.parse().map_err(|error| value_error(&error))?;
        if !memory.is_finite() || memory <= 0.0 {
            let text =
                format!("memory must be a finite number of GiB greater than 0, got {memory}");
            return Err(PyValueError::new_err(text));
        }
        py.detach(|| check(board, memory))
            .map_err(|error| value_error(&error))?;
        solved(py, board).map(Table)
    }

    /// Reads a table that `hognose tablebase solve` or `save` wrote.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Table> {
        py.detach(|| read_table(&path))
            .map(Table)
            .map_err(|error| match &error {
                NameError::Table {
                    error: FileError::Io(system),
                    ..
                } => io::Error::new(system.kind(), error.to_string()).into(),
                _ => value_error(&error),
            })
    }

    /// Writes the table to a file, which must not exist.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| write(&path, &self.0)).map_err(|error| {
            io::Error::new(
                error.kind(),
                format!("can't write {}: {error}", path.display()),
            )
            .into()
        })
    }

    /// Reads a table from the bytes of its file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Table> {
        py.detach(|| hognose_tablebase::read_table(&mut &*bytes))
            .map(Table)
            .map_err(|error| value_error(&error))
    }

    /// Returns the bytes of its file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = Vec::new();
        py.detach(|| write_table(&mut bytes, &self.0))?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((
            py.get_type::<Table>().getattr("from_bytes")?,
            (self.to_bytes(py)?,),
        ))
    }

    /// The board, such as `5x5`.
    #[getter]
    fn board(&self) -> String {
        self.0.board().to_string()
    }

    /// Returns the least expected number of steps to a certain win, or None if no win is certain.
    fn value(&self, position: &Position) -> PyResult<Option<f64>> {
        let best = self
            .0
            .best(&position.0)
            .map_err(|error| value_error(&error))?;
        Ok(best.map(|(value, _)| value))
    }

    /// Returns the value after each of the moves up, right, down and left, the move included; None
    /// if it loses or no win is certain after it.
    fn moves(&self, position: &Position) -> PyResult<[Option<f64>; 4]> {
        self.0
            .moves(&position.0)
            .map_err(|error| value_error(&error))
    }
}

/// Writes a table to a new file, completely or not at all.
fn write(path: &Path, table: &hognose_tablebase::Table) -> io::Result<()> {
    if path.exists() {
        return Err(io::Error::new(
            ErrorKind::AlreadyExists,
            "the file already exists",
        ));
    }
    write_aside(path, |out| write_table(out, table))
}

/// Returns the table that evaluates the moves in games (JSON of `play`): the given one, or for a
/// small board a new one.
#[pyfunction]
pub(crate) fn table_of(
    py: Python<'_>,
    games: &str,
    table: Option<Py<Table>>,
) -> PyResult<Py<Table>> {
    let games = PlayedGames::from_json(games)?.evaluation();
    let board = games.rules.board();
    let table = match table {
        Some(table) => table,
        None if board.area() <= ON_THE_FLY => Py::new(py, Table(solved(py, board)?))?,
        None => {
            check_board(board).map_err(|error| value_error(&error))?;
            let text = format!("{board} needs a table: table=hognose.tablebase.Table.load(FILE)");
            return Err(PyValueError::new_err(text));
        }
    };
    table
        .get()
        .0
        .check(games.game(games.first).position())
        .map_err(|refusal| unsupported(&refusal))?;
    Ok(table)
}

/// Returns the regret of a policy's moves in the games of `config` by a table, as JSON. `policy`
/// and `config` are the arguments of `play`.
#[pyfunction]
pub(crate) fn regret(
    py: Python<'_>,
    policy: &Bound<'_, PyAny>,
    table: &Table,
    config: &str,
) -> PyResult<String> {
    let config = PlayedGames::from_json(config)?;
    let games = config.evaluation();
    let regret = config.play_singly(py, policy, |single| {
        hognose_eval::regret(
            Arc::clone(&single.maker),
            &games,
            |position| table.0.moves(position),
            |position| single.value(position),
            |_| single.go_on(),
        )
    })?;
    serde_json::to_string(&regret).map_err(|error| value_error(&error))
}

/// Solves a board while other Python threads run. Stops at Ctrl-C.
fn solved(py: Python<'_>, board: Board) -> PyResult<hognose_tablebase::Table> {
    need_threads()?;
    let mut interrupted = None;
    let table = py.detach(|| {
        hognose_tablebase::Table::solve_while(
            board,
            || match Python::attach(|py| py.check_signals()) {
                Ok(()) => ControlFlow::Continue(()),
                Err(signal) => {
                    interrupted = Some(signal);
                    ControlFlow::Break(())
                }
            },
            |_| (),
        )
    });
    match table.map_err(|error| value_error(&error))? {
        Some(table) => Ok(table),
        None => Err(interrupted.expect("only a signal stops solving")),
    }
}
