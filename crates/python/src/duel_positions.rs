//! Positions of duels as Python objects.

use crate::arrays::value_error;
use crate::positions::{GivenPlace, Place, on_board, painted, place};
use hognose_game::duel::{DuelBody, DuelRules, Food, Seat};
use hognose_viewer::{Drawing, svg};
use numpy::PyArray3;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// An immutable position of a duel: a board, two snakes and food. Pairs are in the order of the
/// seats.
#[pyclass(frozen, eq, module = "hognose._hognose")]
#[derive(PartialEq, Eq)]
pub(crate) struct DuelPosition(pub(crate) hognose_game::duel::DuelPosition);

#[pymethods]
impl DuelPosition {
    /// Creates a position from its parts. Bodies go from head to tail, and foods have a value of 1
    /// unless `values` has one for each.
    #[new]
    #[pyo3(signature = (bodies, foods=None, *, rules="ai-snakes-2021", board=None, values=None, steps=0))]
    fn new(
        bodies: [Vec<GivenPlace>; 2],
        foods: Option<Vec<GivenPlace>>,
        rules: &str,
        board: Option<&str>,
        values: Option<Vec<u8>>,
        steps: u32,
    ) -> PyResult<DuelPosition> {
        let mut rules = DuelRules::named(rules).map_err(|error| value_error(&error))?;
        if let Some(board) = board {
            let board = board.parse().map_err(|error| value_error(&error))?;
            rules = rules.on(board).map_err(|error| value_error(&error))?;
        }
        if let Some(&greatest) = values.as_ref().and_then(|values| values.iter().max()) {
            rules = rules
                .with_values(1..=greatest)
                .map_err(|error| value_error(&error))?;
        }
        let board = rules.board();
        let cell = |place| on_board(board, place).map(|[column, row]| board.cell(column, row));
        let [first, second] = bodies.map(|body| {
            let cells = body.into_iter().map(cell).collect::<PyResult<_>>()?;
            PyResult::Ok(DuelBody { cells, growth: 0 })
        });
        let foods = foods.unwrap_or_default();
        let values = values.unwrap_or_else(|| vec![1; foods.len()]);
        if values.len() != foods.len() {
            return Err(PyValueError::new_err(format!(
                "values must have {} entries, one for each food, got {}",
                foods.len(),
                values.len()
            )));
        }
        let foods = foods
            .into_iter()
            .zip(values)
            .map(|(place, value)| {
                Ok(Food {
                    cell: cell(place)?,
                    value,
                })
            })
            .collect::<PyResult<Vec<_>>>()?;
        let position =
            hognose_game::duel::DuelPosition::new(rules, [first?, second?], foods, steps, 0);
        position
            .map(DuelPosition)
            .map_err(|error| value_error(&error))
    }

    /// The board, such as `14x14`.
    #[getter]
    fn board(&self) -> String {
        self.0.board().to_string()
    }

    /// The columns and rows of each body, from head to tail.
    #[getter]
    fn bodies(&self) -> (Vec<Place>, Vec<Place>) {
        pair(|seat| {
            self.0
                .snake(seat)
                .body()
                .map(|cell| place(self.0.board(), cell))
                .collect()
        })
    }

    /// The direction of each snake's last move: `up`, `right`, `down` or `left`.
    #[getter]
    fn headings(&self) -> (String, String) {
        pair(|seat| self.0.snake(seat).heading().to_string())
    }

    /// The length of each snake: the cells of its body plus pending growth.
    #[getter]
    fn lengths(&self) -> (usize, usize) {
        pair(|seat| self.0.length(seat))
    }

    /// The columns and rows of the foods.
    #[getter]
    fn foods(&self) -> Vec<Place> {
        self.0
            .foods()
            .iter()
            .map(|food| place(self.0.board(), food.cell))
            .collect()
    }

    /// The number of cells by which each food makes a snake grow.
    #[getter]
    fn values(&self) -> Vec<u32> {
        self.0
            .foods()
            .iter()
            .map(|food| food.value.into())
            .collect()
    }

    /// The number of steps so far.
    #[getter]
    fn steps(&self) -> u32 {
        self.0.steps()
    }

    /// The outcome: `ongoing`, `first`, `second` or `draw`.
    #[getter]
    fn outcome(&self) -> String {
        match self.0.outcome().map(|outcome| outcome.winner) {
            None => "ongoing".to_owned(),
            Some(None) => "draw".to_owned(),
            Some(Some(winner)) => winner.to_string(),
        }
    }

    /// What ended the duel for each snake, such as `own body`; empty for a survivor.
    #[getter]
    fn causes(&self) -> (String, String) {
        let causes = self.0.outcome().map_or([None; 2], |outcome| outcome.causes);
        pair(|seat| causes[seat.index()].map_or(String::new(), |cause| cause.to_string()))
    }

    /// Draws the board as an RGB array.
    fn render<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let drawing = Drawing::of_duel(&self.0, &Default::default());
        painted(py, &drawing, self.0.board())
    }

    /// Draws the board as SVG, for notebooks.
    fn _repr_svg_(&self) -> String {
        svg(&Drawing::of_duel(&self.0, &Default::default()))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!(
            "<DuelPosition {}, step {}, {}>\n{}",
            self.0.board(),
            self.0.steps(),
            self.outcome(),
            self.0
        )
    }
}

/// Returns the results of `of` for both seats.
fn pair<T>(of: impl Fn(Seat) -> T) -> (T, T) {
    (of(Seat::First), of(Seat::Second))
}
